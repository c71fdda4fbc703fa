#include "train/step/training_layout.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "layout/degrees_text.hpp"
#include "layout/layout.hpp"
#include "train/schedule/schedule.hpp"

namespace ridge {

namespace {

bool whole_degree(double value) { return value >= 1 && value <= 1e7 && value == std::floor(value); }

Errors wrong_numbers(const TrainingLayout& layout) {
  Errors errors;
  const auto check = [&](const char* name, double value) {
    if (!whole_degree(value))
      errors.push_back({name, fmt::format("{:g} is no number of chips", value), "a whole number from 1 on"});
  };
  check("tp", layout.tensor);
  check("pp", layout.pipeline);
  check("cp", layout.context);
  check("dp", layout.data);
  check("ep", layout.expert);
  check("etp", layout.expert_tensor);
  check("vp", layout.virtual_stages);
  check("micro_batch", layout.micro_batch);
  return errors;
}

/// The nearest values below and above that divide.
std::string both_sides(double below, double above, std::string_view what) {
  if (below < 1 || below == above) return fmt::format("the nearest is {:g} {}", above, what);
  return fmt::format("the nearest are {:g} and {:g} {}", below, above, what);
}

/// What a schedule cannot take: as `ridge schedule` says it, in the words of a layout.
Errors wrong_schedule(const TrainingLayout& layout, double layers, double batch) {
  using train::ScheduleKind;
  const ScheduleKind kind = layout.schedule;
  if (kind == ScheduleKind::one_f_one_b) return {};
  const std::string name(train::name_of(kind));
  if (kind == ScheduleKind::inference || kind == ScheduleKind::interleaved)
    return {{"schedule", name + " is no schedule of a layout",
             kind == ScheduleKind::inference ? "1f1b, zb-h1, zb-v" : "give " + field("vp", "2") + " or more"}};
  if (layout.pipeline == 1)
    return {{"schedule", name + " is about stages, and there is one", "give " + field("pp", "2") + " or more"}};
  if (layout.virtual_stages > 1)
    return {{"vp", name + " has chunks of its own", "leave out " + field("vp") + " or " + field("schedule")}};
  const bool turns = kind == ScheduleKind::zb_v || kind == ScheduleKind::dualpipev;
  if (turns && 2 * layout.pipeline > layers)
    return {{"pp",
             fmt::format("{} has two stages on each of {:g} ranks, and there are {:g} layers", name, layout.pipeline,
                         layers),
             fmt::format("at most {:g}", std::floor(layers / 2))}};
  const double each = layout.data * layout.micro_batch, count = batch / each;
  if (!(count >= 1) || count != std::floor(count)) return {};  // said elsewhere
  Errors errors;
  for (Error error : train::check(pipeline_shape(layout, count))) {
    if (error.where == "stages") error.where = "pp";
    if (error.where == "microbatches") {
      const double p = layout.pipeline, least = kind == ScheduleKind::zb_v ? count : 2 * p;
      const double wanted = std::max(least, kind == ScheduleKind::dualpipe ? 2 * std::ceil(count / 2) : count);
      error.where = "global_batch";
      error.hint = fmt::format("{:g} sequences would be {:g} micro-batches", wanted * each, wanted);
    }
    if (error.where == "pp") error.hint = both_sides(layout.pipeline - 1, layout.pipeline + 1, "stages");
    errors.push_back(std::move(error));
  }
  return errors;
}

/// Groups of hybrid sharding divide the copies.
Errors wrong_shards(const TrainingLayout& layout) {
  const double group = layout.shard_group, copies = layout.dense_copies();
  if (group == 0) return {};
  if (layout.sharding == Sharding::none)
    return {{"shard_group", "nothing is divided over a group under ZeRO-0", "give " + field("zero", "1") + " or more"}};
  if (!whole_degree(group) || std::fmod(copies, group) != 0)
    return {{"shard_group", fmt::format("groups of {:g} do not divide the {:g} copies of a stage", group, copies),
             "possible: " + nearest_divisors(copies, std::max(1.0, group), copies)}};
  const double experts = layout.expert_copies(), groups = layout.shard_groups();
  if (std::fmod(experts, groups) == 0) return {};
  double next = groups;
  while (std::fmod(experts, next) != 0 || std::fmod(copies, next) != 0) --next;
  return {{"shard_group", fmt::format("{:g} groups do not divide the {:g} copies of each expert", groups, experts),
           fmt::format("{:g} or more, or a smaller {}", copies / next, field("ep"))}};
}

}  // namespace

std::string nearest_divisors(double of, double asked, double most) {
  std::vector<double> found;
  for (double i = 1; i <= std::min(of, most); ++i) {
    if (std::fmod(of, i) == 0) found.push_back(i);
  }
  std::sort(found.begin(), found.end(),
            [&](double a, double b) { return std::abs(std::log(a / asked)) < std::abs(std::log(b / asked)); });
  if (found.size() > 3) found.resize(3);
  std::sort(found.begin(), found.end());
  std::vector<std::string> words;
  for (const double one : found) words.push_back(fmt::format("{:g}", one));
  return joined(words, ", ");
}

train::ScheduleKind schedule_of(const TrainingLayout& layout) {
  using train::ScheduleKind;
  const bool plain = layout.schedule == ScheduleKind::one_f_one_b;
  return plain && layout.virtual_stages > 1 ? ScheduleKind::interleaved : layout.schedule;
}

train::PipelineShape pipeline_shape(const TrainingLayout& layout, double micro_batches) {
  const train::ScheduleKind kind = schedule_of(layout);
  const int fixed = train::fixed_chunks(kind);
  return {.kind = kind,
          .ranks = static_cast<int>(layout.pipeline),
          .microbatches = static_cast<int>(micro_batches),
          .chunks = fixed > 0 ? fixed : static_cast<int>(layout.virtual_stages)};
}

std::string short_name(const TrainingLayout& layout) {
  std::string out = degrees_text({{"TP", layout.tensor},
                                  {"CP", layout.context},
                                  {"PP", layout.pipeline},
                                  {"VP", layout.virtual_stages},
                                  {"EP", layout.expert},
                                  {"ETP", layout.expert_tensor},
                                  {layout.sharding == Sharding::weights ? "FSDP" : "DP", layout.data}},
                                 "·");
  const bool hybrid = layout.shard_group > 0 && layout.shard_group < layout.dense_copies();
  if (hybrid) out += fmt::format("{}shards of {:g}", out.empty() ? "" : "·", layout.shard_group);
  if (layout.pipeline > 1 && layout.schedule != train::ScheduleKind::one_f_one_b)
    out += fmt::format(" {}", train::name_of(layout.schedule));
  return out.empty() ? "1 chip" : out;
}

double most_layers(const Model& model, double stages) { return std::ceil(model.layers() / stages); }

Errors wrong_for_model(const TrainingLayout& layout, const Model& model) {
  Errors errors;
  const std::vector<double> tensor = valid_tensor(model, 1024);
  if (std::find(tensor.begin(), tensor.end(), layout.tensor) == tensor.end()) {
    std::vector<std::string> words;
    for (const double one : tensor) words.push_back(fmt::format("{:g}", one));
    errors.push_back({"tp", fmt::format("{:g} does not divide the heads of every layer", layout.tensor),
                      "possible: " + joined(words, ", ")});
  }
  const double layers = model.layers();
  if (layout.pipeline > layers) {
    errors.push_back({"pp", fmt::format("{:g} stages for {:g} layers", layout.pipeline, layers),
                      fmt::format("at most {:g}", layers)});
  } else if (layout.virtual_stages > 1 && layout.pipeline * layout.virtual_stages > layers + 2) {
    // frameworks count the embedding and the head as layers of the end stages
    errors.push_back({"vp",
                      fmt::format("{:g} stages with {:g} chunks each for {:g} layers", layout.pipeline,
                                  layout.virtual_stages, layers),
                      fmt::format("at most {:g}", std::floor((layers + 2) / layout.pipeline))});
  }
  return errors;
}

Errors wrong_experts(const TrainingLayout& layout, const Model& model, double stage_chips) {
  const Experts* experts = model.experts();
  const double group = layout.expert * layout.expert_tensor;
  if (experts == nullptr) {
    if (group == 1) return {};
    return {{layout.expert > 1 ? "ep" : "etp", fmt::format("{} has no routed experts", model.name), "leave it out"}};
  }
  const std::string possible = "possible: " + nearest_divisors(experts->count, layout.expert, stage_chips);
  if (layout.expert > experts->count)
    return {{"ep", fmt::format("{:g} chips for {:g} experts", layout.expert, experts->count), possible}};
  if (std::fmod(experts->count, layout.expert) != 0)
    return {{"ep", fmt::format("{:g} experts do not divide over {:g} chips", experts->count, layout.expert), possible}};
  if (std::fmod(stage_chips, group) == 0) return {};
  return {{"ep",
           fmt::format("{:g} x {:g} chips of an expert group do not divide the {:g} of a stage", layout.expert,
                       layout.expert_tensor, stage_chips),
           fmt::format("possible: {}; or {:g} chips for each stage, or a multiple",
                       nearest_divisors(stage_chips / layout.expert_tensor, layout.expert, experts->count), group)}};
}

Result<TrainingLayout> checked(const TrainingLayout& layout, const Model& model, double sequence, double batch) {
  Errors errors = wrong_numbers(layout);
  if (!errors.empty()) return fail(std::move(errors));
  errors = wrong_for_model(layout, model);
  const double layers = model.layers();
  if (layout.pipeline <= layers) append(errors, wrong_schedule(layout, layers, batch));
  if (layout.virtual_stages > 1 && layout.pipeline == 1)
    errors.push_back(
        {"vp", "chunks interleave stages, and there is one stage", "give " + field("pp", "2") + " or more"});
  append(errors, wrong_experts(layout, model, layout.stage_chips()));
  append(errors, wrong_shards(layout));
  if (layout.context > 1 && std::fmod(sequence, 2 * layout.context) != 0) {
    errors.push_back(
        {"cp", fmt::format("sequences of {:g} tokens do not divide into 2 x {:g} parts", sequence, layout.context),
         "possible: " + nearest_divisors(sequence / 2, layout.context, 1024)});
  }
  const double each = layout.data * layout.micro_batch, count = batch / each;
  if (!(count >= 1)) {
    errors.push_back(
        {"global_batch",
         fmt::format("{:g} sequences are fewer than the {:g} that {:g} copies take at once", batch, each, layout.data),
         fmt::format("at least {:g} sequences ({:g} tokens), or fewer chips", each, each * sequence)});
  } else if (count != std::floor(count)) {
    errors.push_back({"global_batch",
                      fmt::format("{:g} sequences do not divide into micro-batches of {:g} over {:g} copies", batch,
                                  layout.micro_batch, layout.data),
                      fmt::format("{:g} or {:g} sequences ({:.0f} or {:.0f} tokens)", std::floor(count) * each,
                                  std::ceil(count) * each, std::floor(count) * each * sequence,
                                  std::ceil(count) * each * sequence)});
  } else if (layout.virtual_stages > 1 && std::fmod(count, layout.pipeline) != 0) {
    errors.push_back({"vp", fmt::format("{:g} micro-batches are no multiple of {:g} stages", count, layout.pipeline),
                      fmt::format("the interleaved schedule needs one: {:g} or {:g} sequences a step, or leave out {}",
                                  std::max(1.0, std::floor(count / layout.pipeline)) * layout.pipeline * each,
                                  std::ceil(count / layout.pipeline) * layout.pipeline * each, field("vp"))});
  }
  if (!errors.empty()) return fail(std::move(errors));
  return layout;
}

}  // namespace ridge
