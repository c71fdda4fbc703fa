#include "train/step/training_question.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "library/look_up.hpp"
#include "library/names.hpp"
#include "serve/step/step_formats.hpp"
#include "train/step/training_step.ipp"

namespace ridge {

namespace {

Errors wrong_question(const TrainingQuestion& question) {
  Errors errors;
  if (!(question.chips >= 1) || question.chips > 1e7 || question.chips != std::floor(question.chips))
    errors.push_back({"chips", fmt::format("{:g} is no number of chips", question.chips), "a whole number from 1 on"});
  if (!(question.sequence >= 1) || question.sequence > 1e9 || question.sequence != std::floor(question.sequence))
    errors.push_back({"sequence", fmt::format("{:g} is no number of tokens", question.sequence), "such as 8Ki"});
  if (question.tokens < 0) errors.push_back({"tokens", "fewer than none", "such as 15T"});
  if (question.global_batch < question.sequence)
    errors.push_back(
        {"global_batch",
         fmt::format("{:g} tokens are less than one sequence of {:g}", question.global_batch, question.sequence),
         fmt::format("at least {:g} tokens", question.sequence)});
  constexpr double kMostSequences = 1e8;  // of a step: hundreds of times what anybody trains with
  if (!(question.global_batch <= kMostSequences * question.sequence))
    errors.push_back(
        {"global_batch", fmt::format("{:g} tokens are more than a step takes", question.global_batch),
         fmt::format("at most {:g} tokens, {:g} sequences", kMostSequences * question.sequence, kMostSequences)});
  return errors;
}

std::string unit_of(Precision precision) {
  return precision == Precision::bits16 ? "bf16" : precision == Precision::bits8 ? "fp8" : "fp4";
}

/// What libraries of products hold on a chip: by the year from which on chips are given so much (workspace_2022).
Bytes<double> library_workspace(const CalibrationEntry& entry, const Chip& chip, std::string_view since) {
  Bytes<double> held(0.0);
  double latest = 0;
  for (const auto& [name, number] : entry.numbers) {
    if (!name.starts_with(since)) continue;
    const double year = parse_number(name.substr(since.size())).value_or(0);
    if (year > chip.year || year < latest) continue;
    latest = year;
    held = Bytes<double>(number.value);
  }
  return held;
}

/// Memory made for the chip, or else its host's, which the chips of a node share.
HostMemory host_memory(const Library& library, const Machine& machine) {
  const Tier* found = find_named(library.tiers, "dram");
  double sharers = node_of(machine);
  for (const Tier& tier : library.tiers) {
    if (std::find(tier.chips.begin(), tier.chips.end(), machine.chip) == tier.chips.end()) continue;
    if (!tier.capacity || !tier.read || !tier.reach) continue;
    found = &tier;
    sharers = std::max(1.0, std::floor((tier.read->value / tier.reach->value).value()));
  }
  if (found == nullptr || !found->capacity || !found->read || !found->reach) return {};
  return {found->capacity->value / Ratio<double>(sharers), found->reach->value,
          found->read->value / Ratio<double>(sharers)};
}

/// Whole steps in one graph, where nobody said: experts under a recipe whose products take their sizes from the chip, and no
/// recurrent layers. So are the recipes that the framework comes with.
bool captures_steps(const TrainingGround& ground) {
  if (!(ground.numbers.framework.captures.value() > 0) || !ground.recipe.sizes_on_chip) return false;
  bool experts = false, recurrent = false;
  for (const TrainingShape::Kind& kind : ground.shape.kinds) {
    experts = experts || !kind.shape.experts.empty();
    for (const AttentionShape& one : kind.shape.attention) recurrent = recurrent || one.score_flops == 0;
  }
  return experts && !recurrent;
}

}  // namespace

MemoryHabits memory_habits(const Library& library, const TrainingNumbers& numbers, const Chip& chip) {
  MemoryHabits habits;
  if (const CalibrationEntry* entry = find_calibration(library, "training", "training-memory")) {
    const auto number = [&](const char* name, Ratio<double>& into) {
      if (const auto found = entry->numbers.find(name); found != entry->numbers.end())
        into = Ratio<double>(found->second.value);
    };
    number("kept", habits.kept);
    number("logits", habits.logits);
    number("logits_kept", habits.logits_kept);
    number("fragmentation", habits.fragmentation);
    habits.workspace = library_workspace(*entry, chip, "workspace_");
    habits.grouped = library_workspace(*entry, chip, "grouped_workspace_") * numbers.framework.grouped_streams;
  }
  habits.unfused = numbers.framework.unfused;
  habits.score_buffer = numbers.framework.score_buffer.value() > 0;
  if (numbers.framework.kept.value() > 0) habits.kept = numbers.framework.kept;
  if (numbers.framework.logit_bytes.value() > 0) habits.logits = numbers.framework.logit_bytes;
  if (numbers.framework.activation_copies.value() > 0) habits.activation_copies = numbers.framework.activation_copies;
  habits.result_copies = numbers.framework.result_copies;
  habits.frees_gradients = numbers.framework.frees_gradients.value() > 0;
  habits.held_inputs = numbers.framework.held_inputs;
  return habits;
}

Result<TrainingGround> training_ground(const TrainingQuestion& question, const Library& library,
                                       const std::vector<NumbersEntry>& recipes) {
  const auto model = model_named(library, question.model);
  if (!model) return fail(model.error());
  auto ground = training_ground(question, *model->entry, library, recipes);
  if (ground && !model->note.empty()) ground->notes.insert(ground->notes.begin(), model->note);
  return ground;
}

Result<TrainingGround> training_ground(const TrainingQuestion& question, const Model& model, const Library& library,
                                       const std::vector<NumbersEntry>& recipes) {
  Errors errors = wrong_question(question);
  const auto machine = whole_machine_named(library, question.machine);
  if (!machine) append(errors, machine.error());
  const auto recipe = find_recipe(recipes, question.recipe, "recipe");
  if (!recipe) append(errors, recipe.error());
  const auto numbers = training_numbers(library, question.framework, "framework");
  if (!numbers) append(errors, numbers.error());
  if (model.layers() < 1) errors.push_back({"model", model.name + " has no layers", "choose another"});
  if (!errors.empty()) return fail(std::move(errors));
  const auto chip = look_up(library.chips, machine->entry->chip, "chip");
  if (!chip) return fail(chip.error());

  TrainingGround ground;
  ground.model = &model;
  ground.machine = machine->entry;
  ground.chip = *chip;
  ground.recipe = *recipe;
  ground.framework = question.framework;
  ground.numbers = *numbers;
  ground.numbers.chip = chip_in_training(library, (*chip)->name);
  if (question.kernels)
    ground.numbers.framework.kernels = ground.numbers.framework.kernels * Ratio<double>(*question.kernels);
  ground.shape = training_shape(model, *recipe);
  ground.shape.stages_by_work = numbers->framework.stages_by_work.value() > 0;
  ground.captured = question.captured.value_or(captures_steps(ground));
  ground.fabric = fabric_of(*machine->entry);
  const auto calibrated = chip_in_step(library, **chip);
  ground.rates = {peaks_of(**chip, machine->entry), calibrated.value, kernels_in_step(library)};
  if (!(ground.rates.peak.matrix[static_cast<std::size_t>(recipe->products)].value() > 0))
    return fail({"machine", fmt::format("the catalog has no {} peak of {}", unit_of(recipe->products), (*chip)->title),
                 "choose another machine or " + field("recipe")});
  if (ground.captured && !question.captured)
    ground.notes.push_back("a whole step is taken for one captured graph, as in the recipes of " + ground.framework +
                           " with experts; " + field("graphs", "none") + " for one that is launched");
  ground.chip_from = calibrated.from;
  ground.borrowed = calibrated.borrowed || numbers->borrowed;
  ground.load = {question.sequence, std::max(1.0, std::round(question.global_batch / question.sequence))};
  if (ground.load.batch * question.sequence != question.global_batch)
    ground.notes.push_back(fmt::format("a batch of {:g} sequences is {:.0f} tokens", ground.load.batch,
                                       ground.load.batch * question.sequence));
  ground.habits = memory_habits(library, *numbers, **chip);
  ground.host = host_memory(library, *machine->entry);
  ground.chips = question.chips;
  ground.tokens = question.tokens;
  ground.capacity = (*chip)->usable_capacity().value;
  ground.reserve = process_reserve(library);
  if (!machine->note.empty()) ground.notes.push_back(machine->note);
  if (question.price) {
    ChipPrice price;
    price.price.value = DollarsPerSecond<double>(*question.price);
    price.price.from = {"question", Kind::user, "given"};
    ground.price = price;
  } else if (auto price = chip_price(*machine->entry, question.basis, library)) {
    ground.price = *price;
  } else if (question.basis) {
    return fail(price.error());
  }
  if (machine->entry->owned) {
    ground.power = machine->entry->owned->power.value * machine->entry->owned->pue.value;
  } else if ((*chip)->power) {
    ground.power = (*chip)->power->value;
  }
  if (recipe->products != Precision::bits16 && find_rate((*chip)->matmul, unit_of(recipe->products)) == nullptr)
    ground.notes.push_back(
        fmt::format("{} has no {} matrix unit: a wider one does its work", (*chip)->title, unit_of(recipe->products)));
  if (question.chips > ground.fabric.domain && !machine->entry->scale_out)
    return fail({"chips",
                 fmt::format("{} is one scale-up domain of {:g} chips, and how domains are joined is not known",
                             machine->entry->title, ground.fabric.domain),
                 fmt::format("at most {}", field("chips", fmt::format("{:g}", ground.fabric.domain)))});
  return ground;
}

TrainingRates<double> training_rates(const TrainingGround& ground) {
  const TrainingNumbers& numbers = ground.numbers;
  const FrameworkCalibration<double> framework = in_run(numbers.framework, *ground.chip, ground.captured);
  return {training::in_training(ground.rates, numbers.training, framework), numbers.training, framework, numbers.chip};
}

namespace {

/// The degrees that are given, the others one.
TrainingLayout with_degrees_of(const AskedLayout& asked) {
  TrainingLayout layout;
  layout.tensor = asked.tensor.value_or(1);
  layout.pipeline = asked.pipeline.value_or(1);
  layout.context = asked.context.value_or(1);
  layout.expert = asked.expert.value_or(1);
  layout.expert_tensor = asked.expert_tensor.value_or(1);
  layout.virtual_stages = asked.virtual_stages.value_or(1);
  return layout;
}

/// Of the degrees that are given, the one that alone would have to be another; nothing where none does.
std::string degree_that_divides(const TrainingLayout& layout, const TrainingGround& ground) {
  const double fixed = layout.tensor * layout.pipeline * layout.context;
  for (const auto& [name, degree] :
       {std::pair<const char*, double>{"pp", layout.pipeline}, {"cp", layout.context}, {"tp", layout.tensor}}) {
    const double left = ground.chips / (fixed / degree);
    if (degree == 1 || left != std::floor(left)) continue;
    const double most = std::string_view(name) == "pp" ? ground.model->layers() : left;
    return fmt::format(", or {} {}", field(name), nearest_divisors(left, degree, most));
  }
  return "";
}

}  // namespace

Errors wrong_degrees(const AskedLayout& asked, const TrainingGround& ground) {
  const TrainingLayout layout = with_degrees_of(asked);
  Errors errors = wrong_for_model(layout, *ground.model);
  const auto divides = [&](const char* name, double of, double degree, const char* what) {
    for (const Error& one : errors)
      if (one.where == name) return;
    if (std::fmod(of, degree) != 0)
      errors.push_back({name, fmt::format("{:g} {} do not divide into groups of {:g}", of, what, degree),
                        "possible: " + nearest_divisors(of, degree, of)});
  };
  divides("tp", ground.chips, layout.tensor, "chips");
  divides("pp", ground.chips, layout.pipeline, "chips");
  divides("cp", ground.chips, layout.context, "chips");
  if (layout.context > 1) divides("cp", ground.load.sequence / 2, layout.context, "tokens of half a sequence");
  divides("micro_batch", ground.load.batch, asked.micro_batch.value_or(1), "sequences");
  divides("shard_group", ground.chips, asked.shard_group.value_or(1), "chips");
  if (!errors.empty()) return errors;
  const double fixed = layout.tensor * layout.pipeline * layout.context;
  if (std::fmod(ground.chips, fixed) != 0)
    return {{"chips", fmt::format("{:g} chips do not divide into groups of {:g}", ground.chips, fixed),
             "smaller degrees, or another number"}};
  return wrong_experts(layout, *ground.model, ground.chips / layout.pipeline);
}

Result<TrainingLayout> given_layout(const TrainingQuestion& question, const TrainingGround& ground) {
  const AskedLayout& asked = question.layout;
  TrainingLayout layout = with_degrees_of(asked);
  layout.micro_batch = asked.micro_batch.value_or(1);
  layout.recompute = asked.recompute.value_or(RecomputePolicy{});
  layout.offload = asked.offload.value_or(OffloadPolicy{});
  layout.schedule = asked.schedule.value_or(train::ScheduleKind::one_f_one_b);
  if (layout.schedule == train::ScheduleKind::interleaved) layout.schedule = train::ScheduleKind::one_f_one_b;
  layout.shard_group = asked.shard_group.value_or(0);
  const double zero = asked.zero.value_or(1);
  if (!(zero >= 0 && zero <= 3) || zero != std::floor(zero))
    return fail({"zero", fmt::format("{:g} is no stage of ZeRO", zero), "0, 1, 2 or 3"});
  layout.sharding = static_cast<Sharding>(static_cast<int>(zero));
  layout.sequence_parallel = layout.tensor > 1 && asked.sequence_parallel.value_or(true);
  if (Errors errors = wrong_for_model(layout, *ground.model); !errors.empty()) return fail(std::move(errors));
  const double fixed = layout.tensor * layout.pipeline * layout.context;
  if (fixed > ground.chips)
    return fail({"chips",
                 fmt::format("TP {:g} x PP {:g} x CP {:g} are {:g} chips, and there are {:g}", layout.tensor,
                             layout.pipeline, layout.context, fixed, ground.chips),
                 fmt::format("{:g} chips or more, or smaller degrees", fixed)});
  layout.data = ground.chips / fixed;
  if (layout.data != std::floor(layout.data))
    return fail({"chips", fmt::format("{:g} chips do not divide into groups of {:g}", ground.chips, fixed),
                 fmt::format("{:g} or {:g} chips{}", std::floor(layout.data) * fixed, std::ceil(layout.data) * fixed,
                             degree_that_divides(layout, ground))});
  return checked(layout, *ground.model, ground.load.sequence, ground.load.batch);
}

}  // namespace ridge
