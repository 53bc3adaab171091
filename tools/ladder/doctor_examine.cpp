// SPDX-License-Identifier: MIT
// The part of `ladder doctor` that looks and runs nothing: the program's files, our library, and the machine.
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <cstdlib>

#include "auto_rung.hpp"
#include "bench/device_facts.hpp"
#include "bench/nvml.hpp"
#include "bench/text_list.hpp"
#include "doctor_command.hpp"
#include "library_path.hpp"
#include "machine.hpp"
#include "shim/config.hpp"

namespace ladder::cli {

namespace {

void set_unless_empty(const char* name, const std::string& value) {
  if (!value.empty()) setenv(name, value.c_str(), 1);
}

/// Why the loader would not load it; empty where it does.
std::string loader_complaint(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = dlerror();
    return reason == nullptr ? "the loader does not say why" : reason;
  }
  dlclose(handle);
  return {};
}

/// The cuBLAS that the loader finds by its name.
std::optional<std::string> installed_cublas() {
  for (const char* soname : {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"}) {
    void* handle = dlopen(soname, RTLD_LAZY | RTLD_LOCAL);
    if (handle == nullptr) continue;
    link_map* map = nullptr;
    std::optional<std::string> path;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr) path = map->l_name;
    dlclose(handle);
    return path;
  }
  return std::nullopt;
}

void look_at_library(doctor::Surroundings& here) {
  const auto library = find_library();
  if (library.empty()) {
    here.library_complaint = library_missing();
    return;
  }
  here.library = library.string();
  here.library_complaint = here.library.find_first_of(" :") == std::string::npos
                               ? loader_complaint(here.library)
                               : "LD_PRELOAD cannot hold a path with a space or a colon";
  here.audit_library = find_library(auditor_file).string();
}

void look_at_machine(doctor::Surroundings& here) {
  if (const auto device = bench::current_device_facts()) {
    here.gpu = device->name;
    here.cuda_runtime = device->runtime_version;
    here.driver = bench::GpuSensors(device->pci_bus_id).driver_version();
  }
  here.cublas = installed_cublas();
}

std::string name_of(const Rung& rung) { return fmt::format("{} {}", rung_label(rung), rung.name); }

std::string rung_text(const shim::RungSetting& setting) {
  std::vector<std::string> names;
  if (setting.automatic) {
    for (const KernelConfig& candidate : auto_entry().emulated->configs)
      names.push_back(name_of(*find_rung(candidate.name)));
    return fmt::format("auto: for each problem the quickest of {}", bench::joined(names, ", "));
  }
  if (setting.turns.empty()) {
    const Rung* tf32 = rung_of(Precision::tf32);
    return name_of(default_rung()) + " (default)" +
           (tf32 ? fmt::format("; {} where cuBLAS is asked for TF32", name_of(*tf32)) : "");
  }
  for (const Rung* rung : setting.turns) names.push_back(name_of(*rung));
  return bench::joined(names, ", ");
}

std::string device_text(shim::DeviceWish wish, const std::optional<std::string>& gpu) {
  const std::string found = gpu ? *gpu : "no GPU works here";
  switch (wish) {
    case shim::DeviceWish::automatic:
      return fmt::format("auto: {}", gpu ? *gpu : found + ", so that calls are handed on to the next library");
    case shim::DeviceWish::gpu:
      return fmt::format("gpu: {}", found);
    case shim::DeviceWish::cpu:
      return "cpu: calls are handed on to the next library";
    case shim::DeviceWish::emulate:
      return "emulate: the rungs run on the CPU";
  }
  return {};
}

void look_at_named_library(const char* variable, const std::string& path, doctor::Surroundings& here) {
  if (path.find('/') == std::string::npos) return;  // the loader looks for a bare name
  const std::string complaint = doctor::elf_facts(path).complaint;
  if (!complaint.empty()) here.complaints.push_back(fmt::format("{}={} cannot be used: {}", variable, path, complaint));
}

void look_at_settings(doctor::Surroundings& here) {
  const auto config =
      shim::parse_config([](const char* name) -> const char* { return std::getenv(name); }, here.complaints);
  here.rung = rung_text(config.rung);
  here.device = device_text(config.device, here.gpu);
  look_at_named_library("LADDER_BLAS", config.blas, here);
  look_at_named_library("LADDER_CUBLAS", config.cublas, here);
}

std::vector<std::string> files_of(const doctor::Before& before) {
  std::vector<std::string> files = {before.program.elf()};
  files.insert(files.end(), before.loaded.files.begin(), before.loaded.files.end());
  return files;
}

}  // namespace

doctor::Before examine(const DoctorOptions& options) {
  set_unless_empty("LADDER_RUNG", options.rung);
  set_unless_empty("LADDER_DEVICE", options.device);
  doctor::Before before;
  before.words = options.program;
  look_at_library(before.surroundings);
  look_at_machine(before.surroundings);
  look_at_settings(before.surroundings);
  const char* search_path = std::getenv("PATH");
  before.program = doctor::find_program(options.program.front(), search_path == nullptr ? "" : search_path);
  if (!before.program.complaint.empty()) return before;
  before.elf = doctor::elf_facts(before.program.elf());
  if (!before.elf.interpreter.empty()) {
    before.loaded = doctor::loader_list(before.elf.interpreter, before.elf.file);
  }
  before.objects = doctor::objects_with_products(files_of(before));
  return before;
}

}  // namespace ladder::cli
