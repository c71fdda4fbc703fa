// The order of operations on each rank, by schedule. Sources stand in docs/theory/schedules.md.

#include <algorithm>

#include "train/schedule/schedule.hpp"

namespace ridge::train {

namespace {

using Operation = ScheduleOrder::Operation;

/// One rank's operations as they are written down; a chunk's micro-batches come in their order, so only a count is kept.
class RankOrder {
 public:
  RankOrder(Operation* to, const PipelineShape& shape) : to_(to), microbatches_(shape.microbatches) {
    if (shape.kind != ScheduleKind::dualpipe) return;
    microbatches_ /= 2;  // of each direction
    offset_[1] = microbatches_;
  }
  Operation* end() const { return to_; }

  void forward(int chunk) { put(Work::forward, chunk, forwards_[chunk]++); }
  void input_gradient(int chunk) { put(Work::input_gradient, chunk, backwards_[chunk]++); }
  void weight_gradient(int chunk) { put(Work::weight_gradient, chunk, weights_[chunk]++); }
  void backward(int chunk) {
    put(Work::backward, chunk, backwards_[chunk]++);
    ++weights_[chunk];
  }
  void pair(int forward_chunk, int backward_chunk) {
    forward(forward_chunk);
    to_[-1].paired = true;
    backward(backward_chunk);
    to_[-1].paired = true;
  }
  /// One whose place is counted elsewhere.
  void put(Work work, int chunk, int microbatch) {
    if (microbatch >= microbatches_) return;  // ZB-V with few of them
    *to_++ = {work, false, static_cast<std::int16_t>(chunk), microbatch + offset_[chunk & 1]};
  }

  int forwards(int chunk) const { return forwards_[chunk]; }
  int backwards(int chunk) const { return backwards_[chunk]; }
  int weights(int chunk) const { return weights_[chunk]; }

 private:
  Operation* to_;
  int microbatches_;
  int offset_[2] = {};
  int forwards_[2] = {}, backwards_[2] = {}, weights_[2] = {};
};

/// All forwards, then all backwards. Huang et al. 2019.
void order_gpipe(const PipelineShape& shape, RankOrder& rank) {
  for (int i = 0; i < shape.microbatches; ++i) rank.forward(0);
  for (int i = 0; i < shape.microbatches; ++i) rank.backward(0);
}

/// p - 1 - i forwards, then a forward and a backward in turn, then the backwards that are left. Narayanan et al. 2021.
void order_1f1b(const PipelineShape& shape, int index, RankOrder& rank) {
  const int m = shape.microbatches, warm_up = std::min(shape.ranks - 1 - index, m);
  for (int i = 0; i < warm_up; ++i) rank.forward(0);
  for (int i = warm_up; i < m; ++i) {
    rank.forward(0);
    rank.backward(0);
  }
  for (int i = 0; i < warm_up; ++i) rank.backward(0);
}

/// 1F1B with I in place of B, and W of a micro-batch `lag` micro-batches after its I: or fewer, where so few micro-batches
/// come that no more than that can be live. Qi et al. 2023.
void order_zero_bubble(int microbatches, int warm_up, int lag, RankOrder& rank) {
  warm_up = std::min(warm_up, microbatches);
  lag = std::clamp(microbatches - 1 - warm_up, 0, lag);
  const auto gradients = [&] {
    rank.input_gradient(0);
    if (rank.backwards(0) > lag) rank.weight_gradient(0);
  };
  for (int i = 0; i < warm_up; ++i) rank.forward(0);
  for (int i = warm_up; i < microbatches; ++i) {
    rank.forward(0);
    gradients();
  }
  for (int i = 0; i < warm_up; ++i) gradients();
  while (rank.weights(0) < microbatches) rank.weight_gradient(0);
}

/// Groups of p micro-batches through chunk after chunk; backwards the same, last chunk first. Narayanan et al. 2021.
void order_interleaved(const PipelineShape& shape, int index, RankOrder& rank) {
  const int p = shape.ranks, v = shape.chunks, all = shape.microbatches * v;
  const auto passes = [&](Work work) {  // the next chunk and micro-batch, whenever it is asked
    return [&rank, work, p, v, group = 0, chunk = 0, member = 0]() mutable {
      rank.put(work, work == Work::forward ? chunk : v - 1 - chunk, group * p + member);
      if (++member < p) return;
      member = 0;
      if (++chunk < v) return;
      chunk = 0;
      ++group;
    };
  };
  auto forward = passes(Work::forward), backward = passes(Work::backward);
  const int warm_up = std::min(2 * (p - 1 - index) + (v - 1) * p, all);
  for (int i = 0; i < warm_up; ++i) forward();
  for (int i = warm_up; i < all; ++i) {
    forward();
    backward();
  }
  for (int i = 0; i < warm_up; ++i) backward();
}

/// Two chunks a rank in the shape of a V. Qi et al. 2023, section 6; the order is that of PyTorch's
/// ScheduleZBVZeroBubble, which leaves out the micro-batches that are not there.
void order_zb_v(const PipelineShape& shape, int index, RankOrder& rank) {
  const int p = shape.ranks, m = std::max(shape.microbatches, 2 * p - 1);
  const auto both_gradients = [&](int chunk) {
    rank.input_gradient(chunk);
    rank.weight_gradient(chunk);
  };
  for (int i = 0; i < 2 * (p - index) - 1; ++i) rank.forward(0);
  for (int i = 0; i < index; ++i) {
    rank.forward(1);
    rank.forward(0);
  }
  for (int i = 0; i < p - index; ++i) {
    rank.forward(1);
    both_gradients(1);
  }
  while (rank.forwards(1) < rank.forwards(0) || rank.forwards(0) < m) {
    if (rank.forwards(0) < m) rank.forward(0);
    both_gradients(0);
    rank.forward(1);
    both_gradients(1);
  }
  for (int i = 0; i < index; ++i) {
    rank.input_gradient(0);
    rank.input_gradient(1);
  }
  for (int i = 0; i < p - index; ++i) {
    rank.input_gradient(0);
    rank.weight_gradient(0);
  }
  for (const int chunk : {1, 0}) {
    while (rank.weights(chunk) < rank.backwards(chunk)) rank.weight_gradient(chunk);
  }
}

/// The eight phases of DualPipe, for a rank that is `depth` away from the pipeline's end, of `half` such ranks. `first` is
/// the chunk or direction that begins. Source: deepseek-ai/DualPipe, dualpipe.py and dualpipev.py.
struct DualPlace {
  int half, depth, first;
  int rounds;  // micro-batches of a chunk or direction
};
void order_dual(const DualPlace& place, RankOrder& rank) {
  const int one = place.first, two = 1 - one, outside = place.half - place.depth - 1, inside = place.depth + 1;
  std::vector<int> deferred;  // chunks whose weight gradients wait, in the order of their input gradients
  std::size_t next_deferred = 0;
  const auto deferred_weight = [&] { rank.weight_gradient(deferred[next_deferred++]); };
  const auto deferring_gradient = [&](int chunk) {
    rank.input_gradient(chunk);
    deferred.push_back(chunk);
  };
  for (int i = 0; i < 2 * outside; ++i) rank.forward(one);
  for (int i = 0; i < inside; ++i) {
    rank.forward(one);
    rank.forward(two);
  }
  for (int i = 0; i < outside; ++i) {
    rank.input_gradient(two);
    rank.weight_gradient(two);
    rank.forward(two);
  }
  for (int i = 0; i < place.rounds - 2 * place.half + inside; ++i) {
    if (i == 0 && outside == 0) {  // in the middle the first two are not run together: that shortens the bubble
      rank.forward(one);
      rank.backward(two);
    } else {
      rank.pair(one, two);
    }
    rank.pair(two, one);
  }
  for (int i = 0; i < outside; ++i) {
    rank.backward(two);
    rank.pair(two, one);
  }
  bool deferring = false;
  for (int i = 0; i < inside; ++i) {
    for (const int chunk : {two, one}) {
      if (i == inside / 2 && (place.depth % 2 == 1 || chunk == one)) deferring = true;
      if (deferring) {
        deferring_gradient(chunk);
      } else {
        rank.backward(chunk);
      }
    }
  }
  for (int i = 0; i < outside; ++i) {
    deferred_weight();
    deferring_gradient(one);
  }
  for (int i = 0; i < inside; ++i) deferred_weight();
}

void order_rank(const PipelineShape& shape, int index, RankOrder& rank) {
  const int p = shape.ranks, m = shape.microbatches;
  switch (shape.kind) {
    case ScheduleKind::gpipe:
      return order_gpipe(shape, rank);
    case ScheduleKind::one_f_one_b:
      return order_1f1b(shape, index, rank);
    case ScheduleKind::interleaved:
      return order_interleaved(shape, index, rank);
    case ScheduleKind::zb_h1:
      return order_zero_bubble(m, p - 1 - index, index, rank);
    case ScheduleKind::zb_h2:
      return order_zero_bubble(m, 2 * (p - 1 - index), 2 * index, rank);
    case ScheduleKind::zb_v:
      return order_zb_v(shape, index, rank);
    case ScheduleKind::dualpipe: {
      const bool second_half = index >= p / 2;
      return order_dual({p / 2, second_half ? p - 1 - index : index, second_half ? 1 : 0, m / 2}, rank);
    }
    case ScheduleKind::dualpipev:
      return order_dual({p, index, 0, m}, rank);
    case ScheduleKind::inference:
      for (int i = 0; i < m; ++i) rank.forward(0);
  }
}

/// Of a rank and micro-batch.
std::size_t most_operations(const PipelineShape& shape) {
  if (shape.kind == ScheduleKind::inference) return 1;
  if (shape.kind == ScheduleKind::dualpipe) return 3;
  return static_cast<std::size_t>(shape.chunks) * (splits_backward(shape.kind) ? 3 : 2);
}

}  // namespace

std::span<const Operation> ScheduleOrder::of(int rank) const {
  const std::size_t from = rank_begins[static_cast<std::size_t>(rank)];
  return std::span(operations).subspan(from, rank_begins[static_cast<std::size_t>(rank) + 1] - from);
}

Result<ScheduleOrder> order_of(const PipelineShape& shape) {
  if (Errors errors = check(shape); !errors.empty()) return fail(std::move(errors));
  const auto ranks = static_cast<std::size_t>(shape.ranks);
  ScheduleOrder order{shape, {}, {}};
  order.operations.resize(ranks * static_cast<std::size_t>(shape.microbatches) * most_operations(shape));
  order.rank_begins.reserve(ranks + 1);
  Operation* to = order.operations.data();
  for (int index = 0; index < shape.ranks; ++index) {
    order.rank_begins.push_back(static_cast<std::size_t>(to - order.operations.data()));
    RankOrder rank(to, shape);
    order_rank(shape, index, rank);
    to = rank.end();
  }
  order.rank_begins.push_back(static_cast<std::size_t>(to - order.operations.data()));
  order.operations.resize(order.rank_begins.back());
  return order;
}

double peak_live_weight(const ScheduleOrder& order, int rank, std::span<const double> of_chunk) {
  double live = 0, peak = 0;
  for (const Operation& operation : order.of(rank)) {
    const double weight = of_chunk[static_cast<std::size_t>(operation.chunk)];
    if (operation.work == Work::forward) {
      live += weight;
      peak = std::max(peak, live);
    } else if (operation.work != Work::input_gradient) {
      live -= weight;
    }
  }
  return peak;
}

}  // namespace ridge::train
