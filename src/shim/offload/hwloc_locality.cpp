// SPDX-License-Identifier: MIT
// hwloc is opened when it is wanted, and not linked with: the library must load into programs on machines without it.
#include "offload/hwloc_locality.hpp"

#include <dlfcn.h>
#include <hwloc.h>

namespace ladder::shim {

namespace {

/// What we call of it, as its header declares it.
struct Hwloc {
#define HWLOC_FUNCTIONS(each)                                                                            \
  each(get_api_version) each(topology_init) each(topology_set_components) each(topology_set_type_filter) \
      each(topology_load) each(topology_destroy) each(topology_is_thissystem) each(get_nbobjs_by_depth)  \
          each(get_obj_by_depth) each(bitmap_next)
#define HWLOC_POINTER(name) decltype(&::hwloc_##name) name = nullptr;
  HWLOC_FUNCTIONS(HWLOC_POINTER)
#undef HWLOC_POINTER

  /// False where a function is missing, or another ABI than that of the header is there.
  bool find_in(const char* library) {
    constexpr unsigned major_version = 16;  // the bits from there on
    void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return false;
    bool complete = true;
#define HWLOC_FIND(name)                                                  \
  name = reinterpret_cast<decltype(name)>(dlsym(handle, "hwloc_" #name)); \
  complete = complete && name != nullptr;
    HWLOC_FUNCTIONS(HWLOC_FIND)
#undef HWLOC_FIND
#undef HWLOC_FUNCTIONS
    return complete && get_api_version() >> major_version == HWLOC_API_VERSION >> major_version;
  }
};

/// The machine as hwloc sees it, for as long as we look.
class Topology {
 public:
  explicit Topology(const Hwloc& hwloc) : hwloc_(hwloc) {
    if (hwloc_.topology_init(&topology_) != 0) topology_ = nullptr;
  }
  ~Topology() {
    if (topology_ != nullptr) hwloc_.topology_destroy(topology_);
  }
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  bool load() {
    if (topology_ == nullptr) return false;
    // It would send the calling thread from core to core, to learn what we do not ask.
    static_cast<void>(hwloc_.topology_set_components(topology_, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86"));
    // Of I/O PCI devices only: for other kinds hwloc's plugins would start OpenCL or CUDA.
    return hwloc_.topology_set_type_filter(topology_, HWLOC_OBJ_PCI_DEVICE, HWLOC_TYPE_FILTER_KEEP_ALL) == 0 &&
           hwloc_.topology_load(topology_) == 0 && hwloc_.topology_is_thissystem(topology_) == 1;
  }

  std::optional<CoreSet> local_to(const PciAddress& address) const {
    const unsigned devices = hwloc_.get_nbobjs_by_depth(topology_, HWLOC_TYPE_DEPTH_PCI_DEVICE);
    for (unsigned i = 0; i < devices; ++i) {
      const hwloc_obj* object = hwloc_.get_obj_by_depth(topology_, HWLOC_TYPE_DEPTH_PCI_DEVICE, i);
      const auto& at = object->attr->pcidev;
      if (at.domain != address.domain || at.bus != address.bus || at.dev != address.device) continue;
      while (object != nullptr && object->cpuset == nullptr) object = object->parent;
      // Right at the root: it is not known on which node.
      const bool on_a_node = object != nullptr && object->parent != nullptr;
      return on_a_node ? std::optional(cores_in(object->cpuset)) : std::nullopt;
    }
    return std::nullopt;
  }

 private:
  CoreSet cores_in(hwloc_const_bitmap_t bitmap) const {
    CoreSet cores;
    constexpr int none = -1;
    constexpr int end = CoreSet::most_cores;
    for (int core = hwloc_.bitmap_next(bitmap, none); core != none && core < end;
         core = hwloc_.bitmap_next(bitmap, core))
      cores.add(static_cast<unsigned>(core));
    return cores;
  }

  const Hwloc& hwloc_;
  hwloc_topology_t topology_ = nullptr;
};

}  // namespace

std::vector<std::optional<CoreSet>> cores_local_to(const std::vector<std::optional<PciAddress>>& addresses,
                                                   const char* library) {
  std::vector<std::optional<CoreSet>> local(addresses.size());
  Hwloc hwloc;
  if (!hwloc.find_in(library)) return local;
  Topology topology(hwloc);
  if (!topology.load()) return local;
  for (std::size_t i = 0; i < addresses.size(); ++i)
    if (addresses[i]) local[i] = topology.local_to(*addresses[i]);
  return local;
}

}  // namespace ladder::shim
