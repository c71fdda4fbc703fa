#pragma once
// Calibrating by one's own measurements: the few numbers that one or a few benchmark results can move, on top of what is
// known of the chip and the engine.

#include "calibrate/anchor/anchor.hpp"
#include "calibrate/evidence/calibration_set.hpp"

namespace ridge {

/// A factor on some numbers of a chip's or an engine's calibration.
struct AnchorFactor {
  std::string owner;   // "mi355x", "vllm"
  std::string name;    // "pace", "memory", "latency", "compute"; "overhead", "prefill"
  double prior = 0.1;  // how well it was known before: standard deviation of its logarithm
  double value = 1;
  double spread = 0.1;  // and after

  /// How much of the doubt is gone.
  double narrowed() const { return 1 - spread / prior; }
};

/// What the results said of a factor.
enum class Moved {
  no,        // nothing: it stayed
  together,  // it went along with others, and is by itself as little known as before
  yes        // a tenth of the doubt is gone at least
};
Moved moved_of(const AnchorFactor& factor);

/// What is believed before any anchor: catalog/calibration/anchor.toml.
struct AnchorPriors {
  std::map<std::string, double> spread;  // "own.memory", "borrowed.memory", "stranger.memory", ...
  double noise = 0.1;  // of a measured row against a right model: repeats, and what equations leave out
};
Result<AnchorPriors> anchor_priors(const Library& library);

struct AnchorFit {
  std::vector<AnchorFactor> factors;

  const AnchorFactor* find(std::string_view owner, std::string_view name) const;
};

/// Fits the factors of every chip and engine of the cases.
Result<AnchorFit> fit_anchors(const std::vector<const AnchorCase*>& cases, const AnchorPriors& priors);

/// A calibration with the factors on it; shares of a chip stay at or below 1.
ChipCalibration<double> with_factors(ChipCalibration<double> chip, const std::string& name, const AnchorFit& fit);
EngineCalibration<double> with_factors(EngineCalibration<double> engine, const std::string& name, const AnchorFit& fit);

double predicted_time(const AnchorCase& anchor, const AnchorFit& fit);

/// An anchor and what is predicted for it.
struct AnchorLine {
  std::string name, figure;
  double measured = 0, bound = 0;  // s
  double before = 0, after = 0;    // s
  double left_out = 0;             // s, by a fit that never saw it; 0 where it is the only one
  std::vector<std::string> notes;
};

/// A result that was not absorbed, and why.
struct RefusedAnchor {
  std::string name, why;
};

struct AnchorAnswer {
  std::vector<AnchorLine> lines;
  std::vector<RefusedAnchor> refused;
  AnchorFit fit;
  std::vector<CalibrationEntry> entries;  // of the chips and engines, whole
  double before = 0, after = 0;  // mean |predicted / measured - 1|; after: left out where there are two or more
  bool left_out = false;

  double error_of(double AnchorLine::*predicted) const;
};

/// Results with a fault, faster than the bound, or without a prediction are named and not absorbed.
Result<AnchorAnswer> calibrate_by(const std::vector<BenchmarkResult>& results, const AnchorGiven& given,
                                  const Library& library);

}  // namespace ridge
