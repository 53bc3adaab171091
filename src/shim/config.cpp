// SPDX-License-Identifier: MIT
#include "config.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <limits>
#include <optional>
#include <span>

#include "auto_rung.hpp"
#include "config_text.hpp"
#include "stderr_line.hpp"
#include "sum_order.hpp"

namespace ladder::shim {

namespace {

template <class Value>
struct Word {
  std::string_view text;
  Value value;
};

constexpr Word<DeviceWish> device_words[] = {{"auto", DeviceWish::automatic},
                                             {"gpu", DeviceWish::gpu},
                                             {"cpu", DeviceWish::cpu},
                                             {"emulate", DeviceWish::emulate}};
constexpr Word<LogLevel> log_words[] = {
    {"off", LogLevel::off}, {"summary", LogLevel::summary}, {"call", LogLevel::call}};
constexpr Word<LogTime> log_time_words[] = {{"host", LogTime::host}, {"gpu", LogTime::gpu}};
constexpr Word<OffloadWish> offload_words[] = {
    {"auto", OffloadWish::automatic}, {"always", OffloadWish::always}, {"never", OffloadWish::never}};
constexpr Word<bool> reproducible_words[] = {{"0", false}, {"1", true}};

template <class Value, std::size_t N>
Value parse_word(Environment environment, const char* name, const Word<Value> (&words)[N], Value fallback,
                 std::vector<std::string>& complaints) {
  const std::string_view text = read(environment, name);
  if (text.empty()) return fallback;
  std::string valid;
  for (const Word<Value>& word : words) {
    if (text == word.text) return word.value;
    valid += fmt::format("{}{}", valid.empty() ? "" : ", ", word.text);
  }
  complaints.push_back(complaint(name, text, valid));
  return fallback;
}

/// "4096", "64K", "512M", "4G".
std::optional<std::size_t> bytes_of(std::string_view text) {
  constexpr std::string_view units = "KMG";
  constexpr int bits_per_unit = 10;
  const std::size_t unit = text.empty() ? units.npos : units.find(text.back());
  const int shift = unit == units.npos ? 0 : bits_per_unit * static_cast<int>(unit + 1);
  if (shift > 0) text.remove_suffix(1);
  const auto number = number_of<std::size_t>(text);
  if (!number || *number > std::numeric_limits<std::size_t>::max() >> shift) return std::nullopt;
  return *number << shift;
}

/// `least`: the smallest size of use, spelt as in bytes_of().
std::size_t parse_bytes(Environment environment, const char* name, std::string_view least, std::size_t fallback,
                        std::vector<std::string>& complaints) {
  const std::string_view text = read(environment, name);
  if (text.empty()) return fallback;
  const auto bytes = bytes_of(text);
  if (bytes && *bytes >= *bytes_of(least)) return *bytes;
  complaints.push_back(complaint(
      name, text, fmt::format("bytes, {} or more, with K, M or G behind the number for powers of 1024", least)));
  return fallback;
}

int parse_threads(Environment environment, const char* name, int fallback, std::vector<std::string>& complaints) {
  constexpr int most = 256;
  const std::string_view text = read(environment, name);
  if (text.empty()) return fallback;
  const auto threads = number_of<int>(text);
  if (threads && *threads >= 1 && *threads <= most) return *threads;
  complaints.push_back(complaint(name, text, fmt::format("1 to {}", most)));
  return fallback;
}

void parse_offload(Environment environment, Config& config, std::vector<std::string>& complaints) {
  config.offload = parse_word(environment, "LADDER_OFFLOAD", offload_words, config.offload, complaints);
  config.offload_memory = parse_bytes(environment, "LADDER_OFFLOAD_MEMORY", "1M", config.offload_memory, complaints);
  config.offload_keep = parse_bytes(environment, "LADDER_OFFLOAD_KEEP", "0", config.offload_keep, complaints);
  config.offload_pinned = parse_bytes(environment, "LADDER_OFFLOAD_PINNED", "1M", config.offload_pinned, complaints);
  config.offload_threads = parse_threads(environment, "LADDER_OFFLOAD_THREADS", config.offload_threads, complaints);
}

RungSetting parse_rung(Environment environment, std::vector<std::string>& complaints) {
  constexpr const char* name = "LADDER_RUNG";
  const std::string_view text = read(environment, name);
  RungSetting setting;
  if (text.empty()) return setting;
  if (text == auto_rung_id) {
    setting.automatic = true;
    return setting;
  }
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const Rung* rung = find_rung(text.substr(begin, end - begin));
    if (rung == nullptr) {
      complaints.push_back(complaint(name, text, valid_rungs() + ", auto, or a list such as 8,9"));
      return RungSetting{};
    }
    setting.turns.push_back(rung);
    begin = end + 1;
  }
  return setting;
}

TuningSetting parse_tuning(Environment environment) {
  const std::string_view text = read(environment, "LADDER_TUNING");
  if (text.empty()) return {.path = default_tuning_cache(environment)};
  if (text == "off") return {.off = true};
  return {.named = true, .path = std::string(text)};
}

const Config& read_process_environment() {
  Config* parsed = nullptr;
  try {
    std::vector<std::string> complaints;
    // Never freed: calls may still come while the process ends.
    parsed = new Config(parse_config([](const char* name) -> const char* { return std::getenv(name); }, complaints));
    set_plain_sums(parsed->reproducible);
    for (const std::string& line : complaints) stderr_line(line);
    return *parsed;
  } catch (const std::exception&) {
    static const Config defaults;
    return parsed ? *parsed : defaults;
  }
}

}  // namespace

std::string valid_rungs() {
  std::string list;
  for (const Rung& rung : rungs()) {
    if (!list.empty()) list += ", ";
    list += rung.number == unnumbered ? rung.name : fmt::format("{} {}", rung.number, rung.name);
  }
  return list;
}

std::string default_tuning_cache(Environment environment) {
  constexpr std::string_view file = "/ladderblas/tuning.json";
  const std::string_view cache = read(environment, "XDG_CACHE_HOME");
  if (cache.starts_with('/')) return fmt::format("{}{}", cache, file);
  const std::string_view home = read(environment, "HOME");
  return home.starts_with('/') ? fmt::format("{}/.cache{}", home, file) : std::string();
}

Config parse_config(Environment environment, std::vector<std::string>& complaints) {
  Config config;
  config.rung = parse_rung(environment, complaints);
  config.device = parse_word(environment, "LADDER_DEVICE", device_words, config.device, complaints);
  config.log = parse_word(environment, "LADDER_LOG", log_words, config.log, complaints);
  config.log_time = parse_word(environment, "LADDER_LOG_TIME", log_time_words, config.log_time, complaints);
  config.log_file = read(environment, "LADDER_LOG_FILE");
  config.blas = read(environment, "LADDER_BLAS");
  config.cublas = read(environment, "LADDER_CUBLAS");
  config.tuning = parse_tuning(environment);
  config.gpus = parse_gpus(environment, complaints);
  parse_offload(environment, config, complaints);
  config.reproducible =
      parse_word(environment, "LADDER_REPRODUCIBLE", reproducible_words, config.reproducible, complaints);
  config.tf32_forbidden = read(environment, "NVIDIA_TF32_OVERRIDE") == "0";
  return config;
}

const Config& config() {
  static const Config& parsed = read_process_environment();
  return parsed;
}

}  // namespace ladder::shim
