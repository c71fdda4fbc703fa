#pragma once
// The part of a fleet that is simulated: all of it where that is small, else some of its replicas under their share of the
// requests. Replicas that share a router see what those of a larger fleet see, or a little more queueing.

#include <cstdint>

namespace ridge {

/// What a slice is cut from.
struct SlicedFleet {
  double replicas = 1, prefill_replicas = 0;  // at work; prefill: 0 where the others do it
  double rate = 1;                            // requests a second
  double request_time = 1;                    // s, of one; of a mix the longest class's
  double osl = 1;                             // output tokens of such a request
  // ranks and stages of a replica: each takes requests of its own, so that fewer replicas share a queue like many
  double servers = 1, prefill_servers = 1;
};

struct FleetSlice {
  double replicas = 1, prefill_replicas = 0;
  double rate = 1;
  std::int64_t requests = 0;  // enough that the fleet is full for most of the time
};

FleetSlice slice_of(const SlicedFleet& fleet);

}  // namespace ridge
