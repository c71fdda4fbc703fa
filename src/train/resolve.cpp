// From a question and the library to a case in which every number is known and says where it came from.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/collect.hpp"
#include "base/known_inputs.hpp"
#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "library/chip_price.hpp"
#include "library/names.hpp"
#include "train/laws.hpp"
#include "train/lifecycle_answer.hpp"

namespace ridge {

namespace {

std::size_t index_of(std::string_view key) { return lifecycle_input(key, "").value(); }

using LifecycleInputs = KnownInputs<kLifecycleInputs>;

/// The last number that was given for an input; null where none was.
const GivenInput* given(const LifecycleQuestion& question, std::string_view key) {
  const GivenInput* found = nullptr;
  for (const GivenInput& one : question.given) {
    if (one.key == key) found = &one;
  }
  return found;
}

/// What was said, or what the entry that the question starts from says.
std::string word_of(const NumbersEntry& start, const char* name, const std::optional<std::string>& said) {
  if (said) return *said;
  const auto found = start.words.find(name);
  return found == start.words.end() ? "" : found->second;
}

Result<LifecyclePlan> plan_of(const LifecycleQuestion& question) {
  using Pretraining = LifecyclePlan::Pretraining;
  LifecyclePlan plan;
  const GivenInput *tokens = given(question, "tokens"), *loss = given(question, "loss");
  if (tokens != nullptr && loss != nullptr) {
    return fail(
        {loss->from.source, "tokens and a loss were given: one follows from the other", "leave one of them out"});
  }
  if (loss != nullptr) plan.pretraining = Pretraining::by_loss;
  if (tokens != nullptr) plan.pretraining = Pretraining::given;
  plan.equal_rollouts = given(question, "rl_tokens") == nullptr;
  plan.has_budget = given(question, "budget") != nullptr;
  return plan;
}

Result<std::vector<KnownInput>> start_inputs(const NumbersEntry& start) {
  Errors errors;
  std::vector<KnownInput> out;
  for (const auto& [key, number] : start.numbers) {
    const auto index = lifecycle_input(key, "lifecycle " + start.name);
    if (index) out.push_back({*index, number.value.value, number.from});
    if (!index) append(errors, index.error());
  }
  if (!errors.empty()) return fail(std::move(errors));
  return out;
}

/// The scaling law, and the inputs that are its numbers.
struct ChosenLaw {
  std::string name, title;
  LawDomain domain;
  std::vector<KnownInput> inputs;
};

Result<ChosenLaw> chosen_law(const Library& library, const std::string& name) {
  const auto entry = find_law(library, name, "chinchilla", "law");
  if (!entry) return fail(entry.error());
  const auto law = loss_law(**entry);
  if (!law) return fail(law.error());
  const auto number = [&](const char* key, const char* named, const Ratio<double>& value) {
    return KnownInput{index_of(key), value.value(), (*entry)->numbers.find(named)->second.from};
  };
  return ChosenLaw{(*entry)->name,
                   (*entry)->title,
                   domain_of(**entry),
                   {number("loss.floor", "E", law->floor), number("loss.size", "A", law->size_factor),
                    number("loss.size_power", "alpha", law->size_power), number("loss.data", "B", law->data_factor),
                    number("loss.data_power", "beta", law->data_power)}};
}

/// The machine, the format it trains in, its peak and its price.
struct ChosenMachine {
  std::string name, title, format, note;
  std::vector<KnownInput> inputs;
};

Result<ChosenMachine> chosen_machine(const LifecycleQuestion& question, const NumbersEntry& start,
                                     const Library& library) {
  const auto named = whole_machine_named(library, word_of(start, "machine", question.machine));
  if (!named) return fail(named.error());
  const Machine* machine = named->entry;
  Errors errors;
  ChosenMachine out{machine->name, machine->title, word_of(start, "format", {}), named->note, {}};
  const Chip* chip = find_named(library.chips, machine->chip);
  const auto* peak = chip == nullptr ? nullptr : find_rate(chip->matmul, out.format);
  if (peak != nullptr) {
    out.inputs.push_back({index_of("peak"), peak->value.value(), peak->from});
  } else if (given(question, "peak") == nullptr) {
    errors.push_back({"machine", fmt::format("{} has no {} peak", out.name, out.format),
                      fmt::format("choose another machine, or give one: {}", field("set", "peak=989 TFLOP/s"))});
  }
  const auto price = chip_price(*machine, question.basis, library);
  if (price) {
    out.inputs.push_back({index_of("price"), price->price.value.value(), price->price.from});
  } else if (given(question, "price") == nullptr) {
    append(errors, price.error());
  }
  if (!errors.empty()) return fail(std::move(errors));
  return out;
}

/// A model, or the experts of one that the library does not have.
struct ChosenModel {
  std::string title, note;
  double experts = 1.0, per_token = 1.0;
  std::vector<KnownInput> inputs;  // its active parameters
};

Result<ChosenModel> chosen_model(const LifecycleQuestion& question, const Library& library) {
  ChosenModel out{"", "", question.experts.value_or(1.0), question.per_token.value_or(1.0), {}};
  if (question.model.empty()) return out;
  const auto named = model_named(library, question.model);
  if (!named) return fail(named.error());
  const Model& model = *named->entry;
  out.title = model.title;
  out.note = named->note;
  out.inputs.push_back(
      {index_of("params"), active_parameters(model), {model.architecture.source, Kind::derived, "active", ""}});
  if (const Experts* experts = model.experts()) {
    out.experts = question.experts.value_or(experts->count);
    out.per_token = question.per_token.value_or(experts->per_token);
  }
  return out;
}

/// How large a dense model is as good as the active parameters of one with experts.
struct DenseMultiple {
  std::string law_title, note;
  std::vector<KnownInput> inputs;
};

Result<DenseMultiple> multiple_of(const ChosenModel& model, const Params<double>& active, const Library& library,
                                  const std::string& law_name) {
  if (model.experts == 1.0 && model.per_token == 1.0) return DenseMultiple{};
  const auto entry = find_law(library, law_name, "experts", "expert law");
  if (!entry) return fail(entry.error());
  const auto law = expert_law(**entry);
  if (!law) return fail(law.error());
  const auto multiple = dense_multiple(*law, active, model.experts, model.per_token, "num_experts");
  if (!multiple) return fail(multiple.error());
  const Provenance& from = (*entry)->numbers.begin()->second.from;
  const std::string note = fmt::format("{:g} of {:g} experts", model.per_token, model.experts);
  return DenseMultiple{
      (*entry)->title,
      extrapolation_note(**entry, active),
      {{index_of("multiple"), std::max(1.0, multiple->value()), {from.source, Kind::derived, note, from.place}}}};
}

/// What of these is outside its domain; one that nobody gave is named by where it stands.
Errors outside_domains(const std::vector<KnownInput>& inputs) {
  Errors errors;
  for (const KnownInput& one : inputs) {
    const InputInfo info = lifecycle_input_info(one.index);
    const std::string& where = one.from.kind == Kind::user || one.from.place.empty() ? one.from.source : one.from.place;
    const auto checked = checked_value(info, lifecycle_input_dimension(one.index), one.value, where);
    if (!checked) append(errors, checked.error());
  }
  return errors;
}

Result<std::vector<KnownInput>> given_inputs(const LifecycleQuestion& question) {
  Errors errors;
  std::vector<KnownInput> out;
  for (const GivenInput& one : question.given) {
    const auto index = lifecycle_input(one.key, one.from.source);
    if (!index) {
      append(errors, index.error());
      continue;
    }
    out.push_back({*index, one.value, one.from});
  }
  if (!errors.empty()) return fail(std::move(errors));
  return out;
}

/// A loss can be asked for only above what size alone leaves.
Errors unreachable_loss(const LifecycleCase<double>& c, const std::string& where, const std::string& law_name) {
  if (c.plan.pretraining != LifecyclePlan::Pretraining::by_loss) return {};
  if (c.target.value() <= c.loss_floor.value()) {
    return {{where,
             fmt::format("a loss of {:.4g} is not above the irreducible {:.4g} of {}", c.target.value(),
                         c.loss_floor.value(), law_name),
             fmt::format("the nearest is just above {:.4g}, which takes a model without end", c.loss_floor.value())}};
  }
  const LossLaw<double> law{c.loss_floor, c.loss_size, c.size_power, c.loss_data, c.data_power};
  const Params<double> least = smallest_params(law, c.target - c.loss_floor) / c.multiple;
  if (c.params > least) return {};
  const double reached = (c.loss_floor + size_loss(law, c.params * c.multiple)).value();
  return {{where, fmt::format("{} never reach a loss of {:.6g}, whatever the tokens", show(c.params), c.target.value()),
           fmt::format("more than {} do; so many reach anything above {:.6g}", show(least), reached)}};
}

}  // namespace

Result<ResolvedLifecycle> resolve_lifecycle(const LifecycleQuestion& question, const Library& library) {
  const NumbersEntry* start = find_named(library.lifecycles, question.start);
  if (start == nullptr) {
    return fail({"lifecycle", fmt::format("unknown lifecycle \"{}\"", shortened(question.start)),
                 suggestion(question.start, names_of(library.lifecycles))});
  }
  Errors errors;
  LifecycleInputs inputs;
  inputs.from.fill({"default", Kind::fallback});
  const LifecyclePlan plan = collected(plan_of(question), errors);
  const auto take = [&](const std::vector<KnownInput>& some) {
    append(errors, outside_domains(some));
    inputs.take(some);
  };
  take(collected(start_inputs(*start), errors));
  const ChosenLaw law = collected(chosen_law(library, word_of(*start, "law", question.law)), errors);
  take(law.inputs);
  const ChosenMachine machine = collected(chosen_machine(question, *start, library), errors);
  take(machine.inputs);
  const ChosenModel model = collected(chosen_model(question, library), errors);
  take(model.inputs);
  const GivenInput* params = given(question, "params");
  const Params<double> active(params != nullptr ? params->value : inputs.values[index_of("params")]);
  const DenseMultiple multiple =
      collected(multiple_of(model, active, library, word_of(*start, "expert_law", {})), errors);
  take(multiple.inputs);
  take(collected(given_inputs(question), errors));
  if (!errors.empty()) return fail(std::move(errors));

  ResolvedLifecycle out{.numbers = {},
                        .from = inputs.from,
                        .title = start->title,
                        .law = law.name,
                        .law_title = law.title,
                        .expert_law_title = multiple.law_title,
                        .machine = machine.name,
                        .machine_title = machine.title,
                        .format = machine.format,
                        .model_title = model.title,
                        .domain = law.domain,
                        .notes = {}};
  for (const std::string& note : {machine.note, model.note, multiple.note}) {
    if (!note.empty()) out.notes.push_back(note);
  }
  LifecycleCase<double> planned;
  planned.plan = plan;
  out.numbers = read_as<double>(
      planned, [&](std::size_t index, const InputInfo&, Dimension, double) { return inputs.values[index]; });
  const GivenInput* loss = given(question, "loss");
  Errors wrong = unreachable_loss(out.numbers, loss == nullptr ? "" : loss->from.source, law.name);
  if (!wrong.empty()) return fail(std::move(wrong));
  return out;
}

}  // namespace ridge
