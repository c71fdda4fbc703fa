#pragma once
// One layer of a transformer: F (attention) and G (the MLP), and what is kept of it between forward and backward.

#include "attention.hpp"
#include "mlp.hpp"

namespace reversible {

template <class Real>
struct Block {
  AttentionWeights<Real> attention;
  MlpWeights<Real> mlp;
};

template <class Real>
struct BlockTape {
  AttentionTape<Real> attention;
  MlpTape<Real> mlp;
};

/// What a stack keeps of every block for the backward pass.
enum class Keep {
  kEverything,  // all tapes: memory grows with depth
  kInputs,      // each block's input, to run the block again (full recomputation): memory grows with depth, but slower
  kNothing,     // reversible: inputs are computed back from outputs. Residual: there is no backward pass
};

}  // namespace reversible
