// SPDX-License-Identifier: MIT
// Members of JSON that somebody else may have written: what is missing or of another type is no error.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace ladder::shim {

/// Null where there is no such member, or `json` is no object.
inline const nlohmann::ordered_json* member(const nlohmann::ordered_json& json, const char* name) {
  if (!json.is_object()) return nullptr;
  const auto found = json.find(name);
  return found == json.end() ? nullptr : &*found;
}

/// Empty where there is no such text.
inline std::string_view text_of(const nlohmann::ordered_json& json, const char* name) {
  const auto* value = member(json, name);
  return value && value->is_string() ? std::string_view(value->get_ref<const std::string&>()) : std::string_view();
}

/// -1 where there is no such integer.
inline std::int64_t integer_of(const nlohmann::ordered_json& json, const char* name) {
  const auto* value = member(json, name);
  return value && value->is_number_integer() ? value->get<std::int64_t>() : -1;
}

/// -1 where there is no such number.
inline double number_of(const nlohmann::ordered_json& json, const char* name) {
  const auto* value = member(json, name);
  return value && value->is_number() ? value->get<double>() : -1.0;
}

}  // namespace ladder::shim
