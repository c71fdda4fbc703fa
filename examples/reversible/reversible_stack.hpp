#pragma once
// The reversible stack: two streams, each block two rounds of a Feistel network (RevNet: Gomez, Ren, Urtasun and Grosse, 2017;
// with attention and MLP: Reformer, Kitaev, Kaiser and Levskaya, 2020).
//
//   forward   y1 = x1 + F(x2)     y2 = x2 + G(y1)
//   back      x2 = y2 - G(y1)     x1 = y1 - F(x2)

#include <optional>

#include "block.hpp"
#include "streams.hpp"

namespace reversible {

template <class Word>
struct TwoStreams {
  Tensor<Word> first, second;
};

template <class Stream>
class ReversibleStack {
 public:
  using Real = typename Stream::Real;
  using Words = Tensor<typename Stream::Word>;
  using Streams = TwoStreams<typename Stream::Word>;

  ReversibleStack(const std::vector<Block<Real>>& blocks, const Shape& shape, Keep keep)
      : blocks_(blocks), shape_(shape), keep_(keep) {
    assert(keep != Keep::kInputs && "a reversible stack has its inputs from its outputs");
  }

  /// Both streams start as x; the output is their mean.
  Tensor<Real> forward(Tensor<Real> x) {
    streams_.emplace(split(x));
    forward(*streams_);
    const auto first = streams_->first.elements(), second = streams_->second.elements();
    for (std::size_t i = 0; i < first.size(); ++i) {
      x.elements()[i] = (Stream::to_real(first[i]) + Stream::to_real(second[i])) / 2;
    }
    return x;
  }

  void forward(Streams& streams) {
    for (const Block<Real>& block : blocks_) {
      keep_tape(advance(block.attention, streams.second, streams.first), attention_tapes_);
      keep_tape(advance(block.mlp, streams.first, streams.second), mlp_tapes_);
    }
  }

  /// From outputs back to inputs, in place, with nothing kept.
  void invert(Streams& streams) const {
    for (std::size_t i = blocks_.size(); i-- > 0;) {
      retreat(blocks_[i].mlp, streams.first, streams.second);
      retreat(blocks_[i].attention, streams.second, streams.first);
    }
  }

  /// From the slope of the loss with respect to the output to that with respect to the input. Where nothing was kept, the
  /// streams run backwards beside the slopes: the pass that takes f off again is the pass that makes f's tape.
  Tensor<Real> backward(Tensor<Real> slope, std::vector<Block<Real>>& gradient) {
    for (Real& value : slope.elements()) value /= 2;
    TwoStreams<Real> slopes{slope, std::move(slope)};
    for (std::size_t i = blocks_.size(); i-- > 0;) {
      const Block<Real>& block = blocks_[i];
      {
        const MlpTape<Real> tape =
            keep_ == Keep::kEverything ? take_last(mlp_tapes_) : retreat(block.mlp, streams_->first, streams_->second);
        add(pass_backward(block.mlp, shape_, tape, slopes.second, gradient[i].mlp), slopes.first);
      }
      const AttentionTape<Real> tape = keep_ == Keep::kEverything
                                           ? take_last(attention_tapes_)
                                           : retreat(block.attention, streams_->second, streams_->first);
      add(pass_backward(block.attention, shape_, tape, slopes.first, gradient[i].attention), slopes.second);
    }
    add(slopes.second, slopes.first);
    return std::move(slopes.first);
  }

  static Streams split(const Tensor<Real>& x) {
    Words words(x.ledger(), x.rows(), x.columns());
    for (std::size_t i = 0; i < x.elements().size(); ++i) words.elements()[i] = Stream::from_real(x.elements()[i]);
    return {words, words};
  }

 private:
  /// to += f(from); returns f's tape.
  template <class Weights>
  auto advance(const Weights& f, const Words& from, Words& to) const {
    auto passed = pass(f, shape_, Stream::read(from));
    add_to_stream<Stream>(passed.output, to);
    return std::move(passed.tape);
  }

  /// to -= f(from); returns f's tape.
  template <class Weights>
  auto retreat(const Weights& f, const Words& from, Words& to) const {
    auto passed = pass(f, shape_, Stream::read(from));
    take_from_stream<Stream>(passed.output, to);
    return std::move(passed.tape);
  }

  template <class Tape>
  void keep_tape(Tape tape, std::vector<Tape>& tapes) const {
    if (keep_ == Keep::kEverything) tapes.push_back(std::move(tape));
  }

  template <class Tape>
  static Tape take_last(std::vector<Tape>& tapes) {
    Tape tape = std::move(tapes.back());
    tapes.pop_back();
    return tape;
  }

  const std::vector<Block<Real>>& blocks_;
  Shape shape_;
  Keep keep_;
  std::optional<Streams> streams_;
  std::vector<AttentionTape<Real>> attention_tapes_;
  std::vector<MlpTape<Real>> mlp_tapes_;
};

}  // namespace reversible
