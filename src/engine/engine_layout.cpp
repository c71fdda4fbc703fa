#include "engine/engine_layout.hpp"

#include <fmt/format.h>

namespace ridge {

RunLayout run_layout(const Engine& engine, const Layout& wanted, bool has_experts) {
  RunLayout out{wanted, {}};
  Layout& layout = out.layout;
  const auto differs = [&](std::string text) { out.differences.push_back(std::move(text)); };
  if (!has_experts) {
    layout.replicas *= layout.attention_data;  // groups that share nothing are copies
    layout.attention_data = 1;
  }
  const EngineLayouts& can = engine.layouts;
  const double chips = layout.chips_per_stage();
  if (can.context == ContextChips::none && layout.context > 1) {
    differs(fmt::format("{} has no context parallelism: this runs as tp{:g}", engine.title,
                        layout.tensor * layout.context));
    layout.tensor *= layout.context;
    layout.context = 1;
  }
  if (can.attention_data == AttentionGroups::none && layout.attention_data > 1) {
    differs(fmt::format("{} has no attention DP: this runs as tp{:g}", engine.title,
                        layout.tensor * layout.attention_data));
    layout.tensor *= layout.attention_data;
    layout.attention_data = 1;
  }
  const bool several = layout.tensor > 1 || layout.context > 1;
  if (can.attention_data == AttentionGroups::all_or_none && layout.attention_data > 1 && several) {
    differs(fmt::format("{} gives every chip sequences of its own or none: this runs as dp{:g}", engine.title, chips));
    layout.attention_data = chips;
    layout.tensor = layout.context = 1;
  }
  if (can.expert == ExpertDegrees::all_or_none && layout.expert > 1 && layout.expert < chips) {
    differs(fmt::format("{} spreads experts over all {:g} chips of a stage or none, not over {:g}", engine.title, chips,
                        layout.expert));
  }
  if (can.expert == ExpertDegrees::none && layout.expert > 1) {
    differs(fmt::format("{} has no expert parallelism", engine.title));
    layout.expert = 1;
  }
  return out;
}

bool runs(const Engine& engine, const Layout& layout, bool has_experts) {
  const auto says = [&](Meaning meaning, const char* text) {
    return !flag_for(engine, meaning).empty() || find_text(engine.writing.command, text) != nullptr ||
           find_text(engine.writing.file, text) != nullptr;
  };
  if (layout.pipeline > 1 && !says(Meaning::pipeline, "pipeline")) return false;
  if (layout.redundant_experts > 0 && !says(Meaning::redundant_experts, "redundant_experts")) return false;
  return run_layout(engine, layout, has_experts).differences.empty();
}

bool disaggregates(const Engine& engine) {
  if (!engine.is_written()) return true;  // nothing is known of it
  return !flag_for(engine, Meaning::disaggregation).empty() ||
         find_text(engine.writing.command, "disaggregation") != nullptr ||
         find_text(engine.writing.notes, "disaggregation") != nullptr;
}

}  // namespace ridge
