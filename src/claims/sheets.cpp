// Claims about price sheets: what a fast mode, a step for long contexts and a cache say of the machine behind them.

#include <cmath>

#include "claims/computations.hpp"
#include "model/grouped_attention.hpp"
#include "price/infer/observables.hpp"

namespace ridge {

namespace {

constexpr const char* kExperts = "deepseek-v3";

/// What `speed` times the speed costs along the batch curve of a case, over the usual: found by halving the batch.
Ratio<double> price_of_speed(const DecodeCase<double>& c, const Ratio<double>& speed) {
  const auto usual = estimate_decode(c);
  double low = 1.0, high = c.batch.value();
  for (int i = 0; i < 100; ++i) {
    const double middle = std::sqrt(low * high);
    const auto at = estimate_decode(with_load(c, middle, c.context));
    (usual.step_time / at.step_time < speed ? high : low) = middle;
  }
  return estimate_decode(with_load(c, low, c.context)).cost / usual.cost;
}

/// Memory and compute time of one token in a pass over so many.
struct PassTimes {
  Seconds<double> memory, compute;
};
PassTimes of_pass(const DecodeCase<double>& c, const Ratio<double>& tokens) {
  const auto e = estimate_decode(with_load(c, tokens, {}));
  return {e.memory_time / tokens, e.compute_time / tokens};
}

}  // namespace

std::vector<Figure> c15(Inputs& in) {
  const auto price = in.given<Ratio<double>>("price"), speed = in.given<Ratio<double>>("speed");
  const auto read = read_fast(price, speed);
  // a model whose weights a small batch reads only in part: experts at the same share of weights in the step
  DecodeCase<double> c = in.decode({kExperts, kBlackwell, "", "", "fp8"});
  c = with_load(c, in.given<Ratio<double>>("batch"), in.given<Tokens<double>>("context"));
  const auto e = estimate_decode(c);
  return {figure("batch_ratio", "usual batch over that of the fast mode", read.batch_ratio),
          figure("weight_share", "share of the usual step that reads weights", read.weight_share),
          figure("ceiling", "speed that no price buys", read.ceiling),
          figure("weights_time", "weights in a step of 20 ms", read.weight_share * in.given<Seconds<double>>("step")),
          figure("experts_price", "price of that speed for DeepSeek-V3 on a GB200 rack", price_of_speed(c, speed)),
          figure("experts_share", "share of its step that reads weights", e.weights_time / e.step_time)};
}

std::vector<Figure> c39(Inputs& in) {
  const auto active = in.given<Params<double>>("active");
  const auto ridge = in.given<Ratio<double>>("ridge");
  const auto step = in.given<Tokens<double>>("step");
  const auto at = [&](const char* width) {
    return kv_at_balance(active, in.given<BytesPerParam<double>>(width), ridge, step);
  };
  return {figure("kv", "context bytes a token, one byte a weight", at("width")),
          figure("kv_half", "with weights of half a byte", at("half")),
          figure("kv_two", "with weights of two bytes", at("two"))};
}

std::vector<Figure> c40(Inputs& in) {
  GroupedAttention attention;
  attention.kv_heads = attention.query_heads = in.given<Ratio<double>>("heads").value();
  attention.head_dim = attention.value_dim = in.given<Ratio<double>>("head_dim").value();
  const double elements = stored_elements(attention.context().front(), 1.0);
  const BytesPerToken<double> each(elements * in.given<Ratio<double>>("bytes").value());
  const auto layers = in.given<Ratio<double>>("layers");
  const DecodeCase<double> real = in.decode({kDense, kHopper});
  return {figure("kv", "one layer of global attention, keys and values", layers * each),
          figure("llama_3_70b", "Llama 3 70B with its 80 layers in bf16", real.kv_stored)};
}

std::vector<Figure> c42(Inputs& in) {
  const auto step = in.given<Tokens<double>>("step");
  const auto multiple = in.given<Ratio<double>>("multiple");
  const Tokens<double> longest = longest_of_step(step, multiple);
  return {figure("longest", "longest context, if lengths above the step are even", longest),
          figure("loss_from", "length from which a request costs more than it pays", multiple * step)};
}

std::vector<Figure> c44(Inputs& in) {
  const DecodeCase<double> c = in.decode({kDense, kHopper});
  const auto tokens = in.given<Ratio<double>>("tokens");
  const PassTimes one = of_pass(c, 1.0), many = of_pass(c, tokens);
  const PassTimes more = of_pass(c, 2.0 * tokens);
  return {figure("memory_falls", "memory time of a token alone over that in a pass of 1,000", one.memory / many.memory),
          figure("compute_flat", "the same of compute time", one.compute / many.compute),
          figure("bound_alone", "memory over compute time of a token alone", one.memory / one.compute),
          figure("bound_pass", "the same in a pass of 2,000", more.memory / more.compute)};
}

std::vector<Figure> c51(Inputs& in) {
  const auto active = in.given<Params<double>>("active");
  const auto width = in.given<BytesPerParam<double>>("width");
  const auto ridge = in.given<Ratio<double>>("ridge");
  const Tokens<double> lecture = active * width / (ridge * in.given<BytesPerToken<double>>("kv"));
  const auto real = [&](const Setting& setting) { return estimate_decode(in.decode(setting)).balance_context; };
  return {figure("plateau", "context where reading takes as long as computing, 2 KB a token", lecture),
          figure("deepseek_v3", "the same of DeepSeek-V3 on a GB200 rack, bf16 cache", real({kExperts, kBlackwell})),
          figure("llama_3_70b", "and of Llama 3 70B on H100", real({kDense, kHopper}))};
}

}  // namespace ridge
