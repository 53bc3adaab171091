// SPDX-License-Identifier: MIT
// Who multiplies which panels of the kept side, where several GPUs share a product.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace ladder::shim {

/// Every panel is handed out once. Each taker has a part of its own, neighbours in order; whoever is done with it takes
/// from the end of the part that has the most left, so that a slow GPU gets less. Any thread.
class PanelClaims {
 public:
  PanelClaims(std::int64_t panels, int takers);

  bool is_shared() const { return parts_.size() > 1; }
  /// The first panel left of the taker's own part.
  std::optional<std::int64_t> own(int taker);
  /// The last panel left of another one's part.
  std::optional<std::int64_t> others(int taker);
  /// Any panel that nobody has taken.
  std::optional<std::int64_t> left_over();

 private:
  struct Part {
    std::int64_t begin, end;
    std::int64_t left() const { return end - begin; }
  };
  std::optional<std::int64_t> take_last(Part& part);

  std::mutex mutex_;
  std::vector<Part> parts_;
};

}  // namespace ladder::shim
