#pragma once
// Random models as somebody might serve them, their price sheets by `ridge price`, and what stands behind such a sheet
// in the terms of `ridge infer`.

#include "catalog_library.hpp"
#include "price/infer/infer.hpp"
#include "price/make/price_answer.hpp"
#include "roofline/random_case.hpp"

namespace ridge::testing {

/// Dense or with experts, grouped or latent attention, of 3 billion to some trillion parameters.
inline Model random_served_model(Draw& draw) {
  Model model;
  model.name = model.title = "random";
  model.hidden = 1024 * std::round(draw.log_uniform(2, 16));
  model.vocabulary = 128e3;
  model.context_limit = 131072 * std::ldexp(1.0, static_cast<int>(draw.below(4)));
  Layer layer;
  layer.name = "layer";
  const double heads = model.hidden / 128;
  if (draw.one_in(3)) {
    LatentAttention latent;
    latent.query_heads = heads;
    latent.query_rank = 1536;
    latent.kv_rank = 512;
    latent.nope_dim = latent.value_dim = 128;
    latent.rope_dim = 64;
    layer.mixer = latent;
  } else {
    GroupedAttention grouped;
    grouped.query_heads = heads;
    grouped.kv_heads = draw.one_in(2) ? 8 : 4;
    grouped.head_dim = grouped.value_dim = 128;
    layer.mixer = grouped;
  }
  if (draw.one_in(2)) {
    layer.dense = DenseFeedForward{};
    layer.dense->size = 256 * std::round(model.hidden * draw.uniform(2.5, 4) / 256);
  } else {
    layer.experts = Experts{};
    layer.experts->count = std::ldexp(1.0, 4 + static_cast<int>(draw.below(5)));
    layer.experts->per_token = std::ldexp(1.0, 1 + static_cast<int>(draw.below(3)));
    layer.experts->size = 256 * std::max(1.0, std::round(model.hidden * draw.uniform(0.2, 0.6) / 256));
  }
  model.kinds = {layer};
  model.order.assign(static_cast<std::size_t>(std::round(draw.log_uniform(24, 100))), 0);
  model.precision.value = {"bf16", "bf16", "bf16", "bf16", "", ""};
  return model;
}

/// How somebody might sell it.
inline PriceQuestion random_price_question(Draw& draw) {
  PriceQuestion question;
  ServingQuestion& serving = question.serving;
  serving.scenario.model = "random";
  constexpr std::array kMachines = {"hgx-h100", "hgx-h200", "hgx-b200",    "hgx-b300",    "hgx-a100",
                                    "mi300x-8", "mi355x-8", "gb200-nvl72", "gb300-nvl72", "hgx-h800"};
  serving.scenario.machine = kMachines[draw.below(kMachines.size())];
  if (!draw.one_in(3) && serving.scenario.machine != "hgx-a100") serving.scenario.weights = "fp8";
  serving.engine = draw.one_in(2) ? "vllm" : "sglang";
  serving.isl = std::round(draw.log_uniform(1000, 30e3));
  serving.osl = std::round(draw.log_uniform(100, 2000));
  question.answer_given = true;
  if (draw.one_in(3)) {  // a few lengths, else log-normal around a mean
    for (double length = draw.log_uniform(500, 4000), left = 1.0; left > 0; length *= draw.log_uniform(3, 12)) {
      const double share = question.demand.size() == 2 || length > 20e3 ? left : left * draw.uniform(0.3, 0.8);
      question.demand.push_back({Tokens<double>(std::round(std::min(length, 100e3))), share});
      left -= share;
    }
  }
  question.prompt_given = question.demand.empty();
  serving.concurrency = std::round(draw.log_uniform(16, 512));
  serving.scenario.given = {{"utilization", draw.uniform(0.35, 0.9), {"test", Kind::user, "", ""}}};
  question.margin = draw.uniform(0.05, 0.85);
  question.fast_speed = draw.uniform(1.3, 4);
  return question;
}

/// The provider whose equations give the sheet's prices: shares of the peak and of the roofline are those reached, all
/// that the equations leave out included.
inline std::array<double, kInferred> behind(const PriceAnswer& answer) {
  const DecodeCase<double>& d = answer.numbers.decode;
  const double used = d.params_routed.value() * (d.experts_per_token / d.experts).value();
  const double active = d.params_dense.value() + used, total = d.params_dense.value() + d.params_routed.value();
  const double peak = active / (d.params_dense.value() / d.matmul_weights.value() + used / d.matmul_experts.value());
  const double width =
      (d.params_dense.value() * d.width_weights.value() + d.params_routed.value() * d.width_experts.value()) / total;
  Provider<double> p;
  p.active = Params<double>(active);
  p.sparsity = total / active;
  p.width = BytesPerParam<double>(width);
  p.intensity = peak * width / (2 * d.hbm_bandwidth.value());
  p.balanced = Tokens<double>(active * width / (p.intensity.value() * d.kv_read.value()));
  p.flop = DollarsPerFlop<double>(d.price.value() / peak);
  p.utilization = d.utilization;
  p.markup = answer.numbers.markup;
  p.batch = d.batch;
  p.context = d.context;
  p.fetch = answer.numbers.fetch / d.hbm_bandwidth;
  p.mfu_prefill = p.share_decode = p.long_step = p.long_over = p.fast_even = 1.0;
  // each share by its own price: cost at a share of one over what it costs
  const SheetCase<double> c = sheet_case(p);
  const SheetEstimate<double> at_peak = estimate_sheet(c);
  const double second = (c.decode.price / c.decode.utilization).value();  // of a chip in the provider's own units
  p.mfu_prefill =
      at_peak.input_compute.value() / (answer.estimate.input_cost.value() / second - at_peak.input_write.value());
  p.share_decode = (at_peak.output_cost / answer.estimate.output_cost).value();
  // what is fetched and read once more costs what it does; the reading goes at the share of decoding
  p.fetch = at_peak.fetch_time.value() * p.fetch.value() /
            (answer.estimate.cached_cost.value() / second - at_peak.first_time.value() / p.share_decode.value());
  if (!answer.sheet.tiers.empty()) {
    const PriceBreak& tier = answer.sheet.tiers.front();
    p.long_step = (tier.above / p.balanced).value();
    p.long_over = (tier.output / answer.sheet.output).value() / observe(Observable::long_output, p, {});
  }
  for (const SpeedMode& mode : answer.sheet.modes) {
    if (mode.name != "fast") continue;
    const FastMode fast{.load = 1 / (*mode.speed * (mode.output / answer.sheet.output).value()), .speed = *mode.speed};
    p.fast_even = *mode.speed / observe(Observable::fast_speed, p, fast);
  }
  std::array<double, kInferred> all{};
  const auto unknowns = field_values(p);
  std::copy(unknowns.begin(), unknowns.end(), all.begin());
  all[kTotal] = total;
  all[kKv] = d.kv_read.value();
  all[kKvPerActive] = all[kKv] / active;
  return all;
}

}  // namespace ridge::testing
