#include "cli/simulate/simulation_options.hpp"

#include <fmt/format.h>

#include "base/text/chosen_word.hpp"
#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "catalog/entries/client_entry.hpp"
#include "catalog/question/simulation_text.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/options/option_reader.hpp"
#include "cli/question/serving.hpp"
#include "cli/simulate/trace_file.hpp"

namespace ridge::cli {

namespace {

class SimulationReader {
 public:
  SimulationReader(const Arguments& arguments, Program& program)
      : arguments_(arguments), program_(program), reader_(arguments) {}

  Result<AskedSimulation> read() {
    auto serving = asked_serving();
    if (!serving) return fail(serving.error());
    asked_.find_rate = has("find_rate");
    asked_.share = reader_.number("slo_share", 0.99, {.least = 0, .most = 1, .above = true});
    asked_.trace = asked_trace(reader_);
    asked_.mix = asked_mix(reader_);
    const auto clients = reader_.take(catalog::benchmark_clients(*program_.facts));
    if (!clients) return fail(reader_.errors());
    catalog::SimulationTexts texts;
    for (const Given& one : arguments_.given) texts.given.emplace_back(one.key, one.text);
    const catalog::SimulationGround ground{&*clients, asked_.trace, asked_.find_rate, asked_.mix};
    auto read = reader_.take(catalog::read_simulation(texts, std::move(*serving), asked_.question.scheduler, ground));
    read_output();
    if (!reader_.errors().empty()) return fail(reader_.errors());
    asked_.question = std::move(read->question);
    asked_.mixed = std::move(read->mixed);
    asked_.requests = read->requests;
    asked_.notes.insert(asked_.notes.end(), read->notes.begin(), read->notes.end());
    asked_.taken = std::move(read->taken);
    return std::move(asked_);
  }

 private:
  bool has(const char* key) const { return arguments_.has(key); }

  Result<ServingQuestion> asked_serving() {
    if (has("from")) {
      auto asked = asked_with_command(arguments_, program_);
      if (!asked) return fail(asked.error());
      asked_.notes = std::move(asked->notes);
      asked_.question.scheduler = asked->scheduler;
      return std::move(asked->question);
    }
    const auto scenario = scenario_of(program_, arguments_, arguments_.text("model"));
    if (!scenario) return fail(scenario.error());
    ServingQuestion serving;
    serving.scenario = *scenario;
    return with_options(std::move(serving), arguments_);
  }

  void read_output() {
    asked_.seeds = static_cast<std::size_t>(arguments_.whole("seeds", 1));
    asked_.threads = static_cast<unsigned>(arguments_.whole("threads", static_cast<int>(all_threads())));
    if (asked_.find_rate && asked_.seeds > 1)
      reader_.refuse("seeds", fmt::format("stands beside {}", field("find_rate")),
                     "one seed for all rates: leave it out");
    using report::SimulationPicture;
    static constexpr std::pair<const char*, SimulationPicture> kPictures[] = {{"latency", SimulationPicture::latency},
                                                                              {"timeline", SimulationPicture::timeline},
                                                                              {"load", SimulationPicture::load}};
    if (const auto picture =
            reader_.take(chosen_word("chart", arguments_.text("chart", kPictures[0].first), kPictures)))
      asked_.picture = *picture;
    if (!has("chart") && asked_.find_rate) asked_.picture = SimulationPicture::load;
    if (asked_.picture == SimulationPicture::load && !asked_.find_rate)
      reader_.refuse("chart", "load is drawn from the rates that --find-rate tries", "latency or timeline");
  }

  const Arguments& arguments_;
  Program& program_;
  OptionReader reader_;
  AskedSimulation asked_;
};

}  // namespace

Result<AskedSimulation> asked_simulation(const Arguments& arguments, Program& program) {
  return SimulationReader(arguments, program).read();
}

OptionGroup client_options() {
  return {
      "Client",
      {{"--client", "client", "NAME", "draw lengths and counts as inferencex, vllm, sglang, aiperf or guidellm do"},
       {"--requests", "requests", "N", "requests to send, at most 20 million",
        "10 a user, at least 200; at a rate 2 minutes, 1,000 to 20,000"},
       {"--length-spread", "length_spread", "SHARE",
        "lengths are uniform in L(1-SHARE) to L(1+SHARE); with --client as its own ratio", "0"},
       {"--burstiness", "burstiness", "X", "shape of the gaps at a --rate: 1 Poisson, below bursts, 0 all alike", "1"},
       {"--warmups", "warmups", "N", "copies of the first request, answered before what is measured", "the client's"},
       {"--ramp-from", "ramp_from", "N", "requests a second at the start, growing evenly to --rate"},
       {"--think", "think", "TIME", "mean time between an answer and the user's next request", "0"},
       {"--sessions", "sessions", "N", "conversations at once, instead of --concurrency; with --rate they begin at it"},
       {"--turns", "turns", "N", "of a conversation: each prompt holds all before, and --isl more", "4 with --sessions",
        Reads::command, false, false, 1, 10000},
       {"--system-prompts", "system_prompts", "N", "each prompt begins with one of so many", "0"},
       {"--system-tokens", "system_tokens", "TOKENS", "of a system prompt, inside --isl", "half of --isl"},
       {"--trace", "trace", "FILE", "replay recorded requests (docs/traces.md), - for standard input"},
       {"--mix", "mix", "CLASSES",
        "requests of several kinds at a --rate: 'chat: 70% 1k/200, agents: 30% 8k/1k@90%', as ridge plan reads them"},
       {"--speed", "speed", "X", "replay the trace so many times as fast", "1"},
       {"--seed", "seed", "N", "of all that is drawn at random", "1"},
       {"--seeds", "seeds", "N", "run so many seeds, and say how far they differ", "1", Reads::command, false, false, 1,
        1000}}};
}

OptionGroup scheduler_options() {
  return {"Scheduler",
          {{"--max-seqs,--max-num-seqs", "max_seqs", "N", "requests that run at once on a rank", "the engine's"},
           {"--no-prefix-cache", "no_prefix_cache", "", "no prompt finds what another has computed"},
           {"--no-chunked-prefill", "no_chunked_prefill", "", "prompts go through whole"},
           {"--no-async", "no_async", "", "compose a step when the one before it has ended"},
           {"--poll-steps", "poll_steps", "N", "decode steps between two looks at new requests", "1"},
           {"--order", "order", "HOW", "who is admitted first: first-come, priority or longest-prefix", "first-come"},
           {"--kv-tiers", "kv_tiers", "TIERS",
            "where evicted prefixes go, and how much of it a replica has: dram=500GB,flash=4TB"},
           {"--routing", "routing", "HOW", "of --replicas: least-loaded, round-robin, power-of-two or prefix-aware",
            "least-loaded"},
           {"--fail", "fail", "AT[:FOR]", "a replica fails then, for so long or for good; 60s:30s,90s fails two"},
           {"--mtbf", "mtbf", "TIME", "mean time between failures of a replica, at random"},
           {"--repair", "repair", "TIME", "until it is back from one of those", "1 min"},
           {"--cold-start", "cold_start", "", "replicas read their weights and compile before the first step"}}};
}

}  // namespace ridge::cli
