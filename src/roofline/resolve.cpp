// From a scenario and the library to a case in which every number is known: entries by name, what each of them gives,
// what the user gives, and a load that fits.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/collect.hpp"
#include "base/known_inputs.hpp"
#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "library/chip_price.hpp"
#include "library/look_up.hpp"
#include "library/names.hpp"
#include "roofline/context_inputs.hpp"
#include "roofline/expert_followers.hpp"
#include "roofline/format_inputs.hpp"
#include "roofline/notes.hpp"
#include "roofline/readings.hpp"
#include "roofline/scenario.hpp"

namespace ridge {

namespace {

constexpr double kDefaultBatch = 2048;
constexpr double kDefaultContext = 8192;

using DecodeInputs = KnownInputs<kDecodeInputs>;

/// A model whose name does not speak of other weights than it has.
Result<NamedModel> plain_model(const Library& library, const std::string& word) {
  auto named = model_named(library, word);
  if (!named || !named->weights) return named;
  return fail({"model", fmt::format("{} is {} in {}", shortened(word), named->entry->name, *named->weights),
               fmt::format("name {} and give {} for its weights", named->entry->name, *named->weights)});
}

/// The entries that a scenario names.
struct Entries {
  const Model* model = nullptr;
  const Machine* machine = nullptr;
  const Chip* chip = nullptr;
  std::optional<double> named_chips;    // "4xH100" asks for so many
  std::vector<std::string> name_notes;  // what words were taken for
};

/// A saved scenario carries every number: the catalog need not know its names.
bool needs_no_entries(const Scenario& scenario, const Library& library) {
  return is_complete(scenario) && (find_named(library.models, scenario.model) == nullptr ||
                                   find_named(library.machines, scenario.machine) == nullptr);
}

Result<Entries> find_entries(const Scenario& scenario, const Library& library) {
  Errors errors;
  const NamedModel model = collected(plain_model(library, scenario.model), errors);
  const NamedMachine machine = collected(machine_named(library, scenario.machine), errors);
  const Chip* chip =
      machine.entry == nullptr ? nullptr : collected(look_up(library.chips, machine.entry->chip, "chip"), errors);
  if (!errors.empty()) return fail(std::move(errors));
  Entries out{model.entry, machine.entry, chip, machine.chips, {}};
  for (const std::string& note : {model.note, machine.note}) {
    if (!note.empty()) out.name_notes.push_back(note);
  }
  return out;
}

/// What the case is called, before anything is known of its entries.
ResolvedCase named_case(const Scenario& scenario) {
  ResolvedCase out;
  out.model = out.model_title = scenario.model;
  out.machine = out.machine_title = scenario.machine;
  const auto given = [](const std::optional<std::string>& format) { return format.value_or(""); };
  out.precision = {
      given(scenario.weights), given(scenario.experts), given(scenario.attention), given(scenario.kv), "", ""};
  return out;
}

void name_after(const Entries& entries, ResolvedCase& out) {
  out.model = entries.model->name;
  out.model_title = entries.model->title;
  out.name_notes = entries.name_notes;
  out.named_chips = entries.named_chips;
  out.context_limit = entries.model->context_limit;
  out.machine = entries.machine->name;
  out.machine_title = entries.machine->title;
  out.chip_title = entries.chip->title;
  out.domain = entries.machine->chips.value;
  if (entries.chip->memory_type.value.starts_with("HBM")) out.memory_name = "HBM";
}

std::vector<KnownInput> machine_inputs(const Machine& machine, const Chip& chip) {
  const auto capacity = chip.usable_capacity();
  return {{input_index("chips"), machine.chips.value, machine.chips.from},
          {input_index("hbm.bandwidth"), chip.bandwidth.value.value(), chip.bandwidth.from},
          {input_index("hbm.capacity"), capacity.value.value(), capacity.from}};
}

/// Whether the price of a chip is the one that the case ends with: a saved scenario gives the price it was saved with.
bool keeps_price(const Scenario& scenario, const ChipPrice& chip) {
  const auto given = std::find_if(scenario.given.rbegin(), scenario.given.rend(),
                                  [](const GivenInput& one) { return one.key == "price"; });
  return given == scenario.given.rend() || given->value == chip.price.value.value();
}

/// The step knows one number of experts and one choice of them.
Errors mixed_experts(const Model& model) {
  const Experts* first = model.experts();
  for (const std::size_t kind : model.order) {
    const auto& experts = model.kinds[kind].experts;
    if (!experts || (experts->count == first->count && experts->per_token == first->per_token)) continue;
    return {
        {"model",
         fmt::format("{} has {:g} experts in some layers and {:g} in others", model.name, first->count, experts->count),
         "the decode step knows one kind of expert layer"}};
  }
  return {};
}

Result<std::vector<KnownInput>> shape_inputs(const Model& model) {
  if (Errors errors = mixed_experts(model); !errors.empty()) return fail(std::move(errors));
  const ParameterParts parts = count_parameters(model);
  const auto derived = [&](const char* note) {
    return Provenance{model.architecture.source, Kind::derived, note, model.architecture.place};
  };
  const Experts* experts = model.experts();
  const Provenance& experts_from = experts != nullptr ? model.experts_from : model.architecture;
  return std::vector<KnownInput>{
      {input_index("params.dense"), parts.always_read(), derived("counted from the architecture")},
      {input_index("params.routed"), parts[Part::routed_experts], derived("counted from the architecture")},
      {input_index("params.lookup"), parts.not_read, derived("the embedding table, where it is no head")},
      {input_index("experts.count"), experts != nullptr ? experts->count : 1.0, experts_from},
      {input_index("experts.per_token"), experts != nullptr ? experts->per_token : 1.0, experts_from}};
}

DecodeCase<double> case_of(const DecodeInputs& inputs) {
  DecodeCase<double> c = read_as<double>(DecodeCase<double>{}, [&](std::size_t index, const InputInfo&, Dimension,
                                                                   double) { return inputs.values[index]; });
  c.has = parts_of(inputs.values);
  return c;
}

/// The model with another number of experts in its layers.
Model with_experts(Model model, double count) {
  for (Layer& kind : model.kinds) {
    if (kind.experts) kind.experts->count = count;
  }
  return model;
}

/// What one more expert in every layer adds: parameters are linear in their number, so a second set of them tells.
ExpertFollowers followers_of(const Model& model, const Scenario& scenario, double width_weights) {
  const Experts* experts = model.experts();
  if (experts == nullptr || !(experts->count > 0)) return {};
  const ParameterParts once = count_parameters(model);
  const ParameterParts twice = count_parameters(with_experts(model, 2 * experts->count));
  const double router = twice.always_read() - once.always_read();
  double bytes = router * width_weights;
  const double released = model.released[static_cast<std::size_t>(Part::router)];
  if (!scenario.weights && released > 0 && once[Part::router] > 0) bytes = router * released / once[Part::router];
  return {.routed = once[Part::routed_experts] / experts->count,
          .router = router / experts->count,
          .router_width = router > 0 ? bytes / router : width_weights};
}

/// Whether the user says himself what the experts hold.
bool gives_routed(const Scenario& scenario) {
  return std::any_of(scenario.given.begin(), scenario.given.end(), [](const GivenInput& one) {
    return find_input(one.key) == static_cast<int>(input_index("params.routed"));
  });
}

/// They hold as long as the case's experts are of the model's size, whoever said so: a saved scenario says everything.
ExpertFollowers kept_followers(const DecodeCase<double>& c, const ExpertFollowers& of_model) {
  constexpr double kRounding = 1e-9;
  const double wanted = of_model.routed * c.experts.value();
  return std::abs(c.params_routed.value() - wanted) <= kRounding * wanted ? of_model : ExpertFollowers{};
}

/// What follows from a number of experts that the user gave, where he does not say all of it.
Result<std::vector<KnownInput>> follow_experts(const DecodeInputs& before, const DecodeCase<double>& base,
                                               const Scenario& scenario, const Entries& entries) {
  const GivenInput* given = nullptr;
  for (const GivenInput& one : scenario.given) {
    if (find_input(one.key) == static_cast<int>(input_index("experts.count"))) given = &one;
  }
  const double known = before.values[input_index("experts.count")];
  if (given == nullptr || gives_routed(scenario) || given->value == known || !(given->value >= 1))
    return std::vector<KnownInput>{};
  const std::string& where = given->from.place.empty() ? given->from.source : given->from.place;
  if (!base.follows.known()) {
    return fail({where, fmt::format("{} has no routed experts, so none can be added", entries.model->name),
                 "describe a model with experts (docs/how_to_add.md), or give params.routed beside it"});
  }
  DecodeCase<double> changed = base;
  changed.experts = given->value;
  changed = with_expert_followers(changed, base);
  const auto from = [&](std::string_view key) {
    Provenance origin = before.from[input_index(key)];
    origin.kind = Kind::derived;
    origin.note = fmt::format("follows from experts.count = {:g}, which the model has {:g} of", given->value, known);
    return origin;
  };
  std::vector<KnownInput> out;
  const auto add = [&](std::string_view key, double value) { out.push_back({input_index(key), value, from(key)}); };
  add("params.dense", changed.params_dense.value());
  add("params.routed", changed.params_routed.value());
  if (changed.width_weights != base.width_weights) add("width.weights", changed.width_weights.value());
  return out;
}

/// What the entries give; names, formats and notes go to the case.
Result<std::vector<KnownInput>> entry_inputs(const Scenario& scenario, const Library& library, const Entries& entries,
                                             ResolvedCase& out) {
  Errors errors;
  std::vector<KnownInput> inputs = machine_inputs(*entries.machine, *entries.chip);
  if (entries.named_chips)
    inputs.push_back({input_index("chips"), *entries.named_chips, {"machine", Kind::user, "in its name"}});
  const auto join = [&](const std::vector<KnownInput>& more) { inputs.insert(inputs.end(), more.begin(), more.end()); };
  const auto price = chip_price(*entries.machine, scenario.price_basis, library);
  if (price) {
    inputs.push_back({input_index("price"), price->price.value.value(), price->price.from});
    if (keeps_price(scenario, *price)) out.owned = price->owned;
  } else {
    append(errors, price.error());
  }
  join(collected(shape_inputs(*entries.model), errors));
  const FormatInputs formats = format_inputs(scenario, *entries.model, *entries.chip, library.formats);
  append(errors, formats.errors);
  join(formats.inputs);
  join(collected(context_inputs(*entries.model, formats.precision, scenario.kv.has_value(), library.formats), errors));
  out.precision = formats.precision;
  out.matmul_format = formats.matmul_format;
  out.notes = formats.notes;
  if (!errors.empty()) return fail(std::move(errors));
  return inputs;
}

/// What the user gives; a word may stand for several inputs of the case as it is so far ("matmul.fp8").
Result<std::vector<KnownInput>> given_inputs(const Scenario& scenario, const ResolvedCase& so_far) {
  Errors errors;
  std::vector<KnownInput> out;
  for (const GivenInput& given : scenario.given) {
    const std::string& where = given.from.place.empty() ? given.from.source : given.from.place;
    for (const std::size_t index : collected(input_indices(given.key, so_far, where), errors)) {
      if (const auto checked = checked_input(index, given.value, where); !checked) append(errors, checked.error());
      out.push_back({index, given.value, given.from});
    }
  }
  if (!errors.empty()) return fail(std::move(errors));
  return out;
}

/// What was not said of the load: a context most models take, and a batch that fits.
DecodeInputs with_load(DecodeInputs inputs, double context_limit) {
  const std::size_t context = input_index("context"), batch = input_index("batch");
  if (!inputs.known[context]) {
    const double limit = context_limit > 0 ? context_limit : kDefaultContext;
    inputs.take(
        {context, std::min(kDefaultContext, limit), {"default", Kind::fallback, "8,192, or the model's limit"}});
  }
  if (inputs.known[batch]) return inputs;
  inputs.values[batch] = 1.0;
  const double fits = std::floor(estimate_decode(case_of(inputs)).batch_limit.value());
  inputs.take(
      {batch, std::clamp(fits, 1.0, kDefaultBatch), {"default", Kind::fallback, "2,048, or the largest that fits"}});
  return inputs;
}

Errors checked(const DecodeInputs& inputs) {
  Errors errors;
  for (std::size_t i = 0; i < kDecodeInputs; ++i) {
    if (const auto good = checked_input(i, inputs.values[i], input_info(i).key); !good) append(errors, good.error());
  }
  const double experts = inputs.values[input_index("experts.count")];
  const double per_token = inputs.values[input_index("experts.per_token")];
  if (per_token > experts) {
    errors.push_back({"experts.per_token", fmt::format("a token cannot use {:g} of {:g} experts", per_token, experts),
                      "experts.per_token is at most experts.count"});
  }
  return errors;
}

std::vector<std::string> model_notes(const Model& model) {
  std::vector<std::string> notes = model.assumptions;
  const auto bytes = [&](Part part) { return model.released[static_cast<std::size_t>(part)]; };
  const double towers = bytes(Part::vision) + bytes(Part::audio);
  if (towers > 0) notes.push_back(fmt::format("the language model alone: its towers take {} more", show_gib(towers)));
  return notes;
}

}  // namespace

bool is_complete(const Scenario& scenario) {
  std::array<bool, kDecodeInputs> seen{};
  for (const GivenInput& given : scenario.given) {
    if (const int index = find_input(given.key); index >= 0) seen[static_cast<std::size_t>(index)] = true;
  }
  return std::count(seen.begin(), seen.end(), true) == std::ssize(seen);
}

Result<ResolvedCase> resolve(const Scenario& scenario, const Library& library) {
  ResolvedCase out = named_case(scenario);
  DecodeInputs inputs;
  Errors errors;
  std::optional<Entries> entries;
  if (!needs_no_entries(scenario, library)) {
    const auto found = find_entries(scenario, library);
    if (!found) return fail(found.error());
    entries = *found;
    name_after(*entries, out);
    inputs.take(collected(entry_inputs(scenario, library, *entries, out), errors));
  }
  inputs.take({input_index("utilization"), 1.0, {"default", Kind::fallback, "every paid second is used"}});
  ExpertFollowers follows;
  if (entries && errors.empty()) {
    DecodeCase<double> known = case_of(inputs);
    follows = known.follows = followers_of(*entries->model, scenario, known.width_weights.value());
    inputs.take(collected(follow_experts(inputs, known, scenario, *entries), errors));
  }
  inputs.take(collected(given_inputs(scenario, out), errors));
  if (!errors.empty()) return fail(std::move(errors));
  inputs = with_load(std::move(inputs), out.context_limit);
  if (Errors wrong = checked(inputs); !wrong.empty()) return fail(std::move(wrong));
  out.numbers = case_of(inputs);
  out.numbers.follows = kept_followers(out.numbers, follows);
  out.from = inputs.from;

  const auto note = [&](const std::vector<std::string>& more) {
    out.notes.insert(out.notes.end(), more.begin(), more.end());
  };
  note(notes_on(out, scenario, entries ? entries->machine : nullptr));
  if (entries) note(model_notes(*entries->model));
  note(out.name_notes);
  return out;
}

}  // namespace ridge
