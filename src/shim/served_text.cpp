// SPDX-License-Identifier: MIT
#include "served_text.hpp"

#include <fmt/format.h>

namespace ladder::shim {

namespace {

char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::string rung_text(const Rung* rung) {
  if (rung == nullptr) return "none";
  return rung->number == unnumbered ? rung->id : fmt::format("{}", rung->number);
}

const char* server_name(const Served& served) {
  if (served.server == Server::rung) return served.rung->name;
  return served.server == Server::next_blas ? "next_blas" : "none";
}

std::string device_text(const Served& served) {
  const char* name = place_name(served.place);
  return served.gpu_ordinal < 0 ? std::string(name) : fmt::format("{}:{}", name, served.gpu_ordinal);
}

std::string why_text(const Served& served) {
  if (served.failure == nullptr) return served.why;
  std::string text = fmt::format("fallback:{}", served.failure);
  for (char& character : text) character = character == ' ' ? '-' : lower_case(character);
  return text;
}

}  // namespace ladder::shim
