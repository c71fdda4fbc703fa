#include "report/serve/serving_text.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "library/price_said.hpp"
#include "report/base/counts.hpp"
#include "report/serve/interval_text.hpp"
#include "serve/question/serving_inputs.hpp"

namespace ridge::report {

namespace {

std::string milliseconds(const Seconds<double>& time) { return show(time); }

/// "17.6 to 22.3, 80 %; " before what else is said of a figure.
std::string before(const std::string& interval) { return interval.empty() ? "" : interval + "; "; }

std::string rate_text(double rate) {
  return rate >= 1000 ? with_commas(std::round(rate)) : fmt::format("{:.4g}", rate);
}

std::string dollars_per_million(double per_token) { return money(per_token * 1e6) + "/Mtok"; }

/// What a decode step waits for most: HBM, the matrix units, the network (mostly its latency, so as it is and not as its
/// datasheet has it), or what is none of these.
std::string bound_by(const ServingAnswer& answer) {
  const double memory = answer.estimate.step.memory.value(), compute = answer.estimate.step.compute.value();
  const double network = answer.estimate.step.wire().value(), overhead = answer.estimate.times.around.value();
  const double most = std::max({memory, compute, network, overhead});
  return most == memory    ? "HBM-bound"
         : most == compute ? "compute-bound"
         : most == network ? "network-bound"
                           : "overhead-bound";
}

/// The answer in one line.
/// Behind a cost.
std::string assumed_text(const ServingAnswer& answer) { return assumes_price(answer) ? " (assumed price)" : ""; }

std::string headline(const ServingAnswer& answer) {
  const std::string chip = chip_word(answer.ground().machine->title);
  const std::string ttft = answer.waits ? "near saturation" : "TTFT " + show(answer.estimate.times.ttft);
  if (!answer.load.decodes()) {
    return fmt::format("{:.4g} requests/s, {}, {} input{}; prefill is {}", answer.estimate.requests.value(), ttft,
                       dollars_per_million(answer.estimate.input_cost.value()), assumed_text(answer), bound_by(answer));
  }
  return fmt::format("TPOT {}{}, {}, {} output tok/s/{}, {} output{}; decode is {}", show(answer.estimate.times.tpot),
                     in_brackets(interval_text(answer.errors, SpreadFigure::tpot, answer.estimate.times.tpot)), ttft,
                     rate_text(answer.estimate.output_rate.value() / answer.estimate.chips.value()), chip,
                     dollars_per_million(answer.estimate.output_cost.value()), assumed_text(answer), bound_by(answer));
}

std::string parts_table(const ServingAnswer& answer, const Style& style) {
  std::string out;
  const double whole = step_time(answer.estimate.times, answer.load.decodes()).value();
  const auto line = [&](std::string_view name, double time) {
    if (time <= 1e-6 * whole) return;
    std::string row = fmt::format("  {} {} {:>5}  {}", padded(name, 24), padded(show(Seconds<double>(time)), 12, true),
                                  percent(time / whole), bar(style, time / whole, 24));
    row.erase(row.find_last_not_of(' ') + 1);
    out += row + "\n";
  };
  constexpr std::string_view kNames[kStepParts] = {"QKV and output proj.", "attention",  "dense FFN, shared exp.",
                                                   "routed experts",       "LM head",    "small kernels",
                                                   "all-reduce",           "all-to-all", "pipeline hops"};
  double kernels = 0;  // one after another
  for (std::size_t i = 0; i < kStepParts; ++i) {
    line(kNames[i], answer.estimate.step.part[i].value());
    kernels += answer.estimate.step.part[i].value();
  }
  line("CPU/engine overhead", answer.estimate.times.around.value());
  line("drafting", answer.estimate.times.drafting.value());
  const double apart = whole - kernels - answer.estimate.times.around.value() - answer.estimate.times.drafting.value();
  line(answer.layout().pipeline > 1 ? "pipeline bubbles" : "weights read twice", apart);
  line("overlapped", -apart);
  return out;
}

std::string question_line(const ServingAnswer& answer) {
  const ServingQuestion& q = answer.question;
  return fmt::format("ISL {:g}, OSL {:g}{}, concurrency {}, {}, {}{}", q.isl, q.osl,
                     q.cached > 0 ? fmt::format(", {} prefix-cache hits", percent(q.cached)) : "",
                     with_commas(std::round(answer.load.concurrency * answer.layout().replicas)), formats_text(answer),
                     q.engine, q.disaggregated ? ", disaggregated prefill" : "") +
         (q.overlap.value_or(Overlap::none) == Overlap::none
              ? ""
              : fmt::format(", network overlap: {}", name_of(*q.overlap)));
}

std::string sensitivity_text(const std::vector<ServingElasticity>& all, bool decodes, const Style& style) {
  constexpr std::size_t kShown = 16;
  std::string out =
      bold(style, "Sensitivity") + dim(style, "   % change for 1% more of an input; --json has all") + "\n";
  out += fmt::format("  {} {} {} {}\n", padded("", 26), padded("TPOT", 11, true), padded("TTFT", 11, true),
                     padded("requests/s", 11, true));
  const auto shown = [](double value) {
    return std::abs(value) < 5e-4 ? std::string(".") : fmt::format("{:+.3f}", value);
  };
  for (std::size_t i = 0; i < std::min(kShown, all.size()); ++i) {
    out +=
        fmt::format("  {} {} {} {}\n", padded(all[i].input, 26), padded(decodes ? shown(all[i].tpot) : "n/a", 11, true),
                    padded(shown(all[i].ttft), 11, true), padded(shown(all[i].requests), 11, true));
  }
  return out;
}

std::string memory_text(const ChipMemory& memory, const ServingQuestion& question) {
  std::string out;
  out += figure_row("weights", show_gib(memory.weights.value()),
                    fmt::format("of {} the engine may use ({} of {})", show_gib(memory.usable.value()),
                                percent(memory.usable.value() / memory.there.value()), show_gib(memory.there.value())));
  out += figure_row("activations", show_gib(memory.activations.value()),
                    question.ubatch ? fmt::format("of one ubatch of {:g} tokens", *question.ubatch)
                                    : fmt::format("at a token budget of {:g}", question.token_budget));
  out += figure_row("engine process", show_gib(memory.process.value()), "outside its tensors");
  out += figure_row("KV cache", show_gib(memory.cache.value()),
                    fmt::format("{} tokens: {} of {:g}", with_commas(std::floor(memory.cache_tokens.value())),
                                plural(std::floor(memory.sequences.value()), "sequence"),
                                question.isl + question.osl / (question.ubatch ? 1 : 2)) +
                        (question.attention_data.value_or(1) > 1 ? " in all; tokens of one DP rank" : ""));
  return out;
}

std::string notes_text(const std::vector<std::string>& notes, const Style& style) {
  std::string out;
  for (const std::string& note : notes) out += wrapped("note: " + note, style.columns, 6) + "\n";
  return out;
}

std::string title_line(const ServingAnswer& answer, const Style& style) {
  return bold(style, fmt::format("{} on {} of {} ({})", answer.ground().model->title,
                                 chips_text(answer.layout().chips(), answer.ground().machine->title),
                                 machine_kind(answer.ground().machine->title), short_name(answer.layout()))) +
         "\n";
}

/// What of the paid time is in use, where that is not all of it.
std::string in_use(const ServingAnswer& answer) {
  const double share = answer.ground().numbers.utilization.value();
  return share < 1 ? fmt::format(", {} utilized", percent(share)) : "";
}

/// " (another chip, aggregated)": what a run does not share with the question; empty where nothing.
std::string unlike_text(const NearestRun& nearest) {
  std::vector<std::string> unlike;
  const RunMatch& same = nearest.same;
  for (const auto& [is_same, what] : {std::pair{same.model, "another model"},
                                      {same.precision, "another precision"},
                                      {same.machine, "another chip"},
                                      {same.engine, "another engine"}}) {
    if (!is_same) unlike.emplace_back(what);
  }
  if (!same.mode) unlike.push_back(nearest.row->mode);
  return unlike.empty() ? "" : fmt::format(" ({})", joined(unlike, ", "));
}

}  // namespace

std::string formats_text(const ServingAnswer& answer) {
  const ServingGround& ground = answer.ground();
  const Scenario& asked = answer.question.scenario;
  const Precisions& released = ground.model->precision.value;
  const std::string weights = asked.weights.value_or(released.weights);
  const std::string experts = asked.experts.value_or(asked.weights ? weights : released.experts);
  const bool apart = ground.model->experts() != nullptr && !experts.empty() && experts != weights;
  return fmt::format("weights {}{}, KV cache {}", weights, apart ? fmt::format(" (experts {})", experts) : "",
                     ground.kv);
}

std::string laid_out_on(const ServingAnswer& answer) {
  const std::string& machine = answer.ground().machine->title;
  const std::string decode = short_name(answer.layout());
  if (!answer.ground().engine.disaggregated)
    return fmt::format("{} of {} ({})", chips_text(answer.estimate.chips.value(), machine), machine_kind(machine),
                       decode);
  const auto& elsewhere = answer.deployment.prefill_elsewhere;
  return fmt::format("{} ({} prefill{} + {} decode)", machine_kind(machine),
                     short_name(answer.deployment.prefill.layout), elsewhere ? " on " + elsewhere->machine->name : "",
                     decode);
}

std::string nearest_text(const NearestRun& nearest, const Style& style) {
  const ServingRow& one = *nearest.row;
  std::string out = wrapped(
      fmt::format(
          "nearest measured run{}: {} {} on {:g} of {}, {}, ISL {:g}, OSL {:g}, concurrency {:g}: TPOT {:.3g} ms; "
          "predicted for it {:.3g} ms ({:+.0f}%)",
          unlike_text(nearest), one.model, one.format, one.chips, one.machine,
          one.engine + (one.version.empty() ? "" : " " + one.version), one.isl, one.osl, one.concurrency,
          one.tpot * 1e3, nearest.predicted * 1e3, 100 * (nearest.predicted / one.tpot - 1)),
      style.columns, 2);
  if (!nearest.outside.empty()) {
    out +=
        "\n" +
        warn(style, wrapped(fmt::format("extrapolated: no measured run has {}", fmt::join(nearest.outside, ", nor ")),
                            style.columns, 2));
  }
  return out + "\n";
}

std::string serving_text(const ServingAnswer& answer, const std::optional<NearestRun>& nearest, const Style& style,
                         const std::optional<TtftAtCapacities>& near) {
  const ServingTimes<double>& t = answer.estimate.times;
  const std::string chip = chip_word(answer.ground().machine->title);
  const AnswerErrors& errors = answer.errors;
  std::string out = title_line(answer, style) + wrapped(question_line(answer), style.columns, 2) + "\n" +
                    wrapped(headline(answer), style.columns, 2) + "\n\n";
  out += bold(style, "Latency") + dim(style, answer.ground().extrapolated ? "   extrapolated" : "   calibrated") + "\n";
  out += answer.load.decodes() ? figure_row("TPOT", milliseconds(t.tpot),
                                            before(interval_text(errors, SpreadFigure::tpot, t.tpot)) +
                                                fmt::format("{:.4g} tok/s/user", answer.estimate.user_rate.value()))
                               : figure_row("TPOT", "n/a", "one output token: prefill gives it");
  out += figure_row("TTFT", answer.waits ? "not given" : milliseconds(t.ttft),
                    (answer.waits ? "" : before(interval_text(errors, SpreadFigure::ttft, t.ttft))) +
                        fmt::format("prefill alone {}{}", milliseconds(t.prefill_alone),
                                    in_brackets(interval_text(errors, SpreadFigure::prefill, t.prefill_alone))));
  if (near && near->is_several_fold())
    out += warn(style, wrapped(fmt::format("  near saturation: TTFT {} to {}, if capacity is {} higher or lower",
                                           milliseconds(near->more),
                                           near->saturated ? "no end (saturated)" : milliseconds(near->less),
                                           percent(TtftAtCapacities::kError)),
                               style.columns, 4)) +
           "\n";
  if (const std::string unmeasured = situation_text(errors); !unmeasured.empty())
    out += wrapped("  " + unmeasured, style.columns, 4) + "\n";
  out += bold(style, "System throughput") + "\n";
  out +=
      figure_row("output tok/s", rate_text(answer.estimate.output_rate.value()),
                 before(rate_interval_text(errors, answer.estimate.output_rate.value())) +
                     fmt::format("{} tok/s/{}",
                                 rate_text(answer.estimate.output_rate.value() / answer.estimate.chips.value()), chip));
  out += figure_row("total tok/s", rate_text(answer.estimate.total_rate.value()),
                    fmt::format("{} tok/s/{}, input and output",
                                rate_text(answer.estimate.total_rate.value() / answer.estimate.chips.value()), chip));
  const ServingGround* elsewhere = answer.deployment.prefill_elsewhere.get();
  const auto basis = basis_of(answer.ground().from[serving_input_index("price")]);
  const std::string paid = fmt::format(
      "at {}/h per {}{}{}{}", money(answer.ground().numbers.price.value() * 3600), chip,
      basis ? fmt::format(", {}", name_of(*basis)) : "",
      elsewhere != nullptr ? fmt::format(" ({} for prefill)", money(elsewhere->numbers.price.value() * 3600)) : "",
      in_use(answer));
  const std::string input = dollars_per_million(answer.estimate.input_cost.value());
  const double output = answer.estimate.output_cost.value() * 1e6;
  const double input_dollars = answer.estimate.input_cost.value() * 1e6;
  out +=
      answer.load.decodes()
          ? figure_row("output cost", dollars_per_million(answer.estimate.output_cost.value()),
                       before(money_interval_text(errors, output)) + fmt::format("input {}; {}", input, paid))
          : figure_row("input cost", input,
                       before(money_interval_text(errors, input_dollars)) + "the output token comes with it; " + paid);
  out += figure_row(
      "MFU, MBU", fmt::format("{}, {}", percent(answer.estimate.mfu.value()), percent(answer.estimate.mbu.value())),
      answer.estimate.energy.value() > 0 ? fmt::format("{:.3g} J per output token", answer.estimate.energy.value())
                                         : "");
  if (answer.question.rate)
    out += figure_row("utilization", percent(answer.rate_share), "of the request rate it could sustain");
  if (t.emitted.value() > 1)
    out += figure_row("tokens per step", fmt::format("{:.3g}", t.emitted.value()), "accepted draft tokens included");
  if (answer.question.disaggregated) {
    out += figure_row(
        "prefill replicas", fmt::format("{:.3g}", answer.estimate.prefill_replicas.value()),
        fmt::format("of {}{} for each decode replica; KV transfer {}", short_name(answer.deployment.prefill.layout),
                    answer.deployment.prefill_elsewhere
                        ? fmt::format(" on {}", answer.deployment.prefill_elsewhere->machine->name)
                        : "",
                    milliseconds(answer.estimate.transfer_time)));
  }
  const bool choice = answer.estimate.step.strict() < answer.estimate.step.bound();
  out +=
      bold(style, answer.load.decodes() ? "Decode step" : "Prefill step") +
      dim(style,
          fmt::format(
              "   batch {:.4g}; roofline bound {}{}", (answer.load.decodes() ? t.batch : t.prefills_per_step).value(),
              milliseconds(answer.estimate.step.bound()),
              choice ? fmt::format(", best-case routing {}", milliseconds(answer.estimate.step.strict())) : "")) +
      "\n";
  out += parts_table(answer, style);
  out += figure_row("total", milliseconds(step_time(t, answer.load.decodes())),
                    t.prefill_share.value() > 0 && answer.load.decodes()
                        ? fmt::format("prefill interference takes {} of the time", percent(t.prefill_share.value()))
                        : "");
  out += bold(style, "Memory") + dim(style, "   of one " + chip) + "\n" +
         memory_text(answer.estimate.memory, answer.question);
  if (!answer.sensitivity.empty()) out += sensitivity_text(answer.sensitivity, answer.load.decodes(), style);
  out += "\n";
  out += notes_text(answer.notes, style);
  out += wrapped(fmt::format("calibrated on {}; engine {}: {}", answer.ground().chip_from, answer.question.engine,
                             answer.ground().engine_from),
                 style.columns, 2) +
         "\n";
  if (nearest) out += nearest_text(*nearest, style);
  return plain_text(style, out);
}

std::string serving_fit_text(const ServingAnswer& answer, const Style& style) {
  const double length = answer.question.isl + answer.question.osl / 2;
  const bool fits = answer.load.concurrency <= answer.estimate.memory.sequences.value();
  std::string out = title_line(answer, style);
  out += fmt::format("{}: concurrency {}, room for {} sequences of {:g} tokens per replica\n",
                     fits ? "fits" : "does not fit", with_commas(std::round(answer.load.concurrency)),
                     with_commas(std::floor(answer.estimate.memory.sequences.value())), length);
  out += memory_text(answer.estimate.memory, answer.question);
  out += wrapped(fmt::format("an engine would report a KV cache of {} tokens, {:.2f}x a request of {:g} tokens",
                             with_commas(std::floor(answer.estimate.memory.cache_tokens.value())),
                             answer.estimate.memory.cache_tokens.value() / length, length),
                 style.columns, 0) +
         "\n";
  out += notes_text(answer.notes, style);
  return plain_text(style, out);
}

std::string shortfall_text(const ServingShortfall& shortfall, const ServingQuestion& question, const Style& style) {
  if (shortfall.most_requests > 0) {
    std::string busy = bold(style, fmt::format("Saturated: {} sustains at most {:.3g} requests/s",
                                               short_name(shortfall.layout), shortfall.most_requests)) +
                       "\n";
    for (const std::string& way : shortfall.ways_out) busy += "  works with " + way + "\n";
    return plain_text(style, busy + notes_text(shortfall.notes, style));
  }
  std::string out = bold(style, fmt::format("Does not fit as {}", short_name(shortfall.layout))) + "\n";
  out += memory_text(shortfall.memory, question);
  if (const double held = shortfall.memory.longest_held.value(); held > 0 && held < 1) {
    out += wrapped(fmt::format("  a request of {} tokens needs {} times the KV cache that is left",
                               with_commas(shortfall.longest), fmt::format("{:.3g}", 1 / held)),
                   style.columns, 2) +
           "\n";
  }
  for (const std::string& way : shortfall.ways_out) out += "  fits with " + way + "\n";
  return plain_text(style, out + notes_text(shortfall.notes, style));
}

std::string commands_text(const std::vector<EngineCommand>& commands, const Style& style) {
  std::string out;
  for (const EngineCommand& command : commands) {
    out += "\n" +
           bold(style, fmt::format("To start {} with {}",
                                   command.role == "prefill"  ? "prefill"
                                   : command.role == "decode" ? "decode"
                                                              : "it",
                                   command.title)) +
           (command.exact ? "" : dim(style, "   the nearest layout it can run")) + "\n\n" + command.text + "\n";
    if (!command.notes.empty()) out += "\n" + notes_text(command.notes, style);
  }
  return out;
}

}  // namespace ridge::report
