#include "serve/error/situation.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

namespace ridge {

std::string_view name_of(LayoutKind kind) {
  constexpr std::array<std::string_view, kLayoutKinds> kNames = {"tensor", "attention_data", "over_domains", "stages"};
  return kNames[static_cast<std::size_t>(kind)];
}

LayoutKind kind_of(const Layout& layout, const Fabric& fabric) {
  if (layout.pipeline > 1 || layout.context > 1) return LayoutKind::stages;
  if (layout.chips_per_stage() > fabric.domain) return LayoutKind::over_domains;
  return layout.attention_data > 1 ? LayoutKind::attention_data : LayoutKind::tensor;
}

bool same_shape(const Model& one, const Model& other) {
  if (one.name == other.name) return true;
  if (one.hidden != other.hidden || one.vocabulary != other.vocabulary || one.layers() != other.layers()) return false;
  const ParameterParts a = count_parameters(one), b = count_parameters(other);
  return a.count == b.count;
}

namespace {

/// Adds the kinds of what mixes tokens in a model's layers.
void add_mixers(const Model& model, std::set<std::string_view>& kinds) {
  for (const std::size_t kind : model.order) kinds.insert(type_of(model.kinds[kind].mixer));
}

}  // namespace

GroundSituation ground_situation(const ServingGround& ground, const Library& library) {
  GroundSituation out;
  out.fabric = ground.fabric;
  Situation& common = out.common;
  common.experts = ground.model->experts() != nullptr;
  common.model_seen = common.engine_seen = common.together = false;
  common.chip =
      find_calibration(library, "chip", ground.chip->name) != nullptr ? ChipKnown::kernels : ChipKnown::borrowed;
  std::set<std::string_view> mixers, own_mixers;
  add_mixers(*ground.model, own_mixers);
  for (const MeasuredChip& measured : library.measured) {
    for (const MeasuredRuns& runs : measured.runs) {
      const bool own_chip = measured.name == ground.chip->name, own_engine = runs.engine == ground.engine.name;
      const Model* model = find_named(library.models, runs.model);
      const bool own_model = model != nullptr && same_shape(*ground.model, *model);
      if (model != nullptr) add_mixers(*model, mixers);
      common.model_seen = common.model_seen || own_model;
      common.engine_seen = common.engine_seen || own_engine;
      common.together = common.together || (own_chip && own_engine && own_model);
      if (own_chip && common.chip == ChipKnown::kernels) common.chip = ChipKnown::runs;
    }
    for (std::size_t kind = 0; kind < kLayoutKinds; ++kind) {
      const auto& kinds = measured.layouts;
      const std::string_view name = name_of(static_cast<LayoutKind>(kind));
      out.layouts_seen[kind] = out.layouts_seen[kind] || std::find(kinds.begin(), kinds.end(), name) != kinds.end();
    }
    if (measured.sequences.most > 0) {
      for (const double end : {measured.sequences.least, measured.sequences.most}) out.sequences.include(end);
      for (const double end : {measured.tokens.least, measured.tokens.most}) out.tokens.include(end);
    }
  }
  common.attention_seen = std::includes(mixers.begin(), mixers.end(), own_mixers.begin(), own_mixers.end());
  common.speculative = ground.engine.speculative_tokens > 0;
  common.overlapped = ground.engine.overlap != Overlap::none;
  return out;
}

Situation GroundSituation::of(const Layout& layout, bool disaggregated, const RequestLoad& load) const {
  Situation out = common;
  out.disaggregated = disaggregated;
  out.layout = kind_of(layout, fabric);
  Layout stage = layout;
  stage.pipeline = stage.context = 1;
  out.stage = kind_of(stage, fabric);
  out.layout_seen = layouts_seen[static_cast<std::size_t>(out.layout)];
  const double groups = layout.attention_data * layout.pipeline;
  out.doublings_beyond = std::max(sequences.doublings_beyond(std::max(1.0, load.concurrency / groups)),
                                  tokens.doublings_beyond(load.isl + load.osl));
  out.cached = load.cached > 0;
  out.ring = fabric.topology == Topology::torus && layout.chips_per_stage() > 1;
  return out;
}

GroundSituation GroundSituation::beside(const GroundSituation& prefill) const {
  GroundSituation out = *this;
  out.common.two_machines = true;
  out.common.chip = std::max(common.chip, prefill.common.chip);  // from runs to borrowed
  out.common.together = common.together && prefill.common.together;
  return out;
}

Situation situation_of(const Deployment& deployment, const RequestLoad& load, const Library& library) {
  const ServingGround& ground = deployment.ground;
  GroundSituation known = ground_situation(ground, library);
  if (deployment.prefill_elsewhere) known = known.beside(ground_situation(*deployment.prefill_elsewhere, library));
  return known.of(deployment.layout(), ground.engine.disaggregated, load);
}

std::vector<std::string> unmeasured_in(const Situation& situation) {
  std::vector<std::string> out;
  if (!situation.model_seen) out.push_back("a model nobody measured");
  if (!situation.attention_seen) out.push_back("a kind of attention nobody measured");
  if (situation.chip == ChipKnown::borrowed) out.push_back("chip borrowed");
  if (situation.chip == ChipKnown::kernels) out.push_back("a chip with measured kernels and no measured run");
  if (!situation.engine_seen) out.push_back("engine borrowed");
  if (situation.model_seen && situation.engine_seen && situation.chip == ChipKnown::runs && !situation.together)
    out.push_back("model, chip and engine never measured together");
  if (!situation.layout_seen) out.push_back("a kind of layout nobody measured");
  if (situation.speculative) out.push_back("speculative decoding, which no run has");
  if (situation.cached) out.push_back("a prefix cache, which no run has");
  if (situation.overlapped) out.push_back("network overlap, which no run has");
  if (situation.ring) out.push_back("a torus, which no run has");
  if (situation.two_machines) out.push_back("pools of different machines, which no run has");
  if (situation.doublings_beyond > 0) out.push_back("load beyond what was measured");
  return out;
}

}  // namespace ridge
