// SPDX-License-Identifier: MIT
#include "binding_log.hpp"

#include <fstream>

#include "text_list.hpp"

namespace ladder::doctor {

namespace {

using Fields = std::map<std::string_view, std::string>;

/// \t, \n and \\ stand for the characters that a value cannot hold.
std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      plain += text[i];
      continue;
    }
    const char escaped = text[++i];
    plain += escaped == 't' ? '\t' : escaped == 'n' ? '\n' : escaped;
  }
  return plain;
}

Fields fields_of(std::string_view line) {
  Fields fields;
  for (const std::string_view field : bench::split(line, '\t')) {
    const std::size_t equals = field.find('=');
    if (equals != std::string_view::npos) fields[field.substr(0, equals)] = unescaped(field.substr(equals + 1));
  }
  return fields;
}

}  // namespace

void read_binding_line(std::string_view line, BindingLog& log) {
  Fields fields = fields_of(line);
  const std::string event = fields["event"];
  if (event == "start") log.processes[fields["pid"]] = fields["program"];
  if (event == "open") log.objects.insert(fields["object"]);
  if (event == "bind") {
    log.bindings.insert({fields["symbol"], fields["from"], fields["to"],
                         fields["via"] == "dlsym" ? Way::dlsym : Way::linked, fields["redirected"] == "yes",
                         fields["why"]});
  }
}

bool read_binding_log(const std::string& file, BindingLog& log) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) read_binding_line(line, log);
  return stream.eof();
}

}  // namespace ladder::doctor
