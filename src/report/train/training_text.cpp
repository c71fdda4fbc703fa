#include "report/train/training_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "report/base/counts.hpp"

namespace ridge::report {

namespace {

std::string pct(double share) { return fmt::format("{:.1f}%", 100 * share); }

std::string layout_words(const TrainingEstimate& estimate) {
  const TrainingLayout& layout = estimate.layout;
  const std::string offload = layout.offload.any() ? ", offload " + name_of(layout.offload) : "";
  return fmt::format("{}, micro-batch {:g}, {:g} of them a step and copy, ZeRO-{}, recompute {}{}", short_name(layout),
                     layout.micro_batch, estimate.times.micro_batches, static_cast<int>(layout.sharding),
                     name_of(layout.recompute), offload);
}

std::string headline(const TrainingAnswer& answer) {
  const TrainingGround& ground = answer.ground;
  const TrainingEstimate& e = answer.estimate;
  const std::string who =
      fmt::format("{} on {}", ground.model->title.empty() ? ground.model->name : ground.model->title,
                  chips_text(ground.chips, ground.machine->title));
  if (!e.memory.fits())
    return fmt::format("{} ({}): does not fit, {} over", who, ground.machine->title,
                       show_gib((e.memory.needed() - e.memory.capacity).value()));
  std::string out = who + " (" + ground.machine->title + "): ";
  if (ground.tokens > 0) {
    out += fmt::format("{} tokens in {}", count_text(ground.tokens), time_text(e.run));
    if (e.dollars.value() > 0) out += fmt::format(", {}", money(e.dollars.value()));
    out += fmt::format(", MFU {}", pct(e.mfu()));
  } else {
    out += fmt::format("{} a step, MFU {}", show(e.times.step, 3), pct(e.mfu()));
  }
  return out;
}

std::string step_table(const TrainingEstimate& e, const Style& style) {
  std::string out = dim(style, fmt::format("  {}{}{}", padded("where a step goes", 24), padded("time", 12, true),
                                           padded("share", 9, true))) +
                    "\n";
  for (std::size_t i = 0; i < kTrainingParts; ++i) {
    const double share = (e.times.part[i] / e.times.step).value();
    if (share < 0.0005) continue;
    out += fmt::format("  {}{}{}  {}\n", padded(name_of(static_cast<TrainingPart>(i)), 24),
                       padded(show(e.times.part[i], 3), 12, true), padded(pct(share), 9, true), bar(style, share, 28));
  }
  return out + fmt::format("  {}{}\n", padded("step", 24), padded(show(e.times.step, 4), 12, true));
}

std::string memory_table(const TrainingEstimate& e, const Style& style) {
  const StageMemory& worst = e.memory.worst();
  std::string out = dim(style, wrapped(fmt::format("memory of the fullest chip: stage {:g} of {:g}, {}", worst.stage,
                                                   e.layout.pipeline, worst.moment),
                                       style.columns - 2, 2)) +
                    "\n";
  const auto row = [&](std::string_view name, double bytes, const std::string& remark) {
    if (bytes > 0) out += fmt::format("  {}{}  {}\n", padded(name, 24), padded(show_gib(bytes), 12, true), remark);
  };
  for (std::size_t i = 0; i < kMemoryTerms; ++i) {
    const auto term = static_cast<MemoryTerm>(i);
    std::string remark;
    if (term == MemoryTerm::weights) remark = count_text(worst.params) + " params here";
    if (term == MemoryTerm::activations) remark = fmt::format("{:.3g} micro-batches live", worst.live);
    row(name_of(term), worst.term[i].value(), remark);
  }
  row("process", e.memory.reserve.value(), "");
  row("fragmentation", e.memory.margin.value(), "margin");
  row("on the host", worst.host.value(), fmt::format("of {} a chip", show_gib(e.memory.host_capacity.value())));
  row("needed", e.memory.needed().value(),
      fmt::format("of {}: {}", show_gib(e.memory.capacity.value()), e.memory.fits() ? "fits" : "does not fit"));
  return out;
}

std::string flops_table(const TrainingEstimate& e, const Style& style) {
  std::string out = dim(style, fmt::format("  {}{}{}  {}", padded("FLOP counted", 14), padded("a token", 14, true),
                                           padded("MFU", 8, true), "by")) +
                    "\n";
  for (const FlopConvention convention : kFlopConventions) {
    const auto i = static_cast<std::size_t>(convention);
    out += fmt::format("  {}{}{}  {}\n", padded(name_of(convention), 14),
                       padded(show(e.flops.per_token[i], kFlop, 3), 14, true), padded(pct(e.utilization[i]), 8, true),
                       used_by(convention));
  }
  return out;
}

std::string pipelines_table(const TrainingAnswer& answer, const Style& style) {
  if (answer.pipelines.empty()) return "";
  std::string out =
      "\n" +
      dim(style, fmt::format("  {}{}{}{}", padded("schedule, simulated", 24), padded("pipeline", 12, true),
                             padded("bubble", 10, true), padded("live micro-batches", 20, true))) +
      "\n";
  for (const SimulatedPipeline& one : answer.pipelines) {
    out += fmt::format("  {}{}{}{}\n", padded(one.schedule, 24), padded(show(one.makespan, 4), 12, true),
                       padded(pct((one.bubble / one.makespan).value()), 10, true),
                       padded(fmt::format("{:.3g}", one.live), 20, true));
  }
  return out;
}

std::string choices_table(const TrainingAnswer& answer, const Style& style) {
  if (answer.choices.size() < 2) return "";
  std::string out = "\n" +
                    dim(style, fmt::format("  {}{}{}{}", padded("recompute, this layout", 28), padded("step", 10, true),
                                           padded("activations", 14, true), padded("needed", 12, true))) +
                    "\n";
  for (const RecomputeChoice& one : answer.choices) {
    const bool own = one.policy == answer.estimate.layout.recompute;
    out +=
        fmt::format("  {}{}{}{}{}\n", padded(clipped(name_of(one.policy), 27), 28), padded(show(one.step, 3), 10, true),
                    padded(show_gib(one.kept.value()), 14, true), padded(show_gib(one.needed.value()), 12, true),
                    !one.fits ? "  does not fit"
                    : own     ? "  chosen"
                              : "");
  }
  return out;
}

/// Which rank, by how much, and of what it has most.
std::string shortfall(const TrainingEstimate& e) {
  const StageMemory& worst = e.memory.worst();
  if (e.memory.on_host() > e.memory.host_capacity)
    return fmt::format("the host's memory is {} short of a chip's share",
                       show_gib((e.memory.on_host() - e.memory.host_capacity).value()));
  const MemoryTerm largest = largest_term(worst);
  return fmt::format("rank {:g} of {:g} needs {}, {} more than it has; most of it is {}: {}", worst.stage,
                     e.layout.pipeline, show_gib(e.memory.needed().value()),
                     show_gib((e.memory.needed() - e.memory.capacity).value()), name_of(largest),
                     show_gib(worst[largest].value()));
}

std::string frontier_table(const TrainingAnswer& answer, const Style& style) {
  if (answer.frontier.empty()) return "";
  std::string out = "\n" +
                    dim(style, fmt::format("  {}{}{}{}  {}", padded("chips", 9, true), padded("time", 12, true),
                                           padded("cost", 10, true), padded("MFU", 8, true), "layout")) +
                    "\n";
  for (const FrontierPoint& point : answer.frontier) {
    const TrainingEstimate& e = point.estimate;
    out += fmt::format("  {}{}{}{}  {}\n", padded(with_commas(point.chips), 9, true),
                       padded(answer.ground.tokens > 0 ? time_text(e.run) : show(e.times.step, 3), 12, true),
                       padded(e.dollars.value() > 0 ? money(e.dollars.value()) : "-", 10, true),
                       padded(pct(e.mfu()), 8, true), plain_text(style, short_name(e.layout)));
  }
  return out;
}

/// Each line of a command, broken where a shell continues it.
std::string command_lines(const TrainingCommand& command, const Style& style) {
  std::string out;
  for (const std::string& line : split(command.text, '\n')) {
    std::string row = "  ";
    for (const std::string& word : split(line, ' ')) {
      if (row.size() > 4 && row.size() + word.size() + 3 > static_cast<std::size_t>(style.columns) &&
          !line.starts_with('{') && !line.starts_with(' ')) {
        out += row + " \\\n";
        row = "     ";
      }
      row += (row.find_first_not_of(' ') == std::string::npos ? "" : " ") + word;
    }
    out += row + "\n";
  }
  for (const std::string& note : command.notes)
    out += wrapped(plain_text(style, "    not the same: " + note), style.columns, 6) + "\n";
  return out;
}

}  // namespace

MemoryTerm largest_term(const StageMemory& stage) {
  std::size_t largest = 0;
  for (std::size_t i = 1; i < kMemoryTerms; ++i) {
    if (stage.term[i] > stage.term[largest]) largest = i;
  }
  return static_cast<MemoryTerm>(largest);
}

std::string training_text(const TrainingAnswer& answer, const Style& style) {
  const TrainingGround& ground = answer.ground;
  const TrainingEstimate& e = answer.estimate;
  const auto line = [&](const std::string& text, int indent = 2) {
    return wrapped(plain_text(style, text), style.columns, indent) + "\n";
  };
  std::string out = bold(style, wrapped(plain_text(style, headline(answer)), style.columns, 2)) + "\n";
  out += line(layout_words(e));
  out += line(fmt::format("{} tok/s per chip, step {}, batch {} tokens of {} ({}, {})", with_commas(e.rate.value()),
                          show(e.times.step, 3), count_text(e.batch_tokens), show(Tokens<double>(ground.load.sequence)),
                          ground.recipe.title, ground.framework));
  if (ground.tokens > 0) {
    std::string bill = fmt::format("{} chip-hours", count_text(e.chip_hours));
    if (e.dollars.value() > 0)
      bill += fmt::format(", {} at {} a chip", money(e.dollars.value()), show(ground.price->price.value, 3));
    if (e.energy.value() > 0) bill += fmt::format(", {:.3g} GWh", e.energy.value() / 3.6e12);
    out += line(bill);
  }
  if (answer.searched) {
    out += line(fmt::format("best of {} layouts, {} evaluated, {} simulated; {}", with_commas(answer.search.considered),
                            with_commas(answer.search.evaluated), with_commas(answer.search.simulated),
                            answer.reason.empty() ? "no other degrees fit" : answer.reason));
    if (!answer.would_change.empty()) out += line(answer.would_change);
  }
  if (!e.memory.fits()) out += line(shortfall(e));
  out += "\n" + step_table(e, style) + "\n" + memory_table(e, style);
  if (!answer.ways_out.empty()) {
    out += "\n" + dim(style, "  ways out, quickest first") + "\n";
    for (const WayOut& way : answer.ways_out) {
      out += line(fmt::format("  {}: {} a step, needs {}", way.change, show(way.estimate.times.step, 3),
                              show_gib(way.estimate.memory.needed().value())),
                  4);
    }
  } else if (!e.memory.fits()) {
    out += line("  no one or two changes of this layout fit", 4);
  }
  out += "\n" + flops_table(e, style);
  out += choices_table(answer, style);
  out += pipelines_table(answer, style);
  out += frontier_table(answer, style);
  for (const TrainingCommand& command : answer.commands)
    out += "\n" + dim(style, "  " + command.framework) + "\n" + command_lines(command, style);
  out += "\n";
  out += line(fmt::format("calibrated: {}; chip: {}", ground.numbers.from, ground.chip_from));
  if (ground.borrowed) out += line("extrapolated: nobody measured training on this chip or under this framework");
  for (const std::string& note : ground.notes) out += line("note: " + note);
  return out;
}

}  // namespace ridge::report
