#include "serve/serving.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "serve/serving_figures.hpp"
#include "serve/step_formats.hpp"

namespace ridge {

namespace {

constexpr double kInFlight = 64;  // requests on a replica, where nobody said how many

class Server {
 public:
  Server(const ServingQuestion& question, const Library& library) : question_(question), library_(library) {}

  Result<ServingResult> run() {
    Scenario scenario = question_.scenario;
    const auto resolved = resolve(scenario, library_);  // names, formats and price, with their errors
    if (!resolved) return fail(resolved.error());
    model_ = find_named(library_.models, resolved->model);
    machine_ = find_named(library_.machines, resolved->machine);
    if (model_ == nullptr || machine_ == nullptr) {
      return fail({"serving", "a saved scenario without its model or machine in the catalog has no layers to lay out",
                   "name a model and a machine of the catalog"});
    }
    chip_ = find_named(library_.chips, machine_->chip);
    if (const Errors wrong = checked_question(question_, library_); !wrong.empty()) return fail(wrong);
    const auto formats =
        step_formats(*model_, library_, *chip_, {scenario.weights, scenario.experts, kv_format(scenario)});
    if (!formats) return fail(formats.error());
    formats_ = *formats;
    const auto laid_out = choose_layout();
    if (!laid_out) return fail(laid_out.error());
    if (!resolved->model_note.empty()) answer_.notes.push_back(resolved->model_note);
    answer_.question = question_;
    answer_.layout = *laid_out;
    answer_.price = resolved->numbers.price.value();
    answer_.model = resolved->model;
    answer_.model_title = resolved->model_title;
    answer_.machine_title = resolved->machine_title;
    answer_.chip_title = chip_->title;
    plan_ = step_operations(*model_, answer_.layout, formats_, fabric_of(*machine_));
    answer_.memory = memory_of(plan_);
    if (answer_.memory.sequences < 1) return ServingResult{{}, shortfall()};
    answer_.prefill_layout = answer_.layout;
    answer_.prefill_layout.replicas = 1;
    prefill_operations_ = plan_;
    if (question_.disaggregated && question_.prefill_layout) {
      if (const auto taken = lay_out_prompts(); !taken) return fail(taken.error());
    }
    answer_.prefill_memory = memory_of(prefill_operations_);
    prefill_room_ = sequences_of(prefill_operations_, answer_.prefill_memory, question_.isl);
    if (question_.disaggregated && prefill_room_ < 1) return ServingResult{{}, prompts_do_not_fit()};
    calibrate();
    solve();
    if (answer_.utilization > 1) {
      ServingShortfall too_much{answer_.layout, answer_.memory, {}, *question_.rate / answer_.utilization, {}};
      too_much.ways_out.push_back(
          fmt::format("--replicas {:.0f}", std::ceil(answer_.utilization * answer_.layout.replicas / kBusy)));
      return ServingResult{{}, std::move(too_much)};
    }
    fill_money();
    if (!std::isfinite(answer_.times.tpot.value()) || !std::isfinite(answer_.input_cost) ||
        !std::isfinite(answer_.output_cost)) {
      return fail({"layout",
                   fmt::format("{} needs a link between chips that {} does not have", short_name(answer_.layout),
                               machine_->title),
                   "a layout within one chip, or a machine with a network (ridge list machines)"});
    }
    add_notes();
    return ServingResult{std::move(answer_), {}};
  }

 private:
  /// As the user says; else what engines choose.
  std::optional<std::string> kv_format(const Scenario& scenario) {
    if (scenario.kv) return answer_.kv = *scenario.kv;
    const std::string usual = engine_kv_format(*chip_);
    answer_.notes.push_back(
        fmt::format("KV cache in {}, as engines choose on this chip (--kv says otherwise)", usual));
    return answer_.kv = usual;
  }

  Layout layout_for(double tensor) const {
    Layout layout;
    layout.tensor = tensor;
    layout.pipeline = question_.pipeline.value_or(1);
    layout.context = question_.context.value_or(1);
    layout.attention_data = question_.attention_data.value_or(1);
    layout.replicas = question_.replicas.value_or(1);
    layout.redundant_experts = question_.redundant_experts;
    layout.balanced = question_.redundant_experts > 0;
    layout.expert = question_.expert.value_or(
        question_.attention_data.value_or(1) > 1 && model_->experts() != nullptr ? layout.chips_per_stage() : 1);
    return layout;
  }

  /// What was asked for, or the fewest chips whose memory holds the model and the load.
  Result<Layout> choose_layout() {
    double chips = 0;
    for (const GivenInput& one : question_.scenario.given) {
      if (one.key == "chips") chips = one.value;
    }
    const double beside = question_.pipeline.value_or(1) * question_.context.value_or(1) *
                          question_.attention_data.value_or(1) * question_.replicas.value_or(1);
    if (question_.tensor && chips > 0 && *question_.tensor * beside != chips) {
      return fail({"--chips", fmt::format("{:g} chips, but the layout takes {:g}", chips, *question_.tensor * beside),
                   "leave one of them out"});
    }
    if (question_.tensor) return checked(layout_for(*question_.tensor), *model_);
    if (chips > 0) return checked(layout_for(chips / beside), *model_);
    std::optional<Layout> largest;
    bool holds = false;
    const double wanted =
        question_.rate ? 1 : question_.concurrency.value_or(kInFlight * question_.replicas.value_or(1));
    for (double tensor = 1; tensor <= machine_->chips.value; tensor *= 2) {
      const auto layout = checked(layout_for(tensor), *model_);
      if (!layout) continue;
      largest = *layout;
      const StepOperations plan = step_operations(*model_, *layout, formats_, fabric_of(*machine_));
      holds = memory_of(plan).sequences >= wanted / layout->replicas;
      if (holds) break;
    }
    if (!largest) return checked(layout_for(1), *model_);
    answer_.notes.push_back(fmt::format("laid out as {}: {} (--tp, --dp and the like say otherwise)",
                                        short_name(*largest),
                                        holds ? "the fewest chips whose memory holds the load"
                                              : "no tensor degree holds the load, this is the largest"));
    return *largest;
  }

  double length() const { return question_.isl + question_.osl / 2; }

  /// What an engine takes of a chip, by its own rule.
  Bytes<double> usable_memory(const ChipMemory& memory) const {
    const Bytes<double> beside = memory.activations + memory.process;
    const Bytes<double> share = memory.there * question_.memory_utilization;
    if (question_.memory_rule == MemoryRule::weights_and_cache) return min(memory.there, share + beside);
    if (question_.memory_rule == MemoryRule::everything) return share;
    const Bytes<double> held = memory.weights + beside;
    return held < memory.there ? held + (memory.there - held) * question_.memory_utilization : memory.there;
  }

  double sequences_of(const StepOperations& plan, const ChipMemory& memory, double tokens) const {
    return sequences_that_fit(plan, (memory.usable - memory.process).value(), question_.token_budget, tokens);
  }

  ChipMemory memory_of(const StepOperations& plan) const {
    ChipMemory memory;
    memory.there = chip_->usable_capacity().value;
    memory.weights = Bytes<double>(weights_held(plan));
    memory.activations = Bytes<double>(activations_held(plan, question_.token_budget));
    memory.process = process_reserve(library_);
    memory.usable = usable_memory(memory);
    memory.cache = memory.usable - memory.weights - memory.activations - memory.process;
    memory.sequences = sequences_of(plan, memory, length());
    memory.cache_tokens = memory.sequences / plan.attention_data * length();
    return memory;
  }

  ServingShortfall shortfall() const {
    ServingShortfall out{answer_.layout, answer_.memory, {}, 0, {}};
    for (double tensor = answer_.layout.tensor * 2; tensor <= machine_->chips.value; tensor *= 2) {
      const auto wider = checked(layout_for(tensor), *model_);
      if (!wider) continue;
      const ChipMemory memory = memory_of(step_operations(*model_, *wider, formats_, fabric_of(*machine_)));
      if (memory.sequences < 1) continue;
      out.ways_out.push_back(fmt::format("--tp {:g}: room for {:.0f} sequences", tensor, memory.sequences));
      break;
    }
    for (const char* format : {"fp8", "nvfp4"}) {
      const auto narrow = step_formats(*model_, library_, *chip_, {format, {}, question_.scenario.kv});
      if (!narrow) continue;
      const ChipMemory memory = memory_of(step_operations(*model_, answer_.layout, *narrow, fabric_of(*machine_)));
      if (memory.sequences < 1) continue;
      out.ways_out.push_back(fmt::format("--weights {}: room for {:.0f} sequences", format, memory.sequences));
      break;
    }
    return out;
  }

  /// The chips for prompts as they were asked for.
  Result<bool> lay_out_prompts() {
    Layout wanted = *question_.prefill_layout;
    wanted.redundant_experts = answer_.layout.redundant_experts;
    wanted.balanced = answer_.layout.balanced;
    const auto prompts = checked(wanted, *model_);
    if (!prompts) {
      Errors errors = prompts.error();
      for (Error& error : errors) error.where = "--prompt-layout: " + error.where;
      return fail(std::move(errors));
    }
    answer_.prefill_layout = *prompts;
    prefill_operations_ = step_operations(*model_, *prompts, formats_, fabric_of(*machine_));
    return true;
  }

  ServingShortfall prompts_do_not_fit() const {
    ServingShortfall out{answer_.prefill_layout, answer_.prefill_memory, {}, 0, {}};
    out.memory.sequences = prefill_room_;
    out.notes.push_back("this is the prefill layout; give it another (--prompt-layout)");
    return out;
  }

  void calibrate() {
    const auto chip = chip_in_step(library_, *chip_);
    const auto engine = engine_calibration(library_, question_.engine);
    rates_ = {peaks_of(*chip_, machine_), chip.value, kernels_in_step(library_)};
    engine_ = engine.value;
    answer_.chip_from = chip.from;
    answer_.engine_from = engine.from;
    answer_.borrowed = chip.borrowed || engine.borrowed;
    if (const CalibrationEntry* entry = find_calibration(library_, "engine", question_.engine)) {
      answer_.tpot_error = entry->error;
      const auto first = entry->numbers.find("first_error");
      if (first != entry->numbers.end()) answer_.ttft_error = first->second.value;
    }
  }

  ServingLoad<double> load_at(double concurrency) const {
    return load_of(question_, *model_, concurrency, answer_.memory.sequences);
  }

  ServingTimes<double> times_at(double concurrency) const {
    const ServingLoad<double> load = load_at(concurrency);
    return serving_times(plan_, rates_, engine_, load, prefill_alone_time(prefill_operations_, rates_, engine_, load));
  }

  void solve() {
    const double replicas = answer_.layout.replicas;
    const double most = std::max(1.0, answer_.memory.sequences);
    double concurrency = question_.concurrency.value_or(kInFlight * replicas) / replicas;
    if (!question_.concurrency && !question_.rate) {
      answer_.notes.push_back(
          fmt::format("concurrency {:g} per replica (--concurrency or --rate says otherwise)", kInFlight));
    }
    if (question_.rate) {
      const double wanted = *question_.rate / replicas;
      answer_.utilization = wanted / times_at(most).requests.value();
      double low = 1e-12, high = most;
      for (int i = 0; i < 100; ++i) {
        const double middle = std::sqrt(low * high);
        (times_at(middle).requests.value() < wanted ? low : high) = middle;
      }
      concurrency = std::min(high, most);
    }
    answer_.concurrency = concurrency;
    answer_.times = times_at(concurrency);
    if (question_.sensitivity) {
      answer_.sensitivity = serving_sensitivity(plan_, prefill_operations_, rates_, engine_, load_at(concurrency));
    }
    answer_.waits = concurrency > answer_.memory.sequences;
    StepLoad<double> load;
    load.sequences = std::max(1.0, answer_.times.batch.value() / (plan_.attention_data * plan_.pipeline));
    load.new_tokens = 1 + question_.speculative_tokens;
    load.context = Tokens<double>(length());
    answer_.step = step_times(plan_, rates_, load);
  }

  void fill_money() {
    const Layout& layout = answer_.layout;
    const double requests = answer_.times.requests.value() * layout.replicas;
    const ServingFigures figures = serving_figures(
        plan_, rates_, answer_.times,
        {question_.isl, question_.osl, answer_.price, layout.chips(), layout.replicas, question_.disaggregated,
         rates_.peak.scale_out.value() > 0},
        prefill_pool(prefill_operations_, answer_.prefill_layout.chips(), prefill_room_, question_.isl));
    answer_.user_rate = figures.user_rate;
    answer_.output_rate = figures.output_rate;
    answer_.total_rate = figures.total_rate;
    answer_.output_cost = figures.output_cost;
    answer_.input_cost = figures.input_cost;
    answer_.chips_in_all = figures.chips;
    answer_.prefill_replicas = figures.prefill_replicas;
    answer_.transfer_time = figures.transfer_time;
    answer_.times.ttft = figures.ttft;
    const double prompts = answer_.times.prefill_share.value();
    if (question_.disaggregated) note_prompts_apart();
    // work of a second with the weights against what the chips could do: two FLOP a weight and token
    const double tokens = answer_.output_rate + requests * question_.isl * (1 - question_.cached);
    const auto& routed = formats_.parts[static_cast<std::size_t>(Part::routed_experts)];
    const auto& dense = formats_.parts[static_cast<std::size_t>(Part::attention)];
    const double peak =
        rates_.peak.matrix[static_cast<std::size_t>(model_->experts() != nullptr ? routed.precision : dense.precision)]
            .value();
    answer_.mfu = tokens * weight_flops(*model_) / (answer_.chips_in_all * peak);
    const double filled = std::min(1.0, answer_.concurrency / (layout.attention_data * layout.pipeline));
    answer_.mbu = answer_.step.memory_read.value() / answer_.times.decode_step.value() * (1 - prompts) * filled;
    if (const auto watts = watts_of(*machine_, *chip_)) {
      answer_.energy = answer_.chips_in_all * watts->value() / answer_.output_rate;
    }
  }

  void note_prompts_apart() {
    answer_.notes.push_back(
        fmt::format("prefill replicas are taken to be {:.0f}% utilized", 100 * kPrefillBusy));
    if (!(rates_.peak.scale_out.value() > 0))
      answer_.notes.push_back("the machine has no scale-out network: KV transfer is not counted");
  }

  void add_notes() {
    if (answer_.borrowed) {
      answer_.notes.push_back(
          "extrapolating: " + answer_.chip_from +
          (answer_.engine_from.find("mean") != std::string::npos ? "; engine: " + answer_.engine_from : ""));
    }
    if (answer_.waits) {
      answer_.notes.push_back(
          fmt::format("{:.0f} of {:.0f} requests wait for memory: no time to the first token is given",
                      answer_.concurrency - answer_.memory.sequences, answer_.concurrency));
    }
    const double tokens = question_.isl + question_.osl;
    if (model_->context_limit > 0 && tokens > model_->context_limit) {
      answer_.notes.push_back(
          fmt::format("{:g} tokens are more than the model's context of {:g}", tokens, model_->context_limit));
    }
    if (question_.speculative_tokens > 0) {
      answer_.notes.push_back(fmt::format(
          "acceptance rate {} (--accepted); drafting a token costs {}", question_.acceptance_rate,
          model_->mtp_order.empty() ? "one layer of this model, and no memory" : "the model's own module"));
    }
    if (answer_.utilization > kBusy || answer_.times.prefill_share.value() > kBusy) {
      answer_.waits = true;
      answer_.notes.push_back("so close to saturation TTFT depends on chance: none is given");
    }
  }

  const ServingQuestion& question_;
  const Library& library_;
  const Model* model_ = nullptr;
  const Machine* machine_ = nullptr;
  const Chip* chip_ = nullptr;
  StepFormats formats_;
  StepOperations plan_, prefill_operations_;  // of those that decode, and of those that compute prompts
  double prefill_room_ = 0;                   // prompts that these hold
  ChipRates<double> rates_;
  EngineCalibration<double> engine_;
  ServingAnswer answer_;
};

}  // namespace

Errors checked_question(const ServingQuestion& question, const Library& library) {
  Errors errors;
  const auto refuse = [&](const char* where, std::string what, std::string hint) {
    errors.push_back({where, std::move(what), std::move(hint)});
  };
  const auto positive = [&](const char* where, double value) {
    if (!(value >= 1 && value <= 1e9)) refuse(where, fmt::format("{:g} tokens", value), "from 1 to a billion");
  };
  positive("--isl", question.isl);
  positive("--osl", question.osl);
  positive("--chunk", question.token_budget);
  if (!(question.cached >= 0 && question.cached < 1)) {
    refuse("--cached", fmt::format("{:g} of the input", question.cached), "a share from 0 to below 1");
  }
  if (question.concurrency && !(*question.concurrency >= 1 && *question.concurrency <= 1e9)) {
    refuse("--concurrency", fmt::format("{:g} requests", *question.concurrency), "from 1 to a billion");
  }
  if (question.rate && !(*question.rate > 0)) {
    refuse("--rate", fmt::format("{:g} requests a second", *question.rate), "above 0");
  }
  if (question.concurrency && question.rate) {
    refuse("--rate", "stands beside --concurrency", "one follows from the other: give one of them");
  }
  if (!(question.acceptance_rate > 0 && question.acceptance_rate < 1)) {
    refuse("--accepted", fmt::format("{:g} of the draft tokens", question.acceptance_rate), "a share between 0 and 1");
  }
  if (!(question.speculative_tokens >= 0 && question.speculative_tokens <= 64) ||
      question.speculative_tokens != std::floor(question.speculative_tokens)) {
    refuse("--guesses", fmt::format("{:g} draft tokens", question.speculative_tokens), "a whole number up to 64");
  }
  if (!(question.memory_utilization > 0 && question.memory_utilization <= 1)) {
    refuse("--memory-share", fmt::format("{:g}", question.memory_utilization), "a share above 0, at most 1");
  }
  if (question.prefill_layout && !question.disaggregated) {
    refuse("--prompt-layout", "prefill is not disaggregated", "add --disaggregated, or leave it out");
  }
  const std::vector<std::string> engines = engine_names(library);
  if (std::find(engines.begin(), engines.end(), question.engine) == engines.end()) {
    refuse("--engine", fmt::format("unknown engine \"{}\"", shortened(question.engine)),
           suggestion(question.engine, engines));
  }
  return errors;
}

std::optional<Watts<double>> watts_of(const Machine& machine, const Chip& chip) {
  if (machine.owned) return machine.owned->power.value * machine.owned->pue.value;
  if (chip.power) return chip.power->value;
  return {};
}

ServingLoad<double> load_of(const ServingQuestion& question, const Model& model, double concurrency, double capacity) {
  ServingLoad<double> load;
  load.concurrency = concurrency;
  load.prompt = Tokens<double>(question.isl);
  load.answer = Tokens<double>(question.osl);
  load.cached = question.cached;
  load.capacity = capacity;
  load.speculative_tokens = question.speculative_tokens;
  load.acceptance_rate = question.acceptance_rate;
  load.draft_layers = model.mtp_order.empty() ? 1 : static_cast<double>(model.mtp_order.size());
  load.disaggregated = question.disaggregated;
  load.overlap = question.overlap;
  load.token_budget = question.token_budget;
  return load;
}

ServingQuestion held(const ServingAnswer& answer) {
  ServingQuestion question = answer.question;
  const Layout& layout = answer.layout;
  question.tensor = layout.tensor;
  question.pipeline = layout.pipeline;
  question.context = layout.context;
  question.attention_data = layout.attention_data;
  question.expert = layout.expert;
  question.replicas = layout.replicas;
  question.rate.reset();
  question.sensitivity = false;
  question.concurrency = answer.concurrency * layout.replicas;
  std::erase_if(question.scenario.given, [](const GivenInput& one) { return one.key == "chips"; });
  return question;
}

Result<ServingResult> answer_serving(const ServingQuestion& question, const Library& library) {
  return Server(question, library).run();
}

}  // namespace ridge
