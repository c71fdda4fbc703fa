#pragma once
// What a calibrated answer stands on: how much of the question somebody has measured. Errors of runs that were left out
// of a fit are counted by it, and an answer's interval is that of its own situation.

#include <array>
#include <string>
#include <vector>

#include "library/measured.hpp"
#include "serve/deployment.hpp"

namespace ridge {

/// How work is spread over chips, by what it sends: each kind has errors of its own.
enum class LayoutKind {
  tensor,          // one chip, or several that share every matrix inside one scale-up domain
  attention_data,  // DP attention, experts over all chips
  over_domains,    // a stage that reaches over several scale-up domains
  stages,          // pipeline stages or context parallelism
};
inline constexpr std::size_t kLayoutKinds = 4;
std::string_view name_of(LayoutKind kind);
LayoutKind kind_of(const Layout& layout, const Fabric& fabric);

enum class ChipKnown {
  runs,      // served, and counted into the fit
  kernels,   // kernels were timed alone, nothing was served
  borrowed,  // neither: its numbers are its relatives'
};

struct Situation {
  bool experts = false;        // routed ones; dense otherwise
  bool disaggregated = false;  // decode on chips of its own
  LayoutKind layout = LayoutKind::tensor;
  LayoutKind stage = LayoutKind::tensor;  // of each pipeline stage by itself, whose errors it has as well
  bool model_seen = true;                 // a run of this model, or of one with its shape
  bool attention_seen = true;             // runs of models with every kind of attention that this one has
  bool engine_seen = true;                // a run under this engine
  bool together = true;                   // a run of this model on this chip under this engine
  bool layout_seen = true;                // a run with this kind of layout
  ChipKnown chip = ChipKnown::runs;
  double doublings_beyond = 0;  // of the load or the length, outside of what was measured
  // what no run that a fit may use has
  bool speculative = false, cached = false, overlapped = false, ring = false;  // ring: chips of a torus
  bool two_machines = false;                                                   // prefill on another one than decode

  double unmeasured_features() const { return 0.0 + speculative + cached + overlapped + ring + two_machines; }

  bool operator==(const Situation&) const = default;
};

/// Whether two models are one shape: a fit that saw one has seen the other.
bool same_shape(const Model& one, const Model& other);

/// What of a ground was measured, whatever its layout and its load: found once, asked for every deployment of a search.
struct GroundSituation {
  Situation common;                               // all but the layout and the load
  std::array<bool, kLayoutKinds> layouts_seen{};  // by LayoutKind
  MeasuredRange sequences, tokens;                // of all runs
  Fabric fabric;

  /// `load` is one replica's.
  Situation of(const Layout& layout, bool disaggregated, const RequestLoad& load) const;
  /// With prefill on the machine of another ground: what is less known of the two counts, for all figures.
  GroundSituation beside(const GroundSituation& prefill) const;
};
GroundSituation ground_situation(const ServingGround& ground, const Library& library);

/// `load` is one replica's.
Situation situation_of(const Deployment& deployment, const RequestLoad& load, const Library& library);

/// What nobody measured, in words: "a model nobody measured", ...; empty where everything was.
std::vector<std::string> unmeasured_in(const Situation& situation);

}  // namespace ridge
