#include "catalog/question/simulation_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/chosen_word.hpp"
#include "base/text/field_text.hpp"
#include "base/text/request_rate.hpp"
#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "base/text/within.hpp"
#include "library/library.hpp"
#include "serve/slo/slo.hpp"
#include "simulate/question_check.hpp"

namespace ridge::catalog {

namespace {

using simulate::BenchmarkClient;
using simulate::ClientRules;
using simulate::LatencyTargets;
using simulate::QueueOrder;
using simulate::Routing;

constexpr double kLeastRequests = 200, kRequestsPerUser = 10;
constexpr int kUsualTurns = 4;

/// "ttft=2s,tpot=30ms": of a single request, which keeps them or does not. A percentile of 99 says no more than that.
Result<LatencyTargets> targets_of(const std::string& text) {
  const auto slo = parse_slo(text);
  if (!slo) return fail(slo.error());
  LatencyTargets targets;
  for (const SloTarget& one : *slo) {
    double& limit = one.metric == SloMetric::ttft   ? targets.ttft
                    : one.metric == SloMetric::tpot ? targets.tpot
                                                    : targets.e2e;
    if (one.statistic != SloStatistic{} || limit > 0)
      return fail(
          {"slo", fmt::format("{}: a simulated request keeps a limit or does not", show(one)),
           fmt::format("one limit for each latency; {} says how many requests have to keep it", field("slo_share"))});
    limit = one.limit.value();
  }
  return targets;
}

/// "dram=500GB,flash=4TB", the nearest first.
Result<std::vector<simulate::AskedTier>> tiers_of(const std::string& text) {
  std::vector<simulate::AskedTier> tiers;
  Errors errors;
  constexpr const char* kExample = "name and size for a replica, e.g. dram=500GB,flash=4TB (ridge list tiers)";
  for (const std::string& part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos) {
      errors.push_back({"kv_tiers", fmt::format("\"{}\" has no size", shortened(part)), kExample});
      continue;
    }
    const std::string name = lower_case(trimmed(part.substr(0, equals)));
    const auto size = parse<Bytes<double>>(part.substr(equals + 1), "kv_tiers: " + name);
    if (!size) {
      append(errors, size.error());
    } else if (!(size->value() > 0)) {
      errors.push_back({"kv_tiers", fmt::format("{} of {}", shortened(part.substr(equals + 1)), name), kExample});
    } else {
      tiers.push_back({name, size->value()});
    }
  }
  if (!errors.empty()) return fail(std::move(errors));
  return tiers;
}

/// "60s:30s,90s": at one minute for half a minute, then the next replica at 90 s for good.
Result<std::vector<simulate::Outage>> outages_of(const std::string& text) {
  std::vector<simulate::Outage> outages;
  Errors errors;
  for (const std::string& part : split(text, ',')) {
    const std::size_t colon = part.find(':');
    simulate::Outage outage;
    outage.replica = static_cast<std::int32_t>(outages.size());
    for (const bool is_start : {true, false}) {
      if (!is_start && colon == std::string::npos) continue;
      const std::string word = is_start ? part.substr(0, colon) : part.substr(colon + 1);
      const auto time = parse<Seconds<double>>(word, "fail");
      if (!time) {
        append(errors, time.error());
      } else if (!(time->value() >= 0 && time->value() <= simulate::kLongestRun) || (!is_start && time->value() == 0)) {
        errors.push_back({"fail", fmt::format("\"{}\" is out of range", shortened(word)), "e.g. 60s:30s"});
      } else {
        (is_start ? outage.at : outage.length) = simulate::nanoseconds(time->value());
      }
    }
    outages.push_back(outage);
  }
  if (!errors.empty()) return fail(std::move(errors));
  return outages;
}

/// The texts read as what they should be; everything that is wrong is collected.
class SimulationTextReader {
 public:
  SimulationTextReader(const SimulationTexts& texts, const SimulationGround& ground) : texts_(texts), ground_(ground) {}

  Result<ReadSimulation> read(ServingQuestion serving, const simulate::SchedulerFlags& scheduler) {
    question_.serving = std::move(serving);
    question_.scheduler = scheduler;
    refuse_pairs();
    if (has("slo")) {
      if (const auto targets = take(targets_of(texts_.text("slo")))) question_.targets = *targets;
    }
    if (has("prefill_replicas"))
      question_.prefill_replicas =
          number("prefill_replicas", 1, {.least = 1, .most = simulate::kMostReplicas, .whole = true});
    question_.seed = static_cast<std::uint64_t>(number("seed", 1, {.least = 0, .most = 9e15, .whole = true}));
    read_preset();
    read_arrivals();
    read_shared();
    read_requests();
    if (ground_.mix) draw_mix(*ground_.mix);
    read_scheduler();
    read_tiers_and_failures();
    if (!errors_.empty()) return fail(std::move(errors_));
    return std::move(read_);
  }

  void refuse(std::string_view key, std::string what, std::string hint) {
    errors_.push_back({std::string(key), std::move(what), std::move(hint)});
  }

 private:
  bool has(const char* key) const { return texts_.has(key); }
  /// What the answer takes and nobody gave, as it would be given.
  void takes(const char* key, const std::string& value) {
    if (!has(key)) read_.taken.push_back(field(key, value));
  }
  template <class T>
  std::optional<T> take(Result<T> result) {
    if (result) return std::move(*result);
    append(errors_, result.error());
    return {};
  }
  std::optional<double> quantity(const char* key, Dimension dimension, const Within& within) {
    if (!has(key)) return {};
    return within_limits(key, parse_as(texts_.text(key), dimension, key), within);
  }
  std::optional<double> within_limits(const char* key, Result<double> parsed, const Within& within) {
    const auto value = take(std::move(parsed));
    if (!value || !take(checked_within(*value, within, texts_.text(key), key))) return {};
    return value;
  }
  double number(const char* key, double otherwise, const Within& within) {
    return quantity(key, kNone, within).value_or(otherwise);
  }

  void refuse_pairs() {
    const auto beside = [&](const char* one, std::initializer_list<const char*> others, const char* hint) {
      if (!has(one)) return;
      for (const char* other : others) {
        if (has(other)) refuse(other, fmt::format("stands beside {}", field(one)), hint);
      }
    };
    beside("trace",
           {"isl", "osl", "rate", "concurrency", "sessions", "turns", "think", "burstiness", "ramp_from", "client",
            "length_spread", "system_prompts", "system_tokens", "find_rate"},
           "the trace says who sends what: leave it out");
    beside("mix",
           {"isl", "osl", "concurrency", "sessions", "turns", "think", "burstiness", "ramp_from", "client",
            "length_spread", "system_prompts", "system_tokens", "trace", "speed", "warmups", "find_rate"},
           "the mix says what is sent, at random times: leave it out");
    if (has("mix") && !has("rate")) refuse("mix", "at which rate?", fmt::format("give {} as well", field("rate")));
    if (ground_.finds_rate)
      beside("find_rate", {"rate", "concurrency", "sessions", "ramp_from"},
             "the rate is what is looked for: leave it out");
    beside("sessions", {"rate", "concurrency"}, "give one of them");
    const auto needs = [&](const char* one, bool there, const std::string& hint) {
      if (has(one) && !there) refuse(one, "has nothing to work on", hint);
    };
    const bool is_rate = has("rate") || ground_.finds_rate, is_session = has("sessions") || has("turns");
    needs("burstiness", is_rate && !is_session, fmt::format("give {} as well", field("rate")));
    needs("ramp_from", has("rate") && !is_session, fmt::format("give {} as well", field("rate")));
    needs("think", !is_rate || is_session, "users think in a closed loop: give --concurrency or --sessions");
    if (has("rate") && is_session) beside("rate", {"concurrency"}, "conversations begin at a rate: leave it out");
    needs("warmups", !is_session && !has("trace"), "conversations and traces have none");
    needs("repair", has("mtbf"), fmt::format("give {} as well", field("mtbf")));
    needs("speed", has("trace"), fmt::format("give {} as well", field("trace")));
    needs("find_rate", has("slo"), "say what the rate has to keep: --slo ttft=2s,tpot=30ms");
    needs("slo_share", ground_.finds_rate, fmt::format("give {} as well", field("find_rate")));
  }

  void read_preset() {
    const std::string name = texts_.text("client");
    if (name.empty()) return;
    const BenchmarkClient* found = ground_.clients == nullptr ? nullptr : find_named(*ground_.clients, name);
    if (found == nullptr)
      return refuse("client", fmt::format("no client is called \"{}\"", shortened(name)),
                    suggestion(name, known_clients()));
    preset_ = *found;
    if (!found->note.empty()) read_.notes.push_back(fmt::format("{}: {}", found->title, found->note));
  }

  simulate::Nanoseconds think() {
    return simulate::nanoseconds(
        quantity("think", ridge::kSecond, {.least = 0, .most = simulate::kLongestRun / 1e3}).value_or(0));
  }

  void read_arrivals() {
    ClientRules& client = question_.client;
    if (ground_.trace) return read_trace();
    if (has("trace") || has("mix")) return;  // drawn later, or it could not be read and somebody has said so
    const double isl = question_.serving.isl, osl = question_.serving.osl;
    for (const auto& [key, tokens] : {std::pair{"isl", isl}, {"osl", osl}}) {
      if (!(tokens >= 1 && tokens <= simulate::kMostTokens))
        refuse(key, fmt::format("{:g} tokens", tokens), "from 1 to 10 million");
    }
    const double spread = number("length_spread", preset_ ? preset_->spread : 0, kShareOfOne);
    const auto rule = preset_ ? preset_->lengths : simulate::LengthRule::around;
    client.prompt = simulate::lengths_of(rule, isl, spread);
    client.output = simulate::lengths_of(rule, osl, spread);
    const double replicas = question_.serving.replicas.value_or(1);
    const std::optional<double> rate = question_.serving.rate;
    const int turns = static_cast<int>(number("turns", kUsualTurns, {.least = 1, .most = 10'000, .whole = true}));
    // limits before numbers become whole: what is outside is refused with the rest of the question
    const auto users = [&](double wanted) { return static_cast<std::int64_t>(std::clamp(wanted, 0.0, 1e15)); };
    if (has("sessions") || has("turns")) {
      simulate::Sessions sessions;
      sessions.turns = turns;
      sessions.think = think();
      sessions.rate = rate.value_or(ground_.finds_rate ? 1 : 0);
      sessions.users = users(number("sessions", question_.serving.concurrency.value_or(kUsualConcurrency * replicas),
                                    {.least = 1, .most = simulate::kMostUsers, .whole = true}));
      if (!has("turns")) takes("turns", fmt::format("{}", kUsualTurns));
      client.arrivals = sessions;
    } else if (rate || ground_.finds_rate) {
      simulate::OpenLoop loop;
      loop.rate = rate.value_or(1);
      loop.burstiness = number("burstiness", 1, {.least = 0, .most = 1e6});
      if (has("ramp_from"))
        loop.ramp_from =
            within_limits("ramp_from", parse_request_rate(texts_.text("ramp_from"), "ramp_from"), {.above = true})
                .value_or(0);
      loop.stretched = preset_ && preset_->stretches;
      loop.most_in_flight = users(question_.serving.concurrency.value_or(0));  // beside a rate it is a limit
      question_.serving.concurrency.reset();
      client.arrivals = loop;
    } else {
      const double wanted = question_.serving.concurrency.value_or(kUsualConcurrency * replicas);
      if (!question_.serving.concurrency) takes("concurrency", fmt::format("{:g}", wanted));
      client.arrivals = simulate::ClosedLoop{.users = users(wanted), .think = think()};
    }
  }

  void read_trace() {
    read_.notes.insert(read_.notes.end(), ground_.trace->notes.begin(), ground_.trace->notes.end());
    question_.client.arrivals = simulate::Replay{ground_.trace.get(), number("speed", 1, {.least = 1e-6, .most = 1e9})};
  }

  /// Requests of a mix, as a recording that is replayed.
  void draw_mix(const simulate::RequestMix& mix) {
    if (!errors_.empty() || !question_.serving.rate) return;
    read_.mixed = std::make_shared<const simulate::MixedRequests>(
        simulate::mixed_requests(mix, *question_.serving.rate, question_.client.requests, question_.seed));
    question_.client.arrivals = simulate::Replay{&read_.mixed->trace, 1};
    question_.shared = mix.cached();
  }

  void read_shared() {
    ClientRules& client = question_.client;
    const bool any = has("system_prompts") || has("system_tokens");
    client.system_prompts =
        static_cast<std::int32_t>(number("system_prompts", any ? 1 : 0, {.least = 0, .most = 1e6, .whole = true}));
    if (const auto tokens = quantity("system_tokens", kToken, {.least = 0, .most = simulate::kMostTokens})) {
      client.system_tokens = static_cast<std::int32_t>(*tokens);
    } else if (any && !has("system_tokens")) {
      client.system_tokens = std::max(1, client.prompt.least / 2);
      takes("system_tokens", fmt::format("{}", client.system_tokens));
    }
  }

  void read_requests() {
    ClientRules& client = question_.client;
    read_warmups();
    const Within within{.least = 1, .most = simulate::kMostRequests, .whole = true};
    read_.requests = static_cast<std::int64_t>(number("requests", 0, within));
    if (!has("requests")) read_.requests = 0;
    if (read_.requests > 0) {
      client.requests = read_.requests;
      return;
    }
    if (ground_.trace) {
      client.requests = static_cast<std::int64_t>(ground_.trace->requests.size());
      return;
    }
    client.requests = usual_requests();
    if (!ground_.finds_rate) takes("requests", fmt::format("{}", client.requests));
  }

  /// Those of the client, unless told otherwise.
  void read_warmups() {
    ClientRules& client = question_.client;
    double usual = 0;
    if (preset_) usual = preset_->warmups;
    if (const auto* loop = std::get_if<simulate::ClosedLoop>(&client.arrivals); loop != nullptr && preset_)
      usual += preset_->warmups_per_user * static_cast<double>(loop->users);
    const bool may = std::holds_alternative<simulate::ClosedLoop>(client.arrivals) ||
                     std::holds_alternative<simulate::OpenLoop>(client.arrivals);
    client.warmups =
        static_cast<std::int64_t>(number("warmups", may ? usual : 0, {.least = 0, .most = 1e6, .whole = true}));
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
    if (has("max_seqs")) flags.max_sequences = number("max_seqs", 1, {.least = 1, .most = 1e6, .whole = true});
    if (has("poll_steps")) flags.poll_steps = number("poll_steps", 1, {.least = 1, .most = 1e6, .whole = true});
    if (texts_.is_on("no_prefix_cache")) flags.prefix_cache = false;
    if (texts_.is_on("no_chunked_prefill")) flags.chunked_prefill = false;
    if (texts_.is_on("no_async")) flags.composed_early = false;
    static constexpr std::pair<const char*, QueueOrder> kOrders[] = {{"first-come", QueueOrder::first_come},
                                                                     {"priority", QueueOrder::priority},
                                                                     {"longest-prefix", QueueOrder::longest_prefix}};
    if (const auto order = take(chosen_word("order", texts_.text("order", kOrders[0].first), kOrders));
        order && has("order"))
      flags.order = *order;
    static constexpr std::pair<const char*, Routing> kRoutings[] = {{"least-loaded", Routing::least_loaded},
                                                                    {"round-robin", Routing::round_robin},
                                                                    {"power-of-two", Routing::power_of_two},
                                                                    {"prefix-aware", Routing::prefix_aware}};
    if (const auto routing = take(chosen_word("routing", texts_.text("routing", kRoutings[0].first), kRoutings)))
      question_.routing = *routing;
  }

  void read_tiers_and_failures() {
    if (has("kv_tiers")) {
      if (auto tiers = take(tiers_of(texts_.text("kv_tiers")))) question_.tiers = std::move(*tiers);
    }
    if (has("fail")) {
      if (auto outages = take(outages_of(texts_.text("fail")))) question_.failures.outages = std::move(*outages);
    }
    const Within time{.least = 0, .most = simulate::kLongestRun, .above = true};
    if (const auto mtbf = quantity("mtbf", ridge::kSecond, time)) {
      constexpr double kUsualRepair = 60;  // s
      question_.failures.mean_time = simulate::nanoseconds(*mtbf);
      question_.failures.repair =
          simulate::nanoseconds(quantity("repair", ridge::kSecond, time).value_or(kUsualRepair));
      takes("repair", "1 min");
    }
    question_.cold_start = texts_.is_on("cold_start");
  }

  std::vector<std::string> known_clients() const {
    return ground_.clients == nullptr ? std::vector<std::string>() : names_of(*ground_.clients);
  }

  const SimulationTexts& texts_;
  const SimulationGround& ground_;
  ReadSimulation read_;
  simulate::SimulationQuestion& question_ = read_.question;
  std::optional<BenchmarkClient> preset_;
  Errors errors_;
};

}  // namespace

bool SimulationTexts::has(std::string_view key) const {
  return std::any_of(given.begin(), given.end(), [&](const auto& one) { return one.first == key; });
}

std::string SimulationTexts::text(std::string_view key, std::string_view otherwise) const {
  for (auto one = given.rbegin(); one != given.rend(); ++one) {
    if (one->first == key) return one->second;
  }
  return std::string(otherwise);
}

Result<ReadSimulation> read_simulation(const SimulationTexts& texts, ServingQuestion serving,
                                       const simulate::SchedulerFlags& scheduler, const SimulationGround& ground) {
  return SimulationTextReader(texts, ground).read(std::move(serving), scheduler);
}

}  // namespace ridge::catalog
