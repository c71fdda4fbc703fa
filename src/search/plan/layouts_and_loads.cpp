// Which layouts and loads there are.

#include <cmath>

#include "search/plan/plan.hpp"

namespace ridge {

namespace {

/// 1, 2, 4, ... up to `most`, or the one that was given.
std::vector<double> doublings(double most, const std::optional<double>& given) {
  if (given) return {*given};
  std::vector<double> out;
  for (double degree = 1; degree <= most; degree *= 2) out.push_back(degree);
  return out;
}

std::vector<double> counts(double most, const std::optional<double>& given) {
  if (given) return {*given};
  std::vector<double> out;
  for (double degree = 1; degree <= most; ++degree) out.push_back(degree);
  return out;
}

/// Whether so many chips are what somebody would give a stage of experts.
bool tiles(double stage, double domain) {
  if (std::exp2(std::round(std::log2(stage))) == stage) return true;
  return domain > 1 && (std::fmod(domain, stage) == 0 || std::fmod(stage, domain) == 0);
}

}  // namespace

std::vector<Layout> all_layouts(const Model& model, const ServingQuestion& question, double most_chips, double domain) {
  std::vector<Layout> out;
  const std::vector<double> tensors =
      question.tensor ? std::vector<double>{*question.tensor} : valid_tensor(model, most_chips);
  Layout layout;
  layout.redundant_experts = question.redundant_experts.value_or(0);
  layout.balanced = layout.redundant_experts > 0;
  for (const double tensor : tensors) {
    layout.tensor = tensor;
    for (const double context : doublings(most_chips / tensor, question.context)) {
      layout.context = context;
      for (const double groups : counts(std::floor(most_chips / (tensor * context)), question.attention_data)) {
        // without experts to share, groups are replicas
        if (groups > 1 && model.experts() == nullptr) break;
        layout.attention_data = groups;
        const double stage = layout.chips_per_stage();
        const std::vector<double> spreads =
            question.expert ? std::vector<double>{*question.expert} : valid_expert(model, layout);
        std::vector<double> balanced;  // with copies of popular experts, unless their number was given
        if (!question.redundant_experts && tiles(stage, domain)) balanced = valid_balanced_expert(model, layout);
        if (question.expert) std::erase_if(balanced, [&](double degree) { return degree != *question.expert; });
        for (const double stages :
             counts(std::min(std::floor(most_chips / stage), model.layers()), question.pipeline)) {
          layout.pipeline = stages;
          if (layout.chips() > most_chips) continue;  // degrees that were given
          for (const double experts : spreads) {
            layout.expert = experts;
            out.push_back(layout);
            if (out.size() > kMostLayouts) return out;
          }
          for (const double experts : balanced) {
            Layout with_copies = layout;
            with_copies.expert = experts;
            with_copies.redundant_experts = copies_to_balance(model, experts);
            with_copies.balanced = true;
            out.push_back(with_copies);
            if (out.size() > kMostLayouts) return out;
          }
        }
      }
    }
  }
  return out;
}

void fill_loads(double groups, double capacity, std::vector<double>& out) {
  out.clear();
  for (double each = 1; each * groups <= capacity; each *= 2) {
    out.push_back(each * groups);
    if (each >= 2 && 1.5 * each * groups <= capacity) out.push_back(1.5 * each * groups);
  }
  const double all = std::floor(capacity / groups) * groups;
  if (all >= groups && (out.empty() || out.back() < all)) out.push_back(all);
}

std::vector<double> all_loads(double groups, double capacity) {
  std::vector<double> out;
  fill_loads(groups, capacity, out);
  return out;
}

}  // namespace ridge
