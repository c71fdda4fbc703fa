#include <fmt/format.h>

#include "base/number/traced.hpp"
#include "base/text/text.hpp"
#include "price/make/prefill_work.hpp"
#include "report/derive/derivation.hpp"
#include "report/price/tier/tier_text.hpp"
#include "report/serve/serving_readings.hpp"
#include "serve/question/serving_inputs.hpp"

namespace ridge::report {

namespace {

/// Inputs that carry their symbols, listed as they are made.
class Inputs {
 public:
  template <Dimension D>
  Quantity<D, Traced> operator()(std::string_view symbol, std::string_view meaning, const Quantity<D, double>& value,
                                 const Provenance& from) {
    list.push_back({symbol, meaning, value.value(), D, from});
    return Quantity<D, Traced>(Traced::input(symbol, D, value.value()));
  }
  std::vector<DerivationInput> list;
};

Provenance from_of(const auto& fact) { return fact ? fact->from : Provenance{"default", Kind::fallback}; }

TierCost<Traced> traced_cost(const TierAnswer& answer, const TierRow& row, Inputs& in) {
  const DecodeCase<double>& c = answer.resolved.numbers;
  const Provenance price = answer.resolved.from[input_index("price")];
  const auto chip_price = in("p", "price of a chip", answer.chip_price, price);
  if (row.facts.of == Tier::Of::compute) {
    const DecodeCase<Traced> traced = traced_case(c);
    for (DerivationInput& input : derivation_inputs(answer.resolved)) {
      if (input.symbol != "p") in.list.push_back(std::move(input));
    }
    const auto attention = in("A", "attention of a token of the prompt, on average", answer.attention,
                              {"model", Kind::derived, "counted over its layers"});
    const auto mfu = in("MFU", "share of the peak", row.facts.mfu->value, row.facts.mfu->from);
    return cost_of_recomputing(prefill_work(traced, attention), mfu, chip_price);
  }
  const Provenance kept_from{"model", Kind::derived, "context stored over its tokens"};
  const bool waits = answer.question.waiting.value() > 0;
  KeptContext<Traced> kept;
  kept.bytes = in("v", "context kept for a token", answer.kept_bytes, kept_from);
  kept.chip_price = chip_price;
  kept.waits = waits;
  kept.waiting =
      in("w", "share of a fetch in which the chips wait", answer.question.waiting, {"--fetch-stall", Kind::user});
  if (waits) {
    kept.context = in("S", "tokens of context", answer.question.context, {"--context", Kind::user});
    kept.chips = in("n", "chips that wait for it", c.chips, answer.resolved.from[input_index("chips")]);
  }
  if (row.facts.of == Tier::Of::chip) {
    const auto charged =
        in("x", "share of the chip's price that its memory bears", row.facts.charged->value, row.facts.charged->from);
    const Provenance memory = answer.resolved.from[input_index("hbm.capacity")];
    return cost_on_chip(kept, in("M", "memory of a chip", row.device.capacity, memory), charged);
  }
  const TierDevice<double>& own = row.device;
  const Provenance bought = row.facts.owned->capex.from;
  TierDevice<Traced> device;
  device.lags = own.lags;
  device.seeks = own.seeks;
  device.in_pieces = own.in_pieces;
  device.queues = own.queues;
  device.wears = own.wears;
  device.capacity = in("K", "capacity of a device", own.capacity, from_of(row.facts.capacity));
  device.read = in("R", "rate at which it is read", own.read, from_of(row.facts.read));
  device.write = in("W", "rate at which it is written", own.write, from_of(row.facts.write));
  device.reach = in("r", "rate that one chip can draw", own.reach, from_of(row.facts.reach));
  if (own.lags && waits) device.latency = in("l", "latency of a request", own.latency, from_of(row.facts.latency));
  if (own.seeks) device.seek = in("s", "seek before each piece", own.seek, from_of(row.facts.seek));
  if (own.in_pieces) device.piece = in("b", "piece on one device", own.piece, from_of(row.facts.piece));
  const Provenance busy = answer.question.device_utilization ? Provenance{"--device-utilization", Kind::user}
                                                             : from_of(row.facts.utilization);
  if (own.queues) device.utilization = in("u", "share of the time in which a device works", own.utilization, busy);
  device.price = in("P", "price of a device: bought, financed, powered", own.price, bought);
  if (own.wears)
    device.wear = in("wear", "price of it over the bytes it can be written", own.wear, from_of(row.facts.rewrites));
  return cost_on(device, kept);
}

}  // namespace

Result<std::string> tier_derivation(const TierAnswer& answer, std::string_view tier, int depth, const Library& library,
                                    const Style& style) {
  std::vector<std::string> known;
  for (const TierRow& row : answer.rows) {
    known.push_back(row.facts.name);
    if (row.facts.name != tier) continue;
    if (row.computed) {  // by the equations of serving, at the load that it is computed beside
      ServingAnswer served = *answer.question.served;
      served.load = row.computed->load;
      const auto figure = find_serving_figure("input_cost", "derive");
      if (!figure) return fail(figure.error());
      return serving_derivation_text(served, *figure, depth, library, style);
    }
    Inputs in;
    const TierCost<Traced> cost = traced_cost(answer, row, in);
    std::vector<DerivationLine> lines;
    for (const Traced& figure : {cost.hold.value(), cost.write.value(), cost.fetch.value()}) {
      for (DerivationLine& line : derive(figure, depth)) lines.push_back(std::move(line));
    }
    return derivation_text(lines, in.list, library, style);
  }
  return fail({"derive", fmt::format("no tier here is called \"{}\"", shortened(tier)), suggestion(tier, known)});
}

}  // namespace ridge::report
