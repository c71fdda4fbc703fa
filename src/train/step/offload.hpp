#pragma once
// What lies in the host's memory instead of the chip's: optimizer states, or the activations between the two passes.

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace ridge {

struct OffloadPolicy {
  bool optimizer = false;    // master weights and states; the host updates them (ZeRO-Offload, Ren et al. 2021)
  bool activations = false;  // sent out behind the forward pass, fetched ahead of the backward one

  bool any() const { return optimizer || activations; }
  bool operator==(const OffloadPolicy&) const = default;
};

/// "none", "optimizer", "activations", or both with a plus.
Result<OffloadPolicy> parse_offload(std::string_view text, std::string_view where);
std::string name_of(const OffloadPolicy& policy);

}  // namespace ridge
