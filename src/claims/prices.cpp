// What price sheets say: steps, ratios, shares.

#include <algorithm>

#include "claims/computations.hpp"
#include "cost/money.hpp"
#include "library/owned.hpp"
#include "price/money/chip_cost.hpp"
#include "price/sheet/sheet_list.hpp"

namespace ridge {

namespace {

constexpr const char* kClaude = "anthropic/claude-opus-4.5-to-5";
constexpr const char* kFable = "anthropic/claude-fable-5.1";
constexpr const char* kGemini = "google/gemini-3.1-pro";
constexpr const char* kR1 = "deepseek/deepseek-r1@2025-02";

OwnershipCase<double> owned_of(const Machine& machine) {
  if (!machine.owned) return {};
  return owned_numbers(*machine.owned);
}

/// Dollars a byte of a chip's memory, if this share of its price were all of that.
using PriceOfByte = Quantity<kDollar / kByte, double>;
PriceOfByte price_of_memory(Inputs& in, const std::string& machine_name, const Ratio<double>& share) {
  const Machine machine = in.machine(machine_name);
  return share * owned_of(machine).capex / in.chip(machine.chip).capacity.value;
}

Ratio<double> hit_share(const PriceSheet& sheet) {
  return sheet.cached.value_or(DollarsPerToken<double>(0.0)) / sheet.input;
}

/// Bytes of the sequences' caches over those of the weights.
Ratio<double> cache_over_weights(Inputs& in, const Setting& setting, const Ratio<double>& batch,
                                 const Tokens<double>& context) {
  const auto e = estimate_decode(with_load(in.decode(setting), batch, context));
  return e.context_stored / e.weights_stored;
}

}  // namespace

std::vector<Figure> c31(Inputs& in) {
  const auto share = in.given<Ratio<double>>("share");
  const auto known = in.given<PriceOfByte>("hbm_price");
  const Machine hopper = in.machine("hgx-h100"), rack = in.machine("gb200-nvl72");
  const OwnedPrice<double> owned = owned_price(owned_of(hopper));
  const auto hbm = [&](const Machine& machine) { return known * in.chip(machine.chip).capacity.value; };
  const Dollars<double> host = in.tier("dram").owned ? in.tier("dram").owned->capex.value : Dollars<double>{};
  const Dollars<double> h100 = owned_of(hopper).capex, gb200 = owned_of(rack).capex;
  const PriceOfByte needed = price_of_memory(in, "hgx-h100", share);
  const auto memory = in.tier("dram").capacity;
  return {
      figure("h100_hbm", "HBM of an H100 at a high price, share of what the chip and its place cost",
             hbm(hopper) / h100),
      figure("gb200_hbm", "the same of a chip of a GB200 NVL72", hbm(rack) / gb200),
      figure("h100_host", "of eight H100, with host memory beside them",
             (hopper.chips.value * hbm(hopper) + host) / (hopper.chips.value * h100)),
      figure("host_memory", "that host memory", memory ? memory->value : Bytes<double>{}),
      figure("needed_h100", "price of HBM that would make it the claimed share, over that high price", needed / known),
      figure("share_of_hour", "of an owned H100's hour that is memory by the claim: energy is no capital",
             memory_price(owned, share).memory / owned.total())};
}

std::vector<Figure> c41(Inputs& in) {
  const PriceSheet sheet = in.sheet(kGemini);
  const PriceBreak tier = sheet.tiers.empty() ? PriceBreak{} : sheet.tiers.front();
  return {figure("output", "output above the limit over output below it", tier.output / sheet.output),
          figure("input", "input above the limit over input below it", tier.input / sheet.input),
          figure("limit", "the sheet's limit over 200,000 tokens", tier.above / in.given<Tokens<double>>("limit"))};
}

std::vector<Figure> c43(Inputs& in) {
  const auto ratio = [&](const char* name) {
    const PriceSheet sheet = in.sheet(name);
    return sheet.output / sheet.input;
  };
  const auto low = in.given<Ratio<double>>("low"), high = in.given<Ratio<double>>("high");
  double sold = 0, within = 0;
  for (const SoldModel& one : by_model(in.sheets())) {
    const PriceSheet& sheet = *one.sheets.back();
    if (sheet.hosted) continue;
    sold += 1;
    const Ratio<double> each = sheet.output / sheet.input;
    if (!(each < low) && !(high < each)) within += 1;
  }
  return {figure("claude", "Claude Opus: output over input", ratio(kClaude)),
          figure("gemini", "Gemini 3.1 Pro", ratio(kGemini)), figure("r1", "DeepSeek R1", ratio(kR1)),
          figure("within", "of all models in the catalog that their makers sell, the share within 3 to 5",
                 Ratio<double>(within / std::max(1.0, sold)))};
}

std::vector<Figure> c45(Inputs& in) {
  return {figure("claude", "Claude Opus: cached input over computed", hit_share(in.sheet(kClaude))),
          figure("gemini", "Gemini 3.1 Pro", hit_share(in.sheet(kGemini))),
          figure("r1", "DeepSeek R1", hit_share(in.sheet(kR1))),
          figure("fable", "Claude Fable 5.1", hit_share(in.sheet(kFable)))};
}

std::vector<Figure> c61(Inputs& in) {
  const auto batch = in.given<Ratio<double>>("batch");
  const auto context = in.given<Tokens<double>>("context");
  const Setting latent{"deepseek-v3", "gb200-nvl72"}, grouped{"llama-3.1-70b", "gb200-nvl72"};
  return {figure("latent_many", "cache over weights of DeepSeek-V3, many sequences",
                 cache_over_weights(in, latent, batch, context)),
          figure("grouped_many", "the same of Llama 3.1 70B", cache_over_weights(in, grouped, batch, context)),
          figure("latent_one", "of DeepSeek-V3, one sequence alone", cache_over_weights(in, latent, 1.0, context)),
          figure("grouped_one", "of Llama 3.1 70B, one sequence alone", cache_over_weights(in, grouped, 1.0, context))};
}

}  // namespace ridge
