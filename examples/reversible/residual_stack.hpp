#pragma once
// The standard stack: x <- x + F(x), then x <- x + G(x). Its inputs cannot be had from its outputs, so they are kept.

#include "block.hpp"

namespace reversible {

template <class Real>
class ResidualStack {
 public:
  ResidualStack(const std::vector<Block<Real>>& blocks, const Shape& shape, Keep keep)
      : blocks_(blocks), shape_(shape), keep_(keep) {}

  Tensor<Real> forward(Tensor<Real> x) {
    for (const Block<Real>& block : blocks_) {
      if (keep_ == Keep::kInputs) inputs_.push_back(x);
      BlockTape<Real> tape = pass_block(block, x);
      if (keep_ == Keep::kEverything) tapes_.push_back(std::move(tape));
    }
    return x;
  }

  /// From the slope of the loss with respect to the output to that with respect to the input.
  Tensor<Real> backward(Tensor<Real> slope, std::vector<Block<Real>>& gradient) {
    assert(keep_ != Keep::kNothing && "a residual stack has no way back");
    for (std::size_t i = blocks_.size(); i-- > 0;) {
      const BlockTape<Real> tape = take_tape(i);
      add(pass_backward(blocks_[i].mlp, shape_, tape.mlp, slope, gradient[i].mlp), slope);
      add(pass_backward(blocks_[i].attention, shape_, tape.attention, slope, gradient[i].attention), slope);
    }
    return slope;
  }

 private:
  BlockTape<Real> pass_block(const Block<Real>& block, Tensor<Real>& x) const {
    auto attention = pass(block.attention, shape_, x);
    add(attention.output, x);
    auto mlp = pass(block.mlp, shape_, x);
    add(mlp.output, x);
    return {std::move(attention.tape), std::move(mlp.tape)};
  }

  /// The tape of block i, the last that is left: as kept, or made again from the block's input.
  BlockTape<Real> take_tape(std::size_t i) {
    if (keep_ == Keep::kEverything) {
      BlockTape<Real> tape = std::move(tapes_.back());
      tapes_.pop_back();
      return tape;
    }
    Tensor<Real> x = std::move(inputs_.back());
    inputs_.pop_back();
    return pass_block(blocks_[i], x);
  }

  const std::vector<Block<Real>>& blocks_;
  Shape shape_;
  Keep keep_;
  std::vector<BlockTape<Real>> tapes_;
  std::vector<Tensor<Real>> inputs_;
};

}  // namespace reversible
