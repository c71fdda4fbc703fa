#include "search/sweep/roofline_sweep.hpp"

#include <algorithm>
#include <numeric>

#include "roofline/readings.hpp"
#include "roofline/scenario.hpp"

namespace ridge {

namespace {

constexpr std::size_t kSweepBlock = 2048;  // cases at once: their columns stay in the cache

using What = SweepColumn::Kind;
using Holds = SweepColumn::Holds;

bool more_is_better(std::string_view key) {
  constexpr std::array<std::string_view, 9> kMore = {"tok_s_per_user",
                                                     "output_tok_s_per_chip",
                                                     "output_tok_s",
                                                     "output_tok_s_ceiling",
                                                     "mfu",
                                                     "mbu",
                                                     "context_limit",
                                                     "batch",
                                                     "batch_limit"};
  return std::find(kMore.begin(), kMore.end(), key) != kMore.end();
}

constexpr std::size_t output_index(std::string_view key) {
  std::size_t index = 0, found = kDecodeOutputs;
  DecodeEstimate<double> none;
  visit_outputs(none, [&](const OutputInfo& info, const auto&) {
    if (info.key == key) found = index;
    ++index;
  });
  return found;
}

constexpr std::size_t kNeeded = output_index("memory_needed"), kThere = output_index("memory_capacity");
constexpr std::size_t kCompute = output_index("compute_time"), kMemory = output_index("memory_time");

}  // namespace

const std::array<std::string, kRooflineWords>& roofline_words() {
  static const std::array<std::string, kRooflineWords> words = {"model",   "machine",   "weights",
                                                                "experts", "attention", "kv"};
  return words;
}

std::vector<SweepColumn> roofline_columns() {
  std::vector<SweepColumn> columns;
  columns.push_back({"case", What::index, 0, kNone, Holds::count, false});
  for (std::size_t i = 0; i < kRooflineWords; ++i) {
    columns.push_back({roofline_words()[i], What::word, i, kNone, Holds::text, false});
  }
  for (std::size_t i = 0; i < kDecodeInputs; ++i) {
    const std::string key(input_info(i).key);
    columns.push_back({key, What::input, i, input_dimension(i), Holds::number, more_is_better(key)});
  }
  for (std::size_t i = 0; i < kDecodeOutputs; ++i) {
    const std::string key(output_info(i).key);
    columns.push_back({key, What::output, i, output_dimension(i), Holds::number, more_is_better(key)});
  }
  columns.push_back({"fits", What::fits, 0, kNone, Holds::flag, true});
  columns.push_back({"binds", What::binds, 0, kNone, Holds::text, false});
  columns.push_back({"problem", What::problem, 0, kNone, Holds::text, false});
  return columns;
}

/// What one thread works with: a block of cases.
struct RooflineSweep::Scratch {
  std::vector<Axis> axes;            // values of the inner axes in the block
  std::vector<Axis> gathered;        // the same for the cases of one base
  std::vector<std::size_t> base_of;  // of each case
  bool one_base = true;
  std::vector<std::size_t> order;  // cases by base
  Columns outputs, part;
};

RooflineSweep::RooflineSweep(Parts parts) : parts_(std::move(parts)), set_(best_instruction_set()) {
  inner_of_.fill(-1);
  for (std::size_t i = 0; i < parts_.inner.size(); ++i) inner_of_[parts_.inner_inputs[i]] = static_cast<int>(i);
  for (const SweepColumn& column : parts_.columns) {
    if (column.kind == What::output) wanted_[column.which] = true;
    if (column.kind == What::fits) wanted_[kNeeded] = wanted_[kThere] = true;
    if (column.kind == What::binds) wanted_[kCompute] = wanted_[kMemory] = true;
  }
}

void RooflineSweep::evaluate(std::uint64_t first, std::size_t count, SweepTable& table) const {
  table.first = first;
  table.rows = 0;
  table.columns.resize(parts_.columns.size());
  for (TableColumn& column : table.columns) {
    column.numbers.clear();
    column.texts.clear();
  }
  Scratch scratch;
  for (const std::size_t input : parts_.inner_inputs) scratch.axes.push_back({input, {}});
  scratch.gathered = scratch.axes;
  for (std::size_t done = 0; done < count; done += kSweepBlock) {
    const std::size_t length = std::min(kSweepBlock, count - done);
    evaluate_block(first + done, length, scratch);
    copy_out(first + done, length, scratch, table);
  }
  table.rows = count;
}

void RooflineSweep::evaluate_block(std::uint64_t first, std::size_t count, Scratch& scratch) const {
  for (std::size_t i = 0; i < parts_.inner.size(); ++i) {
    scratch.axes[i].values.resize(count);
    parts_.space.fill(parts_.inner[i], first, count, scratch.axes[i].values.data());
  }
  for (std::size_t i = 0; i < kDecodeOutputs; ++i) scratch.outputs[i].resize(wanted_[i] ? count : 0);
  find_bases(first, count, scratch);
  const RooflineBase& base = parts_.bases[scratch.base_of.front()];
  if (scratch.one_base && base.problem.empty() && (count == 1 || !scratch.axes.empty())) {
    sweep_into(scratch.outputs, base.numbers, scratch.axes, set_);
  } else {
    compute_apart(count, scratch);
  }
}

void RooflineSweep::find_bases(std::uint64_t first, std::size_t count, Scratch& scratch) const {
  scratch.base_of.assign(count, 0);
  std::size_t weight = 1;
  for (std::size_t i = parts_.outer.size(); i-- > 0;) {
    parts_.space.add_digits(parts_.outer[i], first, count, weight, scratch.base_of.data());
    weight *= parts_.space.axes()[parts_.outer[i]].size();
  }
  const std::size_t base = scratch.base_of.front();
  scratch.one_base =
      std::all_of(scratch.base_of.begin(), scratch.base_of.end(), [&](std::size_t other) { return other == base; });
}

/// Cases of the same base together, so that the lanes of a register share its terms, and a case comes out the same
/// whatever stands beside it.
void RooflineSweep::compute_apart(std::size_t count, Scratch& scratch) const {
  scratch.order.resize(count);
  std::iota(scratch.order.begin(), scratch.order.end(), std::size_t{0});
  std::stable_sort(scratch.order.begin(), scratch.order.end(),
                   [&](std::size_t a, std::size_t b) { return scratch.base_of[a] < scratch.base_of[b]; });
  for (std::size_t start = 0, end = 0; start < count; start = end) {
    const std::size_t base = scratch.base_of[scratch.order[start]];
    // without inner axes every case has a base of its own
    const std::size_t most = scratch.axes.empty() ? start + 1 : count;
    while (end < most && scratch.base_of[scratch.order[end]] == base) ++end;
    const auto each = [&](auto&& visit) {
      for (std::size_t i = start; i < end; ++i) visit(i - start, scratch.order[i]);
    };
    if (!parts_.bases[base].problem.empty()) {
      for (auto& column : scratch.outputs) {
        if (!column.empty()) each([&](std::size_t, std::size_t to) { column[to] = kNothing; });
      }
      continue;
    }
    for (std::size_t k = 0; k < scratch.axes.size(); ++k) {
      scratch.gathered[k].values.resize(end - start);
      each([&](std::size_t at, std::size_t from) { scratch.gathered[k].values[at] = scratch.axes[k].values[from]; });
    }
    for (std::size_t i = 0; i < kDecodeOutputs; ++i) scratch.part[i].resize(wanted_[i] ? end - start : 0);
    sweep_into(scratch.part, parts_.bases[base].numbers, scratch.gathered, set_);
    for (std::size_t i = 0; i < kDecodeOutputs; ++i) {
      if (wanted_[i]) each([&](std::size_t at, std::size_t to) { scratch.outputs[i][to] = scratch.part[i][at]; });
    }
  }
}

void RooflineSweep::copy_numbers(const SweepColumn& column, std::uint64_t first, const Scratch& scratch,
                                 std::vector<double>& to, std::size_t count) const {
  const auto append = [&](const std::vector<double>& values) { to.insert(to.end(), values.begin(), values.end()); };
  if (column.kind == What::output) return append(scratch.outputs[column.which]);
  if (column.kind == What::input && inner_of_[column.which] >= 0) {
    return append(scratch.axes[static_cast<std::size_t>(inner_of_[column.which])].values);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const RooflineBase& base = parts_.bases[scratch.base_of[i]];
    if (column.kind == What::index) {
      to.push_back(static_cast<double>(first + i));
    } else if (!base.problem.empty()) {
      to.push_back(kNothing);
    } else if (column.kind == What::fits) {
      to.push_back(scratch.outputs[kNeeded][i] <= scratch.outputs[kThere][i] ? 1.0 : 0.0);
    } else {
      to.push_back(input_values(base.numbers)[column.which]);
    }
  }
}

void RooflineSweep::copy_out(std::uint64_t first, std::size_t count, const Scratch& scratch, SweepTable& table) const {
  for (std::size_t c = 0; c < parts_.columns.size(); ++c) {
    const SweepColumn& column = parts_.columns[c];
    TableColumn& to = table.columns[c];
    if (column.holds != Holds::text) {
      copy_numbers(column, first, scratch, to.numbers, count);
      continue;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const RooflineBase& base = parts_.bases[scratch.base_of[i]];
      if (column.kind == What::word) {
        to.texts.push_back(base.words[column.which]);
      } else if (column.kind == What::problem) {
        to.texts.push_back(base.problem);
      } else if (base.problem.empty()) {
        to.texts.emplace_back(scratch.outputs[kCompute][i] >= scratch.outputs[kMemory][i] ? "compute" : "memory");
      } else {
        to.texts.emplace_back();
      }
    }
  }
}

}  // namespace ridge
