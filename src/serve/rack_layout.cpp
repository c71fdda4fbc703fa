#include "serve/rack_layout.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "library/calibrations.hpp"
#include "library/names.hpp"

namespace ridge {

namespace {

Rack<double> rack_of(const Machine& machine, const Chip& chip) {
  const ChipPeaks<double> peaks = peaks_of(chip, &machine);
  return {Ratio<double>(machine.chips.value), chip.usable_capacity().value, peaks.memory, peaks.scale_up,
          peaks.scale_out};
}

std::optional<Ratio<double>> ratio_of(const Machine& machine) {
  if (!machine.scale_up || !machine.scale_out) return {};
  return machine.scale_up->value / machine.scale_out->value;
}

/// What one chip holds of some layers, the model's ends not counted.
Holding holding_of(const Model& model, const Layout& layout, const StepFormats& formats, Range layers, double context) {
  Model part = model;
  const auto first = model.order.begin() + static_cast<std::ptrdiff_t>(layers.first);
  part.order.assign(first, first + static_cast<std::ptrdiff_t>(layers.count));
  Layout one_stage = layout;
  one_stage.pipeline = 1;
  const StepOperations plan = step_operations(part, one_stage, formats, Fabric{});
  Holding holding;
  holding.layers = layers;
  for (const GemmOperation& product : plan.products) {
    const double bytes = product.weights * product.times;
    if (product.part == StepPart::head) holding.head += bytes;
    if (product.part == StepPart::projections) holding.attention += bytes;
    if (product.part == StepPart::dense_ffn) holding.networks += bytes;
    if (product.part == StepPart::experts) holding.experts += bytes;
  }
  for (const ExpertsOperation& experts : plan.experts)
    holding.experts += experts.local * experts.weights * experts.times;
  holding.embedding = plan.embedding;
  holding.sequence = context_held(plan, context);
  return holding;
}

/// With the embedding on the first stage and the head on the last.
std::vector<Holding> holdings(const Model& model, const Placement& placement, const StepFormats& formats,
                              double context) {
  std::vector<Holding> all;
  const double stages = placement.layout.pipeline;
  for (double stage = 0; stage < stages; ++stage) {
    all.push_back(holding_of(model, placement.layout, formats, layers_of_stage(placement, stage), context));
    if (stage > 0) all.back().embedding = 0;
    if (stage < stages - 1) all.back().head = 0;
  }
  return all;
}

std::vector<Traffic> traffic_of(const StepOperations& plan) {
  std::vector<Traffic> all;
  const auto add = [&](const char* what, double inside, double outside, double times) {
    for (Traffic& one : all) {
      if (one.what == what && one.inside == inside && one.outside == outside) {
        one.times += times;
        return;
      }
    }
    all.push_back({what, inside, outside, times});
  };
  for (const AllReduceOperation& reduce : plan.all_reduces) {
    // as its bound has it: once over each link, added up in the network; chips of a domain share what leaves it
    add("all-reduce", reduce.over.inside ? reduce.bytes : 0, reduce.over.across ? reduce.bytes / reduce.over.chips : 0,
        reduce.times);
  }
  for (std::size_t i = 0; i < plan.all_to_alls.size(); ++i) {
    const AllToAllOperation& exchange = plan.all_to_alls[i];
    add(i % 2 == 0 ? "to experts" : "from experts", exchange.inside, exchange.outside, exchange.times);
  }
  if (plan.hops > 0) {
    add("next stage", plan.hops_inside ? plan.hop_bytes : 0, plan.hops_inside ? 0 : plan.hop_bytes, plan.hops);
  }
  return all;
}

/// The machine's peaks; where the catalog has no way out, what leaves takes no time, and a note says so.
ChipPeaks<double> counted_peaks(const LayoutAnswer& answer) {
  ChipPeaks<double> peaks = peaks_of(*answer.chip, answer.machine);
  if (!answer.machine->scale_out) peaks.scale_out = BytesPerSecond<double>(std::numeric_limits<double>::infinity());
  return peaks;
}

/// Links that a byte crosses between two of so many chips.
double links_crossed(const Fabric& fabric, double chips) {
  return fabric.topology == Topology::torus ? torus_distance(chips) : 1;
}

std::vector<SpanRow> spans_of(const LayoutAnswer& answer, const Experts& experts) {
  std::vector<SpanRow> rows;
  if (!answer.network_ratio) return rows;
  const double chips = answer.placement.layout.expert;
  const Ratio<double> copies(experts.per_token);
  const Bytes<double> copy(1.0);
  const Fabric fabric = fabric_of(*answer.machine);
  const double whole = links_crossed(fabric, chips);  // in one rack
  const auto merged_time = [&](double racks) {
    Sent<double> sent = merged_all_to_all(copy, copies, Ratio<double>(chips / racks), Ratio<double>(racks));
    sent.inside = sent.inside * links_crossed(fabric, chips / racks);
    if (experts.groups > experts.groups_used) {  // routing keeps a token to few groups, and so to few racks
      const double most = experts.groups_used * (racks - 1) / racks;
      sent.outside = min(sent.outside, copy * most);
    }
    return all_to_all_over(answer.rack, sent).total();
  };
  for (const double racks : {1.0, 2.0, 4.0, 8.0}) {
    if (chips / racks < 2) break;
    const Ratio<double> nearer = links_crossed(fabric, chips / racks) / whole;
    rows.push_back({racks, span_slow_down(*answer.network_ratio / whole, nearer, Ratio<double>(racks)).value(),
                    (merged_time(racks) / merged_time(1)).value()});
  }
  return rows;
}

/// Time on the network for one token, inside a stage of so many layers of the model and on the hop behind it.
Ratio<double> hidden_hop(const LayoutAnswer& answer, const StepOperations& plan, double layers) {
  StepOperations within = plan;
  within.staged = false;
  const Seconds<double> inside = network_bound(within, counted_peaks(answer), Ratio<double>(1));
  const Bytes<double> hop(plan.hop_bytes);
  return hop_hidden(inside * (layers / plan.layers), hop / answer.rack.scale_out);
}

std::vector<StageRow> stages_of(const LayoutAnswer& answer, const StepOperations& plan, const StepFormats& formats) {
  std::vector<StageRow> rows;
  const Model& model = *answer.model;
  const double micro = answer.micro_batch * answer.placement.layout.attention_data;
  for (const double stages : {1.0, 2.0, 4.0, 8.0}) {
    if (stages > model.layers()) break;
    const double layers = std::ceil(model.layers() / stages);
    const Holding held = holding_of(model, answer.placement.layout, formats, {0, layers}, answer.question.context);
    StageRow row{stages, layers, micro * stages, Bytes<double>(held.weights() - held.head - held.embedding), {},
                 {},     {}};
    row.context = Bytes<double>(held.sequence * answer.micro_batch * stages);
    row.hidden = hidden_hop(answer, plan, model.layers() / stages);
    const Bytes<double> sent(plan.hop_bytes * answer.micro_batch);
    const Seconds<double> each = answer.hop + sent / answer.rack.scale_out;
    row.hops = pipelined_step(Seconds<double>(0), Ratio<double>(stages > 1 ? stages : 0), each);
    rows.push_back(row);
  }
  return rows;
}

RackBudget budget_of(const LayoutAnswer& answer, const RackFacts* facts) {
  RackBudget budget;
  const LayoutQuestion& question = answer.question;
  const Ratio<double> chips = answer.rack.chips;
  if (answer.chip->power) budget.chips = rack_power(chips, answer.chip->power->value);
  if (facts != nullptr && facts->power) {
    budget.drawn = facts->power->value;
  } else if (answer.machine->owned) {
    budget.drawn = rack_power(chips, answer.machine->owned->power.value);
    budget.at_meter = true;
  }
  budget.power_limit = question.power_limit;
  budget.cable_limit = question.cable_limit;
  if (facts != nullptr) {
    if (!budget.power_limit && facts->power_limit) budget.power_limit = facts->power_limit->value;
    if (!budget.cable_limit && facts->cable_limit) budget.cable_limit = facts->cable_limit->value;
    if (facts->links && facts->planes && facts->wires) {
      budget.cables = rack_cables(chips, Ratio<double>(facts->links->value), Ratio<double>(facts->planes->value),
                                  Ratio<double>(facts->wires->value))
                          .value();
    }
  }
  const Watts<double> drawn = budget.drawn.value_or(budget.chips);
  if (budget.power_limit && drawn.value() > 0) {
    budget.chips_by_power = chips_within(*budget.power_limit, drawn / chips);
  }
  if (budget.cables && budget.cable_limit) {
    budget.chips_by_cables = chips_within(Ratio<double>(*budget.cable_limit), Ratio<double>(*budget.cables) / chips);
  }
  return budget;
}

void add_notes(LayoutAnswer& answer) {
  const Layout& layout = answer.placement.layout;
  const Model& model = *answer.model;
  if (model.experts() != nullptr && layout.attention_data == 1 && layout.expert > 1) {
    answer.notes.push_back(
        "attention is not data-parallel: every chip has every token, so experts need an all-reduce and no all-to-all");
  }
  if (std::fmod(answer.question.batch, layout.attention_data * layout.pipeline) != 0) {
    answer.notes.push_back(
        fmt::format("{:g} sequences do not divide over {:g} groups and {:g} stages; shares are means",
                    answer.question.batch, layout.attention_data, layout.pipeline));
  }
  if (layout.redundant_experts > 0) {
    answer.notes.push_back("copies are of whichever experts are busiest; which ones is the engine's choice");
  }
  if (answer.placement.spans_racks() && !answer.machine->scale_out) {
    answer.notes.push_back(
        "the catalog has no scale-out bandwidth for this machine: time between racks is not counted");
  }
  if (const double links = links_crossed(fabric_of(*answer.machine), layout.chips_per_stage());
      links > 1 && layout.attention_data > 1 && model.experts() != nullptr) {
    answer.notes.push_back(
        fmt::format("on a torus a byte to an expert crosses {:.3g} links on average, and is counted on each", links));
  }
  if (!answer.chip->capacity_visible) answer.notes.push_back("memory as on the datasheet; drivers show a little less");
}

}  // namespace

Result<LayoutAnswer> lay_out(const LayoutQuestion& question, const Library& library,
                             const std::vector<RackFacts>& racks) {
  Errors errors;
  LayoutAnswer answer;
  answer.question = question;
  const auto named_model = model_named(library, question.model);
  const auto named_machine = whole_machine_named(library, question.machine);
  if (!named_model) append(errors, named_model.error());
  if (!named_machine) append(errors, named_machine.error());
  if (!errors.empty()) return fail(std::move(errors));
  answer.model = named_model->entry;
  answer.machine = named_machine->entry;
  for (const std::string& note : {named_model->note, named_machine->note}) {
    if (!note.empty()) answer.notes.push_back(note);
  }
  const auto chip = chip_named(library, answer.machine->chip);
  if (!chip) return fail(chip.error());
  answer.chip = chip->entry;
  const Model& model = *answer.model;
  const auto formats = step_formats(model, library, *answer.chip, question.formats);
  if (!formats) return fail(formats.error());
  const double rack_chips = answer.machine->chips.value;
  const auto placement = placed(question.layout, model, rack_chips, question.racks);
  if (!placement) return fail(placement.error());
  answer.placement = *placement;
  answer.rack = rack_of(*answer.machine, *answer.chip);
  answer.network_ratio = ratio_of(*answer.machine);

  const Layout& layout = question.layout;
  Fabric fabric = fabric_of(*answer.machine);
  if (placement->spans_racks()) fabric.domain = placement->stage_chips_in_rack();
  const StepOperations plan = step_operations(model, layout, *formats, fabric);
  answer.stages = holdings(model, *placement, *formats, question.context);
  answer.sequences = question.batch / layout.attention_data;
  answer.micro_batch = answer.sequences / layout.pipeline;
  answer.usable = answer.chip->usable_capacity().value.value();
  for (std::size_t i = 0; i < answer.stages.size(); ++i) {
    const double needed = answer.stages[i].weights() + answer.sequences * answer.stages[i].sequence;
    if (needed <= answer.needed) continue;
    answer.needed = needed;
    answer.fullest = i;
  }
  answer.traffic = traffic_of(plan);
  answer.network = network_bound(plan, counted_peaks(answer), Ratio<double>(answer.micro_batch));
  const RackFacts* facts = find_named(racks, answer.machine->name);
  answer.hop = question.hop.value_or(hop_latency(chip_in_step(library, *answer.chip).value.reduce_time,
                                                 peaks_of(*answer.chip, answer.machine).hop, false));
  if (const Experts* experts = model.experts()) {
    answer.spans = spans_of(answer, *experts);
    answer.largest = largest_layer(answer.rack, Ratio<double>(model.layers()), question.latency);
    for (const ExpertsOperation& one : plan.experts) {
      answer.expert_layer = std::max(answer.expert_layer, one.local * one.weights * layout.chips_per_stage());
    }
  }
  answer.pipeline = stages_of(answer, plan, *formats);
  answer.budget = budget_of(answer, facts);
  add_notes(answer);
  if (facts != nullptr) {
    answer.notes.push_back(
        fmt::format("what a rack draws, its limits, cables and hop are assumptions (catalog/rack, catalog/machine); "
                    "{}, {} and {} replace them",
                    field("rack_power"), field("rack_cables"), field("hop")));
  }
  return answer;
}

Result<std::vector<RackColumn>> compare_racks(const std::string& name, const std::vector<std::string>& machines,
                                              const Library& library) {
  Errors errors;
  const auto named_model = model_named(library, name);
  if (!named_model) append(errors, named_model.error());
  const Model* model = named_model ? named_model->entry : nullptr;
  std::vector<RackColumn> columns;
  for (const std::string& wanted : machines) {
    RackColumn column;
    const auto machine = whole_machine_named(library, wanted);
    if (!machine) append(errors, machine.error());
    if (machine) column.machine = machine->entry;
    if (machine) column.chip = find_named(library.chips, column.machine->chip);
    if (column.chip == nullptr || model == nullptr) continue;
    const auto formats = step_formats(*model, library, *column.chip, {});
    if (!formats) return fail(formats.error());
    column.rack = rack_of(*column.machine, *column.chip);
    column.weights = Bytes<double>(weights_held(step_operations(*model, Layout{}, *formats, Fabric{})));
    column.racks_to_hold = std::ceil((column.weights / held_by(column.rack)).value());
    column.read = time_to_read(column.rack, column.weights);
    Rack<double> used = column.rack;
    column.used = suggested_layout(Layout{}, *model, column.machine->chips.value).chips_per_stage();
    used.chips = Ratio<double>(column.used);
    column.read_used = time_to_read(used, column.weights);
    column.network_ratio = ratio_of(*column.machine);
    if (column.chip->power) column.chip_power = rack_power(column.rack.chips, column.chip->power->value);
    columns.push_back(column);
  }
  if (!errors.empty()) return fail(std::move(errors));
  return columns;
}

}  // namespace ridge
