#include "catalog/trainer/training_log.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge::catalog {

namespace {

/// The number after a word of a line; commas inside it are thousands.
std::optional<double> log_number(std::string_view line, std::string_view word) {
  const std::size_t at = line.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  std::string digits;
  for (std::size_t i = line.find_first_not_of(" :=", at + word.size()); i < line.size(); ++i) {
    const char c = line[i];
    if (c == ',') continue;
    const bool sign = (c == '-' || c == '+') && (digits.empty() || digits.back() == 'e' || digits.back() == 'E');
    if ((c < '0' || c > '9') && c != '.' && !sign && !((c == 'e' || c == 'E') && !digits.empty())) break;
    digits += c;
  }
  return parse_number(digits);
}

/// The middle of what is left when a run has warmed up.
std::optional<double> settled(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  constexpr std::size_t kFew = 5;
  if (values.size() > kFew)
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 5));
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : values[n / 2 - 1] / 2 + values[n / 2] / 2;
}

struct LogForm {
  std::string_view name, mark;
  std::string_view step;  // word before the time of a step
  double step_unit = 1;   // s
  std::string_view rate, samples, tflops, memory;
};

constexpr std::array kForms = {
    LogForm{"Megatron-LM's log", "elapsed time per iteration (ms)", "elapsed time per iteration (ms)", 1e-3, "", "",
            "throughput per GPU (TFLOP/s/GPU)", ""},
    LogForm{"Megatron-Bridge's log", "Step Time :", "Step Time :", 1, "", "", "GPU utilization:", ""},
    LogForm{"torchtitan's log", "tps:", "", 1, "tps:", "", "tflops:", "memory:"},
    LogForm{"DeepSpeed's log", "SamplesPerSec", "", 1, "", "CurrSamplesPerSec", "", ""},
};

/// Escapes of colored logs.
std::string without_color(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\x1b') {
      out += line[i];
      continue;
    }
    while (i < line.size() && line[i] != 'm') ++i;
  }
  return out;
}

std::optional<TrainingLog> by_lines(std::string_view text) {
  for (const LogForm& form : kForms) {
    std::vector<double> steps, rates, samples, tflops, memory;
    std::size_t lines = 0;
    for (const std::string& raw : split(text, '\n')) {
      const std::string line = without_color(raw);
      if (line.find(form.mark) == std::string::npos) continue;
      ++lines;
      const auto take = [&](std::string_view word, double unit, std::vector<double>& into) {
        if (word.empty()) return;
        const auto value = log_number(line, word);
        if (value && *value > 0 && std::isfinite(*value * unit)) into.push_back(*value * unit);
      };
      take(form.step, form.step_unit, steps);
      take(form.rate, 1, rates);
      take(form.samples, 1, samples);
      take(form.tflops, 1, tflops);
      take(form.memory, 1024.0 * 1024 * 1024, memory);
    }
    if (steps.empty() && rates.empty() && samples.empty()) continue;
    TrainingLog out;
    out.form = form.name;
    out.lines = lines;
    out.step = settled(steps);
    out.rate = settled(rates);
    out.samples = settled(samples);
    out.tflops = settled(tflops);
    out.peak_bytes = settled(memory);
    return out;
  }
  return std::nullopt;
}

Result<TrainingLog> by_columns(std::string_view text, std::string_view where) {
  std::vector<std::string> lines;
  for (const std::string& line : split(text, '\n')) {
    if (!trimmed(line).empty()) lines.emplace_back(trimmed(line));
  }
  if (lines.size() < 2)
    return fail(
        {std::string(where), "no line of a training log, and no CSV with a header",
         "a log of Megatron-LM, Megatron-Bridge, torchtitan or DeepSpeed, or: chips,tp,pp,global_batch,step_s"});
  const std::vector<std::string> header = split(lines.front(), ',');
  const std::vector<std::string> values = split(lines.back(), ',');
  TrainingLog out;
  out.form = "CSV";
  out.lines = 1;
  if (values.size() != header.size())
    return fail({std::string(where), fmt::format("{} values under {} columns", values.size(), header.size()),
                 "as many as the header names"});
  for (std::size_t i = 0; i < header.size(); ++i) {
    const std::string name = lower_case(trimmed(header[i])), value(trimmed(values[i]));
    std::optional<double>* measured = name == "step_s" || name == "step_ms"  ? &out.step
                                      : name == "tokens_per_second_per_chip" ? &out.rate
                                      : name == "peak_bytes"                 ? &out.peak_bytes
                                                                             : nullptr;
    if (value.empty()) continue;
    if (measured == nullptr) {
      out.said[name] = value;
      continue;
    }
    const auto number = parse_number(value);
    if (!number || !(*number * 1e-3 > 0))
      return fail({std::string(where), fmt::format("{} is {}", name, shortened(value)), "a number above 0"});
    *measured = name == "step_ms" ? *number * 1e-3 : *number;
  }
  if (!out.step && !out.rate)
    return fail({std::string(where), "neither step_s nor tokens_per_second_per_chip is there",
                 "add the one that was measured: chips,tp,pp,global_batch,step_s"});
  return out;
}

}  // namespace

Result<TrainingLog> read_training_log(std::string_view text, std::string_view where) {
  if (auto found = by_lines(text)) return std::move(*found);
  return by_columns(text, where);
}

}  // namespace ridge::catalog
