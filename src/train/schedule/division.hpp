#pragma once
// A model that one scale-up domain cannot hold is divided over several: into pipeline stages, which costs a bubble, or by
// ZeRO-3 (FSDP), which gathers its weights over the scale-out network. Which is cheaper hangs on the domain's size and on how
// many micro-batches there are. docs/theory/schedules.md has the argument and its numbers.

#include "base/number/units.hpp"
#include "train/schedule/closed_form.hpp"

namespace ridge::train {

template <class S>
struct DivisionCase {
  Ratio<S> chips;             // of the whole run
  Ratio<S> domain;            // chips of a scale-up domain
  Params<S> params, active;   // all, and those a token uses
  BytesPerParam<S> state;     // weights, gradients and optimizer states, where none are divided over replicas
  BytesPerParam<S> width;     // of a weight that is sent
  Bytes<S> memory;            // of a chip, for the state
  FlopsPerSecond<S> rate;     // of a chip, as training reaches it
  BytesPerSecond<S> network;  // scale-out, of a chip, each way
  Tokens<S> batch;            // of an optimizer step, all replicas
  Tokens<S> microbatch;       // of one replica
};

/// A step divided in one way. Times without what both ways have alike.
template <class S>
struct DividedStep {
  Seconds<S> compute;  // of a step without any loss
  Seconds<S> lost;     // bubble, or traffic that computing does not hide
  Ratio<S> share() const { return lost / (compute + lost); }
};

/// Domains that one replica's state takes: its pipeline stages, where each domain is one. Not rounded.
template <class S>
Ratio<S> domains_of_replica(const DivisionCase<S>& c) {
  return c.params * c.state / (c.domain * c.memory);
}

template <class S>
Seconds<S> divided_compute(const DivisionCase<S>& c) {
  constexpr double kFlopPerParamToken = 6;  // forward 2, backward 4
  return FlopsPerParamToken<S>(S(kFlopPerParamToken)) * c.active * c.batch / (c.chips * c.rate);
}

/// ZeRO-3 with each domain a replica: every chip fetches its part of the weights twice and sends gradients once over the
/// scale-out network, once a step (the activations of the domain's whole share of the batch are kept), behind computation.
template <class S>
DividedStep<S> step_by_zero(const DivisionCase<S>& c) {
  const Seconds<S> traffic = 3.0 * (c.params * c.width / (c.domain * c.network)), compute = divided_compute(c);
  return {compute, max(Seconds<S>(S(0.0)), traffic - compute)};
}

/// The domain from which on ZeRO's traffic hides behind computation: chips x 3 params width rate / (6 active batch network).
/// With all of them training the same batch, more or faster chips want larger domains, and a larger batch smaller ones.
template <class S>
Ratio<S> domain_that_hides_zero(const DivisionCase<S>& c) {
  return 3.0 * (c.params * c.width / c.network) / divided_compute(c);
}

/// The micro-batches of a replica above which `stages` stages under 1F1B lose less than ZeRO: (p-1) compute / (traffic -
/// compute); unbounded where the traffic hides, so that stages never win.
template <class S>
Ratio<S> microbatches_for_stages(const DivisionCase<S>& c, double stages) {
  const Seconds<S> traffic = 3.0 * (c.params * c.width / (c.domain * c.network)), compute = divided_compute(c);
  return divide_or_unbounded((stages - 1) * compute, traffic - compute);
}

/// Micro-batches of one replica of `stages` domains.
inline double pipeline_microbatches(const DivisionCase<double>& c, int stages) {
  const double replicas = c.chips.value() / (c.domain.value() * stages);
  return (c.batch / c.microbatch).value() / std::max(1.0, replicas);
}

/// Stages over domains under a schedule, with the backward pass twice the forward pass; its bubble comes from the simulation of
/// the shape. Gradients are exchanged once a step behind the last micro-batches and not charged.
Result<DividedStep<double>> step_by_stages(const DivisionCase<double>& c, ScheduleKind kind);

enum class Division { one_domain, zero, stages };
struct DivisionVerdict {
  Division cheaper = Division::one_domain;
  int stages = 1;
  double microbatches = 0;
  DividedStep<double> by_stages, by_zero;
};
/// Which way is cheaper. Where one domain holds the state there is nothing to divide.
Result<DivisionVerdict> divide_model(const DivisionCase<double>& c, ScheduleKind kind);

/// The smallest domain, of powers of two up to all chips, from which on stages are never cheaper; 0: none.
Result<double> domain_without_stages(DivisionCase<double> c, ScheduleKind kind);

}  // namespace ridge::train
