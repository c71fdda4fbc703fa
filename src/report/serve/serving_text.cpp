#include "report/serve/serving_text.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "base/unit_text.hpp"

namespace ridge::report {

namespace {

std::string chips_text(double chips) { return fmt::format("{:g} chip{}", chips, chips == 1 ? "" : "s"); }

std::string milliseconds(const Seconds<double>& time) { return show(time); }

std::string error_text(double error) {
  return error > 0 ? fmt::format("; this engine\'s runs: off by {:.0f} % on average", 100 * error) : "";
}

std::string rate_text(double rate) {
  return rate >= 1000 ? with_commas(std::round(rate)) : fmt::format("{:.4g}", rate);
}

std::string dollars_per_million(double per_token) { return fmt::format("${:.3g}", per_token * 1e6); }

std::string parts_table(const ServingAnswer& answer, const Style& style) {
  std::string out;
  const double whole = answer.estimate.times.decode_step.value();
  const auto line = [&](std::string_view name, double time) {
    if (time <= 1e-6 * whole) return;
    out += fmt::format("  {} {} {:>5}  {}\n", padded(name, 26), padded(show(Seconds<double>(time)), 14, true),
                       percent(time / whole), bar(style, time / whole, 24));
  };
  constexpr std::string_view kNames[kStepParts] = {
      "attention's matrices", "attention",  "dense and shared networks", "routed experts",     "output head",
      "small kernels",        "all-reduce", "dispatch and combine",      "hops between stages"};
  double kernels = 0;  // one after another
  for (std::size_t i = 0; i < kStepParts; ++i) {
    line(kNames[i], answer.estimate.step.part[i].value());
    kernels += answer.estimate.step.part[i].value();
  }
  line("the engine around it", answer.estimate.times.around.value());
  line("guessing ahead", answer.estimate.times.drafting.value());
  const double apart = whole - kernels - answer.estimate.times.around.value() - answer.estimate.times.drafting.value();
  line(answer.layout().pipeline > 1 ? "waiting for other stages" : "weights read twice", apart);
  line("less what overlaps", -apart);
  return out;
}

std::string question_line(const ServingAnswer& answer) {
  const ServingQuestion& q = answer.question;
  return fmt::format("{:g} tokens in, {:g} out{}, {} in flight, {}{}", q.isl, q.osl,
                     q.cached > 0 ? fmt::format(" ({} of the prompt cached)", percent(q.cached)) : "",
                     with_commas(std::round(answer.load.concurrency * answer.layout().replicas)), q.engine,
                     q.disaggregated ? ", prompts on chips of their own" : "") +
         (q.overlap == Overlap::none ? "" : fmt::format(", network overlapped: {}", name_of(q.overlap)));
}

std::string nearest_text(const NearestRun& nearest, const Style& style) {
  const ServingRow& one = *nearest.row;
  std::string out = wrapped(
      fmt::format("nearest measured run: {} {} on {} of {}, {}, {:g}/{:g} tokens, {:g} in flight: {:.3g} ms a "
                  "token; predicted for it: {:.3g} ms ({:+.0f} %)",
                  one.model, one.format, chips_text(one.chips), one.machine,
                  one.engine + (one.version.empty() ? "" : " " + one.version), one.isl, one.osl, one.concurrency,
                  one.tpot * 1e3, nearest.predicted * 1e3, 100 * (nearest.predicted / one.tpot - 1)),
      style.columns, 2);
  if (!nearest.outside.empty()) {
    out +=
        "\n" +
        warn(style, wrapped(fmt::format("extrapolating: no measured run has {}", fmt::join(nearest.outside, ", nor ")),
                            style.columns, 2));
  }
  return out + "\n";
}

std::string sensitivity_text(const std::vector<ServingElasticity>& all, const Style& style) {
  constexpr std::size_t kShown = 16;
  std::string out = bold(style, "What it hangs on") +
                    dim(style, "   percent change for one percent more of an input; --json has all") + "\n";
  out += fmt::format("  {} {} {} {}\n", padded("", 26), padded("time per token", 15, true),
                     padded("first token", 12, true), padded("requests/s", 11, true));
  const auto shown = [](double value) {
    return std::abs(value) < 5e-4 ? std::string(".") : fmt::format("{:+.3f}", value);
  };
  for (std::size_t i = 0; i < std::min(kShown, all.size()); ++i) {
    out += fmt::format("  {} {} {} {}\n", padded(all[i].input, 26), padded(shown(all[i].tpot), 15, true),
                       padded(shown(all[i].ttft), 12, true), padded(shown(all[i].requests), 11, true));
  }
  return out;
}

std::string memory_text(const ChipMemory& memory, const ServingQuestion& question) {
  std::string out;
  out += figure_row("weights on a chip", show_gib(memory.weights.value()),
                    fmt::format("of {} that the engine takes ({} of {})", show_gib(memory.usable.value()),
                                percent(memory.usable.value() / memory.there.value()), show_gib(memory.there.value())));
  out += figure_row("activations", show_gib(memory.activations.value()),
                    fmt::format("for prompts in chunks of {:g} tokens", question.token_budget));
  out += figure_row("the engine's process", show_gib(memory.process.value()), "beside its tensors");
  out +=
      figure_row("left for the cache", show_gib(memory.cache.value()),
                 fmt::format("{} tokens: {} sequences of {:g}", with_commas(std::floor(memory.cache_tokens.value())),
                             with_commas(std::floor(memory.sequences.value())), question.isl + question.osl / 2) +
                     (question.attention_data.value_or(1) > 1 ? " in all; the tokens are of one of the groups" : ""));
  return out;
}

std::string notes_text(const std::vector<std::string>& notes, const Style& style) {
  std::string out;
  for (const std::string& note : notes) out += wrapped("note: " + note, style.columns, 6) + "\n";
  return out;
}

}  // namespace

std::string serving_text(const ServingAnswer& answer, const std::optional<NearestRun>& nearest, const Style& style) {
  const ServingTimes<double>& t = answer.estimate.times;
  const double chips = answer.layout().chips();
  std::string out = bold(style, fmt::format("{} on {} of {} ({})", answer.ground().model->title, chips_text(chips),
                                            answer.ground().machine->title, short_name(answer.layout()))) +
                    "\n" + question_line(answer) + "\n\n";
  out += bold(style, "For a user") + dim(style, "   calibrated") + "\n";
  out += figure_row(
      "time per token", milliseconds(t.tpot),
      fmt::format("{:.4g} tokens/s{}", answer.estimate.user_rate.value(), error_text(answer.ground().error.tpot)));
  out += figure_row(
      "time to first token", answer.waits ? "not given" : milliseconds(t.ttft),
      fmt::format("a prompt alone takes {}{}", milliseconds(t.prefill_alone), error_text(answer.ground().error.ttft)));
  if (const std::string& unknown = answer.ground().error.unknown; !unknown.empty())
    out += wrapped(fmt::format("  how far off these are is not known: {}", unknown), style.columns, 4) + "\n";
  out += bold(style, "For the house") + "\n";
  out += figure_row("output tokens/s", rate_text(answer.estimate.output_rate.value()),
                    fmt::format("{} per chip; with input {}, {} per chip",
                                rate_text(answer.estimate.output_rate.value() / answer.estimate.chips.value()),
                                rate_text(answer.estimate.total_rate.value()),
                                rate_text(answer.estimate.total_rate.value() / answer.estimate.chips.value())));
  out +=
      figure_row("a million tokens out", dollars_per_million(answer.estimate.output_cost.value()),
                 fmt::format("in {}; at ${:.3g} per chip-hour", dollars_per_million(answer.estimate.input_cost.value()),
                             answer.ground().numbers.price.value() * 3600));
  out += figure_row(
      "compute, memory in use",
      fmt::format("{} {}", percent(answer.estimate.mfu.value()), percent(answer.estimate.mbu.value())),
      fmt::format("MFU and MBU{}", answer.estimate.energy.value() > 0
                                       ? fmt::format("; {:.3g} J for an output token", answer.estimate.energy.value())
                                       : ""));
  if (answer.question.rate)
    out += figure_row("utilization", percent(answer.rate_share), "of the requests that it could finish");
  if (t.emitted.value() > 1)
    out += figure_row("tokens a step", fmt::format("{:.3g}", t.emitted.value()), "guesses that were right included");
  if (answer.question.disaggregated) {
    out += figure_row(
        "prefill for each decode", fmt::format("{:.3g}", answer.estimate.prefill_replicas.value()),
        fmt::format("replicas of {}; a prompt's cache takes {} to move", short_name(answer.deployment.prefill.layout),
                    milliseconds(answer.estimate.transfer_time)));
  }
  const bool choice = answer.estimate.step.strict() < answer.estimate.step.bound();
  out += bold(style, "A decode step") +
         dim(style, fmt::format("   batch {:.4g}; bound {} at datasheet peaks{}", t.batch.value(),
                                milliseconds(answer.estimate.step.bound()),
                                choice ? fmt::format(" with equally popular experts, {} if all agreed on theirs",
                                                     milliseconds(answer.estimate.step.strict()))
                                       : "")) +
         "\n";
  out += parts_table(answer, style);
  out += figure_row("together", milliseconds(t.decode_step),
                    t.prefill_share.value() > 0
                        ? fmt::format("prompts between the steps take {} of the time", percent(t.prefill_share.value()))
                        : "");
  out += bold(style, "Memory") + "\n" + memory_text(answer.estimate.memory, answer.question);
  if (!answer.sensitivity.empty()) out += sensitivity_text(answer.sensitivity, style);
  out += "\n";
  out += notes_text(answer.notes, style);
  out += wrapped(fmt::format("calibrated on {}; engine {}: {}", answer.ground().chip_from, answer.question.engine,
                             answer.ground().engine_from),
                 style.columns, 2) +
         "\n";
  if (nearest) out += nearest_text(*nearest, style);
  return out;
}

std::string serving_fit_text(const ServingAnswer& answer, const Style& style) {
  const double length = answer.question.isl + answer.question.osl / 2;
  std::string out =
      bold(style, fmt::format("{} on {} of {} ({})", answer.ground().model->title, chips_text(answer.layout().chips()),
                              answer.ground().machine->title, short_name(answer.layout()))) +
      "\n" + memory_text(answer.estimate.memory, answer.question);
  const bool fits = answer.load.concurrency <= answer.estimate.memory.sequences.value();
  out += fmt::format("{}: {} requests in flight, room for {} of {:g} tokens on each replica\n",
                     fits ? "fits" : "does not fit", with_commas(std::round(answer.load.concurrency)),
                     with_commas(std::floor(answer.estimate.memory.sequences.value())), length);
  out += wrapped(fmt::format("an engine would report a cache of {} tokens, {:.2f} times the {:g} tokens of one request",
                             with_commas(std::floor(answer.estimate.memory.cache_tokens.value())),
                             answer.estimate.memory.cache_tokens.value() / length, length),
                 style.columns, 0) +
         "\n";
  out += notes_text(answer.notes, style);
  return out;
}

std::string shortfall_text(const ServingShortfall& shortfall, const ServingQuestion& question, const Style& style) {
  if (shortfall.most_requests > 0) {
    std::string busy = bold(style, fmt::format("Too much for {}: at most {:.3g} requests a second",
                                               short_name(shortfall.layout), shortfall.most_requests)) +
                       "\n";
    for (const std::string& way : shortfall.ways_out) busy += "  goes with " + way + "\n";
    return busy + notes_text(shortfall.notes, style);
  }
  std::string out = bold(style, fmt::format("Does not fit as {}", short_name(shortfall.layout))) + "\n";
  out += memory_text(shortfall.memory, question);
  for (const std::string& way : shortfall.ways_out) out += "  fits with " + way + "\n";
  return out + notes_text(shortfall.notes, style);
}

std::string commands_text(const std::vector<EngineCommand>& commands, const Style& style) {
  std::string out;
  for (const EngineCommand& command : commands) {
    out += "\n" +
           bold(style, fmt::format("To start {} with {}",
                                   command.role == "prefill"  ? "the chips for prompts"
                                   : command.role == "decode" ? "those that decode"
                                                              : "it",
                                   command.title)) +
           (command.exact ? "" : dim(style, "   as near as it gets")) + "\n\n" + command.text + "\n";
    if (!command.notes.empty()) out += "\n" + notes_text(command.notes, style);
  }
  return out;
}

}  // namespace ridge::report
