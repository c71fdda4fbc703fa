// Claims about where context is kept: what a public tariff says of it, and what holding, computing again and draining
// take.

#include "claims/computations.hpp"
#include "price/make/prefill_work.hpp"
#include "price/tier/cache_tariff.hpp"
#include "price/tier/tier_answer.hpp"

namespace ridge {

namespace {

CacheTariff<double> tariff(Inputs& in) {
  using Price = DollarsPerToken<double>;
  return two_ttls<double>(in.given<Price>("input"),
                          {in.given<Seconds<double>>("short"), in.given<Price>("short_write")},
                          {in.given<Seconds<double>>("long"), in.given<Price>("long_write")});
}

TierDevice<double> device(Inputs& in, const char* name) {
  const Tier tier = in.tier(name);
  return tier.of == Tier::Of::device && tier.owned ? device_of(tier) : TierDevice<double>{};
}

Seconds<double> chip_drain(Inputs& in, const char* machine) {
  const Chip chip = in.chip(in.machine(machine).chip);
  return chip.capacity.value / chip.bandwidth.value;
}

}  // namespace

std::vector<Figure> c46(Inputs& in) {
  const CacheTariff<double> parts = tariff(in);
  const auto other = in.given<DollarsPerToken<double>>("other_hold");
  return {figure("premium", "what a write costs over fresh input, before any holding", parts.premium),
          figure("hold", "what holding for an hour costs", parts.hold * in.given<Seconds<double>>("long")),
          figure("over_other", "that over another provider's open price of holding",
                 parts.hold * in.given<Seconds<double>>("long") / other)};
}

std::vector<Figure> c47(Inputs& in) {
  const CacheTariff<double> parts = tariff(in);
  TierDevice<double> chip{};
  chip.capacity = in.given<Bytes<double>>("memory");
  chip.price = in.given<DollarsPerSecond<double>>("chip");
  const BytesPerToken<double> stored = in.decode({kModel, kHopper}).kv_stored;
  return {figure("memory", "bytes a token that the price of holding pays for in the rented chip's memory",
                 bytes_for(parts.hold, chip)),
          figure("dram", "the same in host memory", bytes_for(parts.hold, device(in, "dram"))),
          figure("flash", "in flash", bytes_for(parts.hold, device(in, "flash"))),
          figure("disk", "on spinning disk", bytes_for(parts.hold, device(in, "disk"))),
          figure("flash_margin", "price over cost if it is DeepSeek-V3's context in flash",
                 bytes_for(parts.hold, device(in, "flash")) / stored)};
}

std::vector<Figure> c48(Inputs& in) {
  const auto mfu = in.given<Ratio<double>>("mfu");
  const auto kept = in.given<BytesPerToken<double>>("kept");
  const auto capacity = in.given<Bytes<double>>("memory");
  const SecondsPerToken<double> work = literal<FlopsPerParamToken<double>>(2.0) * in.given<Params<double>>("params") /
                                       in.given<FlopsPerSecond<double>>("peak");
  const auto at_price = [&](double dollars) {
    const DollarsPerSecond<double> price(dollars);
    const KeptContext<double> context{.bytes = kept, .chip_price = price};
    return break_even(cost_on_chip(context, capacity, Ratio<double>(1.0)), cost_of_recomputing(work, mfu, price),
                      Ratio<double>(1.0));
  };
  const DecodeCase<double> c = in.decode({kModel, kHopper});
  const Tokens<double> context = in.given<Tokens<double>>("context");
  const SecondsPerToken<double> whole = prefill_work(c, prefill_attention(in.model(kModel), context));
  return {figure("time", "time for which holding in memory is cheaper than computing again",
                 recompute_break_even(work, mfu, kept, capacity)),
          figure("independent", "the same from the costs at one price of a chip over that at ten times it",
                 at_price(1.0) / at_price(10.0)),
          figure("with_attention", "DeepSeek-V3 on H100 as the catalog has them, attention over 8,192 tokens counted",
                 recompute_break_even(whole, mfu, c.kv_stored, c.hbm_capacity))};
}

std::vector<Figure> c49(Inputs& in) {
  const auto reach = in.tier("dram").reach;
  const TierDevice<double> dram = device(in, "dram");
  return {figure("hbm", "memory of an H100", chip_drain(in, kHopper)),
          figure("dram", "host memory by its own channels", drain_time(dram)),
          figure("flash", "flash, three bits a cell", drain_time(device(in, "flash"))),
          figure("disk", "spinning disk", drain_time(device(in, "disk"))),
          figure("hbm_blackwell", "memory of a GB200", chip_drain(in, kBlackwell)),
          figure("dram_link", "host memory through one chip's link",
                 dram.capacity / (reach ? reach->value : BytesPerSecond<double>(1.0))),
          figure("flash_dense", "flash, four bits a cell", drain_time(device(in, "flash-dense")))};
}

std::vector<Figure> c50(Inputs& in) {
  const auto brief = in.given<Seconds<double>>("short"), lasting = in.given<Seconds<double>>("long");
  const auto drain = [&](const char* name) { return drain_time(device(in, name)); };
  return {figure("flash_short", "time to drain flash over five minutes", drain("flash") / brief),
          figure("disk_long", "time to drain a spinning disk over an hour", drain("disk") / lasting),
          figure("dense_long", "time to drain dense flash over an hour", drain("flash-dense") / lasting),
          figure("hbm_short", "time to drain a chip's memory over five minutes", chip_drain(in, kHopper) / brief),
          figure("dram_long", "time to drain host memory over an hour", drain("dram") / lasting)};
}

std::vector<Figure> c52(Inputs& in) {
  const auto context = in.given<Tokens<double>>("context");
  const DecodeCase<double> latent = with_load(in.decode({kModel, kBlackwell}), 1.0, context);
  const DecodeCase<double> grouped = with_load(in.decode({"llama-3.1-70b", kBlackwell}), 1.0, context);
  const DecodeEstimate<double> e = estimate_decode(latent);
  return {figure("small", "bytes of one sequence at the bytes a token the speaker infers",
                 in.given<BytesPerToken<double>>("kept") * context),
          figure("deepseek_v3", "the same of DeepSeek-V3", e.context_stored),
          figure("llama_70b", "of Llama 3.1 70B", estimate_decode(grouped).context_stored),
          figure("chips", "chips of a GB200 whose memory holds DeepSeek-V3 and one such sequence",
                 e.memory_needed / latent.hbm_capacity),
          figure("batch", "such sequences beside each other on a GB200 NVL72", e.batch_limit),
          figure("step", "a token with it there, nobody else being served", e.step_time),
          figure("cost", "cost of that token", e.cost)};
}

}  // namespace ridge
