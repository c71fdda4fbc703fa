#pragma once
// The options of ridge simulate as a question.

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/program.hpp"
#include "report/simulate/simulation_text.hpp"
#include "simulate/client/benchmark_client.hpp"
#include "simulate/client/request_mix.hpp"
#include "simulate/setup.hpp"

namespace ridge::cli {

struct AskedSimulation {
  simulate::SimulationQuestion question;
  std::shared_ptr<const simulate::Trace> trace;  // that the question replays
  std::optional<simulate::RequestMix> mix;       // or the kinds of requests that it sends
  std::shared_ptr<const simulate::MixedRequests> mixed;
  bool find_rate = false;
  double share = 0.99;        // of requests that keep the SLO, for find_rate
  std::int64_t requests = 0;  // as given; 0: not
  std::size_t seeds = 1;
  unsigned threads = 1;
  report::SimulationPicture picture = report::SimulationPicture::latency;
  std::vector<std::string> notes, taken;  // about a pasted command or a trace; what was not given
};

Result<AskedSimulation> asked_simulation(const Arguments& arguments, Program& program);

/// Who sends, and how the scheduler is set.
OptionGroup client_options();
OptionGroup scheduler_options();

}  // namespace ridge::cli
