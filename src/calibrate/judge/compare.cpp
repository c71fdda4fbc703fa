#include "calibrate/judge/compare.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "calibrate/judge/step_bound.hpp"
#include "serve/estimate.hpp"

namespace ridge {

namespace {

/// A change is worth telling from here on: a part of TPOT, or of throughput.
constexpr double kWorthIt = 0.05;
constexpr double kWarmUp = 2;  // mean over median TTFT from which on few long ones make the mean

FigureInterval within_ends(const ServingAnswer& answer, double predicted, SpreadFigure figure) {
  return answer.errors.known ? answer.errors.around(predicted, figure) : FigureInterval{};
}

/// Metrics of a run under a load, as the file states them. TTFT is compared by its median, where there is one: requests of a
/// benchmark start together, and its mean holds that.
std::vector<ComparedFigure> figures_of(const BenchmarkResult& r, const ServingAnswer& answer) {
  std::vector<ComparedFigure> out;
  const ServingEstimate& e = answer.estimate;
  const auto add = [&](const char* key, std::string title, bool is_time, const std::optional<double>& measured,
                       double predicted, SpreadFigure figure) {
    if (!measured || !(*measured > 0) || !(predicted > 0)) return;
    out.push_back({key, std::move(title), is_time, *measured, predicted, within_ends(answer, predicted, figure)});
  };
  const auto typical_first = [](const MeasuredTime& time) { return time.median ? time.median : time.mean; };
  const auto which = [](const MeasuredTime& time, bool median) {
    return (median ? time.median.has_value() : !time.mean.has_value()) ? "median" : "mean";
  };
  const double tpot = e.times.tpot.value(), ttft = e.times.ttft.value();
  add("tpot", fmt::format("TPOT ({})", which(r.tpot, false)), true, r.tpot.typical(), tpot, SpreadFigure::tpot);
  add("itl", "ITL (median)", true, r.itl.median, e.times.decode_step.value(), SpreadFigure::tpot);
  if (!answer.waits)
    add("ttft", fmt::format("TTFT ({})", which(r.ttft, true)), true, typical_first(r.ttft), ttft, SpreadFigure::ttft);
  if (!answer.waits && r.e2e.any()) {
    const double steps = std::max(0.0, answer.question.osl - 1), whole = ttft + tpot * steps;
    add("e2e", fmt::format("E2E latency ({})", which(r.e2e, true)), true, typical_first(r.e2e), whole,
        SpreadFigure::tpot);
    if (!out.empty() && out.back().key == "e2e" && answer.errors.known) {
      const FigureInterval first = answer.errors.around(ttft, SpreadFigure::ttft),
                           each = answer.errors.around(tpot, SpreadFigure::tpot);
      out.back().interval = {first.low + each.low * steps, first.high + each.high * steps};
    }
  }
  // with less than one in flight, on average, the engine is idle in between: its times are those of one alone
  const double busy = std::min(1.0, r.in_flight.value_or(1));
  const auto add_rate = [&](const char* key, const char* title, const std::optional<double>& measured, double full) {
    add(key, title, false, measured, busy * full, SpreadFigure::throughput);
  };
  add_rate("output_tok_s", "output tok/s", r.output_rate, e.output_rate.value());
  add_rate("total_tok_s", "total tok/s", r.total_rate, e.total_rate.value());
  add_rate("requests_per_s", "requests/s", r.request_rate, e.requests.value());
  return out;
}

std::vector<TimeShare> shares_of(const ServingAnswer& answer, double measured, bool prefills) {
  const ServingEstimate& e = answer.estimate;
  const auto part = [&](StepPart which) { return e.step.part[static_cast<std::size_t>(which)].value(); };
  std::vector<TimeShare> out = {
      {"matrices", "matrices", part(StepPart::projections) + part(StepPart::dense_ffn) + part(StepPart::head)},
      {"experts", "routed experts", part(StepPart::experts)},
      {"attention", "attention", part(StepPart::attention)},
      {"network", "network", part(StepPart::reduce) + part(StepPart::exchange) + part(StepPart::hops)},
      {"small", "small kernels", part(StepPart::small)},
      {"engine", "CPU/engine", e.times.around.value()}};
  if (prefills) out.push_back({"prefill", "prefill", e.times.tpot.value() - e.times.decode_step.value()});
  double told = 0;
  for (const TimeShare& share : out) told += share.seconds;
  out.push_back({"unexplained", "unexplained", measured - told});
  return out;
}

/// TPOT and throughput of a question's variant against the answer; nothing where it cannot be or does not fit.
std::optional<ComparedChange> changed(const ServingAnswer& answer, const ServingQuestion& question, std::string what,
                                      const Library& library) {
  const auto other = answer_serving(question, library);
  if (!other || !other->answer || other->answer->waits) return {};
  const ServingEstimate &now = answer.estimate, &then = other->answer->estimate;
  const double tpot = now.times.tpot.value(), rate = now.output_rate.value() / now.chips.value();
  if (!(tpot > 0) || !(rate > 0)) return {};
  return ComparedChange{std::move(what), then.times.tpot.value() / tpot,
                        then.output_rate.value() / then.chips.value() / rate};
}

/// One thing at a time: the load, the chips that share it, lower precision.
std::vector<ComparedChange> changes_of(const ServingAnswer& answer, const Library& library) {
  std::vector<ComparedChange> out;
  const auto attempt = [&](auto&& change, std::string what) {
    ServingQuestion question = answer.question;
    change(question);
    const auto found = changed(answer, question, std::move(what), library);
    if (found && (found->tpot < 1 - kWorthIt || found->chip_rate > 1 + kWorthIt)) out.push_back(*found);
  };
  const auto number = [](const char* name, double value) { return field(name, fmt::format("{:g}", value)); };
  const double load = answer.load.concurrency, tensor = answer.layout().tensor;
  const double twice = std::round(2 * load);  // a benchmark is asked for whole requests
  attempt([&](ServingQuestion& q) { q.concurrency = twice; }, number("concurrency", twice));
  if (load >= 2) {
    const double half = std::floor(load / 2);
    attempt([&](ServingQuestion& q) { q.concurrency = half; }, number("concurrency", half));
  }
  const bool experts_along = answer.layout().expert > 1;
  if (!experts_along) {
    attempt([&](ServingQuestion& q) { q.tensor = 2 * tensor; }, number("tp", 2 * tensor));
    if (tensor >= 2)
      attempt([&](ServingQuestion& q) { q.tensor = std::floor(tensor / 2); }, number("tp", std::floor(tensor / 2)));
  }
  const ServingGround& ground = answer.ground();
  for (const char* peak : {"fp8", "fp4"}) {
    if (find_rate(ground.chip->matmul, peak) == nullptr) continue;
    const auto format = weights_of(peak, *ground.model, *ground.machine, library);
    if (format && format != answer.question.scenario.weights)
      attempt([&](ServingQuestion& q) { q.scenario.weights = format; }, field("weights", *format));
  }
  if (answer.question.scenario.kv != "fp8")
    attempt([&](ServingQuestion& q) { q.scenario.kv = "fp8"; }, field("kv", "fp8"));
  const auto worth = [](const ComparedChange& one) { return std::max(one.chip_rate, 1 / one.tpot); };
  std::sort(out.begin(), out.end(),
            [&](const auto& a, const auto& b) { return worth(a) != worth(b) ? worth(a) > worth(b) : a.what < b.what; });
  return out;
}

/// What only a prediction can tell of a file.
void check_against(ComparedRun& run, const AnchorCase& one, const AnchorGiven& given) {
  const BenchmarkResult& r = run.result;
  const auto first = r.ttft.median ? r.ttft.median : r.ttft.mean;
  if (r.kind == ResultKind::serving && first && *first > 0 && !given.cached) {
    const double least = prefill_bound(one.deployment, one.load);
    if (*first < least)
      run.result.faults.push_back(fmt::format(
          "a TTFT of {:.3g} ms is below the {:.3g} ms that prefill takes at datasheet peaks: prompts were in the "
          "prefix cache, as where a seed is used again ({})",
          *first * 1e3, least * 1e3, field("cached", "SHARE")));
  }
  if (r.ttft.mean && r.ttft.median && *r.ttft.median > 0 && *r.ttft.mean > kWarmUp * *r.ttft.median)
    run.notes.push_back(fmt::format(
        "the mean TTFT is {:.1f} times its median: warm-up, or a first wave that waits for itself; the median is "
        "compared",
        *r.ttft.mean / *r.ttft.median));
}

}  // namespace

ComparedRun compared(BenchmarkResult result, const AnchorGiven& given, const Library& library) {
  ComparedRun run;
  const auto one = anchor_case(result, given, library);
  result.faults = faults_of(result, given.cached.has_value());
  run.result = std::move(result);
  if (!one) {
    run.unpredicted = fmt::format("{}: {}", field(one.error().front().where), one.error().front().what);
    return run;
  }
  const ServingGround& ground = one->deployment.ground;
  run.figure = one->figure;
  run.setting = fmt::format("{}, {} on {}, {}", ground.model->title, short_name(one->deployment.layout()),
                            ground.machine->title, ground.engine.name);
  run.bound = bound_of(*one);
  run.notes = one->notes;
  const auto answered = answer_at(one->question, one->deployment, {one->requests, 0, {}}, library);
  if (!answered || !answered->answer) {
    run.unpredicted = "no steady state under this load";
    return run;
  }
  run.answer = *answered->answer;
  check_against(run, *one, given);
  if (one->figure == AnchorFigure::tpot) {
    run.figures = figures_of(run.result, *run.answer);
    run.shares = shares_of(*run.answer, one->measured, true);
    run.changes = changes_of(*run.answer, library);
  } else {
    const bool step = one->figure == AnchorFigure::step;
    const double predicted = predicted_time(*one);
    run.figures.push_back({step ? "step" : "prefill", std::string(name_of(one->figure)), true, one->measured, predicted,
                           within_ends(*run.answer, predicted, step ? SpreadFigure::tpot : SpreadFigure::prefill)});
    if (step) run.shares = shares_of(*run.answer, one->measured, false);
  }
  if (run.answer->waits)
    run.notes.push_back("more requests than fit, or prefill takes all of the time: no TTFT is predicted");
  if (const std::string borrowed = extrapolation_of(ground); !borrowed.empty()) run.notes.push_back(borrowed);
  return run;
}

std::optional<ComparedTrend> trend_of(const std::vector<ComparedRun>& runs) {
  // weights 1 / measured^2: relative errors count alike
  double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
  ComparedTrend out;
  std::vector<std::pair<double, double>> points;
  for (const ComparedRun& run : runs) {
    if (run.figures.empty() || run.figure == AnchorFigure::prefill || !run.result.faults.empty()) continue;
    const double x = run.figures.front().predicted, y = run.figures.front().measured;
    const double weight = 1 / (y * y);
    w += weight;
    wx += weight * x;
    wy += weight * y;
    wxx += weight * x * x;
    wxy += weight * x * y;
    out.bias += x / y - 1;
    out.mean_error += std::abs(x / y - 1);
    points.push_back({x, y});
  }
  constexpr std::size_t kFewest = 3;
  if (points.size() < kFewest) return {};
  const double spread = w * wxx - wx * wx;
  if (!(spread > 1e-9 * w * wxx)) return {};
  const double count = static_cast<double>(points.size());
  out.runs = points.size();
  out.bias /= count;
  out.mean_error /= count;
  out.slope = (w * wxy - wx * wy) / spread;
  out.constant = (wy - out.slope * wx) / w;
  for (const auto& [x, y] : points) out.left += std::abs((out.constant + out.slope * x) / y - 1) / count;
  return out;
}

}  // namespace ridge
