#include "cli/fleet_options.hpp"

#include <fmt/format.h>

#include "base/field_text.hpp"
#include "base/text.hpp"
#include "cli/options/option_reader.hpp"

namespace ridge::cli {

namespace {

/// Dollars a second of "$50k/month", "$120/h".
Result<double> parse_budget(const std::string& text) {
  constexpr double kHour = 3600, kDay = 24 * kHour;
  constexpr std::pair<std::string_view, double> kPeriods[] = {
      {"h", kHour},           {"hour", kHour},     {"day", kDay},          {"d", kDay},
      {"month", 730 * kHour}, {"mo", 730 * kHour}, {"year", 8760 * kHour}, {"y", 8760 * kHour}};
  const auto refuse = [&] {
    return fail({"budget", fmt::format("\"{}\" is no amount for a time", shortened(text)),
                 "e.g. '$50k/month', '$120/h' or '$1.5M/year'"});
  };
  const std::size_t slash = text.find('/');
  std::string amount(trimmed(text.substr(0, slash)));
  if (slash == std::string::npos || amount.empty()) return refuse();
  if (amount.front() == '$') amount.erase(0, 1);
  const std::string period = lower_case(trimmed(text.substr(slash + 1)));
  const auto value = parse<Ratio<double>>(amount, "budget");
  for (const auto& [name, seconds] : kPeriods) {
    if (value && period == name && value->value() > 0) return value->value() / seconds;
  }
  return refuse();
}

}  // namespace

bool asks_for_fleet(const Arguments& arguments) {
  return arguments.has("rate") || arguments.has("nodes") || arguments.has("budget");
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
  const auto share = reader.read<Ratio<double>>("confidence", {.least = 0.5, .most = 0.999});
  if (!reader.errors().empty()) return fail(reader.errors());
  return share ? share->value() : kPlanConfidence;
}

Result<FleetQuestion> fleet_question(const Arguments& arguments, PlanRequest request) {
  OptionReader reader(arguments);
  FleetQuestion question;
  FleetAim aim;
  if (arguments.has("rate")) aim.rate = reader.number("rate", 1, {.least = 1e-6, .most = 1e9});
  if (arguments.has("nodes")) aim.nodes = reader.number("nodes", 1, {.least = 1, .most = 1e6, .whole = true});
  if (arguments.has("budget")) {
    if (const auto budget = reader.take(parse_budget(arguments.text("budget")))) aim.budget = *budget;
  }
  if (aim.rate && (arguments.has("nodes") || arguments.has("budget")))
    reader.refuse("rate", "stands beside what it would take", "give the rate, or the nodes, or the budget");
  aim.headroom = reader.number("headroom", 0, {.least = 0, .most = 10});
  aim.spare = reader.number("spare", 0, {.least = 0, .most = 1000, .whole = true});
  if (arguments.has("objective"))
    reader.refuse("objective", "stands beside a fleet", "a fleet is chosen by its bill, or by its rate");
  const auto slo = reader.take(asked_slo(arguments));
  if (!reader.errors().empty()) return fail(reader.errors());
  if (slo->empty() && !request.concurrency)
    return fail({"slo", "what do users have to see?", "e.g. --slo ttft=2s,tpot=30ms (99th percentiles)"});
  question.slo = *slo;
  question.plan = std::move(request);
  question.plan.question.rate.reset();
  question.plan.fleet = aim;
  question.simulates = !arguments.has("no_simulation");
  return question;
}

OptionGroup fleet_options() {
  return {
      "Fleet (whole nodes for a rate, or the highest rate of what there is)",
      {{"--rate,--request-rate", "rate", "N", "requests a second to serve"},
       {"--slo", "slo", "LIMITS", "ttft=2s,tpot=30ms are 99th percentiles; also ttft.p90=1s, tpot.mean=30ms, e2e=20s"},
       {"--nodes", "nodes", "N", "the highest rate on so many nodes, instead of --rate"},
       {"--budget", "budget", "AMOUNT", "the highest rate for so much, e.g. '$50k/month'"},
       {"--confidence", "confidence", "SHARE", "that the SLO holds, by our errors on runs left out of the fit", "90%"},
       {"--headroom", "headroom", "SHARE", "the SLO holds at so much more than --rate, too", "0"},
       {"--spare", "spare", "N", "replicas (of each pool) that may fail at once: 1 is N+1", "0"},
       {"--no-simulation", "no_simulation", "", "the closed form alone, whose means stand for percentiles"}}};
}

}  // namespace ridge::cli
