// SPDX-License-Identifier: MIT
#include "fiber.hpp"

#include <sys/mman.h>

#include <new>

namespace ladder::simt {

namespace {

// Kernels do not recurse and keep a few hundred bytes each. A guard page for each stack would
// exhaust the kernel's limit on mappings on a machine with many cores.
#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t stack_bytes = 256 * 1024;  // reports are written on the stack of the culprit
#else
constexpr std::size_t stack_bytes = 64 * 1024;
#endif

// Stacks a power of two apart would put every fiber's frames in the same few cache sets.
constexpr std::size_t cache_line = 64;
constexpr std::size_t stack_stride = stack_bytes + 13 * cache_line;
constexpr std::size_t stacks_per_slab = 64;
constexpr std::size_t slab_bytes = stacks_per_slab * stack_stride;

struct SlabStack {
  boost::context::stack_context allocate() const {
    boost::context::stack_context context;
    context.size = stack_bytes;
    context.sp = bottom + stack_bytes;
    return context;
  }
  void deallocate(boost::context::stack_context&) const noexcept {}

  char* bottom;
};

}  // namespace

void FiberPool::grow() {
  void* slab =
      mmap(nullptr, slab_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (slab == MAP_FAILED) throw std::bad_alloc();
  // A huge page would commit two megabytes for the few kilobytes in use.
  madvise(slab, slab_bytes, MADV_NOHUGEPAGE);
  slabs_.push_back(slab);
  fibers_.reserve(fibers_.size() + stacks_per_slab);
  idle_.reserve(fibers_.size() + stacks_per_slab);
  for (std::size_t i = stacks_per_slab; i-- > 0;) {
    char* bottom = static_cast<char*>(slab) + i * stack_stride;
    Fiber* self = fibers_.emplace_back(std::make_unique<Fiber>()).get();
    self->stack_bottom = bottom;
    self->stack_bytes = stack_bytes;
    self->context =
        boost::context::fiber(std::allocator_arg, SlabStack{bottom}, [this, self](boost::context::fiber&& resumer) {
          has_arrived(*self);
          self->resumed_by->context = std::move(resumer);
          serve_(owner_, *self);
          home_.resumed_by = self;
          about_to_leave(*self, home_);
          return std::move(home_.context);
        });
    idle_.push_back(self);
  }
}

void FiberPool::close() {
  for (const std::unique_ptr<Fiber>& fiber : fibers_) switch_fiber(home_, *fiber);
  fibers_.clear();
  idle_.clear();
}

FiberPool::~FiberPool() {
  for (void* slab : slabs_) {
    forget_stacks(slab, slab_bytes);
    munmap(slab, slab_bytes);
  }
}

}  // namespace ladder::simt
