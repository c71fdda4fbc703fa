// Claims about the batch: where it balances, what too few sequences cost, how long they wait.

#include "claims/computations.hpp"
#include "simulate/simulation.hpp"

namespace ridge {

namespace {

/// What a slower service could still save if memory and compute did not overlap at all.
Ratio<double> saving_without_overlap(const DecodeEstimate<double>& e) { return e.memory_time / e.step_no_overlap; }

/// Trains that leave every `step`, whoever is aboard: one passenger never leaves, the others come at random and ride to the
/// next stop. How long they take from the platform to their first token.
simulate::Spread waits_for_train(Seconds<double> step, bool composed_early) {
  constexpr int kPassengers = 100'000;
  simulate::Trace trace;
  const double mean_gap = step.value() * 3;
  trace.requests.push_back({.sent = 0, .prompt = 1, .output = 4 * kPassengers});
  simulate::Random random(13);
  for (double now = step.value(); trace.requests.size() <= kPassengers; now += random.exponential() * mean_gap)
    trace.requests.push_back({.sent = simulate::nanoseconds(now), .prompt = 1, .output = 1});
  simulate::SimulationSetup setup;
  setup.client.arrivals = simulate::Replay{&trace};
  setup.client.requests = kPassengers + 1;
  setup.replica.rules.composed_early = composed_early;
  setup.replica.limits.blocks = kPassengers;
  const simulate::Nanoseconds even = simulate::nanoseconds(step.value());
  setup.replica.time = [even](std::span<const simulate::StepWork>) { return even; };
  simulate::Samples waits;
  simulate::Onlookers look;
  look.finished = [&](const simulate::RequestOutcome& one) {
    if (one.number > 0) waits.add(one.ttft());
  };
  simulate::simulate(setup, {}, look);
  return waits.spread();
}

}  // namespace

std::vector<Figure> c04(Inputs& in) {
  const auto ratio = in.given<Ratio<double>>("ratio");
  const auto sparsity = in.given<Ratio<double>>("sparsity");
  const DecodeCase<double> c = with_ratio(with_sparsity(in.decode({kModel, kBlackwell}), sparsity), ratio);
  return {figure("balance_batch", "batch at which compute and weight reads take as long",
                 estimate_decode(c).ridge_weights)};
}

std::vector<Figure> c06(Inputs& in) {
  const Ratio<double> node_chips = in.machine("hgx-h800").chips.value;
  const Ratio<double> nodes = in.given<Ratio<double>>("chips") / node_chips;
  const Ratio<double> batch =
      in.given<TokensPerSecond<double>>("node_rate") / in.given<TokensPerSecond<double>>("user_rate") * nodes;
  const DecodeCase<double> c = in.decode({kModel, "hgx-h800"});
  const auto said = estimate_decode(with_ratio(with_table_read(c), in.given<Ratio<double>>("ratio")));
  const auto full = estimate_decode(with_load(c, 1.0, in.given<Tokens<double>>("context")));
  return {figure("times_balance", "sequences in flight over the speaker's ratio x total/active parameters",
                 batch / said.ridge_weights),
          figure("batch", "sequences in flight: throughput over the rate of one user", batch),
          figure("balance_batch", "the speaker's ratio x total/active parameters", said.ridge_weights),
          figure("ridge", "ridge of the full model on H800 at the mean context", full.ridge),
          figure("times_ridge", "sequences in flight over that ridge", batch / full.ridge)};
}

std::vector<Figure> c07(Inputs& in) {
  constexpr double kScale = 10.0;
  constexpr double kMoreExperts = 2.0;
  const DecodeCase<double> c = in.decode({kModel, kBlackwell});
  const auto base = estimate_decode(c);
  DecodeCase<double> larger = c;
  larger.params_dense = kScale * c.params_dense;
  larger.params_routed = kScale * c.params_routed;
  DecodeCase<double> sparser = c;
  sparser.params_routed = kMoreExperts * c.params_routed;
  sparser.experts = kMoreExperts * c.experts;
  const auto sparse = estimate_decode(sparser);
  const Ratio<double> total_growth = sparse.floor_all / base.floor_all;  // at the same active parameters
  // the context half way to where there is no ridge any more, attention's own compute left out
  const auto in_context = [&](DecodeCase<double> of) {
    of.attention_flops = {};
    return estimate_decode(with_load(of, 1.0, base.balance_context / 2.0)).ridge;
  };
  return {figure("scaled", "ridge of a model ten times larger in every part, over the original's",
                 estimate_decode(larger).ridge_weights / base.ridge_weights),
          figure("sparser", "growth of the ridge over growth of total/active, with twice the experts",
                 sparse.ridge_weights / base.ridge_weights / total_growth),
          figure("scaled_in_context", "as the first, in a context that doubles the original's ridge",
                 in_context(larger) / in_context(c))};
}

std::vector<Figure> c09(Inputs& in) {
  const DecodeCase<double> c = in.decode({kModel, kHopper});
  const auto e = estimate_decode(c);
  const auto in_context = estimate_decode(with_load(c, 1.0, in.given<Tokens<double>>("context")));
  const DecodeCase<double> said =
      with_ratio(with_sparsity(c, in.given<Ratio<double>>("sparsity")), in.given<Ratio<double>>("ratio"));
  // the ridge is the time to read all weights over the compute of one sequence: the second reading's penalty
  return {figure("lecture", "one sequence reading every weight, with the speaker's ratio and sparsity",
                 estimate_decode(said).ridge_weights),
          figure("touched_only", "one sequence reading only its own experts, over the cost floor", e.alone_penalty),
          figure("all_weights", "one sequence reading every weight, over the cost floor", e.ridge_weights),
          figure("spread", "that over the one before", e.ridge_weights / e.alone_penalty),
          figure("in_context", "reading only its own experts, with a context of production length on both sides",
                 in_context.alone_penalty)};
}

std::vector<Figure> c11(Inputs& in) {
  const DecodeCase<double> c = in.decode({kModel, kBlackwell});
  const auto base = estimate_decode(c);
  const auto often = in.given<Ratio<double>>("times_balance");
  const auto balanced = estimate_decode(with_load(c, base.ridge_weights, {}));
  const auto usual = estimate_decode(with_load(c, often * base.ridge_weights, {}));
  DecodeCase<double> long_context = with_load(c, often * base.ridge_weights, 2.0 * base.balance_context);
  long_context.attention_flops = {};
  return {
      figure("cost_at_ridge", "cost at the ridge over the cost no batch goes below, overlapped",
             balanced.cost / balanced.cost_floor),
      figure("cost_usual", "the same at the usual multiple of the ridge", usual.cost / usual.cost_floor),
      figure("no_overlap_at_ridge", "most to save at the ridge if nothing overlaps", saving_without_overlap(balanced)),
      figure("no_overlap_usual", "the same at the usual multiple of the ridge", saving_without_overlap(usual)),
      figure("long_context", "most to save in a context twice the balanced one, overlapped, usual batch",
             estimate_decode(long_context).slow_saving)};
}

std::vector<Figure> c13(Inputs& in) {
  const DecodeCase<double> c = with_step(in.decode({kModel, kBlackwell}), in.given<Seconds<double>>("step"));
  const simulate::Spread train = waits_for_train(in.given<Seconds<double>>("step"), false);
  const simulate::Spread early = waits_for_train(in.given<Seconds<double>>("step"), true);
  return {figure("longest_wait", "just missed a step, plus the next one", estimate_decode(c).longest_wait),
          figure("simulated_longest", "the longest of 100,000 simulated waits", Seconds<double>(train.most)),
          figure("simulated_mean", "their mean", Seconds<double>(train.mean)),
          figure("simulated_p99", "and their 99th percentile", Seconds<double>(train.p99)),
          figure("early_longest", "the longest where a step is put together while the one before it runs",
                 Seconds<double>(early.most))};
}

std::vector<Figure> c14(Inputs& in) {
  const Ratio<double> one = 1.0;
  const DecodeCase<double> c = with_load(in.decode({kModel, kBlackwell}), in.given<Ratio<double>>("batch"), {});
  const TokensPerSecond<double> rate =
      estimate_decode(with_step(c, one / in.given<PerSecond<double>>("steps"))).total_rate;
  const ProviderTraffic google = in.traffic("google-2026-05"), interfaces = in.traffic("google-api-2026-05");
  return {figure("rate", "output tokens per second of one full batch", rate),
          figure("share_of_low", "share of the lower worldwide rate",
                 rate / in.given<TokensPerSecond<double>>("world_low")),
          figure("share_of_high", "share of the higher worldwide rate",
                 rate / in.given<TokensPerSecond<double>>("world_high")),
          figure("share_of_google", "share of the output of all of Google's products, May 2026", rate / google.output),
          figure("share_of_google_api", "share of the output of its model APIs", rate / interfaces.output),
          figure("share_of_google_all", "share of the input and output of all its products", rate / google.all)};
}

}  // namespace ridge
