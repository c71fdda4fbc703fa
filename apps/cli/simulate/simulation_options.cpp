#include "cli/simulate/simulation_options.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/field_text.hpp"
#include "base/text.hpp"
#include "catalog/entries/client_entry.hpp"
#include "catalog/facts/files.hpp"
#include "catalog/traces/traces.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/options/option_reader.hpp"
#include "cli/serving.hpp"
#include "simulate/question_check.hpp"

namespace ridge::cli {

namespace {

using simulate::BenchmarkClient;
using simulate::ClientRules;
using simulate::LatencyTargets;
using simulate::SimulationQuestion;

constexpr double kLeastRequests = 200, kRequestsPerUser = 10;
constexpr int kUsualTurns = 4;

/// "ttft=2s,tpot=30ms"
Result<LatencyTargets> targets_of(const std::string& text) {
  LatencyTargets targets;
  Errors errors;
  const auto refuse = [&](std::string what) {
    errors.push_back({"slo", std::move(what), "e.g. --slo ttft=2s,tpot=30ms,e2e=20s"});
  };
  for (const std::string& part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    const std::string name = lower_case(trimmed(part.substr(0, equals)));
    double* target = name == "ttft"   ? &targets.ttft
                     : name == "tpot" ? &targets.tpot
                     : name == "e2e"  ? &targets.e2e
                                      : nullptr;
    if (target == nullptr) {
      errors.push_back({"slo", fmt::format("\"{}\" is no latency that is promised", shortened(name)),
                        suggestion(name, {"ttft", "tpot", "e2e"})});
    } else if (equals == std::string::npos) {
      refuse(fmt::format("\"{}\" has no =", shortened(part)));
    } else if (const auto time = parse<Seconds<double>>(part.substr(equals + 1), "slo: " + name); !time) {
      append(errors, time.error());
    } else if (!(time->value() > 0 && time->value() <= simulate::kLongestRun)) {
      refuse(fmt::format("{} of {}", name, shortened(part.substr(equals + 1))));
    } else if (*target > 0) {
      refuse(name + " stands twice");
    } else {
      *target = time->value();
    }
  }
  if (!errors.empty()) return fail(std::move(errors));
  return targets;
}

/// One of several words; the first where none was given.
template <class T, std::size_t N>
T chosen(OptionReader& reader, const char* key, const std::pair<const char*, T> (&choices)[N]) {
  const std::string word = reader.arguments().text(key, choices[0].first);
  std::vector<std::string> known;
  for (const auto& [name, value] : choices) {
    if (word == name) return value;
    known.emplace_back(name);
  }
  reader.refuse(key, fmt::format("\"{}\" is none of them", shortened(word)), "one of: " + joined(known, ", "));
  return choices[0].second;
}

class SimulationReader {
 public:
  SimulationReader(const Arguments& arguments, Program& program)
      : arguments_(arguments), program_(program), reader_(arguments) {}

  Result<AskedSimulation> read() {
    auto serving = asked_serving();
    if (!serving) return fail(serving.error());
    question_.serving = std::move(*serving);
    refuse_pairs();
    read_slo();
    read_preset();
    read_arrivals();
    read_shared();
    read_requests();
    read_scheduler();
    read_output();
    if (!reader_.errors().empty()) return fail(reader_.errors());
    return std::move(asked_);
  }

 private:
  bool has(const char* key) const { return arguments_.has(key); }
  /// What the answer takes and nobody gave, as it would be given.
  void takes(const char* key, const std::string& value) {
    if (!has(key)) asked_.taken.push_back(field(key, value));
  }

  Result<ServingQuestion> asked_serving() {
    if (has("from")) {
      auto asked = asked_with_command(arguments_, program_);
      if (!asked) return fail(asked.error());
      asked_.notes = std::move(asked->notes);
      question_.scheduler = asked->scheduler;
      return std::move(asked->question);
    }
    const auto scenario = scenario_of(program_, arguments_, arguments_.text("model"));
    if (!scenario) return fail(scenario.error());
    ServingQuestion serving;
    serving.scenario = *scenario;
    return with_options(std::move(serving), arguments_);
  }

  void refuse_pairs() {
    const auto beside = [&](const char* one, std::initializer_list<const char*> others, const char* hint) {
      if (!has(one)) return;
      for (const char* other : others) {
        if (has(other)) reader_.refuse(other, fmt::format("stands beside {}", field(one)), hint);
      }
    };
    beside("trace",
           {"isl", "osl", "rate", "concurrency", "sessions", "turns", "think", "burstiness", "ramp_from", "client",
            "length_spread", "system_prompts", "system_tokens", "find_rate"},
           "the trace says who sends what: leave it out");
    beside("find_rate", {"rate", "concurrency", "sessions", "ramp_from"},
           "the rate is what is looked for: leave it out");
    beside("sessions", {"rate", "concurrency"}, "give one of them");
    beside("rate", {"concurrency"}, "one follows from the other: give one of them");
    const auto needs = [&](const char* one, bool there, const std::string& hint) {
      if (has(one) && !there) reader_.refuse(one, "has nothing to work on", hint);
    };
    const bool is_rate = has("rate") || has("find_rate"), is_session = has("sessions") || has("turns");
    needs("burstiness", is_rate && !is_session, fmt::format("give {} as well", field("rate")));
    needs("ramp_from", has("rate") && !is_session, fmt::format("give {} as well", field("rate")));
    needs("think", !is_rate || is_session, "users think in a closed loop: give --concurrency or --sessions");
    needs("speed", has("trace"), fmt::format("give {} as well", field("trace")));
    needs("find_rate", has("slo"), "say what the rate has to keep: --slo ttft=2s,tpot=30ms");
    needs("slo_share", has("find_rate"), fmt::format("give {} as well", field("find_rate")));
  }

  void read_slo() {
    if (has("slo")) {
      if (const auto targets = reader_.take(targets_of(arguments_.text("slo")))) question_.targets = *targets;
    }
    asked_.find_rate = has("find_rate");
    asked_.share = reader_.number("slo_share", 0.99, {.least = 0, .most = 1, .above = true});
  }

  void read_preset() {
    const std::string name = arguments_.text("client");
    if (name.empty()) return;
    const auto clients = reader_.take(catalog::benchmark_clients(*program_.facts));
    if (!clients) return;
    const BenchmarkClient* found = find_named(*clients, name);
    if (found == nullptr)
      return reader_.refuse("client", fmt::format("no client is called \"{}\"", shortened(name)),
                            suggestion(name, names_of(*clients)));
    preset_ = *found;
    if (!found->note.empty()) asked_.notes.push_back(fmt::format("{}: {}", found->title, found->note));
  }

  simulate::Nanoseconds think() {
    const auto time = reader_.read<Seconds<double>>("think", {.least = 0, .most = simulate::kLongestRun / 1e3});
    return time ? simulate::nanoseconds(time->value()) : 0;
  }

  void read_arrivals() {
    ClientRules& client = question_.client;
    if (has("trace")) return read_trace();
    const double isl = question_.serving.isl, osl = question_.serving.osl;
    for (const auto& [key, tokens] : {std::pair{"isl", isl}, {"osl", osl}}) {
      if (!(tokens >= 1 && tokens <= simulate::kMostTokens))
        reader_.refuse(key, fmt::format("{:g} tokens", tokens), "from 1 to 10 million");
    }
    const double spread = reader_.number("length_spread", preset_ ? preset_->spread : 0, kShareOfOne);
    const auto rule = preset_ ? preset_->lengths : simulate::LengthRule::around;
    client.prompt = simulate::lengths_of(rule, isl, spread);
    client.output = simulate::lengths_of(rule, osl, spread);
    const double replicas = question_.serving.replicas.value_or(1);
    const std::optional<double> rate = question_.serving.rate;
    const int turns = arguments_.whole("turns", kUsualTurns);
    // limits before numbers become whole: what is outside is refused with the rest of the question
    const auto users = [&](double wanted) { return static_cast<std::int64_t>(std::clamp(wanted, 0.0, 1e15)); };
    if (has("sessions") || has("turns")) {
      simulate::Sessions sessions;
      sessions.turns = turns;
      sessions.think = think();
      sessions.rate = rate.value_or(asked_.find_rate ? 1 : 0);
      sessions.users =
          users(reader_.number("sessions", question_.serving.concurrency.value_or(kUsualConcurrency * replicas),
                               {.least = 1, .most = simulate::kMostUsers, .whole = true}));
      if (!has("turns")) takes("turns", fmt::format("{}", kUsualTurns));
      client.arrivals = sessions;
    } else if (rate || asked_.find_rate) {
      simulate::OpenLoop loop;
      loop.rate = rate.value_or(1);
      loop.burstiness = reader_.number("burstiness", 1, {.least = 0, .most = 1e6});
      loop.ramp_from = reader_.number("ramp_from", 0, {.above = true});
      client.arrivals = loop;
    } else {
      const double wanted = question_.serving.concurrency.value_or(kUsualConcurrency * replicas);
      if (!question_.serving.concurrency) takes("concurrency", fmt::format("{:g}", wanted));
      client.arrivals = simulate::ClosedLoop{.users = users(wanted), .think = think()};
    }
  }

  void read_trace() {
    const std::string path = arguments_.text("trace");
    const catalog::TraceLimits limits;
    const auto text =
        reader_.take(path == "-" ? catalog::read_standard_input(limits.bytes) : catalog::read_file(path, limits.bytes));
    if (!text) return;
    auto trace = reader_.take(catalog::read_trace(*text, path == "-" ? "standard input" : path, limits));
    if (!trace) return;
    asked_.notes.insert(asked_.notes.end(), trace->notes.begin(), trace->notes.end());
    asked_.trace = std::make_shared<const simulate::Trace>(std::move(*trace));
    question_.client.arrivals =
        simulate::Replay{asked_.trace.get(), reader_.number("speed", 1, {.least = 1e-6, .most = 1e9})};
  }

  void read_shared() {
    ClientRules& client = question_.client;
    const bool any = has("system_prompts") || has("system_tokens");
    client.system_prompts = static_cast<std::int32_t>(
        reader_.number("system_prompts", any ? 1 : 0, {.least = 0, .most = 1e6, .whole = true}));
    if (const auto tokens =
            reader_.read<Tokens<double>>("system_tokens", {.least = 0, .most = simulate::kMostTokens})) {
      client.system_tokens = static_cast<std::int32_t>(tokens->value());
    } else if (any && !has("system_tokens")) {
      client.system_tokens = std::max(1, client.prompt.least / 2);
      takes("system_tokens", fmt::format("{}", client.system_tokens));
    }
  }

  void read_requests() {
    ClientRules& client = question_.client;
    const Within within{.least = 1, .most = simulate::kMostRequests, .whole = true};
    asked_.requests = static_cast<std::int64_t>(reader_.number("requests", 0, within));
    if (!has("requests")) asked_.requests = 0;
    if (asked_.requests > 0) {
      client.requests = asked_.requests;
      return;
    }
    if (asked_.trace) {
      client.requests = static_cast<std::int64_t>(asked_.trace->requests.size());
      return;
    }
    client.requests = usual_requests();
    if (!asked_.find_rate) takes("requests", fmt::format("{}", client.requests));
  }

  std::int64_t usual_requests() const {
    const ClientRules& client = question_.client;
    double users = 0;
    if (const auto* loop = std::get_if<simulate::ClosedLoop>(&client.arrivals))
      users = static_cast<double>(loop->users);
    if (const auto* sessions = std::get_if<simulate::Sessions>(&client.arrivals);
        sessions != nullptr && sessions->rate == 0)
      users = static_cast<double>(sessions->users);
    if (preset_) return preset_->requests_for(users);
    if (users > 0) return static_cast<std::int64_t>(std::max(kLeastRequests, kRequestsPerUser * users));
    return simulate::requests_at(question_.serving.rate.value_or(1));
  }

  void read_scheduler() {
    simulate::SchedulerFlags& flags = question_.scheduler;
    if (has("max_seqs")) flags.max_sequences = reader_.number("max_seqs", 1, {.least = 1, .most = 1e6, .whole = true});
    if (has("poll_steps")) flags.poll_steps = reader_.number("poll_steps", 1, {.least = 1, .most = 1e6, .whole = true});
    if (has("no_prefix_cache")) flags.prefix_cache = false;
    if (has("no_chunked_prefill")) flags.chunked_prefill = false;
    if (has("no_async")) flags.composed_early = false;
    using simulate::QueueOrder;
    static constexpr std::pair<const char*, QueueOrder> kOrders[] = {{"first-come", QueueOrder::first_come},
                                                                     {"priority", QueueOrder::priority},
                                                                     {"longest-prefix", QueueOrder::longest_prefix}};
    if (has("order")) flags.order = chosen(reader_, "order", kOrders);
    using simulate::Routing;
    static constexpr std::pair<const char*, Routing> kRoutings[] = {{"least-loaded", Routing::least_loaded},
                                                                    {"round-robin", Routing::round_robin},
                                                                    {"power-of-two", Routing::power_of_two},
                                                                    {"prefix-aware", Routing::prefix_aware}};
    question_.routing = chosen(reader_, "routing", kRoutings);
  }

  void read_output() {
    question_.seed = static_cast<std::uint64_t>(reader_.number("seed", 1, {.least = 0, .most = 9e15, .whole = true}));
    asked_.seeds = static_cast<std::size_t>(arguments_.whole("seeds", 1));
    asked_.threads = static_cast<unsigned>(arguments_.whole("threads", static_cast<int>(all_threads())));
    if (asked_.find_rate && asked_.seeds > 1)
      reader_.refuse("seeds", fmt::format("stands beside {}", field("find_rate")),
                     "one seed for all rates: leave it out");
    using report::SimulationPicture;
    static constexpr std::pair<const char*, SimulationPicture> kPictures[] = {{"latency", SimulationPicture::latency},
                                                                              {"timeline", SimulationPicture::timeline},
                                                                              {"load", SimulationPicture::load}};
    asked_.picture = chosen(reader_, "chart", kPictures);
    if (!has("chart") && asked_.find_rate) asked_.picture = SimulationPicture::load;
    if (asked_.picture == SimulationPicture::load && !asked_.find_rate)
      reader_.refuse("chart", "load is drawn from the rates that --find-rate tries", "latency or timeline");
  }

  const Arguments& arguments_;
  Program& program_;
  OptionReader reader_;
  AskedSimulation asked_;
  SimulationQuestion& question_ = asked_.question;
  std::optional<BenchmarkClient> preset_;
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
       {"--ramp-from", "ramp_from", "N", "requests a second at the start, growing evenly to --rate"},
       {"--think", "think", "TIME", "mean time between an answer and the user's next request", "0"},
       {"--sessions", "sessions", "N", "conversations at once, instead of --concurrency; with --rate they begin at it"},
       {"--turns", "turns", "N", "of a conversation: each prompt holds all before, and --isl more", "4 with --sessions",
        Reads::command, false, false, 1, 10000},
       {"--system-prompts", "system_prompts", "N", "each prompt begins with one of so many", "0"},
       {"--system-tokens", "system_tokens", "TOKENS", "of a system prompt, inside --isl", "half of --isl"},
       {"--trace", "trace", "FILE", "replay recorded requests (docs/traces.md), - for standard input"},
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
           {"--routing", "routing", "HOW", "of --replicas: least-loaded, round-robin, power-of-two or prefix-aware",
            "least-loaded"}}};
}

}  // namespace ridge::cli
