// From a question and the library to a case in which every number is known and says where it came from.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/field_text.hpp"
#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "cost/money.hpp"
#include "library/owned.hpp"
#include "train/laws.hpp"
#include "train/lifecycle_answer.hpp"

namespace ridge {

namespace {

std::size_t index_of(std::string_view key) { return lifecycle_input(key, "").value(); }

class Resolver {
 public:
  Resolver(const LifecycleQuestion& question, const Library& library) : question_(question), library_(library) {}

  Result<ResolvedLifecycle> run() {
    start_ = find_named(library_.lifecycles, question_.start);
    if (start_ == nullptr) {
      return fail({"lifecycle", fmt::format("unknown lifecycle \"{}\"", shortened(question_.start)),
                   suggestion(question_.start, names_of(library_.lifecycles))});
    }
    out_.title = start_->title;
    out_.from.fill({"default", Kind::fallback});
    set_plan();
    fill_start();
    fill_law();
    fill_machine();
    fill_model();
    fill_given();
    if (!errors_.empty()) return fail(std::move(errors_));
    out_.numbers = read_as<double>(
        out_.numbers, [&](std::size_t index, const InputInfo&, Dimension, double) { return values_[index]; });
    check_loss();
    if (!errors_.empty()) return fail(std::move(errors_));
    return std::move(out_);
  }

 private:
  const GivenInput* given(std::string_view key) const {
    const GivenInput* found = nullptr;
    for (const GivenInput& one : question_.given) {
      if (one.key == key) found = &one;
    }
    return found;
  }
  void set(std::string_view key, double value, const Provenance& from) {
    values_[index_of(key)] = value;
    out_.from[index_of(key)] = from;
  }

  void set_plan() {
    LifecyclePlan& plan = out_.numbers.plan;
    using Pretraining = LifecyclePlan::Pretraining;
    if (given("loss") != nullptr) plan.pretraining = Pretraining::by_loss;
    if (given("tokens") != nullptr) plan.pretraining = Pretraining::given;
    plan.equal_rollouts = given("rl_tokens") == nullptr;
    plan.has_budget = given("budget") != nullptr;
    if (given("tokens") != nullptr && given("loss") != nullptr) {
      errors_.push_back({given("loss")->from.source, "tokens and a loss were given: one follows from the other",
                         "leave one of them out"});
    }
  }

  void fill_start() {
    for (const auto& [key, number] : start_->numbers) {
      const auto index = lifecycle_input(key, "lifecycle " + start_->name);
      if (!index) {
        append(errors_, index.error());
        continue;
      }
      set(key, number.value.value, number.from);
    }
  }

  std::string word(const char* name, const std::optional<std::string>& said) const {
    if (said) return *said;
    const auto found = start_->words.find(name);
    return found == start_->words.end() ? "" : found->second;
  }

  void fill_law() {
    const auto entry = find_law(library_, word("law", question_.law), "chinchilla", "law");
    if (!entry) return append(errors_, entry.error());
    const auto law = loss_law(**entry);
    if (!law) return append(errors_, law.error());
    out_.law = (*entry)->name;
    out_.law_title = (*entry)->title;
    const auto number = [&](const char* key, const char* name, const Ratio<double>& value) {
      set(key, value.value(), (*entry)->numbers.find(name)->second.from);
    };
    number("loss.floor", "E", law->floor);
    number("loss.size", "A", law->size_factor);
    number("loss.size_power", "alpha", law->size_power);
    number("loss.data", "B", law->data_factor);
    number("loss.data_power", "beta", law->data_power);
  }

  void fill_machine() {
    const std::string name = word("machine", question_.machine);
    const Machine* machine = find_named(library_.machines, name);
    if (machine == nullptr) {
      errors_.push_back({"machine", fmt::format("unknown machine \"{}\"", shortened(name)),
                         suggestion(name, names_of(library_.machines)) + " (ridge list machines)"});
      return;
    }
    const Chip* chip = find_named(library_.chips, machine->chip);
    out_.machine = machine->name;
    out_.machine_title = machine->title;
    out_.format = word("format", {});
    const auto* peak = chip == nullptr ? nullptr : find_rate(chip->matmul, out_.format);
    if (peak != nullptr) {
      set("peak", peak->value.value(), peak->from);
    } else if (given("peak") == nullptr) {
      errors_.push_back({"machine", fmt::format("{} has no {} peak", machine->name, out_.format),
                         "choose another machine, or give one: " + field("set", "peak=989 TFLOP/s")});
    }
    fill_price(*machine);
  }

  void fill_price(const Machine& machine) {
    const std::string basis = question_.basis.value_or(machine.rental ? "rental" : "owned");
    if (basis == "rental" && machine.rental) {
      set("price", machine.rental->value.value(), machine.rental->from);
    } else if (basis == "owned" && machine.owned) {
      const auto price = owned_price(
          owned_as<double>(*machine.owned, [](std::size_t, const OwnedInput& input) { return input.value; }));
      const Provenance& capex = machine.owned->capex.from;
      set("price", price.total().value(),
          {capex.source, capex.kind, "owned: capex over its life, interest, energy", capex.place});
    } else if (given("price") == nullptr) {
      errors_.push_back(
          {"price", fmt::format("{} has no {} price", machine.name, basis), "give one, e.g. " + field("price", "$2.10/h")});
    }
  }

  /// A model gives its active parameters, and its experts the dense model that is as good.
  void fill_model() {
    double experts = question_.experts.value_or(1.0), per_token = question_.per_token.value_or(1.0);
    if (!question_.model.empty()) {
      const Model* model = find_named(library_.models, question_.model);
      if (model == nullptr) {
        errors_.push_back({"model", fmt::format("unknown model \"{}\"", shortened(question_.model)),
                           suggestion(question_.model, names_of(library_.models)) + " (ridge list models)"});
        return;
      }
      out_.model_title = model->title;
      set("params", active_parameters(*model), {model->architecture.source, Kind::derived, "active", ""});
      if (model->experts() != nullptr) {
        experts = question_.experts.value_or(model->experts()->count);
        per_token = question_.per_token.value_or(model->experts()->per_token);
      }
    }
    if (experts != 1.0 || per_token != 1.0) fill_multiple(experts, per_token);
  }

  void fill_multiple(double experts, double per_token) {
    const auto entry = find_law(library_, word("expert_law", {}), "experts", "expert law");
    if (!entry) return append(errors_, entry.error());
    const auto law = expert_law(**entry);
    if (!law) return append(errors_, law.error());
    const GivenInput* params = given("params");
    const double size = params != nullptr ? params->value : values_[index_of("params")];
    const auto multiple = dense_multiple(*law, Params<double>(size), experts, per_token, "num_experts");
    if (!multiple) return append(errors_, multiple.error());
    const Provenance& from = (*entry)->numbers.begin()->second.from;
    set("multiple", std::max(1.0, multiple->value()),
        {from.source, Kind::derived, fmt::format("{:g} of {:g} experts", per_token, experts), from.place});
    out_.expert_law_title = (*entry)->title;
    if (const std::string note = extrapolation_note(**entry, Params<double>(size)); !note.empty())
      out_.notes.push_back(note);
  }

  void fill_given() {
    for (const GivenInput& one : question_.given) {
      const auto index = lifecycle_input(one.key, one.from.source);
      if (!index) {
        append(errors_, index.error());
        continue;
      }
      const InputInfo info = lifecycle_input_info(*index);
      const auto checked = checked_value(info, lifecycle_input_dimension(*index), one.value, one.from.source);
      if (!checked) {
        append(errors_, checked.error());
        continue;
      }
      set(one.key, one.value, one.from);
    }
  }

  /// A loss can be asked for only above what size alone leaves.
  void check_loss() {
    const LifecycleCase<double>& c = out_.numbers;
    if (c.plan.pretraining != LifecyclePlan::Pretraining::by_loss) return;
    const std::string where = given("loss")->from.source;
    if (c.target.value() <= c.loss_floor.value()) {
      errors_.push_back(
          {where,
           fmt::format("a loss of {:.4g} is not above the irreducible {:.4g} of {}", c.target.value(),
                       c.loss_floor.value(), out_.law),
           fmt::format("the nearest is just above {:.4g}, which takes a model without end", c.loss_floor.value())});
      return;
    }
    const LossLaw<double> law{c.loss_floor, c.loss_size, c.size_power, c.loss_data, c.data_power};
    const Params<double> least = smallest_params(law, c.target - c.loss_floor) / c.multiple;
    if (c.params > least) return;
    const double reached = (c.loss_floor + size_loss(law, c.params * c.multiple)).value();
    errors_.push_back(
        {where, fmt::format("{} never reach a loss of {:.6g}, whatever the tokens", show(c.params), c.target.value()),
         fmt::format("more than {} do; so many reach anything above {:.6g}", show(least), reached)});
  }

  const LifecycleQuestion& question_;
  const Library& library_;
  const NumbersEntry* start_ = nullptr;
  ResolvedLifecycle out_;
  std::array<double, kLifecycleInputs> values_{};
  Errors errors_;
};

}  // namespace

Result<ResolvedLifecycle> resolve_lifecycle(const LifecycleQuestion& question, const Library& library) {
  return Resolver(question, library).run();
}

}  // namespace ridge
