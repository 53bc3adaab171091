// SPDX-License-Identifier: MIT
#include "gemm_names.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "text_list.hpp"

namespace ladder::doctor {

namespace {

using Names = std::span<const std::string_view>;

constexpr std::string_view doors[] = {
#define DEVICE_DOOR(name) #name,
#define HOST_DOOR(name, form) #name,
#include "doors.def"
#undef DEVICE_DOOR
#undef HOST_DOOR
};

// Names of the BLAS, without the prefixes and suffixes of its many builds.
constexpr std::string_view other_types[] = {"dgemm",  "cgemm",  "zgemm",   "hgemm",  "bgemm",
                                            "sbgemm", "shgemm", "cgemm3m", "zgemm3m"};
constexpr std::string_view no_products[] = {"ssyrk", "sgemv", "ssymm", "strmm", "ssyr2k"};
constexpr std::string_view other_forms[] = {"sgemmt", "sgemmtr"};
// What may follow "sgemm_" in MKL.
constexpr std::string_view form_words[] = {"batch", "strided", "pack", "compute"};

// Of cuBLAS, after "cublas".
constexpr std::string_view cublas_other_types[] = {"Dgemm", "Cgemm", "Zgemm", "Hgemm", "Uint8gemm"};
constexpr std::string_view cublas_no_products[] = {"Ssyrk", "Sgemv", "Ssymm", "Strmm", "Ssyr2k"};
constexpr std::string_view cublas_products[] = {"Sgemm", "Gemm", "XtSgemm", "LtMatmul"};
constexpr std::string_view cublas_lt_helpers[] = {"LtMatmulA", "LtMatmulD", "LtMatmulP"};  // ...Algo, ...Desc, ...Pref

bool contains(Names names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

bool begins_with_any(std::string_view text, Names beginnings) {
  return std::ranges::any_of(beginnings, [text](std::string_view beginning) { return text.starts_with(beginning); });
}

char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

NameKind kind_in_cublas(std::string_view rest) {
  if (begins_with_any(rest, cublas_lt_helpers)) return NameKind::other;
  if (begins_with_any(rest, cublas_products)) return NameKind::another_form;
  if (begins_with_any(rest, cublas_other_types)) return NameKind::another_type;
  return begins_with_any(rest, cublas_no_products) ? NameKind::not_a_product : NameKind::other;
}

/// "scipy_cblas_sgemm64_" is scipy, cblas, sgemm: the marks of 64-bit integers and of Fortran are dropped.
std::vector<std::string> words_of(std::string_view symbol) {
  std::string text(symbol);
  std::ranges::transform(text, text.begin(), lower_case);
  while (text.ends_with('_')) text.pop_back();
  for (const std::string_view mark : {"64", "_"}) {
    if (text.ends_with(mark)) text.erase(text.size() - mark.size());
  }
  std::vector<std::string> words;
  for (const std::string_view word : bench::split(text, '_')) words.emplace_back(word);
  return words;
}

NameKind kind_in_blas(std::string_view symbol) {
  std::vector<std::string> words = words_of(symbol);
  bool other_form = false;
  while (words.size() > 1 && contains(form_words, words.back())) {
    other_form = true;
    words.pop_back();
  }
  const std::string& stem = words.back();
  if (stem == "sgemm") return other_form ? NameKind::another_form : NameKind::another_name;
  if (contains(other_forms, stem)) return NameKind::another_form;
  if (contains(other_types, stem)) return NameKind::another_type;
  return contains(no_products, stem) && !other_form ? NameKind::not_a_product : NameKind::other;
}

}  // namespace

NameKind kind_of(std::string_view symbol) {
  constexpr std::string_view cublas = "cublas", mangled = "_Z";
  if (symbol.starts_with(mangled)) return NameKind::other;
  if (contains(doors, symbol)) return NameKind::door;
  if (symbol.starts_with(cublas)) return kind_in_cublas(symbol.substr(cublas.size()));
  return kind_in_blas(symbol);
}

const char* kind_name(NameKind kind) {
  constexpr std::array names = {"other", "door", "another_name", "another_form", "another_type", "not_a_product"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace ladder::doctor
