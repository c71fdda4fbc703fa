#pragma once
// The algorithms of collective communication at given link speeds: which one a library picks, and what each would take.
// `volume` is the whole array; `link` what a chip sends one way; `hop` the latency of one message. Sources: the scaling
// book (all-gather and reduce-scatter V (n-1) / (n U), all-reduce twice that, torus V over all links), NVIDIA's SHARP
// (added up in the switch: every chip sends and receives the array once).

#include <algorithm>
#include <cmath>

#include "base/number/units.hpp"

namespace ridge {

template <class S>
struct Link {
  BytesPerSecond<S> speed;  // of one chip, one way, over all its links
  Seconds<S> hop;
};

/// What a chip sends when every one sends the whole array to all `chips` - 1 others.
template <class S>
Bytes<S> sent_in_one_shot(const Bytes<S>& volume, const Ratio<S>& chips) {
  return volume * (chips - literal<Ratio<S>>(1.0));
}

/// What a chip sends of the array when each adds up its share of it and then sends the sum: 2 (n-1) / n.
template <class S>
Ratio<S> two_shot_share(const Ratio<S>& chips) {
  return 2 * (chips - literal<Ratio<S>>(1.0)) / chips;
}
template <class S>
Bytes<S> sent_in_two_shots(const Bytes<S>& volume, const Ratio<S>& chips) {
  return volume * two_shot_share(chips);
}

/// Every chip's share to all others, around a ring.
template <class S>
Seconds<S> all_gather_ring(const Bytes<S>& volume, const Link<S>& link, double chips) {
  return volume * ((chips - 1) / chips) / link.speed + link.hop * (chips - 1);
}

/// The other way round: shares of a sum.
template <class S>
Seconds<S> reduce_scatter_ring(const Bytes<S>& volume, const Link<S>& link, double chips) {
  return all_gather_ring(volume, link, chips);
}

template <class S>
Seconds<S> all_reduce_ring(const Bytes<S>& volume, const Link<S>& link, double chips) {
  return reduce_scatter_ring(volume, link, chips) + all_gather_ring(volume, link, chips);
}

/// Up a tree and down again, in many small pieces: the array crosses each link twice, the depth only costs hops.
template <class S>
Seconds<S> all_reduce_tree(const Bytes<S>& volume, const Link<S>& link, double chips) {
  return volume * 2.0 / link.speed + link.hop * (2 * std::ceil(std::log2(chips)));
}

/// Every chip sends everything to every other and adds up by itself: one hop, many bytes.
template <class S>
Seconds<S> all_reduce_one_shot(const Bytes<S>& volume, const Link<S>& link, double chips) {
  return sent_in_one_shot(volume, literal<Ratio<S>>(chips)) / link.speed + link.hop;
}

/// Each chip adds up its share and sends the sum: two hops.
template <class S>
Seconds<S> all_reduce_two_shot(const Bytes<S>& volume, const Link<S>& link, double chips) {
  return sent_in_two_shots(volume, literal<Ratio<S>>(chips)) / link.speed + link.hop * 2.0;
}

/// Added up in the switch.
template <class S>
Seconds<S> all_reduce_in_network(const Bytes<S>& volume, const Link<S>& link) {
  return volume / link.speed + link.hop * 2.0;
}

/// The quickest that a topology allows: a torus has rings alone, and a switch may or may not add up.
template <class S>
Seconds<S> all_reduce_best(const Bytes<S>& volume, const Link<S>& link, double chips, bool fully_connected,
                           bool adds_up) {
  const Seconds<S> by_rings = min(all_reduce_ring(volume, link, chips), all_reduce_tree(volume, link, chips));
  if (!fully_connected) return by_rings;
  const Seconds<S> direct = min(all_reduce_one_shot(volume, link, chips), all_reduce_two_shot(volume, link, chips));
  const Seconds<S> best = min(by_rings, direct);
  return adds_up ? min(best, all_reduce_in_network(volume, link)) : best;
}

/// Every chip a different part to every other, through a switch.
template <class S>
Seconds<S> all_to_all_switched(const Bytes<S>& volume, const Link<S>& link, double chips) {
  return volume * ((chips - 1) / (chips * chips)) / link.speed + link.hop;
}

/// The same over a torus: a byte crosses `distance` links on average, which all chips share.
template <class S>
Seconds<S> all_to_all_torus(const Bytes<S>& volume, const Link<S>& link, double chips, double distance) {
  return volume / chips * distance / link.speed + link.hop * (2 * distance);
}

/// Inside every domain, then across: each level moves its part at its own speed, the slowest sets the pace.
template <class S>
Seconds<S> all_gather_levels(const Bytes<S>& volume, const Link<S>& inside, double chips, const Link<S>& across,
                             double domains) {
  const Seconds<S> near = all_gather_ring(volume, inside, chips);
  if (domains <= 1) return near;
  return max(near, volume * ((domains - 1) / domains / chips) / across.speed + across.hop * (domains - 1));
}

}  // namespace ridge
