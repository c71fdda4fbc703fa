#include "report/simulate/simulation_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "report/base/counts.hpp"
#include "report/simulate/class_table.hpp"
#include "report/simulate/run_shapes.hpp"

namespace ridge::report {

namespace {

using simulate::Latencies;
using simulate::RateSearch;
using simulate::Samples;
using simulate::SimulationAnswer;
using simulate::SimulationResult;
using simulate::Spread;

/// "1 user", "1,000 requests".
std::string counted(double count, std::string_view word) {
  return fmt::format("{} {}{}", with_commas(count), word, count == 1 ? "" : "s");
}

std::string span_text(double span) { return show(Seconds<double>(span), 3); }

std::string speed_text(double rate) {
  return rate >= 1000 ? with_commas(std::round(rate)) : fmt::format("{:.4g}", rate);
}

std::string lengths_words(const simulate::LengthRange& range) {
  return range.least == range.most ? fmt::format("{}", range.least) : fmt::format("{} to {}", range.least, range.most);
}

/// What was sent, in one line.
std::string load_words(const SimulationAnswer& answer) {
  const simulate::SimulationQuestion& question = answer.asked.question;
  std::string out = client_words(question);
  if (!std::holds_alternative<simulate::Replay>(question.client.arrivals)) {
    out +=
        fmt::format(", ISL {}, OSL {}", lengths_words(question.client.prompt), lengths_words(question.client.output));
  }
  out +=
      fmt::format(", {}, {}", counted(static_cast<double>(answer.result.sent), "request"), answer.ground().engine.name);
  return out + fmt::format(", seed {}", question.seed);
}

std::string throughput_line(const SimulationAnswer& answer) {
  const std::string chip = chip_word(answer.ground().machine->title);
  const SimulationResult& result = answer.result;
  const std::string each = answer.chips() == 1
                               ? "/" + chip
                               : fmt::format(" ({}/{})", speed_text(result.output_rate() / answer.chips()), chip);
  std::string out = fmt::format("{} output tok/s{}, {:.4g} requests/s", speed_text(result.output_rate()), each,
                                result.request_rate());
  if (!answer.targets().any()) return out;
  return out + fmt::format("; {} within {}", percent(share_within_targets(result)), targets_words(answer.targets()));
}

std::string saturation_line(const SimulationAnswer& answer) {
  const SimulationResult& result = answer.result;
  if (result.saturated) {
    return fmt::format("saturated: the queue grows by {:.3g} requests/s; capacity about {:.4g} requests/s",
                       result.queue_growth, result.finish_rate);
  }
  const bool is_open = answer.asked.question.client.is_open();
  return fmt::format("{}: utilization {}, {:.4g} running, p99 of queueing {}",
                     is_open ? "not saturated" : "closed loop", percent(result.busy), result.mean_running,
                     result.all.queue.count() == 0 ? "n/a" : span_text(result.all.queue.percentile(0.99)));
}

std::string found_line(const RateSearch& search) {
  std::string out =
      fmt::format("up to {:.4g} requests/s keep the SLO for {} of requests", *search.rate, percent(search.share));
  return search.fails_at > 0 ? out + fmt::format("; {:.4g} do not", search.fails_at) : out;
}

std::string latency_row(std::string_view name, const Samples& samples) {
  if (samples.count() == 0) return "";
  const Spread spread = samples.spread();
  std::string out = fmt::format("  {}", padded(name, 14));
  for (const double value : {spread.mean, spread.p50, spread.p90, spread.p95, spread.p99})
    out += padded(span_text(value), 12, true);
  return out + "\n";
}

/// Whether the steady part is long enough to speak of.
bool has_steady(const SimulationResult& result) {
  return result.steady_duration > 0 && 4 * result.steady.e2e.count() >= result.all.e2e.count() &&
         (result.steady.tpot.count() > 0) == (result.all.tpot.count() > 0);
}

/// Whether it says something else.
bool differs(const Samples& all, const Samples& steady) {
  constexpr double kNotable = 0.02;
  const auto apart = [&](double share) {
    const double one = all.percentile(share), other = steady.percentile(share);
    return std::abs(one - other) > kNotable * std::max(one, other);
  };
  return apart(0.5) || apart(0.9) || apart(0.99);
}

/// Where a small error of capacity changes TTFT several-fold.
std::string range_line(const SimulationAnswer& answer, const Style& style) {
  if (!answer.near || answer.near->stopped || !answer.near->is_several_fold()) return "";
  const simulate::TtftRange& near = *answer.near;
  std::string slow = fmt::format("{} (p99 {})", span_text(near.slow.mean), span_text(near.slow.p99));
  if (near.slow_saturated) slow = "no end: saturated";
  return warn(style, wrapped(fmt::format("  near saturation: TTFT {} (p99 {}) to {}, if capacity is {} higher or lower",
                                         span_text(near.fast.mean), span_text(near.fast.p99), slow,
                                         percent(simulate::kCapacityError)),
                             style.columns, 4)) +
         "\n";
}

std::string latency_table(const SimulationAnswer& answer, const Style& style) {
  const Latencies &all = answer.result.all, &steady = answer.result.steady;
  std::string out = bold(style, padded("Latency", 16));
  for (const char* heading : {"mean", "p50", "p90", "p95", "p99"}) out += padded(heading, 12, true);
  out += "\n";
  const auto rows = [&](const char* name, const Samples& whole, const Samples& part) {
    out += latency_row(name, whole);
    if (has_steady(answer.result) && whole.count() > 0 && differs(whole, part))
      out += dim(style, latency_row("  steady", part));
  };
  rows("TTFT", all.ttft, steady.ttft);
  rows("TPOT", all.tpot, steady.tpot);
  rows("ITL", all.itl, steady.itl);
  rows("E2E", all.e2e, steady.e2e);
  rows("queueing", all.queue, steady.queue);
  const ServingAnswer& closed = answer.asked.closed;
  const bool none = answer.asked.closed_load > 1 || closed.waits;
  out += wrapped(fmt::format("  closed form (ridge why): TTFT {}, TPOT {}",
                             none ? "not given so close to saturation" : span_text(closed.estimate.times.ttft.value()),
                             closed.load.decodes() ? span_text(closed.estimate.times.tpot.value()) : "n/a"),
                 style.columns, 4) +
         "\n";
  return out + range_line(answer, style);
}

std::string system_table(const SimulationAnswer& answer, const Style& style) {
  const SimulationResult& r = answer.result;
  const std::string chip = chip_word(answer.ground().machine->title);
  const double chips = answer.chips();
  const bool steady = has_steady(r);
  const auto beside = [&](double rate) { return steady ? fmt::format("; steady {}", speed_text(rate)) : ""; };
  std::string out =
      bold(style, "System throughput") + dim(style, "   from the first request to the last answer") + "\n";
  out +=
      figure_row("output tok/s", speed_text(r.output_rate()),
                 fmt::format("{} tok/s/{}{}", speed_text(r.output_rate() / chips), chip,
                             beside(static_cast<double>(r.steady_output_tokens) / std::max(1e-9, r.steady_duration))));
  const double total = static_cast<double>(r.prompt_tokens + r.output_tokens) / std::max(1e-9, r.duration);
  out += figure_row("total tok/s", speed_text(total),
                    fmt::format("{} tok/s/{}, input and output", speed_text(total / chips), chip));
  out +=
      figure_row("requests/s", fmt::format("{:.4g}", r.request_rate()),
                 fmt::format("{} answered in {}{}", with_commas(static_cast<double>(r.finished)), span_text(r.duration),
                             beside(static_cast<double>(r.steady_finished) / std::max(1e-9, r.steady_duration))));
  if (answer.targets().any()) {
    const double share = share_within_targets(r);
    out += figure_row("goodput",
                      fmt::format("{:.4g}", static_cast<double>(r.all.within_targets) / std::max(1e-9, r.duration)),
                      fmt::format("requests/s: {} within {}", percent(share), targets_words(answer.targets())));
  }
  out += figure_row(
      "cost", answer.cost() > 0 ? money(answer.cost() * 1e6) + "/Mtok" : "n/a",
      fmt::format("the whole bill over output; {}/Mtok over all tokens; at {}/h per {}",
                  money(answer.cost_of_all() * 1e6), money(answer.ground().numbers.price.value() * 3600), chip));
  out += bold(style, "Engine") + "\n";
  out += figure_row("utilization", percent(r.busy),
                    fmt::format("of the time in steps, {} of them{}", with_commas(static_cast<double>(r.steps)),
                                answer.asked.simulated.setup.prefill
                                    ? fmt::format("; {} of the prefill replicas", percent(r.prefill_busy))
                                    : ""));
  out += figure_row(
      "running", fmt::format("{:.4g}", r.mean_running),
      fmt::format("on average, at a concurrency of {:.4g}; at most {} a rank", r.in_flight,
                  with_commas(static_cast<double>(answer.asked.simulated.setup.replica.rules.max_sequences))));
  out += figure_row("KV cache", percent(r.mean_cache),
                    fmt::format("on average, {} at most, of {} tokens", percent(r.most_cache),
                                with_commas(std::floor(answer.asked.simulated.memory.cache_tokens.value()))));
  out += figure_row("preemptions", with_commas(static_cast<double>(r.counts.preemptions)));
  if (answer.asked.simulated.setup.replica.rules.prefix_cache)
    out += figure_row("prefix-cache hits", percent(answer.hit_rate()),
                      answer.asked.question.tiers.empty()
                          ? "of the prompt tokens"
                          : fmt::format("of the prompt tokens, {} from tiers below", percent(answer.fetched_rate())));
  if (answer.asked.question.failures.any())
    out +=
        figure_row("failures", with_commas(static_cast<double>(r.failures)),
                   fmt::format("of replicas; {} retries, {} requests given up",
                               with_commas(static_cast<double>(r.retries)), with_commas(static_cast<double>(r.lost))));
  return out;
}

std::string search_table(const RateSearch& search, const Style& style) {
  std::string out = bold(style, "Rates tried") + "\n";
  out += fmt::format("  {}{}{}{}{}  {}\n", padded("requests/s", 12, true), padded("within SLO", 12, true),
                     padded("TTFT p50", 12, true), padded("TTFT p99", 12, true), padded("TPOT p99", 12, true), "");
  for (const simulate::RatePoint& point : search.points) {
    out += fmt::format("  {}{}{}{}{}  {}\n", padded(fmt::format("{:.4g}", point.rate), 12, true),
                       padded(fmt::format("{:.1f}%", 100 * point.share), 12, true),
                       padded(span_text(point.ttft.p50), 12, true), padded(span_text(point.ttft.p99), 12, true),
                       padded(span_text(point.tpot.p99), 12, true),
                       point.saturated                             ? "saturated"
                       : search.rate && point.rate == *search.rate ? "<- knee"
                       : point.holds                               ? ""
                                                                   : "misses");
  }
  while (out.find(" \n") != std::string::npos) out.erase(out.find(" \n"), 1);
  return out;
}

std::string seeds_table(const SimulationAnswer& answer, const Style& style) {
  std::string out = bold(style, fmt::format("Over {} seeds", answer.seeds)) +
                    dim(style, "   mean, and the 95% interval of that mean") + "\n";
  constexpr std::pair<const char*, const char*> kShown[] = {
      {"ttft_mean", "TTFT mean"}, {"ttft_p50", "TTFT p50"},         {"ttft_p99", "TTFT p99"},
      {"tpot_mean", "TPOT mean"}, {"tpot_p99", "TPOT p99"},         {"e2e_mean", "E2E mean"},
      {"e2e_p99", "E2E p99"},     {"output_tok_s", "output tok/s"}, {"slo_share", "within SLO"}};
  for (const auto& [key, name] : kShown) {
    if (std::string_view(key) == "slo_share" && !answer.targets().any()) continue;
    const auto found =
        std::find_if(answer.over_seeds.begin(), answer.over_seeds.end(),
                     [&, wanted = std::string_view(key)](const auto& one) { return one.name == wanted; });
    if (found == answer.over_seeds.end()) continue;
    const bool is_rate = found->name == "output_tok_s", is_share = found->name == "slo_share";
    const auto text = [&](double value) {
      return is_rate ? speed_text(value) : is_share ? percent(value) : span_text(std::max(0.0, value));
    };
    out += figure_row(name, text(found->mean), fmt::format("{} to {}", text(found->low), text(found->high)));
  }
  return out;
}

std::string notes_block(const std::vector<std::string>& notes, const Style& style) {
  std::string out;
  for (const std::string& note : notes) out += wrapped("note: " + note, style.columns, 6) + "\n";
  return out;
}

std::string what_runs(const SimulationAnswer& answer, const Style& style) {
  return bold(style, wrapped(simulated_words(answer), style.columns, 2)) + "\n";
}

}  // namespace

std::string simulated_words(const SimulationAnswer& answer) {
  const auto& pool = answer.asked.simulated.setup.prefill;
  std::string layout = short_name(answer.layout());
  if (pool) {
    layout = fmt::format("{}×{} prefill + {} decode", pool->replicas,
                         short_name(answer.asked.simulated.deployment->prefill.layout), layout);
  }
  return fmt::format("{} on {} of {} ({})", answer.ground().model->title,
                     chips_text(answer.chips(), answer.ground().machine->title),
                     machine_kind(answer.ground().machine->title), layout);
}

std::string targets_words(const simulate::LatencyTargets& targets) {
  std::vector<std::string> words;
  if (targets.ttft > 0) words.push_back("TTFT " + span_text(targets.ttft));
  if (targets.tpot > 0) words.push_back("TPOT " + span_text(targets.tpot));
  if (targets.e2e > 0) words.push_back("E2E " + span_text(targets.e2e));
  return joined(words, ", ");
}

std::string client_words(const simulate::SimulationQuestion& question) {
  const simulate::ClientRules& client = question.client;
  if (const auto* loop = std::get_if<simulate::ClosedLoop>(&client.arrivals)) {
    return counted(static_cast<double>(loop->users), "user") +
           (loop->think > 0 ? fmt::format(" who think {}", span_text(simulate::seconds(loop->think))) : "");
  }
  if (const auto* loop = std::get_if<simulate::OpenLoop>(&client.arrivals)) {
    const std::string gaps = loop->burstiness == 1   ? "Poisson"
                             : loop->burstiness == 0 ? "equal gaps"
                                                     : fmt::format("burstiness {:g}", loop->burstiness);
    return fmt::format("{:.4g} requests/s ({}{}{}{})", loop->rate, gaps,
                       loop->ramp_from > 0 ? fmt::format(", ramp from {:.4g}", loop->ramp_from) : "",
                       loop->stretched ? ", stretched" : "",
                       loop->most_in_flight > 0 ? fmt::format(", at most {} at once", loop->most_in_flight) : "");
  }
  if (const auto* sessions = std::get_if<simulate::Sessions>(&client.arrivals)) {
    const std::string turns = fmt::format(" of {}", counted(sessions->turns, "turn"));
    return sessions->rate > 0 ? fmt::format("{:.4g} sessions/s{}", sessions->rate, turns)
                              : counted(static_cast<double>(sessions->users), "session") + " at once" + turns;
  }
  const auto& replay = std::get<simulate::Replay>(client.arrivals);
  return "trace " + shortened(replay.trace->name) +
         (replay.speed != 1 ? fmt::format(", {:g} times as fast", replay.speed) : "");
}

std::string simulation_text(const SimulationAnswer& answer, const Style& style) {
  std::string out = what_runs(answer, style);
  if (answer.search && answer.search->rate) out += wrapped(found_line(*answer.search), style.columns, 2) + "\n";
  out += wrapped(throughput_line(answer), style.columns, 2) + "\n";
  const std::string words = wrapped(saturation_line(answer), style.columns, 2) + "\n";
  out += answer.result.saturated ? warn(style, words) : words;
  out += dim(style, wrapped(load_words(answer), style.columns, 2)) + "\n\n";
  if (answer.result.finished > 0) {
    out += latency_table(answer, style);
    if (answer.mix) out += classes_table(*answer.mix, answer.classes, style);
    out += system_table(answer, style);
    if (!answer.over_seeds.empty()) out += seeds_table(answer, style);
    if (answer.search) out += search_table(*answer.search, style);
    out += ttft_histogram(answer.result, style) + run_timeline(answer.result, style);
  }
  out += "\n" + notes_block(answer.notes, style);
  return plain_text(style, out);
}

std::string no_rate_text(const SimulationAnswer& answer, const Style& style) {
  const RateSearch& search = *answer.search;
  std::string out = what_runs(answer, style);
  if (search.stopped) {
    out += "stopped before a rate was found\n";
    if (!search.points.empty()) out += search_table(search, style);
    return plain_text(style, out + notes_block(answer.notes, style));
  }
  out += bold(style, wrapped(fmt::format("No request rate keeps {} for {} of requests", targets_words(answer.targets()),
                                         percent(search.share)),
                             style.columns, 2)) +
         "\n";
  if (!search.alone.holds) {
    out += wrapped(fmt::format("  one request alone already takes: TTFT {}, TPOT {}, E2E {} (p99 of 100 in turn; {} "
                               "within the SLO)",
                               span_text(search.alone.ttft.p99), span_text(search.alone.tpot.p99),
                               span_text(search.alone.e2e.p99), percent(search.alone.share)),
                   style.columns, 4) +
           "\n";
  }
  if (!search.points.empty()) out += search_table(search, style);
  return plain_text(style, out + notes_block(answer.notes, style));
}

}  // namespace ridge::report
