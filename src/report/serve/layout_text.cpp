#include "report/serve/layout_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "report/base/counts.hpp"

namespace ridge::report {

namespace {

std::string bytes(double value) { return show(value, kByte, 3); }

std::string range_text(const Range& range) {
  return range.count == 1 ? fmt::format("{:g}", range.first) : fmt::format("{:g}-{:g}", range.first, range.last());
}

std::string heading(const Style& style, std::string_view text) { return "\n" + bold(style, text) + "\n"; }

/// A box around lines of text.
std::string boxed(const std::string& title, const std::vector<std::string>& lines, const Style& style) {
  int width = shown_width(title) + 4;
  for (const std::string& one : lines) width = std::max(width, shown_width(one) + 2);
  const auto repeated = [](std::string_view piece, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += piece;
    return out;
  };
  const std::string_view across = style.unicode ? "─" : "-", down = style.unicode ? "│" : "|";
  std::string out = fmt::format("  {}{} {} {}{}\n", style.unicode ? "┌" : "+", across, title,
                                repeated(across, width - 3 - shown_width(title)), style.unicode ? "┐" : "+");
  for (const std::string& one : lines) {
    out += fmt::format("  {} {} {}\n", down, padded(one, width - 2), down);
  }
  return out + fmt::format("  {}{}{}\n", style.unicode ? "└" : "+", repeated(across, width), style.unicode ? "┘" : "+");
}

/// The chips from one to another, a row at a time; long stretches are cut in the middle.
std::vector<std::string> chip_rows(const LayoutAnswer& answer, double first, double count, const Style& style) {
  constexpr double kMostRows = 18;
  int wide = 1;
  for (const double at : {first, first + count - 1, first + std::floor(count / 2)}) {
    wide = std::max(wide, shown_width(chip_label(answer, seat_of(answer.placement, at))));
  }
  const auto fit = [&](double gap) { return std::floor((style.columns - 16.0) / (wide + gap)); };
  const int gap = fit(2) >= 8 || fit(1) < 8 ? 2 : 1;
  const double room = fit(gap), in_row = room >= 16 ? 16 : room >= 8 ? 8 : std::max(1.0, room);
  std::vector<std::string> lines;
  const double rows = std::ceil(count / in_row);
  for (double row = 0; row < rows; ++row) {
    if (rows > kMostRows && row == kMostRows - 2) {
      lines.push_back(fmt::format("... {} more rows alike ...", with_commas(rows - kMostRows + 1)));
      row = rows - 1;
    }
    std::string text = padded(fmt::format("chip {:g}", first + row * in_row), 10);
    for (double i = row * in_row; i < std::min(count, (row + 1) * in_row); ++i) {
      text += padded(chip_label(answer, seat_of(answer.placement, first + i)), wide + gap, true);
    }
    lines.push_back(text);
  }
  return lines;
}

std::string stage_title(const LayoutAnswer& answer, double stage) {
  const std::string layers = layers_text(layers_of_stage(answer.placement, stage));
  return answer.placement.layout.pipeline > 1 ? fmt::format("stage {:g}, {}", stage + 1, layers) : layers;
}

std::string one_rack(const LayoutAnswer& answer, double rack, const Style& style) {
  const Placement& placement = answer.placement;
  const double each = placement.layout.chips_per_stage(), here = placement.stage_chips_in_rack();
  const double used = placement.chips_used(rack);
  std::vector<std::string> lines;
  const double first =
      placement.spans_racks() ? std::floor(rack / placement.racks_per_stage) : rack * placement.stages_per_rack;
  const double last =
      placement.spans_racks() ? first : std::min(first + placement.stages_per_rack, placement.layout.pipeline) - 1;
  constexpr double kMostStages = 4;
  for (double stage = first; stage <= last; ++stage) {
    if (stage - first == kMostStages) {
      lines.push_back(fmt::format("... stages {:g}-{:g} alike ...", stage + 1, last + 1));
      break;
    }
    if (last > first) lines.push_back(stage_title(answer, stage) + ":");
    const double inside = placement.spans_racks() ? std::fmod(rack, placement.racks_per_stage) * here : 0;
    for (std::string& row : chip_rows(answer, stage * each + inside, here, style)) lines.push_back(std::move(row));
  }
  if (placement.rack_chips > used) lines.push_back(plural(placement.rack_chips - used, "chip") + " not used");
  std::string title = fmt::format("rack {:g} of {:g}: {} of {} chips", rack + 1, placement.racks(), with_commas(used),
                                  with_commas(placement.rack_chips));
  if (last == first) title += ", " + stage_title(answer, first);
  return boxed(title, lines, style);
}

std::string drawing(const LayoutAnswer& answer, const Style& style) {
  const Placement& placement = answer.placement;
  constexpr double kMostRacks = 4;
  const double alike_after = placement.spans_racks() ? placement.racks_per_stage : 1;  // then the same experts again
  const double drawn = std::min(alike_after, kMostRacks);
  std::string out;
  for (double rack = 0; rack < drawn; ++rack) out += one_rack(answer, rack, style);
  if (alike_after > drawn) {
    out += fmt::format("  racks {:g}-{:g}: the next experts, chip by chip\n", drawn + 1, alike_after);
  }
  if (placement.racks() > alike_after) {
    std::vector<std::string> others;
    const double per_rack = placement.spans_racks() ? 1 : placement.stages_per_rack;
    for (double stage = per_rack; stage < placement.layout.pipeline; ++stage) {
      const Range racks = racks_of_stage(placement, stage);
      others.push_back(fmt::format("rack{} {}: {}", racks.count == 1 ? "" : "s",
                                   range_text({racks.first + 1, racks.count}), stage_title(answer, stage)));
      if (others.size() == 8 && stage + 1 < placement.layout.pipeline) {
        others.push_back("and so on");
        break;
      }
    }
    out += wrapped("  the same chip by chip on " + joined(others, "; "), style.columns, 4) + "\n";
  }
  return out + wrapped("  " + label_legend(answer), style.columns, 2) + "\n";
}

/// What would make it fit, of the things this command can change.
std::string ways_out(const LayoutAnswer& answer) {
  const Holding& most = answer.stages[answer.fullest];
  const double room = answer.usable - most.weights(), groups = answer.placement.layout.attention_data;
  const double batch = most.sequence > 0 ? std::floor(room / most.sequence) * groups : 0;
  if (batch >= 1) return fmt::format("--batch {:.0f}; or a shorter --context, --kv fp8", batch);
  return room > 0
             ? "a shorter --context, --kv fp8; or more stages with --pp"
             : fmt::format(
                   "the weights alone take {}: more stages with --pp, more --tp or --ep, lower-precision --weights",
                   show_gib(most.weights()));
}

std::string held(const LayoutAnswer& answer, const Style& style) {
  const Holding& most = answer.stages[answer.fullest];
  std::string out = heading(
      style, fmt::format("Each chip holds{}", answer.stages.size() > 1
                                                  ? fmt::format(", in the fullest stage ({})", layers_text(most.layers))
                                                  : ""));
  const auto row = [&](std::string_view name, double value, const std::string& note) {
    if (value <= 0) return;
    std::string text = fmt::format("  {} {} {} {}", padded(name, 13), padded(show_gib(value), 11, true),
                                   bar(style, value / answer.usable, 12), note);
    text.erase(text.find_last_not_of(' ') + 1);
    out += wrapped(text, 80, 41) + "\n";
  };
  const Placement& placement = answer.placement;
  const Experts* experts = answer.model->experts();
  const double places =
      experts == nullptr ? 0 : (experts->count + placement.layout.redundant_experts) / placement.layout.expert;
  const std::string shared =
      placement.layout.moe_tensor() > 1 ? fmt::format(", shared by {:g} chips", placement.layout.moe_tensor()) : "";
  row("experts", most.experts, fmt::format("{} per layer{}", plural(places, "expert"), shared));
  row("attention", most.attention,
      placement.layout.tensor > 1 ? fmt::format("sharded over {:g} chips", placement.layout.tensor) : "replicated");
  row("FFN", most.networks, experts == nullptr ? "" : "dense layers and shared experts");
  row("embedding", most.embedding, "");
  row("LM head", most.head, "");
  const double context = answer.sequences * most.sequence;
  row("KV cache", context,
      fmt::format("{} of {} tokens, {} each", plural(answer.sequences, "sequence"),
                  with_commas(answer.question.context), bytes(most.sequence)));
  row("total", answer.needed,
      fmt::format(
          "of {} per chip: {}", show_gib(answer.usable),
          answer.fits() ? "fits" : fmt::format("DOES NOT FIT, short {}", show_gib(answer.needed - answer.usable))));
  if (!answer.fits()) out += named_line("ways out", ways_out(answer), style);
  return out;
}

std::string sent(const LayoutAnswer& answer, const Style& style) {
  if (answer.traffic.empty()) return heading(style, "No communication: one chip holds everything");
  std::string out = heading(style, "Each chip sends, per token of its DP rank");
  out += fmt::format("  {} {} {}  {}\n", padded("", 13), padded("scale-up", 12, true), padded("scale-out", 12, true),
                     "times");
  double inside = 0, outside = 0;
  for (const Traffic& one : answer.traffic) {
    out += fmt::format("  {} {} {}  {}\n", padded(one.what, 13), padded(bytes(one.inside), 12, true),
                       padded(bytes(one.outside), 12, true), with_commas(one.times));
    inside += one.inside * one.times;
    outside += one.outside * one.times;
  }
  out += fmt::format("  {} {} {}\n", padded("all layers", 13), padded(bytes(inside), 12, true),
                     padded(bytes(outside), 12, true));
  out += named_line("a step",
                    fmt::format("{} in each DP rank's micro-batch, {} and {}: {} on the network at datasheet speed, "
                                "without latency and overlap",
                                plural(answer.micro_batch, "token"), bytes(inside * answer.micro_batch),
                                bytes(outside * answer.micro_batch), show(answer.network)),
                    style);
  return out;
}

std::string spanning(const LayoutAnswer& answer, const Style& style) {
  if (answer.spans.size() < 2) return "";
  std::string out =
      heading(style, fmt::format("An expert layer over several racks: scale-out is {}x slower than scale-up",
                                 significant(answer.network_ratio->value(), 3)));
  std::string racks, plain, merged;
  for (const SpanRow& row : answer.spans) {
    racks += padded(fmt::format("{:g}", row.racks), 8, true);
    plain += padded(significant(row.plain, 3) + "x", 8, true);
    merged += padded(significant(row.merged, 3) + "x", 8, true);
  }
  out += fmt::format("  {}{}\n", padded("racks", 26), racks);
  out += fmt::format("  {}{}  {}\n", padded("each copy sent by itself", 26), plain, "the lecture's");
  out += fmt::format("  {}{}  {}\n", padded("once per rack, then local", 26), merged, "as engines do");
  return out;
}

std::string largest(const LayoutAnswer& answer, const Style& style) {
  if (!answer.largest) return "";
  const LargestLayer<double>& most = *answer.largest;
  std::string out = heading(style, "The largest expert layer of one rack");
  out += named_line("by memory",
                    fmt::format("{} with all {} layers here, {} alone (a stage for each layer); this model's has {}",
                                show(most.all_here, 3), with_commas(answer.model->layers()), show(most.alone, 3),
                                bytes(answer.expert_layer)),
                    style);
  out += named_line(
      "by latency",
      fmt::format("{} if a step may take {}, however many stages: each layer has {} to be read", show(most.in_time, 3),
                  show(answer.question.latency), show(answer.question.latency / answer.model->layers(), 3)),
      style);
  return out;
}

std::string pipelining(const LayoutAnswer& answer, const Style& style) {
  if (answer.pipeline.size() < 2) return "";
  std::string out = heading(style, "Pipeline parallelism over racks, one micro-batch per stage");
  out += fmt::format("  {} {} {} {} {} {} {}\n", padded("stages", 6, true), padded("layers", 6, true),
                     padded("sequences", 10, true), padded("weights/chip", 12, true), padded("KV/chip", 10, true),
                     padded("hop hidden", 11, true), padded("hops add", 9, true));
  for (const StageRow& row : answer.pipeline) {
    const bool alone = row.stages == 1;
    const double hidden = row.hidden.value();
    const std::string times = !std::isfinite(hidden) || !answer.network_ratio ? "-" : significant(hidden, 3) + "x";
    out += fmt::format("  {} {} {} {} {} {} {}\n", padded(fmt::format("{:g}", row.stages), 6, true),
                       padded(with_commas(row.layers), 6, true), padded(with_commas(row.in_flight), 10, true),
                       padded(show_gib(row.weights.value()), 12, true), padded(show_gib(row.context.value()), 10, true),
                       padded(alone ? "-" : times, 11, true), padded(alone ? "-" : show(row.hops, 3), 9, true));
  }
  std::string text =
      "Weights are sharded, KV cache is not: every stage has its own micro-batch. The cost of a token stays, its "
      "latency grows by the hops. A hop is hidden while the network inside a stage takes longer (1x or more)";
  return out + wrapped("  " + text, style.columns, 2) + "\n";
}

std::string budget(const LayoutAnswer& answer, const Style& style) {
  const RackBudget& b = answer.budget;
  std::string out = heading(style, "Rack");
  const auto against = [](std::optional<Ratio<double>> chips, double there) {
    if (!chips) return std::string(", no limit given");
    return fmt::format(", which {} chips would reach{}", with_commas(std::floor(chips->value())),
                       chips->value() < there ? ": OVER THE LIMIT" : "");
  };
  const double there = answer.rack.chips.value();
  if (b.drawn || b.chips.value() > 0) {
    std::string text = fmt::format("chips alone {}", show(b.chips, 3));
    if (b.drawn) {
      text += fmt::format(
          "; {} {}", show(*b.drawn, 3),
          b.at_meter ? "at the meter, with hosts, network and cooling" : "with hosts and switches, all of it heat");
    }
    if (b.power_limit) text += fmt::format("; limit {}", show(*b.power_limit, 3));
    out += named_line("power", text + against(b.chips_by_power, there), style);
  }
  if (b.cables) {
    std::string text = fmt::format("{} (chips x links x switch planes x wires)", with_commas(*b.cables));
    if (b.cable_limit) text += fmt::format("; limit {}", with_commas(*b.cable_limit));
    out += named_line("cables", text + against(b.chips_by_cables, there), style);
  } else if (b.cable_limit) {
    out += named_line("cables", "not in the catalog", style);
  }
  return out;
}

}  // namespace

std::string chip_label(const LayoutAnswer& answer, const Seat& seat) {
  const Layout& layout = answer.placement.layout;
  if (answer.placement.experts > 0 && layout.expert > 1) {
    return range_text(seat.experts) + (seat.copies > 0 ? fmt::format("+{:g}", seat.copies) : "");
  }
  std::string label;
  if (layout.attention_data > 1) label += fmt::format("d{:g}", seat.data);
  if (layout.context > 1) label += fmt::format("c{:g}", seat.context);
  if (layout.tensor > 1) label += fmt::format("t{:g}", seat.tensor);
  return label.empty() ? "all" : label;
}

std::string label_legend(const LayoutAnswer& answer) {
  const Layout& layout = answer.placement.layout;
  if (answer.placement.experts > 0 && layout.expert > 1) {
    std::string text = "in each chip: the experts it holds of every layer";
    if (layout.redundant_experts > 0) text += ", and redundant copies";
    if (layout.moe_tensor() > 1) text += fmt::format("; {:g} neighbors shard each expert", layout.moe_tensor());
    return text;
  }
  std::string text = "in each chip:";
  if (layout.attention_data > 1) text += " d, its DP rank;";
  if (layout.context > 1) text += " c, its CP rank;";
  if (layout.tensor > 1) text += " t, its TP rank;";
  if (text.ends_with(':')) return "one chip holds everything";
  text.pop_back();
  return text;
}

std::string layers_text(const Range& layers) { return (layers.count == 1 ? "layer " : "layers ") + range_text(layers); }

std::string layout_title(const LayoutAnswer& answer) {
  const Layout& layout = answer.placement.layout;
  std::string text = fmt::format("{} on {}: {}, {} in {}", answer.model->title, machine_kind(answer.machine->title),
                                 short_name(layout), plural(layout.chips() / layout.replicas, "chip"),
                                 plural(answer.placement.racks(), "rack"));
  if (layout.replicas > 1) text += fmt::format(", {:g} replicas", layout.replicas);
  return text;
}

std::string layout_text(const LayoutAnswer& answer, const Style& style) {
  std::string out = bold(style, layout_title(answer)) + "\n";
  out += fmt::format("{}: the fullest chip needs {} of {}\n", answer.fits() ? "Fits" : "Does not fit",
                     show_gib(answer.needed), show_gib(answer.usable));
  out += wrapped(fmt::format("batch {} in {}, context {}; roofline bound (datasheet peaks, uniform routing)",
                             with_commas(answer.question.batch),
                             answer.placement.layout.replicas > 1 ? "each replica" : "all",
                             with_commas(answer.question.context)),
                 style.columns, 0) +
         "\n\n";
  out += drawing(answer, style) + held(answer, style) + sent(answer, style) + spanning(answer, style) +
         largest(answer, style) + pipelining(answer, style) + budget(answer, style);
  for (const std::string& note : answer.notes) out += wrapped("note: " + note, style.columns, 6) + "\n";
  return plain_text(style, out + "\nnext: --pp 4, --ep, --racks 2 or --svg FILE\n      ridge layout " +
                               answer.question.model + " --compare; docs/theory/racks.md\n");
}

std::string compare_text(const std::vector<RackColumn>& columns, const Model& model, const Style& style) {
  std::string out = bold(style, fmt::format("{} on one scale-up domain of each machine", model.title)) + "\n";
  out += fmt::format("  {}{}{}{}{}{}{}{}{}\n", padded("", 18), padded("chips", 6, true), padded("memory", 8, true),
                     padded("racks", 6, true), padded("read all", 9, true), padded("used", 5, true),
                     padded("read", 9, true), padded("sweep", 9, true), padded("up/out", 7, true));
  for (const RackColumn& one : columns) {
    out += fmt::format(
        "  {}{}{}{}{}{}{}{}{}\n", padded(one.machine->name, 18), padded(with_commas(one.rack.chips.value()), 6, true),
        padded(show(held_by(one.rack), 3), 8, true), padded(fmt::format("{:g}", one.racks_to_hold), 6, true),
        padded(show(one.read, 3), 9, true), padded(with_commas(one.used), 5, true),
        padded(show(one.read_used, 3), 9, true), padded(show(sweep_time(one.rack), 3), 9, true),
        padded(one.network_ratio ? significant(one.network_ratio->value(), 3) : "-", 7, true));
  }
  const std::string text =
      "racks: to hold the weights, with pipeline parallelism. read all: time to read all weights with every chip of "
      "the "
      "domain, the floor of a step for any number of stages. used, read: chips that the experts (or heads) of a layer "
      "divide over, and the floor with those. sweep: time to read all of HBM. up/out: scale-up over scale-out "
      "bandwidth of a chip.";
  out += "\n" + wrapped(text, style.columns, 0) + "\n";
  const auto slowest = std::max_element(columns.begin(), columns.end(),
                                        [](const RackColumn& a, const RackColumn& b) { return a.read < b.read; });
  const auto fastest = std::min_element(columns.begin(), columns.end(), [](const RackColumn& a, const RackColumn& b) {
    return a.read_used < b.read_used;
  });
  if (slowest != columns.end() && slowest != fastest) {
    out += wrapped(fmt::format(
                       "More racks in a pipeline add capacity, and the floor stays {} on {}; {}x the bandwidth in one "
                       "domain makes it {} on {}.",
                       show(slowest->read, 3), slowest->machine->name,
                       significant(slowest->read.value() / fastest->read_used.value(), 3), show(fastest->read_used, 3),
                       fastest->machine->name),
                   style.columns, 0) +
           "\n";
  }
  return out;
}

}  // namespace ridge::report
