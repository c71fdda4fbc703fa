#include "report/calibrate/numbers_page.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "library/calibrations.hpp"

namespace ridge::report {

namespace {

constexpr std::pair<std::string_view, std::string_view> kMeanings[] = {
    {"matrix_16bit", "share of the dense 16-bit matrix peak"},
    {"matrix_8bit", "share of the dense 8-bit matrix peak"},
    {"matrix_4bit", "share of the dense 4-bit matrix peak"},
    {"memory", "share of the memory bandwidth, reading weights"},
    {"attention_memory", "share of the memory bandwidth, reading the KV cache"},
    {"attention_matrix", "share of the 16-bit peak in attention"},
    {"softmax_rate", "scores a second: exponentials, not products"},
    {"link", "share of the scale-up bandwidth"},
    {"product_time", "a matrix product that has nothing to do"},
    {"attention_time", "an attention that has nothing to do"},
    {"block_time", "decode attention, for a sequence and kv head, whatever its length"},
    {"prefill_time", "prefill attention that has nothing to do"},
    {"experts_time", "an expert layer that has nothing to do"},
    {"small_time", "a small kernel between the large ones"},
    {"reduce_time", "an all-reduce between two chips that has nothing to add"},
    {"depth_16bit", "a 16-bit product, for each 1,000 of its inner dimension"},
    {"depth_8bit", "the same of an 8-bit product"},
    {"depth_4bit", "the same of a 4-bit product"},
    {"quantize_passes", "times a product's input crosses the memory to be quantized"},
    {"decode_rows", "rows of padding beside the query heads that share a key"},
    {"join_share", "starting attention over a long context, above a short one's"},
    {"join_context", "the context where half of that is paid"},
    {"block_root", "what the root of its query rows adds to a decode block"},
    {"prefill_block_time", "prefill attention, for a sequence and head of 128"},
    {"prefill_rows", "scores' worth of work of a query row beside its scores"},
    {"state_rows", "rows of padding beside the heads that share a recurrent state, in prefill"},
    {"prefill_passes", "times queries, keys, values and results cross the memory"},
    {"expert_matrix", "what grouped products reach of plain ones"},
    {"expert_blocks", "what block-scaled grouped products reach of others"},
    {"expert_skew", "variance of the experts' popularity, of the most there can be"},
    {"balanced_skew", "the same under a router that a bias balances"},
    {"expert_memory", "what reading experts reaches of reading plain weights"},
    {"expert_rows", "rows of padding that every touched expert pays"},
    {"unpack_rows", "the same where weights alone are narrow"},
    {"unpack_matrix", "what such products reach of plain 16-bit ones"},
    {"expert_passes", "times an expert layer's activations cross the memory"},
    {"expert_token_time", "choosing and sorting experts, for a token"},
    {"reduce_per_chip", "an all-reduce, for each chip after the second"},
    {"reduce_phase", "the second phase of an all-reduce against starting the first"},
    {"reduce_across_time", "an all-reduce's part between nodes, with nothing to send"},
    {"all_to_all_time", "a dispatch or combine that has nothing to send"},
    {"small_share", "small kernels that no large one absorbs"},
    {"step_time", "a step, whatever is in it: scheduling, launching, sampling"},
    {"sequence_time", "for each sequence in a step"},
    {"launch_time", "the host, for each kernel of a step with prompts that no captured graph holds"},
    {"prefill_step_time", "a step with prompts, above one without: put together and sampled anew"},
    {"prompt_time", "for each prompt in a step, above a sequence that decodes"},
    {"expert_padding",
     "more rows of padding of an 8 or 4 bit expert in a captured step with prompts, over its kernels' own"},
    {"prefill_factor", "prefill where others decode, against its kernels"},
    {"first_time", "a request on its way to its first step and back"},
    {"first_token_time", "of that way, for each token of the prompt"},
};

/// Of a server that was just started.
bool is_fresh(std::string_view name) { return name.starts_with("fresh_"); }

std::string unit_of(std::string_view name) {
  if (name == "softmax_rate") return "1/s";
  if (name == "first_time" || (is_fresh(name) && !name.ends_with("_token_time"))) return "ms";
  if (name.ends_with("_time") || name.starts_with("depth_") || name == "reduce_per_chip") return "us";
  if (name == "join_context") return "tokens";
  return name.ends_with("_rows") ? "rows" : "1";
}

/// "2.01 ± 16 %", in the unit.
std::string value_words(const FittedNumber& number, std::string_view unit) {
  const double scale = unit == "us" ? 1e6 : unit == "ms" ? 1e3 : 1;
  std::string out = fmt::format("{:.4g}", number.value * scale);
  if (number.spread > 0) out += fmt::format(" ± {:.2g} %", 100 * number.spread);
  return out;
}

const ListedNumber::Value* value_at(const ListedNumber& number, std::string_view owner) {
  for (const ListedNumber::Value& value : number.values) {
    if (value.owner == owner) return &value;
  }
  return nullptr;
}

std::vector<std::string> owners_of(const std::vector<ListedNumber>& numbers, std::string_view of) {
  std::vector<std::string> owners;
  for (const ListedNumber& number : numbers) {
    if (number.of != of) continue;
    for (const auto& value : number.values) {
      if (std::find(owners.begin(), owners.end(), value.owner) == owners.end()) owners.push_back(value.owner);
    }
  }
  return owners;
}

void add_numbers(const Library& library, const char* of, const std::vector<std::string>& names,
                 std::vector<ListedNumber>& out) {
  for (const std::string& name : names) {
    ListedNumber number{of, name, std::string(meaning_of_number(name)), unit_of(name), {}, 0, 0};
    for (const CalibrationEntry& entry : library.calibrations) {
      const std::string kind = entry.of == "kernels" ? "kernel" : entry.of;
      const auto found = entry.numbers.find(name);
      if (found == entry.numbers.end()) continue;
      if (kind == of)
        number.values.push_back({entry.of != "kernels"     ? entry.name
                                 : entry.name == "kernels" ? "alone"
                                                           : "in a step",
                                 found->second});
      if (entry.of == "step" && number.of == "chip") {
        number.step_ratio = found->second.value;
        number.step_spread = found->second.spread;
      }
    }
    out.push_back(std::move(number));
  }
}

const NumberWorth* worth_at(const std::optional<Worth>& worth, const ListedNumber& number) {
  if (!worth) return nullptr;
  for (const NumberWorth& one : worth->numbers) {
    if (one.of == number.of && one.name == number.name) return &one;
  }
  return nullptr;
}

/// Percentage points that an error grows by where the number is held.
double points(double held, double fitted) { return 100 * (held - fitted); }

std::string bought_cells(const std::optional<Worth>& worth, const ListedNumber& number) {
  const NumberWorth* own = worth_at(worth, number);
  if (own == nullptr) return " | | |";
  return fmt::format(" {:+.2f} | {:+.2f} | {:+.2f} |", points(own->held.kernels, worth->fitted.kernels),
                     points(own->held.tpot, worth->fitted.tpot), points(own->held.ttft, worth->fitted.ttft));
}

std::string number_table(const std::vector<ListedNumber>& numbers, const std::optional<Worth>& worth,
                         std::string_view of) {
  const std::vector<std::string> owners = owners_of(numbers, of);
  std::string head = "| number | what | unit |", line = "|---|---|---|", rows;
  for (const std::string& owner : owners) {
    head += " " + owner + " |";
    line += "---|";
  }
  if (of == "chip") {
    head += " in a step: times |";
    line += "---|";
  }
  if (worth) {
    head += " kernels | TPOT | TTFT |";
    line += "---|---|---|";
  }
  for (const ListedNumber& number : numbers) {
    if (number.of != of) continue;
    rows += fmt::format("| `{}` | {} | {} |", number.name, number.meaning, number.unit);
    for (const std::string& owner : owners) {
      const auto* value = value_at(number, owner);
      rows += value == nullptr ? " |" : fmt::format(" {} |", value_words(value->number, number.unit));
    }
    if (of == "chip") rows += fmt::format(" {} |", value_words({number.step_ratio, number.step_spread}, "1"));
    if (worth) rows += bought_cells(worth, number);
    rows += "\n";
  }
  return head + "\n" + line + "\n" + rows;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kGroups = {
    {{"chip", "Of a chip"}, {"kernel", "Of the kernels, shared by all chips"}, {"engine", "Of an engine"}}};

}  // namespace

std::string_view meaning_of_number(std::string_view name) {
  for (const auto& [known, meaning] : kMeanings) {
    if (known == name) return meaning;
  }
  if (is_fresh(name) && name.ends_with("_token_time"))
    return "there, each token of prompts above those of the largest step before";
  if (is_fresh(name))
    return "the first step with a prompt on a server just started, more than others; in benchmarks alone";
  return {};
}

std::vector<ListedNumber> listed_numbers(const Library& library) {
  std::vector<ListedNumber> out;
  add_numbers(library, "chip", field_names<ChipCalibration<double>>(), out);
  add_numbers(library, "kernel", field_names<KernelCalibration<double>>(), out);
  std::vector<std::string> engine = field_names<EngineCalibration<double>>();
  std::set<std::string> fresh;  // of benchmarks alone, no part of a step
  for (const std::string& name : engine_names(library)) {
    for (const std::string& kernels : fresh_kernels_of(library, name)) fresh.insert(kernels);
  }
  for (const bool of_token : {false, true}) {
    for (const std::string& kernels : fresh) engine.push_back(fresh_number_name(kernels, of_token));
  }
  add_numbers(library, "engine", engine, out);
  return out;
}

std::string numbers_text(const std::vector<ListedNumber>& numbers, const std::optional<Worth>& worth,
                         const Style& style) {
  std::string out = bold(style, "Fitted numbers: value, spread") + "\n";
  for (const auto& [of, title] : kGroups) {
    out += "\n" + bold(style, title) + "\n";
    for (const ListedNumber& number : numbers) {
      if (number.of != of) continue;
      out += wrapped(fmt::format("  {} {}", padded(number.name, 20), number.meaning), style.columns, 23) + "\n";
      std::string values;
      for (const auto& value : number.values) {
        values +=
            fmt::format("{}{} {}", values.empty() ? "" : ", ", value.owner, value_words(value.number, number.unit));
      }
      if (number.step_ratio > 0)
        values += fmt::format("; in a step times {}", value_words({number.step_ratio, number.step_spread}, "1"));
      out += wrapped(fmt::format("{}{}{}", std::string(23, ' '), number.unit == "1" ? "" : number.unit + ": ", values),
                     style.columns, 23) +
             "\n";
      if (const NumberWorth* own = worth_at(worth, number)) {
        out +=
            wrapped(fmt::format("{}held at its prior: kernels {:+.2f}, TPOT {:+.2f}, TTFT {:+.2f} points",
                                std::string(23, ' '), points(own->held.kernels, worth->fitted.kernels),
                                points(own->held.tpot, worth->fitted.tpot), points(own->held.ttft, worth->fitted.ttft)),
                    style.columns, 23) +
            "\n";
      }
    }
  }
  if (worth) {
    out += "\n" +
           wrapped(fmt::format("All fitted: kernels {:.2f} % (in-sample), TPOT {:.2f} %, TTFT {:.2f} % (each model "
                               "left out in turn)",
                               100 * worth->fitted.kernels, 100 * worth->fitted.tpot, 100 * worth->fitted.ttft),
                   style.columns, 0) +
           "\n";
  }
  return plain_text(style, out);
}

std::string numbers_page(const std::vector<ListedNumber>& numbers, const std::optional<Worth>& worth) {
  std::string out =
      "# The fitted numbers\n\n" +
      wrapped(
          "Written by `ridge validate --numbers --page`; do not edit. Values with their standard deviation (of "
          "the logarithm, from the fit), as `catalog/calibration` holds them; the equations that use them are in "
          "[serving.md](theory/serving.md), the rows in [validation.md](validation.md). A unit of 1 is a share or a "
          "ratio. Harness numbers (how a program that timed kernels starts them) and those of llama.cpp's kernels are "
          "in the catalog alone.",
          110, 0) +
      "\n";
  if (worth) {
    out +=
        "\n" +
        wrapped(fmt::format(
                    "**What each bought.** With all numbers fitted, single kernels are off by {:.2f} % (in-sample), "
                    "TPOT by {:.2f} % and TTFT by {:.2f} % on runs whose model was left out. The columns at the right "
                    "say by how many points each of these errors grows where that one number is put back to its "
                    "prior on all chips or engines. For TPOT and TTFT all others inside a step are then fitted to the "
                    "runs again; for kernels the others stay, so that column is the most it can have bought. Near "
                    "zero: the prior was right, or others stand in for it. Below zero: models that were left out were "
                    "better off without fitting it. Written by `ridge calibrate --worth`.",
                    100 * worth->fitted.kernels, 100 * worth->fitted.tpot, 100 * worth->fitted.ttft),
                110, 0) +
        "\n";
  }
  for (const auto& [of, title] : kGroups) out += fmt::format("\n## {}\n\n{}", title, number_table(numbers, worth, of));
  return out;
}

}  // namespace ridge::report
