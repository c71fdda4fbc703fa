#include "cli/question/fleet_options.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/period_text.hpp"
#include "base/text/request_rate.hpp"
#include "base/text/text.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/options/option_reader.hpp"
#include "cli/simulate/trace_file.hpp"

namespace ridge::cli {

namespace {

/// Dollars a second of "$50k/month", "$120/h", "$2M a year".
Result<double> parse_budget(const std::string& text) {
  const auto refuse = [&](std::string what, std::string hint) {
    return fail({"budget", std::move(what), std::move(hint)});
  };
  const auto parts = counted_by_period(text);
  std::string amount = parts ? parts->count : text;
  if (!amount.empty() && amount.front() == '$') amount.erase(0, 1);
  const auto value = parse<Ratio<double>>(amount, "budget");
  if (!parts || !value || !(value->value() > 0))
    return refuse(fmt::format("\"{}\" is no amount for a time", shortened(text)),
                  "e.g. '$50k/month', '$120/h' or '$1.5M/year'");
  const std::string& period = parts->period;
  const auto seconds = period_named(period);
  if (!seconds)
    return refuse(fmt::format("\"{}\": no time is called \"{}\"", shortened(text), shortened(period)),
                  suggestion(period, period_words()));
  return value->value() / *seconds;
}

/// What requests are like, where they are not all alike: the closed form takes their means.
void read_load(OptionReader& reader, FleetQuestion& question, FleetAim& aim) {
  const Arguments& arguments = reader.arguments();
  for (const char* whole : {"mix", "trace"}) {
    for (const char* part : {"isl", "osl", "cached"}) {
      if (arguments.has(whole) && arguments.has(part))
        reader.refuse(part, fmt::format("stands beside {}", field(whole)),
                      "it says what requests are like: leave it out");
    }
  }
  if (arguments.has("mix") && arguments.has("trace"))
    reader.refuse("mix", fmt::format("stands beside {}", field("trace")), "give one of them");
  ServingQuestion& serving = question.plan.question;
  question.mix = asked_mix(reader);
  if (question.mix) {
    serving.isl = question.mix->isl();
    serving.osl = question.mix->osl();
    serving.cached = question.mix->cached();
  }
  question.trace = asked_trace(reader);
  if (!question.trace) return;
  if (!(simulate::own_rate(*question.trace) > 0))
    return reader.refuse("trace", "all its requests come at once", "one that goes on for a while");
  const simulate::MeanTokens mean = simulate::mean_tokens(*question.trace);
  serving.isl = mean.prompt;
  serving.osl = mean.output;
  if (!aim.rate && !aim.nodes && !aim.budget) aim.rate = simulate::own_rate(*question.trace);
}

void read_hours(OptionReader& reader, FleetQuestion& question, FleetAim& aim) {
  if (!reader.arguments().has("by_hour")) return;
  for (const std::string& word : reader.every_word("by_hour")) {
    const auto rate = reader.take(parse_request_rate(word, "by_hour"));
    if (rate && reader.take(checked_within(*rate, {.least = 0, .most = 1e9}, word, "by_hour")))
      question.by_hour.push_back(*rate);
  }
  if (aim.rate || aim.nodes || aim.budget)
    return reader.refuse("by_hour", "stands beside another load", "it says the rate of each hour: leave the other out");
  double most = 0;
  for (const double rate : question.by_hour) most = std::max(most, rate);
  if (!(most > 0)) return reader.refuse("by_hour", "no hour has a request", "e.g. --by-hour 5,5,10,40,60,30");
  aim.rate = most;
}

}  // namespace

bool asks_for_fleet(const Arguments& arguments) {
  for (const char* key : {"rate", "nodes", "budget", "by_hour", "mix", "trace"}) {
    if (arguments.has(key)) return true;
  }
  return false;
}

Result<std::vector<SloTarget>> asked_slo(const Arguments& arguments) {
  OptionReader reader(arguments);
  std::vector<SloTarget> out;
  if (arguments.has("slo")) {
    if (auto slo = reader.take(parse_slo(arguments.text("slo")))) out = std::move(*slo);
  }
  const SloStatistic mean{0};
  for (const auto& [key, metric] : {std::pair{"ttft", SloMetric::ttft}, {"tpot", SloMetric::tpot}}) {
    const auto limit = reader.read<Seconds<double>>(key);
    if (!limit) continue;
    if (arguments.has("slo"))
      reader.refuse(key, fmt::format("stands beside {}", field("slo")), fmt::format("write {}.mean=... there", key));
    out.push_back({metric, mean, *limit});
  }
  if (!reader.errors().empty()) return fail(reader.errors());
  return out;
}

Result<double> asked_confidence(const Arguments& arguments) {
  OptionReader reader(arguments);
  const auto as_percent = reader.read<Ratio<double>>("confidence", kAnything);
  if (as_percent && as_percent->value() >= 50 && as_percent->value() <= 99.9) {
    reader.refuse("confidence", fmt::format("{} is no share", shortened(arguments.text("confidence"))),
                  fmt::format("write {:g}%", as_percent->value()));
    return fail(reader.errors());
  }
  if (!reader.errors().empty()) return fail(reader.errors());
  const auto share = reader.read<Ratio<double>>("confidence", {.least = 0.5, .most = 0.999});
  if (!reader.errors().empty()) return fail(reader.errors());
  return share ? share->value() : kPlanConfidence;
}

Result<FleetQuestion> fleet_question(const Arguments& arguments, PlanRequest request) {
  OptionReader reader(arguments);
  FleetQuestion question;
  FleetAim aim;
  if (arguments.has("rate")) {
    aim.rate = reader.take(parse_request_rate(arguments.text("rate"), "rate")).value_or(1);
    if (reader.errors().empty() && !(*aim.rate >= 1e-6 && *aim.rate <= 1e9))
      reader.refuse("rate", fmt::format("{} requests a second", shortened(arguments.text("rate"))),
                    "above 0 and at most a billion, e.g. --rate 50");
  }
  if (arguments.has("nodes")) aim.nodes = reader.number("nodes", 1, {.least = 1, .most = 1e6, .whole = true});
  if (arguments.has("budget")) {
    if (const auto budget = reader.take(parse_budget(arguments.text("budget")))) aim.budget = *budget;
  }
  if (aim.rate && (arguments.has("nodes") || arguments.has("budget")))
    reader.refuse("rate", "stands beside what it would take", "give the rate, or the nodes, or the budget");
  if (const auto headroom = reader.read<Ratio<double>>("headroom", kAnything)) {
    aim.headroom = headroom->value();
    const bool is_percent = aim.headroom > 10 && aim.headroom <= 1000;
    if (!(aim.headroom >= 0 && aim.headroom <= 10))
      reader.refuse("headroom",
                    fmt::format("{} is {:g} times the rate more", shortened(arguments.text("headroom")), aim.headroom),
                    is_percent ? fmt::format("write {:g}%", aim.headroom) : "a share from 0 to 10, e.g. 20% or 0.2");
  }
  aim.spare = reader.number("spare", 0, {.least = 0, .most = 1000, .whole = true});
  if (arguments.has("objective"))
    reader.refuse("objective", "stands beside a fleet", "a fleet is chosen by its bill, or by its rate");
  question.plan = std::move(request);
  question.plan.question.rate.reset();
  read_hours(reader, question, aim);
  read_load(reader, question, aim);
  if (!aim.rate && !aim.nodes && !aim.budget && reader.errors().empty())
    reader.refuse("rate", "how many requests a second?",
                  find_option(*arguments.command, "nodes") != nullptr
                      ? "e.g. --rate 50, --nodes 4 or --budget '$50k/month'"
                      : "e.g. --rate 50");
  const auto slo = reader.take(asked_slo(arguments));
  if (!reader.errors().empty()) return fail(reader.errors());
  if (slo->empty())
    return fail({"slo", "what do users have to see?", "e.g. --slo ttft=2s,tpot=30ms (99th percentiles)"});
  question.slo = *slo;
  question.plan.fleet = aim;
  question.simulates = !arguments.has("no_simulation");
  return question;
}

OptionGroup fleet_options() {
  return {
      "Fleet (whole nodes for a rate, or the highest rate of what there is)",
      {{"--rate,--request-rate", "rate", "N", "requests a second to serve, or 50/min, 3k/h, 2M/day"},
       {"--slo", "slo", "LIMITS", "ttft=2s,tpot=30ms are 99th percentiles; also ttft.p90=1s, tpot.mean=30ms, e2e=20s"},
       {"--nodes", "nodes", "N", "the highest rate on so many nodes, instead of --rate"},
       {"--budget", "budget", "AMOUNT", "the highest rate for so much, e.g. '$50k/month'"},
       {"--mix", "mix", "CLASSES",
        "requests of several kinds: 'chat: 70% 1k/200, agents: 30% 8k/1k@90%', with what a class shares after @"},
       {"--trace", "trace", "FILE", "recorded requests (docs/traces.md), at their own rate or at --rate"},
       {"--by-hour", "by_hour", "N,N,...", "requests a second in each hour of a day, instead of --rate"},
       kConfidence,
       {"--headroom", "headroom", "SHARE", "the SLO holds at so much more than --rate, too", "0"},
       {"--spare", "spare", "N", "replicas (of each pool) that may fail at once: 1 is N+1", "0"},
       {"--no-simulation", "no_simulation", "", "the closed form alone, whose means stand for percentiles"}}};
}

OptionGroup bought_options() {
  OptionGroup all = without(fleet_options(), {"nodes", "budget", "mix", "trace", "by_hour"});
  all.title = "Fleet (whole nodes for a rate within an SLO, as ridge plan buys them)";
  return all;
}

namespace {

Errors refused_without_fleet(const Arguments& arguments, std::string_view missing,
                             std::initializer_list<std::string_view> keys) {
  OptionReader reader(arguments);
  for (const std::string_view key : keys) {
    if (arguments.has(key))
      reader.refuse(key, fmt::format("stands without {}", field(missing)),
                    "it is about a fleet, e.g. --rate 50 --slo ttft=2s,tpot=30ms");
  }
  return reader.errors();
}

}  // namespace

Errors without_fleet(const Arguments& arguments, std::string_view missing) {
  return refused_without_fleet(arguments, missing, {"headroom", "spare", "no_simulation"});
}

Errors loads_without_fleet(const Arguments& arguments) {
  if (arguments.has("rate") || arguments.has("slo")) return {};
  return refused_without_fleet(arguments, "rate",
                               {"headroom", "spare", "no_simulation", "confidence", "isl", "osl", "cached"});
}

Errors beside_fleet(const Arguments& arguments, std::initializer_list<std::string_view> keys) {
  OptionReader reader(arguments);
  for (const std::string_view key : keys) {
    if (arguments.has(key))
      reader.refuse(key, fmt::format("stands beside {}", field("slo")), "the fleet for the rate says it: leave it out");
  }
  return reader.errors();
}

}  // namespace ridge::cli
