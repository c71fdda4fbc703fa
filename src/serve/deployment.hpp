#pragma once
// A deployment: what a layout of a model on a machine under an engine is. Resolved once, then asked about any load:
//
//   ServingQuestion --resolve--> Deployment --evaluate(load)--> ServingEstimate
//
// Whoever needs a figure of a deployment (why, fit, plan, sweep, price, host, validate) asks these functions.

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "library/calibrations.hpp"
#include "library/engines.hpp"
#include "serve/chip_memory.hpp"
#include "serve/question/serving_case.hpp"
#include "serve/question/serving_question.hpp"
#include "serve/step/step_formats.hpp"
#include "serve/step/step_shape.hpp"

namespace ridge {

/// How an engine runs, whatever the layout and the load.
struct EngineSettings {
  std::string name;
  MemoryRule memory_rule = MemoryRule::everything;
  double token_budget = 8192;
  double ubatch = 512;                 // of ggml's kernels alone
  std::optional<double> most_running;  // requests, as the engine's own flags limit them
  KernelFamily kernels = KernelFamily::usual;
  double speculative_tokens = 0, draft_layers = 1;  // draft_layers: what one costs, in layers of the model
  Overlap overlap = Overlap::none;
  bool composed_early = false;  // a step is put together when the one before it starts
  double captured_tokens = 0;   // of the largest step with prompts that is replayed as decode steps are
  bool disaggregated = false;
};

/// How an engine with these settings uses a chip's memory.
template <class S>
MemoryTermsOf<S> memory_terms(const EngineSettings& engine, const ServingCase<S>& c) {
  return {c.hbm_capacity, c.process, c.memory_utilization, engine.memory_rule, engine.token_budget};
}

/// A model on a machine under an engine before it is laid out: names and formats resolved, every number known.
struct ServingGround {
  const Model* model = nullptr;  // in the library, which outlives the ground
  const Machine* machine = nullptr;
  const Chip* chip = nullptr;
  std::string kv;            // format of the KV cache
  bool kv_released = false;  // it is the checkpoint's own, not the engine's choice
  StepFormats formats;
  StepShape shape;
  Fabric fabric;
  EngineSettings engine;
  ServingCase<double> numbers;  // the load's apart
  std::array<Provenance, kServingInputs> from;
  std::string chip_from, engine_from;               // what the calibrations are of
  bool extrapolated = false;                        // some calibration is not of this chip or engine
  bool engine_borrowed = false;                     // of them, the engine\'s
  std::optional<double> named_chips;                // "4xH100" asks for so many
  double weight_flops = 0;                          // of a token with the weights
  Precision weights_precision = Precision::bits16;  // of most of them
  double weights_pace = 1;                          // and of their format: PartFormat::pace
  std::vector<std::string> notes;

  bool networked() const { return numbers.peak.scale_out.value() > 0; }
  MemoryTerms memory_terms() const { return ridge::memory_terms(engine, numbers); }
};

/// The kernels that a server meets for the first time when it was just started, as calibrations name them: those of a chip
/// for weights of so many bits, "b200_4bit".
std::string fresh_kernels(const ServingGround& ground);

/// Whether a chip's price is somebody's guess, neither listed nor given; what is to be said of it, or nothing.
bool price_is_assumed(const ServingGround& ground);
std::string assumed_price_of(const ServingGround& ground);

/// "extrapolating: " and whose calibrations are borrowed; empty where they are the chip's and the engine's own.
std::string extrapolation_of(const ServingGround& ground);

/// What a ground stands on.
struct GroundParts {
  const Model* model = nullptr;  // in the library
  const Machine* machine = nullptr;
  const Chip* chip = nullptr;
  FormatChoice formats;
  EngineSettings engine;
  std::optional<double> memory_utilization;  // none: the engine's default
};
/// Whether a number of this format has fewer than 16 bits; false where nobody knows the format.
bool is_quantized(std::string_view format, const Library& library);

/// Formats, shapes, calibrations and memory; no price, and nothing of a load.
Result<ServingGround> ground_of(const GroundParts& parts, const Library& library);

/// The ground of a question, with its price and what the user gave instead of what is known.
Result<ServingGround> serving_ground(const ServingQuestion& question, const Library& library);

/// Chips that do the same: a layout, and the operations of a step on one of them.
struct Pool {
  Layout layout;
  StepOperations operations;
};

struct Deployment {
  ServingGround ground;
  Pool decode;
  Pool prefill;                                                      // one replica; the same chips unless disaggregated
  std::shared_ptr<const ServingGround> prefill_elsewhere = nullptr;  // where those are of another machine

  const Layout& layout() const { return decode.layout; }
  /// What the chips that prefill are.
  const ServingGround& prefill_ground() const { return prefill_elsewhere ? *prefill_elsewhere : ground; }
  /// A KV cache can be sent from one pool to the other.
  bool networked() const { return ground.networked() && prefill_ground().networked(); }
  /// Dollars a second for so many chips in all, of which those beyond the layout's prefill.
  double bill(double chips) const {
    const double price = ground.numbers.price.value(), decoding = layout().chips();
    if (!prefill_elsewhere) return chips * price;
    return decoding * price + (chips - decoding) * prefill_elsewhere->numbers.price.value();
  }
};

/// The operations of a layout on this ground.
Pool pool_of(const ServingGround& ground, const Layout& layout);

/// The degrees that a question gives, around a tensor degree.
Layout layout_with(const ServingQuestion& question, double tensor, const Model& model);

/// The layout that a question asks for, or the fewest chips whose memory holds its load; what was chosen is noted.
struct LayoutChoice {
  Layout layout;
  std::vector<std::string> notes;
};
Result<LayoutChoice> chosen_layout(const ServingQuestion& question, const ServingGround& ground);

/// The question that the chips for prefill answer, where they are of another machine: its price and its numbers are its own,
/// and it writes the KV cache as the others read it (`kv`).
ServingQuestion prefill_question(const ServingQuestion& question, const std::string& kv);
/// The ground of those chips; nothing where prefill has no machine of its own.
Result<std::shared_ptr<const ServingGround>> prefill_ground_of(const ServingQuestion& question,
                                                               const ServingGround& decode, const Library& library);

/// The ground under a layout; the chips for prefill as asked for, or as the others.
Result<Deployment> laid_out(ServingGround ground, const Layout& layout, const std::optional<Layout>& prefill,
                            std::shared_ptr<const ServingGround> prefill_elsewhere = nullptr);

/// Everything of a question but its load.
Result<Deployment> resolve(const ServingQuestion& question, const Library& library);

/// What a replica is asked to do.
struct RequestLoad {
  double isl = 1024, osl = 1024;  // mean tokens
  double cached = 0;              // share of prompts in the prefix cache
  double concurrency = 1;         // requests in flight on one replica

  /// Prefill gives the first token: with one each, nothing is decoded, and there is no time between two of them.
  bool decodes() const { return osl > 1; }
};

}  // namespace ridge
