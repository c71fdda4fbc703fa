#include "calibrate/fit/first_fit.hpp"

#include <algorithm>
#include <cmath>

#include "calibrate/evidence/noise.hpp"
#include "calibrate/fit/simulated_row.hpp"
#include "serve/estimate.hpp"

namespace ridge {

double measured_ttft(const ServingRow& row) { return row.ttft_p50 > 0 ? row.ttft_p50 : row.ttft; }

namespace {

/// The burst of a benchmark that starts with all its users at once.
struct Burst {
  double alone = 0;    // s, of the first, whose prompt is computed by itself
  double others = 0;   // of the rank's users beside that one
  double room = 1;     // prompts that a step has room for
  double step = 0;     // s, of each step that computes theirs
  double between = 0;  // s, once: until the engine looks again, and what a fresh server's largest step takes longer

  /// Of one of the others, with so many steps until its own.
  double after(double steps) const { return alone + between + steps * step; }
};

Burst burst_of(const RunCase& serving, const CalibrationSet& set) {
  const ServingRow& row = *serving.row;
  const StepOperations& plan = serving.operations();
  const EngineCalibration<double>& engine = set.engines.at(serving.engine);
  const ChipPaces<double> paces(
      ChipRates<double>{serving.peaks(), set.chips.at(serving.chip), set.kernel});  // turned over once
  const double groups = plan.attention_data, share = serving.load.concurrency.value() / groups / plan.pipeline;
  const double prompt = serving.load.prompt.value();
  const double budget = row.token_budget > 0 ? row.token_budget : serving.load.token_budget;
  const auto step_of = [&](double prompts) {
    StepLoad<double> load;
    const double count = std::max(1.0, prompts);
    load.decodes = false;
    load.prefills = true;
    load.prompts = Ratio<double>(count);
    load.prompt_tokens = Ratio<double>(prompts * prompt / count);
    load.prompt_context = Tokens<double>(0.0);
    load.prefills_in_group = Ratio<double>(count * groups);
    return (engine.prefill_factor * prompts_kernels(plan, paces, engine, load, serving.load) +
            prefill_engine_time(engine, plan, load.prompts, load.prompts,
                                uncaptured(load, serving.load.captured_tokens)))
        .value();
  };
  const auto fresh = set.fresh.find(fresh_group(serving));
  Burst burst;
  burst.room = row.whole_prompts ? std::max(1.0, std::floor(budget / prompt)) : budget / prompt;
  const FreshTimes fresh_server = fresh == set.fresh.end() ? FreshTimes{} : fresh->second;
  const double first = row.whole_prompts ? prompt : std::min(prompt, budget);  // tokens of the first step
  burst.alone =
      front_time(engine, serving.load.prompt).value() + step_of(1) + fresh_server.first + fresh_server.token * first;
  if (share <= 1) return burst;
  burst.others = share - 1;
  burst.step = step_of(std::min(burst.others, burst.room));
  const double most = std::min(burst.others, burst.room) * prompt;  // tokens of the largest step
  burst.between = fresh_server.token * std::max(0.0, most - first);
  StepLoad<double> decode;
  decode.sequences = Ratio<double>(share);
  decode.new_tokens = Ratio<double>(1.0);
  decode.context = serving.load.prompt + serving.load.answer * 0.5;
  if (row.poll_steps > 1) {  // the first is decoded for as long before anybody looks again
    decode.sequences = Ratio<double>(1.0);
    burst.between += row.poll_steps * (overlapped_step(plan, paces, decode, serving.load.overlap) +
                                       engine_time(engine, plan, decode.sequences))
                                          .value();
  } else if (burst.others > burst.room) {  // on average half of them decode beside the prompts of the others
    decode.sequences = decode.sequences * 0.5;
    burst.step += overlapped_step(plan, paces, decode, serving.load.overlap).value();
  }
  return burst;
}

}  // namespace

double predict_ttft(const RunCase& serving, const CalibrationSet& set) {
  constexpr double kRequests = 10;  // for each user: InferenceX sends so many, and others do not say
  const auto times = times_of(serving, set);
  const double groups = serving.operations().attention_data, share = serving.load.concurrency.value() / groups;
  if (serving.row->ttft_p50 > 0) {  // the median does not see the burst
    // where an engine looks at what came in every so many decode steps, half of those pass before it does
    const double unseen = std::max(0.0, serving.row->poll_steps - 1) / 2;
    return times.ttft.value() + unseen * times.decode_step.value() * std::max(0.0, 1 - 1 / share);
  }
  // the mean does: of so many requests of a user the first came with all the others'
  const Burst burst = burst_of(serving, set);
  const double steps = burst.others <= burst.room ? 1 : (burst.others / burst.room + 1) / 2;
  const double together = (burst.alone + burst.others * burst.after(steps)) / (1 + burst.others);
  return times.ttft.value() * (1 - 1 / kRequests) + together / kRequests;
}

bool has_ttft(const RunCase& serving, const CalibrationSet& set) {
  constexpr double kManySteps = 10;  // between two looks at what came in; above, waiting is left to chance
  return !serving.load.disaggregated && serving.row->ttft > 0 && serving.row->poll_steps <= kManySteps &&
         serving.load.concurrency <= serving.load.capacity && times_of(serving, set).prefill_share.value() < kBusy;
}

double predict_late_ttft(const RunCase& serving, const CalibrationSet& set) {
  constexpr double kLate = 0.01;
  const Burst burst = burst_of(serving, set);
  if (burst.others <= 0) return burst.alone;
  // Of all requests the burst is one in `requests_per_user`; the latest hundredth of all is so much of the burst.
  const double last = std::max(1.0, (1 - kLate * serving.row->requests_per_user) * (1 + burst.others));
  return burst.after(burst.others <= burst.room ? 1 : std::max(1.0, (last - 1) / burst.room));
}

namespace {

/// What prompts add to a token's time, as far as a run tells: its mean above the median gap, which no prompt is in.
double measured_added(const ServingRow& row) { return row.itl_p50 > 0 ? row.tpot - row.itl_p50 : 0; }

/// The same by the closed form. Of the first wave of a benchmark and of its last each meets half of the prompts.
double predict_added(const RunCase& serving, const CalibrationSet& set) {
  const auto times = times_of(serving, set);
  const double waves = serving.row->requests_per_user;
  return (times.tpot - times.decode_step / times.emitted).value() * (waves > 1 ? 1 - 1 / waves : 1);
}

/// Whether it tells: prompts are in few enough steps that the median gap has none, and add enough to be seen. DP ranks
/// step together, so that a prompt of any of them is in everybody's step; whoever is alone meets no prompt but its own.
bool has_added(const RunCase& serving) {
  constexpr double kMostSteps = 0.3, kLeastShare = 0.03;
  const ServingRow& row = *serving.row;
  const StepOperations& plan = serving.operations();
  const double together = serving.load.concurrency.value() / plan.pipeline;
  return row.itl_p50 > 0 && together > plan.attention_data && together / serving.load.answer.value() < kMostSteps &&
         measured_added(row) > kLeastShare * row.tpot;
}

/// What speaks of an engine: the time for a token, and of that what prompts add, the median of the first token where an
/// engine has medians, else its mean, and the burst that a benchmark starts with.
enum class FittedFigure { token, added, first, late };

struct SpokenFigure {
  const RunCase* run;
  FittedFigure figure;
  std::size_t engine;
  double measured;
  double level = 1;  // simulated over the closed form
};

double closed_form(const SpokenFigure& one, const CalibrationSet& set) {
  switch (one.figure) {
    case FittedFigure::token:
      return predict_tpot(*one.run, set);
    case FittedFigure::added:
      return predict_added(*one.run, set);
    case FittedFigure::first:
      return predict_ttft(*one.run, set);
    case FittedFigure::late:
      break;
  }
  return predict_late_ttft(*one.run, set);
}

double simulated_of(const SpokenFigure& one, const ClientFigures& figures) {
  switch (one.figure) {
    case FittedFigure::token:
      return figures.tpot;
    case FittedFigure::added:
      return figures.tpot - figures.itl_p50;
    case FittedFigure::first:
      return figures.ttft_p50;
    case FittedFigure::late:
      break;
  }
  return figures.ttft_p99;
}

/// Each run again with the numbers as they are; runs that no prediction can tell apart once. What a simulation contradicts
/// (prompts that add nothing) does not count with these numbers.
void take_levels(std::vector<SpokenFigure>& spoken, std::vector<double>& weights, const CalibrationSet& set,
                 const Library& library) {
  std::map<std::string, std::optional<ClientFigures>> known;
  for (std::size_t i = 0; i < spoken.size(); ++i) {
    SpokenFigure& one = spoken[i];
    if (!can_simulate(*one.run)) continue;
    const auto [found, is_new] = known.try_emplace(configuration_of(*one.run->row));
    if (is_new) found->second = simulated_figures(*one.run, set, library);
    const double level = found->second ? simulated_of(one, *found->second) / closed_form(one, set) : 0;
    const bool tells = level > 0 && std::isfinite(level);
    weights[i] = tells ? 1 : 0;
    if (tells) one.level = level;
  }
}

}  // namespace

Result<FitResult> fit_first_time(const std::vector<const RunCase*>& cases, CalibrationSet& set, const Priors& priors,
                                 const Library& library, FirstLevels levels) {
  constexpr const char* kFields[] = {"first_time",        "first_token_time", "prefill_factor", "launch_time",
                                     "prefill_step_time", "prompt_time",      "expert_padding"};
  constexpr const char* kFreshFields[] = {"fresh_time", "fresh_token_time"};
  constexpr std::size_t kCount = std::size(kFields), kFreshCount = std::size(kFreshFields);
  std::vector<std::string> engines;
  std::vector<FitParameter> parameters;
  std::map<std::string, bool> has_medians, captures;
  const auto add_parameter = [&](const std::string& of, const char* field) -> bool {
    const auto prior = priors.engine.find(field);
    if (prior == priors.engine.end()) return false;
    parameters.push_back({of + "." + field, prior->second.value, prior->second.spread});
    return true;
  };
  const auto lacks_prior = [](const char* field) {
    return fail({"calibration", std::string("no prior for ") + field, "see prior.toml"});
  };
  for (const RunCase* one : cases) {
    has_medians[one->engine] |= one->row->ttft_p50 > 0;
    captures[one->engine] |= one->load.captured_tokens > 0;
  }
  for (auto& [name, engine] : set.engines) {
    engines.push_back(name);
    for (const char* field : kFields) {
      if (!add_parameter(name, field)) return lacks_prior(field);
    }
    engine.first_time = engine.first_token_time = Seconds<double>(0.0);
  }
  set.fresh.clear();
  std::vector<SpokenFigure> spoken;
  std::vector<std::string> kernels;  // that a burst meets on a server just started
  const auto kernels_at = [&](const RunCase& run) {
    return static_cast<std::size_t>(std::find(kernels.begin(), kernels.end(), fresh_group(run)) - kernels.begin());
  };
  for (const RunCase* one : cases) {
    const ServingRow& row = *one->row;
    const auto at = static_cast<std::size_t>(std::find(engines.begin(), engines.end(), one->engine) - engines.begin());
    const auto add = [&](FittedFigure figure, double value) { spoken.push_back({one, figure, at, value}); };
    if (one->load.disaggregated) continue;
    add(FittedFigure::token, row.tpot);
    // DP ranks that wait for each other have no closed form
    const bool waits = row.balance_wait > 0 || row.balance_timeout > 0;
    if (waits) continue;
    if (has_added(*one)) add(FittedFigure::added, measured_added(row));
    if (has_ttft(*one, set) && (row.ttft_p50 > 0 || !has_medians[one->engine])) {
      add(FittedFigure::first, measured_ttft(row));
    }
    const bool all_at_once = row.requests_per_user > 0 && row.ttft_p99 > 0;
    if (all_at_once && one->load.concurrency <= one->load.capacity) {
      add(FittedFigure::late, row.ttft_p99);
      if (kernels_at(*one) == kernels.size()) kernels.push_back(fresh_group(*one));
    }
  }
  const std::size_t of_kernels = parameters.size();
  for (const std::string& name : kernels) {
    for (const char* field : kFreshFields) {
      if (!add_parameter(name, field)) return lacks_prior(field);
    }
  }
  std::vector<double> measured, weights(spoken.size(), 1);
  for (const SpokenFigure& one : spoken) measured.push_back(one.measured);
  const auto with = [&](const std::vector<double>& values) {
    for (std::size_t i = 0; i < engines.size(); ++i) {
      EngineCalibration<double>& engine = set.engines[engines[i]];
      engine.first_time = Seconds<double>(values[kCount * i]);
      engine.first_token_time = Seconds<double>(values[kCount * i + 1]);
      engine.prefill_factor = Ratio<double>(values[kCount * i + 2]);
      engine.launch_time = Seconds<double>(values[kCount * i + 3]);
      engine.prefill_step_time = Seconds<double>(values[kCount * i + 4]);
      engine.prompt_time = Seconds<double>(values[kCount * i + 5]);
      engine.expert_padding = Ratio<double>(captures[engines[i]] ? values[kCount * i + 6] : 0);
    }
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      const std::size_t first = of_kernels + kFreshCount * i;
      set.fresh[kernels[i]] = {values[first], values[first + 1]};
    }
  };
  const auto predict = [&](const std::vector<double>& values, std::vector<double>& predicted) {
    with(values);
    for (std::size_t i = 0; i < spoken.size(); ++i) predicted[i] = spoken[i].level * closed_form(spoken[i], set);
  };
  const bool has_bursts = !kernels.empty();
  MovedTogether together(kCount + (has_bursts ? kFreshCount : 0));  // a row is of one engine, and of its kernels
  for (const SpokenFigure& one : spoken) {
    for (std::size_t field = 0; field < kCount; ++field) together[field].push_back(kCount * one.engine + field);
    const std::size_t at =
        has_bursts ? kernels_at(*one.run) % kernels.size() : 0;  // without bursts of its own it has none
    for (std::size_t field = 0; has_bursts && field < kFreshCount; ++field)
      together[kCount + field].push_back(of_kernels + kFreshCount * at + field);
  }
  const int rounds = levels == FirstLevels::simulated ? 4 : 1;  // the fourth moves nothing by more than a few percent
  Result<FitResult> fit = fail({"fit", "no rounds", ""});
  for (int round = 0; round < rounds; ++round) {
    if (round > 0) take_levels(spoken, weights, set, library);
    fit = fit_parameters(parameters, measured, weights, predict, 1, kUsualSoftness, together);
    if (!fit) return fail(fit.error());
    std::vector<double> values;
    for (const FittedParameter& one : fit->parameters) values.push_back(one.value);
    with(values);
  }
  return fit;
}

std::map<std::string, FreshTimes> fresh_of(const CalibrationSet& set, const std::string& engine) {
  std::map<std::string, FreshTimes> own;
  for (const auto& [group, fresh] : set.fresh) {
    if (group.starts_with(engine + ".")) own[group.substr(engine.size() + 1)] = fresh;
  }
  return own;
}

}  // namespace ridge
