#include "layout/placement.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/field_text.hpp"

namespace ridge {

namespace {

/// The share of `whole` things that `index` of `parts` gets.
Range even_share(double whole, double parts, double index) {
  const double each = std::floor(whole / parts), more = whole - each * parts;
  return {index * each + std::min(index, more), each + (index < more ? 1 : 0)};
}

/// Experts that divide unevenly: the next degree below that divides them, or the copies that fill the places.
std::string expert_hint(const Layout& layout, const Experts& experts) {
  const double all = experts.count + layout.redundant_experts;
  double below = std::min(layout.expert, all);
  while (std::fmod(all, below) != 0) --below;
  const double each = std::ceil(all / layout.expert), copies = each * layout.expert - experts.count;
  const auto degree = [](const char* name, double value) { return field(name, fmt::format("{:g}", value)); };
  return fmt::format("{} with {}, or {} ({:g} = {:g} x {:g})", degree("ep", below), degree("dp", below),
                     degree("redundant_experts", copies), experts.count + copies, each, layout.expert);
}

}  // namespace

double Placement::racks() const {
  return spans_racks() ? racks_per_stage * layout.pipeline : std::ceil(layout.pipeline / stages_per_rack);
}

double Placement::stage_chips_in_rack() const { return layout.chips_per_stage() / racks_per_stage; }

double Placement::chips_used(double rack) const {
  if (spans_racks()) return stage_chips_in_rack();
  const double first = rack * stages_per_rack;
  return std::min(stages_per_rack, layout.pipeline - first) * layout.chips_per_stage();
}

Result<Placement> placed(const Layout& layout, const Model& model, double rack_chips, double racks) {
  const auto valid = checked(layout, model);
  if (!valid) {
    Errors errors = valid.error();
    const Experts* experts = model.experts();
    if (errors.front().where == "tp") {  // then experts have nothing to lie on
      std::erase_if(errors, [](const Error& error) { return error.where == "ep"; });
    }
    for (Error& error : errors) {
      const bool uneven = experts != nullptr && layout.expert >= 1 &&
                          std::fmod(experts->count + layout.redundant_experts, layout.expert) != 0;
      if (error.where == "ep" && uneven) error.hint = expert_hint(layout, *experts);
    }
    return fail(std::move(errors));
  }
  Placement placement;
  placement.layout = layout;
  placement.layers = model.layers();
  placement.experts = model.experts() == nullptr ? 0 : model.experts()->count;
  placement.rack_chips = rack_chips;
  const double chips = layout.chips_per_stage(), least = std::ceil(chips / rack_chips);
  double spread = std::max(1.0, racks);
  if (racks == 0) {
    spread = least;
    while (std::fmod(chips, spread) != 0) ++spread;  // ends at one chip a rack
  }
  if (spread < least || spread > chips || std::fmod(chips, spread) != 0) {
    std::string possible;
    int shown = 0;
    for (double each = least; each <= chips && shown < 8; ++each) {
      if (std::fmod(chips, each) != 0) continue;
      possible += fmt::format("{}{:g}", possible.empty() ? "" : ", ", each);
      ++shown;
    }
    return fail({"racks", fmt::format("{:g} chips do not lie evenly on {:g} racks of {:g}", chips, spread, rack_chips),
                 "possible: " + possible});
  }
  placement.racks_per_stage = spread;
  placement.stages_per_rack = spread > 1 ? 1 : std::floor(rack_chips / chips);
  return placement;
}

Range layers_of_stage(const Placement& placement, double stage) {
  return even_share(placement.layers, placement.layout.pipeline, stage);
}

Range experts_of_rank(const Placement& placement, double rank) {
  return even_share(placement.experts, placement.layout.expert, rank);
}

double copies_of_rank(const Placement& placement, double rank) {
  const double places = (placement.experts + placement.layout.redundant_experts) / placement.layout.expert;
  return places - experts_of_rank(placement, rank).count;
}

Range racks_of_stage(const Placement& placement, double stage) {
  if (placement.spans_racks()) return {stage * placement.racks_per_stage, placement.racks_per_stage};
  return {std::floor(stage / placement.stages_per_rack), 1};
}

Seat seat_of(const Placement& placement, double chip) {
  const Layout& layout = placement.layout;
  const double in_stage = std::fmod(chip, layout.chips_per_stage());
  Seat seat;
  seat.stage = std::floor(chip / layout.chips_per_stage());
  seat.tensor = std::fmod(in_stage, layout.tensor);
  seat.context = std::fmod(std::floor(in_stage / layout.tensor), layout.context);
  seat.data = std::floor(in_stage / (layout.tensor * layout.context));
  const double each = placement.stage_chips_in_rack();
  seat.rack = racks_of_stage(placement, seat.stage).first + std::floor(in_stage / each);
  const double before = placement.spans_racks() ? 0 : std::fmod(seat.stage, placement.stages_per_rack);
  seat.slot = before * each + std::fmod(in_stage, each);
  seat.layers = layers_of_stage(placement, seat.stage);
  seat.expert_rank = std::floor(in_stage / layout.moe_tensor());
  if (placement.experts > 0) {
    seat.experts = experts_of_rank(placement, seat.expert_rank);
    seat.copies = copies_of_rank(placement, seat.expert_rank);
  }
  return seat;
}

Layout suggested_layout(const Layout& given, const Model& model, double rack_chips) {
  Layout layout = given;
  const bool plain = given.tensor == 1 && given.context == 1 && given.attention_data == 1;
  if (model.experts() == nullptr) {
    if (!plain) return layout;
    for (const double degree : valid_tensor(model, rack_chips)) layout.tensor = degree;
    return layout;
  }
  if (given.expert > 1) {
    if (given.attention_data == 1) {
      layout.attention_data = std::max(1.0, std::floor(given.expert / (given.tensor * given.context)));
    }
    return layout;
  }
  if (!plain) {  // experts over all chips where they divide, else over as many as do
    const std::vector<double> valid = valid_expert(model, layout);
    if (!valid.empty()) layout.expert = valid.back();
    return layout;
  }
  for (double chips = 1; chips <= std::min(rack_chips, model.experts()->count + given.redundant_experts); ++chips) {
    if (std::fmod(model.experts()->count + given.redundant_experts, chips) == 0)
      layout.attention_data = layout.expert = chips;
  }
  return layout;
}

}  // namespace ridge
