#include "catalog/entries/probed_entry.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/json/json_value.hpp"

namespace ridge::catalog {

namespace {

/// A text between quotes of TOML.
std::string probed_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\' && c != 0x7f;
    out += plain ? c : '_';
  }
  return is_utf8(out) ? out : "unknown";
}

/// A chip's entry but for its peaks.
struct ProbedChipText {
  std::string title, vendor, note, by;  // by: what measured it
  std::string machine;                  // short: it heads every answer
  int cpu_threads = 0;                  // 0: no CPU
  double memory = 0;
};

std::string fact_line(std::string_view key, const std::string& value, const std::string& source,
                      const std::string& note) {
  return fmt::format("{} = {{ value = \"{}\", source = \"{}\"{} }}\n", key, value, source,
                     note.empty() ? "" : fmt::format(", note = \"{}\"", probed_text(note)));
}

/// Four digits and a unit that keeps them before the point: "1.248 TFLOP/s".
std::string scaled_text(double value, std::string_view unit) {
  return value >= 1e12 ? fmt::format("{:.4g} T{}", value / 1e12, unit) : fmt::format("{:.4g} G{}", value / 1e9, unit);
}

std::string rate_line(std::string_view key, const std::optional<ProbedPeak>& peak, const std::string& source) {
  return peak ? fact_line(key, scaled_text(peak->value, "FLOP/s"), source, peak->note) : "";
}

std::string chip_toml(const ProbedChipText& chip, const ProbedPeaks& peaks, const ProbedNames& names) {
  const std::string source = "probe-" + names.machine;
  std::string out = fmt::format("title = \"{}\"\nvendor = \"{}\"\nyear = {}\n", probed_text(chip.title),
                                probed_text(chip.vendor), names.date.substr(0, 4));
  if (chip.cpu_threads > 0) out += fmt::format("cpu = true\nthreads = {}\n", chip.cpu_threads);
  out += fmt::format("note = \"{}\"\n\n[matmul]\n", probed_text(chip.note));
  out += rate_line("bf16", peaks.bf16, source) + rate_line("fp8", peaks.fp8, source) +
         rate_line("int8", peaks.int8, source);
  out += "\n[hbm]\n" + fact_line("capacity", scaled_text(chip.memory, "B"), source, "as the system says");
  out += fact_line("bandwidth", scaled_text(peaks.bandwidth->value, "B/s"), source, peaks.bandwidth->note);
  if (peaks.measured_bf16 || peaks.measured_int8) {
    out += "\n[measured]\n" + rate_line("bf16", peaks.measured_bf16, source) +
           rate_line("int8", peaks.measured_int8, source);
  }
  if (peaks.vector) out += "\n[vector]\n" + rate_line("fp32", peaks.vector, source);
  out += fmt::format("\n[sources.{}]\ntitle = \"{}\"\nkind = \"measured\"\ndate = \"{}\"\nconfidence = \"{}\"\n",
                     source, probed_text(chip.by), names.date, peaks.disturbed() ? "low" : "medium");
  if (peaks.disturbed()) out += "note = \"Something else was running: alone, the machine may be faster.\"\n";
  return out;
}

std::string machine_toml(const ProbedChipText& chip, const ProbedNames& names) {
  const std::string source = "probe-" + names.machine;
  std::string out = fmt::format("title = \"This machine, {}\"\nchip = \"{}\"\n\n[scale_up]\n",
                                probed_text(chip.machine), names.chip) +
                    fmt::format("chips = {{ value = 1, source = \"{}\" }}\n", source) +
                    fact_line("technology", "none", source, "") + fact_line("topology", "none", source, "");
  if (names.price) {
    const ProbedPrice& price = *names.price;
    out += fmt::format(
        "\n[price]\non_demand = {{ value = \"${:.4g}/h\", source = \"{}\", kind = \"assumed\", note = \"{}\" }}\n",
        price.dollars, price.source.empty() ? source : price.source, probed_text(price.note));
  }
  return out;
}

Result<std::vector<ProbedFile>> files_of(const ProbedChipText& chip, const ProbedPeaks& peaks,
                                         const ProbedNames& names) {
  if (!peaks.bandwidth) return fail({"probe", "no read of the memory was timed", "give it more time"});
  if (!peaks.bf16) return fail({"probe", "no multiply-add was timed", "give it more time"});
  if (!(chip.memory > 0)) return fail({"probe", "the system does not say how much memory there is", ""});
  return std::vector<ProbedFile>{{"chip", names.chip, chip_toml(chip, peaks, names)},
                                 {"machine", names.machine, machine_toml(chip, names)}};
}

}  // namespace

Result<std::vector<ProbedFile>> probed_files(const ProbedCpu& cpu, const ProbedNames& names) {
  std::string note = "Measured, not from a datasheet: the best pass of each. The year is that of the measurement.";
  for (const std::string& one : cpu.missing) note += " Not measured: " + one + ".";
  return files_of({.title = fmt::format("{}, {} thread{}", cpu.title, cpu.threads, cpu.threads == 1 ? "" : "s"),
                   .vendor = cpu.vendor,
                   .note = note,
                   .by = fmt::format("ridge probe: {}, {}{}", cpu.title,
                                     cpu.instructions.empty() ? "portable loops" : cpu.instructions,
                                     cpu.library.empty() ? "" : ", " + cpu.library),
                   .machine = fmt::format("{} CPU thread{}", cpu.threads, cpu.threads == 1 ? "" : "s"),
                   .cpu_threads = cpu.threads,
                   .memory = cpu.memory},
                  peaks_of(cpu), names);
}

Result<std::vector<ProbedFile>> probed_files(const ProbedGpu& gpu, const ProbedNames& names) {
  std::string note = "Measured, not from a datasheet: the best pass of each. The year is that of the measurement.";
  if (gpu.devices > 1) {
    note += fmt::format(" {} devices are there; links between them are not measured, and the machine's entry has one.",
                        gpu.devices);
  }
  for (const std::string& one : gpu.missing) note += " Not measured: " + one + ".";
  return files_of({.title = gpu.title,
                   .vendor = gpu.vendor,
                   .note = note,
                   .by = fmt::format("ridge probe: {}, {}", gpu.title, gpu.software),
                   .machine = gpu.title.substr(0, 40),
                   .cpu_threads = 0,
                   .memory = gpu.memory},
                  peaks_of(gpu), names);
}

namespace {

std::string text_member(const JsonValue& json, std::string_view key) {
  const JsonValue* found = json.find(key);
  return found != nullptr && found->text() != nullptr ? *found->text() : std::string();
}

double number_member(const JsonValue& json, std::string_view key) {
  const JsonValue* found = json.find(key);
  return found != nullptr && found->number() != nullptr && std::isfinite(*found->number()) ? *found->number() : 0;
}

/// A list of rates; what is no number is left out.
std::vector<ProbedRate> rates_member(const JsonValue& json, std::string_view key) {
  ProbeSeries series;
  const JsonValue* found = json.find(key);
  if (found != nullptr && found->array() != nullptr) {
    for (const JsonValue& one : *found->array()) {
      if (one.number() != nullptr) series.rates.push_back(*one.number());
    }
  }
  return probed_rates({series});
}

}  // namespace

Result<GpuReport> read_gpu_report(std::string_view json) {
  const auto parsed = parse_json(json, "the report of the GPU's script");
  if (!parsed) return fail(parsed.error());
  GpuReport out;
  out.none = text_member(*parsed, "none");
  if (!out.none.empty()) return out;
  ProbedGpu& gpu = out.gpu;
  gpu.title = text_member(*parsed, "name");
  gpu.vendor = text_member(*parsed, "vendor");
  gpu.software = text_member(*parsed, "software");
  const double devices = number_member(*parsed, "devices");
  gpu.devices = devices >= 1 && devices <= 1e6 ? static_cast<int>(devices) : 1;
  gpu.memory = number_member(*parsed, "memory");
  gpu.read = rates_member(*parsed, "read");
  gpu.bf16 = rates_member(*parsed, "bf16");
  gpu.fp8 = rates_member(*parsed, "fp8");
  gpu.int8 = rates_member(*parsed, "int8");
  gpu.fp32 = rates_member(*parsed, "fp32");
  if (const JsonValue* missing = parsed->find("missing"); missing != nullptr && missing->array() != nullptr) {
    for (const JsonValue& one : *missing->array()) {
      if (one.text() != nullptr) gpu.missing.push_back(shortened(*one.text()));
    }
  }
  if (gpu.title.empty() || gpu.vendor.empty() || gpu.read.empty() || gpu.bf16.empty()) {
    return fail({"the report of the GPU's script", "has no name, vendor, read or bf16",
                 "run probes/cuda/chip.py by hand to see what it says"});
  }
  return out;
}

}  // namespace ridge::catalog
