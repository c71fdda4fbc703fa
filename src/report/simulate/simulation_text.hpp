#pragma once
// Requests through time, for people and for other programs.

#include <string>

#include "report/base/style.hpp"
#include "report/chart/chart.hpp"
#include "simulate/answer/answer.hpp"

namespace ridge::report {

/// "64 users", "12 requests/s, Poisson", "trace azure.csv": who sends, in words.
std::string client_words(const simulate::SimulationQuestion& question);
/// "gpt-oss 20B on 1 GPU of HGX H100 (TP1)": what runs, chips for prefill included.
std::string simulated_words(const simulate::SimulationAnswer& answer);
/// "TTFT 2 s, TPOT 30 ms".
std::string targets_words(const simulate::LatencyTargets& targets);

std::string simulation_text(const simulate::SimulationAnswer& answer, const Style& style);
std::string simulation_json(const simulate::SimulationAnswer& answer);

/// Where no rate keeps the targets, not even of requests that never meet another.
std::string no_rate_text(const simulate::SimulationAnswer& answer, const Style& style);

/// What is not a number of times and shares: the distribution of latencies, the run over time, TTFT against load.
enum class SimulationPicture { latency, timeline, load };
std::string simulation_svg(const simulate::SimulationAnswer& answer, SimulationPicture picture);

}  // namespace ridge::report
