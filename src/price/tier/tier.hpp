#pragma once
// What it costs to keep the context of a sequence somewhere until it is used again. All costs are for one token of
// context. docs/theory/tiers.md derives every line, and says what is counted.

#include "base/number/units.hpp"
#include "cost/queue.hpp"
#include "price/sheet/sheet.hpp"

namespace ridge {

template <class S>
using DollarsPerByte = Quantity<kDollar / kByte, S>;
template <class S>
using DollarsPerByteSecond = Quantity<kDollar / kByte / kSecond, S>;

template <class S>
using SecondsPerToken = Quantity<kSecond / kToken, S>;
template <class S>
using SecondsPerByte = Quantity<kSecond / kByte, S>;

/// A place to keep context: one device.
template <class S>
struct TierDevice {
  Bytes<S> capacity{};
  BytesPerSecond<S> read{}, write{};
  BytesPerSecond<S> reach{};    // that one chip can draw from such devices
  Seconds<S> latency{};         // of a request: way, protocol and first byte
  Seconds<S> seek{};            // before each piece
  Bytes<S> piece{};             // on one device; the rest lies on others
  Ratio<S> utilization{};       // share of the time in which it reads or writes
  DollarsPerSecond<S> price{};  // of the device and its share of a server, bought and run
  DollarsPerByte<S> wear{};     // of a byte written, where writing wears it out
  // whether there is any of these; plain, so that no equation shows zeros
  bool lags = false, seeks = false, in_pieces = false, queues = false, wears = false;
};

/// What is kept, and the chips it is kept for.
template <class S>
struct KeptContext {
  BytesPerToken<S> bytes{};
  DollarsPerSecond<S> chip_price{};
  Ratio<S> waiting{};   // share of the time of a fetch in which the chips do nothing else
  Tokens<S> context{};  // that is fetched at once
  Ratio<S> chips{};     // that it is fetched for
  bool waits = false;   // whether they wait
};

/// What keeping a token costs: once, for each second, and each time it is used.
template <class S>
struct TierCost {
  DollarsPerToken<S> write{};
  DollarsPerTokenSecond<S> hold{};
  DollarsPerToken<S> fetch{};
};

/// Time to read or fill a whole device: the time for which it is the natural place to keep something.
template <class S>
Seconds<S> drain_time(const TierDevice<S>& device) {
  return named("drain", device.capacity / device.read);
}

template <class S>
DollarsPerByteSecond<S> holding_price(const TierDevice<S>& device) {
  return named("hold_byte", device.price / device.capacity);
}

/// A second in which a device works, and the idle seconds that belong to it.
template <class S>
DollarsPerSecond<S> working_price(const TierDevice<S>& device) {
  return device.queues ? named("work_second", device.price / device.utilization) : device.price;
}

/// What a byte takes of a device that works at a rate, its share of the seeks included.
template <class S>
SecondsPerByte<S> time_on_device(const TierDevice<S>& device, const BytesPerSecond<S>& rate) {
  const auto moving = literal<Ratio<S>>(1.0) / rate;
  return device.seeks ? SecondsPerByte<S>(moving + device.seek / device.piece) : SecondsPerByte<S>(moving);
}

/// From asking for a context to having all of it, on all chips that it is for: the request's way, its wait behind others
/// at a device, then the longer of what one device takes for its piece and of drawing the whole through the chips' links.
template <class S>
Seconds<S> fetch_time(const TierDevice<S>& device, const KeptContext<S>& kept) {
  const Bytes<S> whole = named("context_bytes", kept.bytes * kept.context);
  const Bytes<S> request = device.in_pieces ? min(whole, device.piece) : whole / kept.chips;
  const Seconds<S> reading = request / device.read;
  const Seconds<S> service = named("t_service", device.seeks ? device.seek + reading : reading);
  const Seconds<S> alone = max(named("t_draw", whole / (kept.chips * device.reach)), service);
  const Seconds<S> queued = device.queues ? alone + named("t_wait", queue_wait(device.utilization, service)) : alone;
  return named("t_fetch", device.lags ? device.latency + queued : queued);
}

/// A share of the device for as long as it is occupied; the device itself for as long as it reads or writes, and stands
/// ready; all chips for as long as they wait for the context. A device that is both full and busy is paid for twice: at
/// most a factor of two.
template <class S>
TierCost<S> cost_on(const TierDevice<S>& device, const KeptContext<S>& kept) {
  using Price = DollarsPerToken<S>;
  const auto work = working_price(device);
  const Price fetching = kept.bytes * time_on_device(device, device.read) * work;
  const Price writing = kept.bytes * time_on_device(device, device.write) * work;
  const auto waiting = [&] {
    return kept.waiting * fetch_time(device, kept) * (kept.chips * kept.chip_price) / kept.context;
  };
  return {.write = named("write", device.wears ? Price(writing + kept.bytes * device.wear) : writing),
          .hold = named("hold", kept.bytes * holding_price(device)),
          .fetch = named("fetch", kept.waits ? Price(named("fetch_device", fetching) + named("fetch_chips", waiting()))
                                             : fetching)};
}

/// In the chip's own memory, which bears a share of the chip's price: nothing to write, nothing to fetch.
template <class S>
TierCost<S> cost_on_chip(const KeptContext<S>& kept, const Bytes<S>& capacity, const Ratio<S>& charged) {
  return {.write = literal<DollarsPerToken<S>>(0.0),
          .hold = named("hold", kept.bytes * (charged * kept.chip_price / capacity)),
          .fetch = literal<DollarsPerToken<S>>(0.0)};
}

/// Nothing kept: every use computes it again: `work` of peak chip time, at a share of the peak.
template <class S>
TierCost<S> cost_of_recomputing(const SecondsPerToken<S>& work, const Ratio<S>& mfu,
                                const DollarsPerSecond<S>& chip_price) {
  return {.write = literal<DollarsPerToken<S>>(0.0),
          .hold = literal<DollarsPerTokenSecond<S>>(0.0),
          .fetch = named("recompute", work / mfu * chip_price)};
}

/// Kept for a time, then used with a probability.
template <class S>
DollarsPerToken<S> cost_of_keeping(const TierCost<S>& cost, const Seconds<S>& time, const Ratio<S>& reuse) {
  return cost.write + cost.hold * time + reuse * cost.fetch;
}

/// The time at which two places cost the same; the one that is more expensive to hold is cheaper before it. Where holding
/// costs the same there is none (unbounded), where it is negative the second was cheaper all along.
template <class S>
Seconds<S> break_even(const TierCost<S>& dear_to_hold, const TierCost<S>& cheap_to_hold, const Ratio<S>& reuse) {
  const auto once = [&](const TierCost<S>& cost) { return cost.write + reuse * cost.fetch; };
  return named("break_even",
               divide_or_unbounded(once(cheap_to_hold) - once(dear_to_hold), dear_to_hold.hold - cheap_to_hold.hold));
}

/// The same between holding on a chip and computing again, when both are paid with the chip's time: no price in it.
template <class S>
Seconds<S> recompute_break_even(const SecondsPerToken<S>& work, const Ratio<S>& mfu, const BytesPerToken<S>& kept,
                                const Bytes<S>& capacity) {
  return named("break_even", work / mfu * (capacity / kept));
}

/// What a use costs a fleet that keeps every context for some time after its last use: `hits` of the uses find it,
/// after `held` on average over all uses; the others compute and write it again.
template <class S>
DollarsPerToken<S> fleet_cost(const TierCost<S>& tier, const TierCost<S>& recompute, const Ratio<S>& hits,
                              const Seconds<S>& held) {
  const Ratio<S> misses = literal<Ratio<S>>(1.0) - hits;
  return named("fleet", misses * (recompute.fetch + tier.write) + hits * tier.fetch + tier.hold * held);
}

/// Bytes of context a token that a price of holding pays for on a device: the most there can be, if the price is no
/// less than the cost.
template <class S>
BytesPerToken<S> bytes_for(const DollarsPerTokenSecond<S>& hold, const TierDevice<S>& device) {
  return named("kv_hold", hold / holding_price(device));
}

/// The same for the price of a fetch.
template <class S>
BytesPerToken<S> bytes_for(const DollarsPerToken<S>& fetch, const TierDevice<S>& device) {
  return named("kv_fetch", fetch / (working_price(device) * time_on_device(device, device.read)));
}

}  // namespace ridge
