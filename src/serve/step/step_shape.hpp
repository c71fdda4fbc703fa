#pragma once
// What a step of a model needs whatever its layout: shapes, bytes and into how many pieces each may be divided. Made once
// for a model and its formats; a layout then turns it into a plan with a few divisions (step_operations.cpp).

#include "serve/step/step.hpp"

namespace ridge {

/// Amounts that tensor parallelism divides into at most so many pieces each, added up.
struct DividedSum {
  struct Share {
    double amount = 0, pieces = 1;
  };
  std::vector<Share> shares;

  void add(double amount, double pieces);
  void add(const DividedSum& more);

  /// What one of `degree` chips has.
  double on_one_of(double degree) const;
};

/// Matrices that take the same input are one kernel: queries, keys and values; gate and up.
struct GemmShape {
  StepPart part = StepPart::projections;
  Precision precision = Precision::bits16;
  bool block_scaled = false;
  double look_up = 0;
  double input_width = 2, times = 1, pace = 1;
  DividedSum inner, outer, weights;  // the weights in bytes
  double tensors = 0;                // joined in it
  bool sums_rows = false;            // its rows are divided over a tensor group, which sums: the last of its part
};

struct AttentionShape {
  ContextTerms terms;
  std::vector<double> widths;  // bytes of what each term keeps
  bool latent = false;
  double before = 0;  // kernels that choose what it reads
  double reach = 0, score_flops = 0, decode_score_flops = 0;
  double kv_width = 2;
  double latent_row = 0;  // bytes of a token's queries, keys, values and results for one head, where latent
  DividedSum rows;        // bytes of queries and results of a token, where not
  double times = 1;
};

struct ExpertsShape {
  double count = 0, per_token = 1, size = 0, matrices = 3, width = 0;  // of the experts; width: what they take in
  double groups = 1, groups_used = 1;                                  // routing limited to so many
  bool shared = false;                                                 // beside them some that all tokens use
  bool balanced_router = false;
  PartFormat format;
  double times = 1;
};

/// A kind of layer, for what crosses the network and what is alive at once.
struct LayerShape {
  bool mixes = false, dense = false;
  bool wide_norms = false;        // queries and keys are normalized over all heads together
  int experts = -1;               // in StepShape::experts; -1: none
  DividedSum attention, network;  // values of a token that are alive at once
  double times = 1;
};

struct StepShape {
  std::vector<GemmShape> products;
  std::vector<AttentionShape> attention;
  std::vector<ExpertsShape> experts;
  std::vector<LayerShape> layers_of_kind;
  double layers = 0, hidden = 0, vocabulary = 0;
  double small_kernels = 0, tuned_launches = 0;
  DividedSum small_bytes;
  DividedSum looked_up;  // bytes that are held and not multiplied, embedding aside
  double embedding = 0;  // bytes of the table
  bool tied = false;     // the table is the head as well
  PartFormat head;
  double activation_width = kActivationBytes, dispatch_width = kActivationBytes;
  std::optional<GgmlKernels> ggml;
};

/// Whether a layer keeps one compressed latent for all its heads.
bool is_latent(const Layer& layer);

StepShape shape_of(const Model& model, const StepFormats& formats);

/// Fills the plan; its vectors keep their memory from one call to the next.
void lay_out_step(const StepShape& shape, const Layout& layout, const Fabric& fabric, StepOperations& plan);
/// The same where expected_largest of the expert degree is known: it takes as long as all the rest.
void lay_out_step(const StepShape& shape, const Layout& layout, const Fabric& fabric, double deviations,
                  StepOperations& plan);

}  // namespace ridge
