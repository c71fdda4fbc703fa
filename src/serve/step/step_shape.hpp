#pragma once
// What a step of a model needs whatever its layout: shapes, bytes and into how many pieces each may be divided. Made once
// for a model and its formats; a layout then turns it into a plan with a few divisions (step_operations.ipp), for one layout
// or for one in each lane.

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
  template <class N>
  N on_one_of(const N& degree) const {
    N sum(0.0);
    for (const Share& share : shares) sum = sum + N(share.amount) / min(degree, N(share.pieces));
    return sum;
  }
};

/// Matrices that take the same input are one kernel: queries, keys and values; gate and up.
struct GemmShape {
  StepPart part = StepPart::projections;
  Precision precision = Precision::bits16;
  double input_width = 2, times = 1;
  DividedSum inner, outer, weights;  // the weights in bytes
};

struct AttentionShape {
  ContextTerms terms;
  std::vector<double> widths;  // bytes of what each term keeps
  bool latent = false;
  double reach = 0, score_flops = 0;
  double kv_width = 2;
  double latent_row = 0;  // bytes of a token's queries, keys, values and results for one head, where latent
  DividedSum rows;        // bytes of queries and results of a token, where not
  double times = 1;
};

struct ExpertsShape {
  double count = 0, per_token = 1, size = 0, matrices = 3, width = 0;  // of the experts; width: what they take in
  double groups = 1, groups_used = 1;                                  // routing limited to so many
  bool shared = false;                                                 // beside them some that all tokens use
  PartFormat format;
  double times = 1;
};

/// A kind of layer, for what crosses the network and what is alive at once.
struct LayerShape {
  bool mixes = false, dense = false;
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
  double small_kernels = 0;
  DividedSum small_bytes;
  DividedSum looked_up;  // bytes that are held and not multiplied, embedding aside
  double embedding = 0;  // bytes of the table
  bool tied = false;     // the table is the head as well
  PartFormat head;
  double activation_width = kActivationBytes, dispatch_width = kActivationBytes;
};

/// Whether a layer keeps one compressed latent for all its heads.
bool is_latent(const Layer& layer);

StepShape shape_of(const Model& model, const StepFormats& formats);

/// What kinds of layout there are: those of one kind have the same operations in their plans, with other numbers.
struct LayoutKind {
  bool balanced = false;     // popular experts are spread
  bool divided = false;      // tensor above 1
  bool grouped = false;      // attention_data above 1
  bool shared = false;       // context above 1
  bool staged = false;       // pipeline above 1
  bool tensor_far = false;   // the tensor group reaches over several domains
  bool context_far = false;  // the chips that share a context do
  bool stage_far = false;    // the chips of a stage do
  bool hops_inside = true;   // all stages together lie in one domain

  auto operator<=>(const LayoutKind&) const = default;
};

/// The degrees of a layout as numbers, one or one for each lane, with what else of it a plan needs.
template <class N>
struct LayoutNumbers {
  N tensor{1.0}, pipeline{1.0}, context{1.0}, attention_data{1.0}, expert{1.0}, redundant_experts{0.0};
  N deviations{0.0};  // of the busiest of `expert` chips
  LayoutKind kind;    // of all lanes

  N chips_per_stage() const { return tensor * context * attention_data; }
};

LayoutNumbers<double> numbers_of(const Layout& layout, const Fabric& fabric);
/// The same of each; what layouts have in common is computed once.
std::vector<LayoutNumbers<double>> numbers_of(const std::vector<Layout>& layouts, const Fabric& fabric);

/// Fills the plan; its vectors keep their memory from one call to the next.
template <class N>
void lay_out_step(const StepShape& shape, const LayoutNumbers<N>& layout, const Fabric& fabric,
                  StepOperationsOf<N>& plan);

}  // namespace ridge
