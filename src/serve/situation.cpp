#include "serve/situation.hpp"

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

Situation situation_of(const Deployment& deployment, const RequestLoad& load, const Library& library) {
  const ServingGround& ground = deployment.ground;
  const Layout& layout = deployment.layout();
  Situation out;
  out.experts = ground.model->experts() != nullptr;
  out.disaggregated = ground.engine.disaggregated;
  out.layout = kind_of(layout, ground.fabric);
  out.model_seen = out.engine_seen = out.together = out.layout_seen = false;
  out.chip = find_calibration(library, "chip", ground.chip->name) != nullptr ? ChipKnown::kernels : ChipKnown::borrowed;
  MeasuredRange sequences, tokens;
  std::set<std::string_view> mixers, own_mixers;
  add_mixers(*ground.model, own_mixers);
  for (const MeasuredChip& measured : library.measured) {
    for (const MeasuredRuns& runs : measured.runs) {
      const bool own_chip = measured.name == ground.chip->name, own_engine = runs.engine == ground.engine.name;
      const Model* model = find_named(library.models, runs.model);
      const bool own_model = model != nullptr && same_shape(*ground.model, *model);
      if (model != nullptr) add_mixers(*model, mixers);
      out.model_seen = out.model_seen || own_model;
      out.engine_seen = out.engine_seen || own_engine;
      out.together = out.together || (own_chip && own_engine && own_model);
      if (own_chip && out.chip == ChipKnown::kernels) out.chip = ChipKnown::runs;
    }
    const auto& kinds = measured.layouts;
    out.layout_seen = out.layout_seen || std::find(kinds.begin(), kinds.end(), name_of(out.layout)) != kinds.end();
    if (measured.sequences.most > 0) {
      for (const double end : {measured.sequences.least, measured.sequences.most}) sequences.include(end);
      for (const double end : {measured.tokens.least, measured.tokens.most}) tokens.include(end);
    }
  }
  out.attention_seen = std::includes(mixers.begin(), mixers.end(), own_mixers.begin(), own_mixers.end());
  const double groups = layout.attention_data * layout.pipeline;
  out.doublings_beyond = std::max(sequences.doublings_beyond(std::max(1.0, load.concurrency / groups)),
                                  tokens.doublings_beyond(load.isl + load.osl));
  out.speculative = ground.engine.speculative_tokens > 0;
  out.cached = load.cached > 0;
  out.overlapped = ground.engine.overlap != Overlap::none;
  out.ring = ground.fabric.topology == Topology::torus && layout.chips_per_stage() > 1;
  return out;
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
  if (situation.doublings_beyond > 0) out.push_back("load beyond what was measured");
  return out;
}

}  // namespace ridge
