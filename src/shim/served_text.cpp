// SPDX-License-Identifier: MIT
#include "served_text.hpp"

#include <fmt/format.h>

#include <bit>

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
  if (served.gpu_ordinal < 0) return name;
  std::string text = fmt::format("{}:{}", name, served.gpu_ordinal);
  for (std::uint64_t more = served.more_gpus; more != 0; more &= more - 1)
    text += fmt::format("+{}", std::countr_zero(more));
  return text;
}

std::string why_text(const Served& served) {
  if (served.failure == nullptr) return served.why;
  std::string text = fmt::format("fallback:{}", served.failure);
  for (char& character : text) character = character == ' ' ? '-' : lower_case(character);
  return text;
}

}  // namespace ladder::shim
