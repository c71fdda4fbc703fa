#pragma once
// How long a step takes: the equations of serve/step, asked for exactly what a scheduler put together. There is no second
// cost model; whoever tests schedulers alone gives a function of his own.

#include <functional>
#include <memory>
#include <span>

#include "serve/deployment.hpp"
#include "simulate/clock.hpp"
#include "simulate/engine/step_work.hpp"

namespace ridge::simulate {

/// Of ranks that step together; they share their experts, and nobody goes on before the last is done. It may remember
/// what it was asked: a copy for each thread.
using StepTime = std::function<Nanoseconds(std::span<const StepWork> ranks)>;

/// Which chips of a deployment.
enum class PoolRole { decode, prefill };

/// A pool of a deployment. Prompts of different lengths count as equal ones with the same tokens and the same pairs; the
/// rank with most to do sets the pace of attention.
StepTime step_time_of(std::shared_ptr<const Deployment> deployment, PoolRole role);

}  // namespace ridge::simulate
