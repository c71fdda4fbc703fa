#include "train/step/training_layout.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/field_text.hpp"
#include "base/text.hpp"
#include "layout/layout.hpp"

namespace ridge {

namespace {

bool whole_degree(double value) { return value >= 1 && value <= 1e7 && value == std::floor(value); }

/// Up to three divisors of `of` nearest to `asked`.
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

}  // namespace

std::string short_name(const TrainingLayout& layout) {
  std::string out;
  const auto add = [&](const char* name, double degree) {
    if (degree > 1) out += fmt::format("{}{}{:g}", out.empty() ? "" : "·", name, degree);
  };
  add("TP", layout.tensor);
  add("CP", layout.context);
  add("PP", layout.pipeline);
  add("VP", layout.virtual_stages);
  add("EP", layout.expert);
  add("ETP", layout.expert_tensor);
  add(layout.sharding == Sharding::weights ? "FSDP" : "DP", layout.data);
  return out.empty() ? "1 chip" : out;
}

double most_layers(const Model& model, double stages) { return std::ceil(model.layers() / stages); }

Result<TrainingLayout> checked(const TrainingLayout& layout, const Model& model, double sequence, double batch) {
  Errors errors = wrong_numbers(layout);
  if (!errors.empty()) return fail(std::move(errors));
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
  if (layout.virtual_stages > 1 && layout.pipeline == 1)
    errors.push_back(
        {"vp", "chunks interleave stages, and there is one stage", "give " + field("pp", "2") + " or more"});
  const Experts* experts = model.experts();
  if (experts == nullptr && layout.expert * layout.expert_tensor > 1) {
    errors.push_back({"ep", fmt::format("{} has no routed experts", model.name), "leave it out"});
  } else if (experts != nullptr && layout.expert > experts->count) {
    errors.push_back({"ep", fmt::format("{:g} chips for {:g} experts", layout.expert, experts->count),
                      "possible: " + nearest_divisors(experts->count, layout.expert, layout.stage_chips())});
  } else if (experts != nullptr && std::fmod(experts->count, layout.expert) != 0) {
    errors.push_back({"ep", fmt::format("{:g} experts do not divide over {:g} chips", experts->count, layout.expert),
                      "possible: " + nearest_divisors(experts->count, layout.expert, layout.stage_chips())});
  } else if (std::fmod(layout.stage_chips(), layout.expert * layout.expert_tensor) != 0) {
    errors.push_back({"ep",
                      fmt::format("{:g} x {:g} chips of an expert group do not divide the {:g} of a stage",
                                  layout.expert, layout.expert_tensor, layout.stage_chips()),
                      "possible: " + nearest_divisors(layout.stage_chips() / layout.expert_tensor, layout.expert,
                                                      experts == nullptr ? 1 : experts->count)});
  }
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
                      fmt::format("{:g} or {:g} sequences", std::floor(count) * each, std::ceil(count) * each)});
  } else if (layout.virtual_stages > 1 && std::fmod(count, layout.pipeline) != 0) {
    errors.push_back({"vp", fmt::format("{:g} micro-batches are no multiple of {:g} stages", count, layout.pipeline),
                      "the interleaved schedule needs one: change the batch or leave out " + field("vp")});
  }
  if (!errors.empty()) return fail(std::move(errors));
  return layout;
}

}  // namespace ridge
