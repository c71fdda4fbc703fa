#include "calibrate/anchor/anchor.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "calibrate/judge/step_bound.hpp"
#include "library/names.hpp"
#include "serve/estimate.hpp"

namespace ridge {

namespace {

/// The engine's entry by the word of a file: versions that were calibrated by themselves have their own.
std::optional<std::string> engine_named(const Library& library, const BenchmarkResult& result) {
  const auto known = known_engines(library);
  const auto find = [&](const std::string& word) -> std::optional<std::string> {
    for (const std::string& name : known) {
      if (bare_word(name) == bare_word(word)) return name;
    }
    return {};
  };
  if (const std::size_t dot = result.engine_version.find('.'); dot != std::string::npos) {
    const std::size_t end = result.engine_version.find_first_not_of("0123456789", dot + 1);
    if (auto own = find(result.engine + "-" + result.engine_version.substr(0, end))) return own;
  }
  return find(result.engine);
}

}  // namespace

std::optional<std::string> weights_of(const std::string& word, const Model& model, const Machine& machine,
                                      const Library& library) {
  const std::string low = lower_case(word), released = model.precision.value.weights;
  if (low.empty() || low == "none" || low == "auto") return {};
  if (low == "fp4") {
    if (released.find("fp4") != std::string::npos) return {};
    const auto experts = model.precision.value.experts;
    if (experts.find("fp4") != std::string::npos) return {};
    const Chip* chip = find_named(library.chips, machine.chip);
    return chip != nullptr && chip->vendor == "AMD" ? "mxfp4" : "nvfp4";
  }
  if (low.starts_with("fp8") && released.starts_with("fp8")) return {};
  if (find_named(library.formats, low) != nullptr) return low;
  return {};
}

Result<AnchorQuestion> question_of(const BenchmarkResult& result, const AnchorGiven& given, const Library& library) {
  AnchorQuestion out;
  ServingQuestion& q = out.question;
  Errors missing;
  const std::string model = given.model.empty() ? result.model : given.model;
  const std::string machine = given.machine.empty() ? result.hardware : given.machine;
  const auto named_model =
      model.empty() ? fail({"model", "the file does not name it", "give the model"}) : model_named(library, model);
  if (!named_model) append(missing, named_model.error());
  const auto named_machine = machine.empty() ? fail({"machine", "the file does not name it", "give the machine"})
                                             : machine_named(library, machine);
  if (!named_machine) append(missing, named_machine.error());
  if (!missing.empty()) return fail(std::move(missing));
  q.scenario.model = named_model->entry->name;
  q.scenario.machine = named_machine->entry->name;
  for (const std::string& note : {named_model->note, named_machine->note}) {
    if (!note.empty()) out.notes.push_back(note);
  }
  q.scenario.weights = given.weights ? given.weights : named_model->weights;
  if (!q.scenario.weights)
    q.scenario.weights = weights_of(result.format, *named_model->entry, *named_machine->entry, library);
  q.scenario.experts = given.experts;
  q.scenario.kv = given.kv;

  if (!given.engine.empty()) {
    q.engine = given.engine;
  } else if (result.engine.empty()) {
    out.notes.push_back(
        fmt::format("the engine is not stated: {} is assumed ({})", kGeneralEngine, field("engine", "NAME")));
  } else if (const auto engine = engine_named(library, result)) {
    q.engine = *engine;
  } else {
    return fail({"engine", fmt::format("the catalog has no engine \"{}\"", shortened(result.engine)),
                 "give one whose numbers may stand in"});
  }
  const auto one_chip = named_machine->entry->chips.value == 1;
  q.tensor = given.tensor ? given.tensor : result.tensor;
  q.pipeline = given.pipeline ? given.pipeline : result.pipeline;
  q.attention_data = given.attention_data ? given.attention_data : result.attention_data;
  q.expert = given.expert ? given.expert : result.expert;
  q.context = given.context;
  if (!q.tensor && !q.attention_data && !q.pipeline) {
    if (!one_chip && result.chips != 1.0)
      return fail({"tp", "the file does not say on how many chips it ran", "give the layout"});
    q.tensor = 1;
  }
  if (!q.tensor) q.tensor = 1;
  q.memory_utilization = given.memory_utilization;
  if (given.token_budget) q.token_budget = *given.token_budget;
  q.cached = given.cached.value_or(0);
  return out;
}

namespace {

/// What was measured, and under which load; an error where nothing of it has a prediction.
struct MeasuredLoad {
  RequestLoad load;
  AnchorFigure figure = AnchorFigure::tpot;
  double seconds = 0;
};

Result<MeasuredLoad> measured_load(const BenchmarkResult& r, double cached, std::vector<std::string>& notes) {
  MeasuredLoad out;
  const double depth = r.depth.value_or(0);
  out.load.cached = cached;
  if (r.kind == ResultKind::prefill) {
    if (r.concurrency.value_or(1) != 1)
      return fail({"concurrency", "several prompts in one prefill are not predicted", "give a run with one"});
    if (!r.isl || !r.ttft.typical()) return fail({"isl", "the file has no prompt or no time of it", ""});
    out.load = {.isl = *r.isl + depth, .osl = 1, .cached = depth / (*r.isl + depth), .concurrency = 1};
    out.figure = AnchorFigure::prefill;
    out.seconds = *r.ttft.typical();
    return out;
  }
  if (r.kind != ResultKind::serving && r.kind != ResultKind::batch)
    return fail({"load", "it has no load: a throughput of all requests at once, or memory", ""});
  if (!r.tpot.typical() || *r.tpot.typical() <= 0) return fail({"tpot", "the file has no TPOT", ""});
  if (!r.osl) return fail({"osl", "the file has no OSL", ""});
  out.seconds = *r.tpot.typical();
  out.load.osl = std::max(2.0, *r.osl);
  out.load.isl = std::max(1.0, r.isl.value_or(0) + depth);
  if (r.kind == ResultKind::batch) {
    out.figure = AnchorFigure::step;
    if (!r.concurrency) return fail({"concurrency", "the file does not say how large the batch was", ""});
    out.load.concurrency = *r.concurrency;
    return out;
  }
  if (!r.isl) return fail({"isl", "the file has no ISL", ""});
  const auto asked = r.concurrency, seen = r.in_flight;
  if (!asked && !seen) return fail({"concurrency", "the file has no load", ""});
  out.load.concurrency = std::max(1.0, asked ? *asked : *seen);
  if (asked && seen && *seen < 0.9 * *asked) {
    out.load.concurrency = std::max(1.0, *seen);
    notes.push_back(fmt::format("{:.3g} requests were in flight on average, not {:g}", *seen, *asked));
  } else if (!asked) {
    notes.push_back(fmt::format("{:.3g} requests in flight, by Little's law", *seen));
  }
  return out;
}

}  // namespace

Result<AnchorCase> anchor_case(const BenchmarkResult& result, const AnchorGiven& given, const Library& library) {
  auto asked = question_of(result, given, library);
  if (!asked) return fail(asked.error());
  const auto measured = measured_load(result, asked->question.cached, asked->notes);
  if (!measured) return fail(measured.error());
  asked->question.isl = measured->load.isl;
  asked->question.osl = measured->load.osl;
  asked->question.concurrency = measured->load.concurrency;
  auto deployment = resolve(asked->question, library);
  if (!deployment) return fail(deployment.error());
  const ServingEstimate estimate = evaluate(*deployment, measured->load);
  if (!fits(*deployment, estimate))
    return fail({"layout",
                 fmt::format("does not fit on {:g} chips, by what the catalog knows", deployment->layout().chips()),
                 "check model, format and layout"});
  AnchorCase out{.name = result.place,
                 .question = asked->question,
                 .deployment = *deployment,
                 .requests = measured->load,
                 .load = {},
                 .figure = measured->figure,
                 .measured = measured->seconds,
                 .chip_prior = chip_prior(library, *deployment->ground.chip),
                 .notes = asked->notes};
  out.load = serving_load(deployment->ground, measured->load, estimate.memory.sequences.value());
  if (out.figure == AnchorFigure::step) out.load.disaggregated = true;  // nothing is prefilled between its steps
  return out;
}

ChipPrior chip_prior(const Library& library, const Chip& chip) {
  if (!chip_alone(library, chip).borrowed) return ChipPrior::own;
  const auto of_its_maker = [&](const CalibrationEntry& entry) {
    const Chip* known = entry.of == "chip" ? find_named(library.chips, entry.name) : nullptr;
    return known != nullptr && known->vendor == chip.vendor;
  };
  const auto& entries = library.calibrations;
  constexpr auto kSeveral = 2;  // one says nothing of how far a maker's chips are from each other
  return std::count_if(entries.begin(), entries.end(), of_its_maker) >= kSeveral ? ChipPrior::borrowed
                                                                                 : ChipPrior::stranger;
}

double predicted_time(const AnchorCase& anchor) {
  return predicted_time(anchor, anchor.deployment.ground.numbers.chip, anchor.deployment.ground.numbers.engine);
}

double predicted_time(const AnchorCase& anchor, const ChipCalibration<double>& chip,
                      const EngineCalibration<double>& engine) {
  const ServingCase<double>& c = anchor.deployment.ground.numbers;
  const auto times = serving_times(anchor.operations(), ChipRates<double>{c.peak, chip, c.kernel}, engine, anchor.load);
  return anchor.figure == AnchorFigure::prefill ? times.prefill_alone.value() : times.tpot.value();
}

double bound_of(const AnchorCase& anchor) {
  return anchor.figure == AnchorFigure::prefill ? prefill_bound(anchor.deployment, anchor.load)
                                                : step_bound(anchor.deployment, anchor.load);
}

std::vector<std::string> faults_of(const BenchmarkResult& result, bool cached_given) {
  std::vector<std::string> faults = result.faults;
  if (result.shared_prefix && !cached_given)
    faults.push_back(fmt::format("prompts repeat each other, and the share of prefix-cache hits is not stated ({})",
                                 field("cached", "SHARE")));
  return faults;
}

HeldResult held_against(BenchmarkResult result, const AnchorGiven& given, const Library& library) {
  HeldResult held;
  const auto one = anchor_case(result, given, library);
  result.faults = faults_of(result, given.cached.has_value());
  held.result = std::move(result);
  if (!one) {
    const Error& error = one.error().front();
    held.unpredicted = fmt::format("{}: {}", field(error.where), error.what);
    return held;
  }
  held.predicted = true;
  held.figure = one->figure;
  held.measured = one->measured;
  held.prediction = predicted_time(*one);
  held.bound = bound_of(*one);
  const ServingGround& ground = one->deployment.ground;
  held.setting = fmt::format("{}, {} on {}, {}", ground.model->title, short_name(one->deployment.layout()),
                             ground.machine->title, ground.engine.name);
  held.notes = one->notes;
  if (const std::string borrowed = extrapolation_of(ground); !borrowed.empty()) held.notes.push_back(borrowed);
  return held;
}

}  // namespace ridge
