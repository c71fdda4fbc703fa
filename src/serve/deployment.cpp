#include "serve/deployment.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "library/engines.hpp"
#include "serve/answer_notes.hpp"
#include "serve/estimate.hpp"
#include "serve/question/serving_inputs.hpp"
#include "serve/step/step_formats.hpp"

namespace ridge {

namespace {

/// What a chip takes from the socket, the machine around it included where that is known.
std::optional<Sourced<Watts<double>>> power_of(const Machine& machine, const Chip& chip) {
  if (machine.owned) {
    return Sourced<Watts<double>>{machine.owned->power.value * machine.owned->pue.value, machine.owned->power.from};
  }
  if (chip.power) return Sourced<Watts<double>>{chip.power->value, chip.power->from};
  return {};
}

/// The format that a checkpoint asks for the cache: engines follow it. 16 bit is no request, only what the weights are.
std::optional<std::string> released_kv(const Model& model, const Library& library) {
  const Format* said = find_named(library.formats, model.precision.value.kv);
  if (said == nullptr || said->bytes.value.value() >= kActivationBytes) return {};
  return said->name;
}

/// Calibrations and peaks, each with where it comes from.
void fill_rates(ServingGround& ground, const Library& library) {
  const auto chip = chip_in_step(library, *ground.chip);
  const auto engine = engine_calibration(library, ground.engine.name);
  ServingCase<double>& c = ground.numbers;
  c.peak = peaks_of(*ground.chip, ground.machine);
  c.chip = chip.value;
  c.kernel = kernels_in_step(library);
  c.engine = engine.value;
  ground.chip_from = chip.from;
  if (ground.engine.kernels == KernelFamily::ggml) ground.chip_from = ggml_calibration(library, *ground.chip).from;
  ground.engine_from = engine.from;
  const bool ggml = ground.engine.kernels == KernelFamily::ggml;
  const bool borrowed = ggml ? ggml_calibration(library, *ground.chip).borrowed : chip.borrowed;
  ground.extrapolated = borrowed || engine.borrowed;
  ground.engine_borrowed = engine.borrowed;
  const auto of_field = [&](std::string_view key) -> Provenance& { return ground.from[serving_input_index(key)]; };
  for (Provenance& from : ground.from) from = {"calibration", Kind::derived, ground.chip_from};
  constexpr std::array kMatrixKeys = {"matmul.16-bit", "matmul.8-bit", "matmul.4-bit"};
  for (std::size_t i = 0; i < kPrecisions; ++i) {
    const auto* peak = matrix_peak(*ground.chip, static_cast<Precision>(i));
    if (peak != nullptr) of_field(kMatrixKeys[i]) = peak->from;
  }
  of_field("hbm.bandwidth") = ground.chip->bandwidth.from;
  if (ground.machine->scale_up) of_field("scale_up") = ground.machine->scale_up->from;
  if (ground.machine->scale_out) of_field("scale_out") = ground.machine->scale_out->from;
  of_field("scale_out.latency") = ground.machine->hop
                                      ? ground.machine->hop->from
                                      : Provenance{"default", Kind::fallback, "not known: as within a domain"};
  for (const char* key : {"engine.step_time", "engine.sequence_time", "engine.prefill_factor", "engine.launch_time",
                          "engine.prefill_step_time", "engine.prompt_time", "engine.expert_padding",
                          "engine.first_time", "engine.first_token_time"}) {
    of_field(key) = {"calibration", Kind::derived, "engine: " + ground.engine_from};
  }
}

/// Puts a number into its place, with its source.
template <class Q>
void put(ServingGround& ground, std::string_view key, Q& field, const Q& value, const Provenance& from) {
  field = value;
  ground.from[serving_input_index(key)] = from;
}

/// Memory and power of a chip.
void fill_chip(ServingGround& ground, const std::optional<double>& memory_utilization, const Library& library) {
  ServingCase<double>& c = ground.numbers;
  const Sourced<Bytes<double>>& capacity = ground.chip->usable_capacity();
  put(ground, "hbm.capacity", c.hbm_capacity, capacity.value, capacity.from);
  put(ground, "memory.process", c.process, process_reserve(library), {"calibration", Kind::derived, "reserve"});
  const DefaultByMemory& usual = find_engine(library, ground.engine.name).facts->memory_utilization;
  put(ground, "memory_utilization", c.memory_utilization,
      Ratio<double>(memory_utilization.value_or(usual.at(capacity.value))),
      memory_utilization ? Provenance{"question", Kind::user, ""} : usual.value.from);
  const auto power = power_of(*ground.machine, *ground.chip);
  put(ground, "power", c.power, power ? power->value : Watts<double>(0.0), power ? power->from : Provenance{});
  c.utilization = 1.0;
  const Provenance of_load{"question", Kind::user, "the load"};
  for (const char* key : {"isl", "osl", "cached", "concurrency", "acceptance_rate"})
    ground.from[serving_input_index(key)] = of_load;
}

/// Numbers that the user gave instead of what was found.
Result<bool> apply_given(ServingGround& ground, const std::vector<GivenInput>& given) {
  Errors errors;
  for (const GivenInput& one : given) {
    if (const auto set = set_serving_input(ground, one); !set) append(errors, set.error());
  }
  if (!errors.empty()) return fail(std::move(errors));
  return true;
}

/// How the engine's memory is counted, where that is not the engine's own word.
std::string memory_note(const FoundEngine& engine, const std::string& name) {
  const Engine& facts = *engine.facts;
  if (engine.borrowed)
    return fmt::format("the catalog has no facts about the engine {}: memory and KV cache are counted as {} does", name,
                       facts.title);
  if (facts.memory_rule.from.kind != Kind::assumed) return "";
  return fmt::format("assumed of {}: its memory utilization is a share of {}", facts.title,
                     meaning_of(facts.memory_rule.value));
}

EngineSettings engine_settings(const ServingQuestion& question, const Engine& facts, const Model& model) {
  EngineSettings out;
  out.name = question.engine;
  out.memory_rule = facts.memory_rule.value;
  out.token_budget = question.token_budget;
  out.kernels = facts.kernels;
  if (facts.scheduler.ubatch) {
    if (question.token_budget == kUsualTokenBudget) out.token_budget = facts.scheduler.token_budget.value.value;
    out.ubatch = question.ubatch.value_or(facts.scheduler.ubatch->value);
  }
  out.speculative_tokens = question.speculative_tokens;
  out.draft_layers = model.mtp_order.empty() ? 1 : static_cast<double>(model.mtp_order.size());
  out.overlap = question.overlap.value_or(Overlap::none);
  out.composed_early = facts.scheduler.composed_early;
  out.captured_tokens = facts.scheduler.captured_tokens;
  out.most_running = question.most_running;
  out.disaggregated = question.disaggregated;
  return out;
}

}  // namespace

std::string extrapolation_of(const ServingGround& ground) {
  if (!ground.extrapolated) return "";
  return "extrapolating: " + ground.chip_from + (ground.engine_borrowed ? "; engine: " + ground.engine_from : "");
}

bool price_is_assumed(const ServingGround& ground) {
  return ground.from[serving_input_index("price")].kind == Kind::assumed;
}

std::string assumed_price_of(const ServingGround& ground) {
  if (!price_is_assumed(ground)) return "";
  const Provenance& from = ground.from[serving_input_index("price")];
  return fmt::format("the price of {} is assumed ({})", show(ground.numbers.price), from.note);
}

std::string fresh_kernels(const ServingGround& ground) {
  constexpr std::array<int, kPrecisions> kBits = {16, 8, 4};
  return fmt::format("{}_{}bit", ground.chip->name, kBits[static_cast<std::size_t>(ground.weights_precision)]);
}

bool is_quantized(std::string_view format, const Library& library) {
  const Format* known = find_named(library.formats, format);
  return known != nullptr && known->bytes.value.value() < kActivationBytes;
}

Result<ServingGround> ground_of(const GroundParts& parts, const Library& library) {
  FormatChoice choice = parts.formats;
  const Engine& facts = *find_engine(library, parts.engine.name).facts;
  choice.activations = facts.activations;
  choice.look_ups = facts.look_ups;
  const auto formats = step_formats(*parts.model, library, *parts.chip, choice);
  if (!formats) return fail(formats.error());
  ServingGround ground;
  ground.model = parts.model;
  ground.machine = parts.machine;
  ground.chip = parts.chip;
  ground.engine = parts.engine;
  ground.kv = parts.formats.kv.value_or("");
  ground.formats = *formats;
  ground.shape = shape_of(*parts.model, *formats);
  if (parts.engine.kernels == KernelFamily::ggml)
    ground.shape.ggml = ggml_kernels(library, *parts.chip, parts.engine.ubatch);
  ground.fabric = fabric_of(*parts.machine);
  const Part most = parts.model->experts() != nullptr ? Part::routed_experts : Part::attention;
  ground.weights_precision = formats->parts[static_cast<std::size_t>(most)].precision;
  ground.weights_pace = formats->parts[static_cast<std::size_t>(most)].pace;
  ground.weight_flops = weight_flops(*parts.model);
  fill_rates(ground, library);
  fill_chip(ground, parts.memory_utilization, library);
  return ground;
}

Result<ServingGround> serving_ground(const ServingQuestion& asked, const Library& library) {
  ServingQuestion question = asked;
  question.engine = engine_called(library, asked.engine);
  const Scenario& scenario = question.scenario;
  const auto resolved = resolve(scenario, library);  // names, formats and price, with their errors
  if (!resolved) return fail(resolved.error());
  const Model* model = find_named(library.models, resolved->model);
  const Machine* machine = find_named(library.machines, resolved->machine);
  if (model == nullptr || machine == nullptr) {
    return fail({"serving", "a saved scenario without its model or machine in the catalog has no layers to lay out",
                 "name a model and a machine of the catalog"});
  }
  const Chip* chip = find_named(library.chips, machine->chip);
  if (Errors wrong = checked_question(question, library); !wrong.empty()) return fail(std::move(wrong));
  const FoundEngine engine = find_engine(library, question.engine);
  const std::optional<std::string> released = released_kv(*model, library);
  const bool quantized =
      is_quantized(resolved->precision.weights, library) || is_quantized(resolved->precision.experts, library);
  const std::string usual = released ? *released : kv_format(*engine.facts, *chip, quantized);
  auto ground = ground_of({.model = model,
                           .machine = machine,
                           .chip = chip,
                           .formats = {scenario.weights, scenario.experts, scenario.kv.value_or(usual)},
                           .engine = engine_settings(question, *engine.facts, *model),
                           .memory_utilization = question.memory_utilization},
                          library);
  if (!ground) return ground;
  if (std::string note = memory_note(engine, question.engine); !note.empty()) ground->notes.push_back(std::move(note));
  ground->kv_released = released.has_value() && !scenario.kv;
  if (!scenario.kv) ground->notes.push_back(kv_note(*ground));
  ServingCase<double>& c = ground->numbers;
  put(*ground, "price", c.price, resolved->numbers.price, resolved->from[input_index("price")]);
  put(*ground, "utilization", c.utilization, resolved->numbers.utilization, resolved->from[input_index("utilization")]);
  c.acceptance_rate = question.acceptance_rate;
  std::vector<GivenInput> given = question.given;
  for (const GivenInput& one : scenario.given) {  // a chip's own numbers, from a scenario's file
    if (one.key == "hbm.bandwidth" || one.key == "hbm.capacity") given.push_back(one);
  }
  if (const auto applied = apply_given(*ground, given); !applied) return fail(applied.error());
  if (std::string note = assumed_price_of(*ground); !note.empty()) ground->notes.push_back(std::move(note));
  ground->named_chips = resolved->named_chips;
  ground->notes.insert(ground->notes.end(), resolved->name_notes.begin(), resolved->name_notes.end());
  return ground;
}

Pool pool_of(const ServingGround& ground, const Layout& layout) {
  Pool pool{layout, {}};
  lay_out_step(ground.shape, layout, ground.fabric, pool.operations);
  return pool;
}

Layout layout_with(const ServingQuestion& question, double tensor, const Model& model) {
  Layout layout = given_degrees(question);
  layout.tensor = tensor;
  const bool shares_experts = layout.attention_data > 1 && model.experts() != nullptr;
  layout.expert = question.expert.value_or(shares_experts ? layout.chips_per_stage() : 1);
  return layout;
}

Result<LayoutChoice> chosen_layout(const ServingQuestion& question, const ServingGround& ground) {
  const Model& model = *ground.model;
  const auto fixed = [&](double tensor) -> Result<LayoutChoice> {
    const auto layout = checked(layout_with(question, tensor, model), model);
    if (!layout) return fail(layout.error());
    return LayoutChoice{*layout, {}};
  };
  double chips = ground.named_chips.value_or(0);
  for (const GivenInput& one : question.scenario.given) {
    if (one.key == "chips") chips = one.value;
  }
  const double beside = question.pipeline.value_or(1) * question.context.value_or(1) *
                        question.attention_data.value_or(1) * question.replicas.value_or(1);
  if (question.tensor && chips > 0 && *question.tensor * beside != chips) {
    return fail({"chips", fmt::format("{:g} chips, but the layout takes {:g}", chips, *question.tensor * beside),
                 "leave one of them out"});
  }
  if (question.tensor) return fixed(*question.tensor);
  if (chips > 0) return fixed(chips / beside);

  std::optional<Layout> largest;
  bool holds = false;
  const double wanted =
      question.rate ? 1 : question.concurrency.value_or(kUsualConcurrency * question.replicas.value_or(1));
  const auto lengths = request_lengths(Tokens<double>(question.isl), Tokens<double>(question.osl));
  for (double tensor = 1; tensor <= ground.machine->chips.value; tensor *= 2) {
    const auto layout = checked(layout_with(question, tensor, model), model);
    if (!layout) continue;
    largest = *layout;
    const Pool pool = pool_of(ground, *layout);
    const ChipMemory memory = chip_memory(pool.operations, ground.memory_terms(), lengths);
    holds = memory.longest_held.value() >= 1 && memory.sequences.value() >= wanted / layout->replicas;
    if (holds) break;
  }
  if (!largest) return fixed(1);
  const bool others = question.pipeline || question.context || question.attention_data || question.expert;
  const std::string why = !holds   ? "no tensor degree holds the load, this is the largest"
                          : others ? "the lowest tensor degree whose memory holds the load"
                                   : "the fewest chips whose memory holds the load";
  return LayoutChoice{*largest,
                      {fmt::format("laid out as {}: {} ({}, {} and the like say otherwise)", short_name(*largest), why,
                                   field("tp"), field("dp"))}};
}

ServingQuestion prefill_question(const ServingQuestion& question, const std::string& kv) {
  ServingQuestion out = question;
  out.scenario.machine = *question.prefill_machine;
  out.scenario.kv = kv;
  out.prefill_machine.reset();
  out.prefill_price.reset();
  const auto of_a_machine = [](const GivenInput& one) {
    return !one.key.starts_with("engine.") && one.key != "utilization" && one.key != "acceptance_rate" &&
           one.key != "memory_utilization";
  };
  std::erase_if(out.given, of_a_machine);
  std::erase_if(out.scenario.given, of_a_machine);
  if (question.prefill_price)
    out.scenario.given.push_back({"price", *question.prefill_price, {"question", Kind::user, ""}});
  return out;
}

Result<std::shared_ptr<const ServingGround>> prefill_ground_of(const ServingQuestion& question,
                                                               const ServingGround& decode, const Library& library) {
  using Ground = std::shared_ptr<const ServingGround>;
  if (!question.prefill_machine || !question.disaggregated) return Ground();
  const auto at_prefill = [](Errors errors) {
    for (Error& error : errors) error.where = "prefill_on: " + error.where;
    return errors;
  };
  auto ground = serving_ground(prefill_question(question, decode.kv), library);
  if (!ground) return fail(at_prefill(ground.error()));
  if (ground->machine == decode.machine) return Ground();
  if (ground->named_chips)
    return fail({"prefill_on", fmt::format("\"{}\" names a number of chips", shortened(*question.prefill_machine)),
                 fmt::format("name the machine alone; {} says how many", field("prefill_layout"))});
  for (const ServingGround* one : {&decode, static_cast<const ServingGround*>(&*ground)}) {
    if (!one->networked())
      return fail({"prefill_on", fmt::format("{} has no scale-out network: no KV cache leaves it", one->machine->title),
                   "machines with a network between them (ridge list machines)"});
  }
  return std::make_shared<const ServingGround>(std::move(*ground));
}

Result<Deployment> laid_out(ServingGround ground, const Layout& layout, const std::optional<Layout>& prefill,
                            std::shared_ptr<const ServingGround> prefill_elsewhere) {
  Deployment out{std::move(ground), {}, {}, std::move(prefill_elsewhere)};
  out.decode = pool_of(out.ground, layout);
  out.prefill = out.decode;
  out.prefill.layout.replicas = 1;
  if (!out.ground.engine.disaggregated || (!prefill && !out.prefill_elsewhere)) return out;
  Layout wanted = prefill.value_or(out.prefill.layout);
  // where the chips that decode hold copies to balance them, so do these, as many as they need; else neither do
  wanted.redundant_experts = layout.balanced ? copies_to_balance(*out.ground.model, wanted.expert) : 0;
  wanted.balanced = wanted.redundant_experts > 0;
  const auto possible = checked(wanted, *out.ground.model);
  if (!possible) {
    Errors errors = possible.error();
    for (Error& error : errors) error.where = "prefill_layout: " + error.where;
    return fail(std::move(errors));
  }
  out.prefill = pool_of(out.prefill_ground(), *possible);
  return out;
}

Result<Deployment> resolve(const ServingQuestion& question, const Library& library) {
  auto ground = serving_ground(question, library);
  if (!ground) return fail(ground.error());
  auto elsewhere = prefill_ground_of(question, *ground, library);
  if (!elsewhere) return fail(elsewhere.error());
  const auto choice = chosen_layout(question, *ground);
  if (!choice) return fail(choice.error());
  ground->notes.insert(ground->notes.end(), choice->notes.begin(), choice->notes.end());
  return laid_out(std::move(*ground), choice->layout, question.prefill_layout, std::move(*elsewhere));
}

}  // namespace ridge
