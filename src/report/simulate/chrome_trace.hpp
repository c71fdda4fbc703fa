#pragma once
// A run as trace events (chrome://tracing, ui.perfetto.dev): steps of each replica, phases of each request, and what ran,
// waited and was held over time. Written piece by piece, so that memory does not grow with the run.
// Source: "Trace Event Format", Google, 2016; times are in microseconds.

#include <cstdint>
#include <span>
#include <string>

#include "simulate/simulation.hpp"

namespace ridge::report {

std::string trace_beginning(std::int32_t replicas);
/// A step: a complete event, replicas being processes and micro-batches threads.
std::string trace_step(std::int32_t replica, std::int32_t batch, simulate::Nanoseconds from, simulate::Nanoseconds to,
                       std::span<const simulate::StepWork> ranks);
/// A request: asynchronous events, one inside the other.
std::string trace_request(const simulate::RequestOutcome& outcome);
/// Counters, and the end.
std::string trace_ending(const simulate::SimulationResult& result);

}  // namespace ridge::report
