#pragma once
// A model laid out for training: the operations of one layer of each kind on one chip, and what stands before and after the
// layers. Shapes are plain numbers; what they take is training_step.hpp.

#include <vector>

#include "machine/fabric.hpp"
#include "serve/step/step.hpp"
#include "serve/step/step_shape.hpp"
#include "train/step/recipe.hpp"
#include "train/step/training_layout.hpp"

namespace ridge {

/// Of a model and recipe, whatever the layout: one layer of each kind.
struct TrainingShape {
  struct Kind {
    StepShape shape;
    const Layer* layer = nullptr;  // of the model
    double norm_bytes = 0;         // of small_bytes, what sequence parallelism divides
    double work = 0;               // parameters that a token is multiplied with
  };
  std::vector<Kind> kinds;
  std::vector<std::size_t> order, mtp_order;  // of each layer, its kind
  double hidden = 0, vocabulary = 0;
  double gradient_bytes = 4;                 // of a parameter's, as they are added up
  double dispatch_bytes = kActivationBytes;  // of a number on its way to experts
  double modules = 0;  // that predict tokens further on (MTP): each a layer, a head, and these products
  std::vector<GemmOperation> module_products;  // whole: the stream and an embedding into one
  bool stages_by_work = false;                 // how frameworks divide layers over stages; see stages_of
};
TrainingShape training_shape(const Model& model, const TrainingRecipe& recipe);

/// Chips that divide something between them: so many in each scale-up domain, in so many domains.
struct Ring {
  double chips = 1, domains = 1;
  double size() const { return chips * domains; }
};

struct TrainingLayer {
  StepOperations step;     // products, attention and small kernels of one chip of the tensor group; head last
  double small_bytes = 0;  // for each token
  bool has_experts = false;
  double halves = 0;  // of it that a tensor group gathers for and scatters: a mixer, a network that all tokens pass
  GroupedKernel experts_kernel;
  double local_experts = 0, copies = 0;      // experts on a chip; of a token, rows on a chip
  double row_flops = 0, row_bytes = 0;       // of one row
  double expert_bytes = 0;                   // of one expert's weights on a chip
  double sent_inside = 0, sent_outside = 0;  // numbers of a token that leave a chip on the way to its experts
  bool leaves = false;
  double params = 0;  // of its matrices on a chip, routed experts included
  double mla_up = 0;  // of the products, FLOP of a token in up-projections
  // bytes of a token on a chip: keys and values as attention reads them, and queries or results, which are as wide
  double keys_values = 0, queries = 0;
  double mixed = 0;  // of a layer without scores: what it reads and writes
};

struct TrainingOperations {
  TrainingLayout layout;
  std::vector<TrainingLayer> kinds;
  double layers = 0;  // of the model
  Ring tensor, context, expert;
  // of the chips with the same weights: those that divide them or their states, and the groups of these beside each other
  Ring dense_shards, expert_shards, dense_replicas, expert_replicas;
  bool hops_inside = true;
  double hidden = 0, vocabulary = 0;
  double gradient_bytes = 4;
  double dispatch_bytes = kActivationBytes;
  double modules = 0;                          // see TrainingShape
  std::vector<GemmOperation> module_products;  // on one chip
};

/// The rings of the copies, the only part of the operations that stages and sharding change.
void set_rings(TrainingOperations& operations, const Fabric& fabric);

/// Parameters of a tensor that one chip of the layout holds, before copies share them.
double params_on_chip(const Weight& weight, const TrainingLayout& layout);

TrainingOperations training_operations(const TrainingShape& shape, const TrainingLayout& layout, const Fabric& fabric);

/// How many layers of each kind a stage has: as many in each where they divide; where not, the head and every prediction
/// module count as a layer of the last one, as in the layouts that frameworks are given. By work, a stage takes layers
/// until all so far have more than its share of what a token is multiplied with, the head included (nanotron's build_model);
/// `last` is the stage that has the head, and those behind it are empty.
struct StageLayers {
  std::vector<double> of_kind;
  double layers = 0;
  bool first = false, last = false;
};
std::vector<StageLayers> stages_of(const TrainingShape& shape, double pipeline);

/// The stages of the model as the layout's schedule has them: one on a rank (its interleaved chunks taken together), two
/// for a schedule that turns at the last rank.
std::vector<StageLayers> model_stages(const TrainingShape& shape, const TrainingLayout& layout);
/// What each rank has of them. DualPipe has every stage on two ranks.
std::vector<StageLayers> rank_stages(const std::vector<StageLayers>& model, const TrainingLayout& layout);

}  // namespace ridge
