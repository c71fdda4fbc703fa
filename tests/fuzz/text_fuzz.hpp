#pragma once
// Every reader of text a stranger may write, fed one string. Used by the libFuzzer target (text_fuzz.cpp) and by the
// fixed corpus that every test run replays (replay_test.cpp).

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fingerprint.hpp"
#include "base/text/unit_text.hpp"
#include "catalog/engine/engine_command.hpp"
#include "catalog/entries/library.hpp"
#include "catalog/evidence/evidence_file.hpp"
#include "catalog/facts/files.hpp"
#include "catalog/facts/read_toml.hpp"
#include "catalog/facts/toml_tree.hpp"
#include "catalog/prices/price_file.hpp"
#include "catalog/question/scenario_text.hpp"
#include "catalog/question/sweep_file.hpp"
#include "catalog/results/results.hpp"
#include "catalog/traces/traces.hpp"
#include "catalog/trainer/trainer_entry.hpp"
#include "catalog/trainer/training_log.hpp"
#include "catalog/trainer/training_reading.hpp"
#include "report/derive/expression.hpp"
#include "report/simulate/trace_csv.hpp"

namespace ridge::fuzz {

/// What is wrong with the errors of a refusal; empty when each says where or what.
inline std::string wrong_refusal(const Errors& errors) {
  if (errors.empty()) return "refused without an error";
  for (const Error& error : errors) {
    if (error.what.empty()) return "an error that says nothing";
  }
  return "";
}

inline std::string wrong_measure(std::string_view text) {
  const auto measure = parse_measure(text, "fuzz");
  if (!measure) return wrong_refusal(measure.error());
  return std::isfinite(measure->value) ? "" : "parse_measure gave a number that is not finite";
}

inline std::string wrong_formula(std::string_view text) {
  const auto symbol = [](std::string_view name) { return name == "x" ? std::optional<double>(2.0) : std::nullopt; };
  const auto with = report::evaluate(text, symbol);
  const auto without = report::evaluate(text);
  return without && !with ? "a formula without symbols needs them" : "";
}

inline std::string wrong_scenario(std::string_view text) {
  const auto scenario = catalog::read_scenario(text, "fuzz.toml");
  if (!scenario) return wrong_refusal(scenario.error());
  if (scenario->model.empty() || scenario->machine.empty()) return "a scenario without a model or a machine";
  for (const GivenInput& given : scenario->given) {
    if (!std::isfinite(given.value)) return "a scenario input that is not finite: " + given.key;
  }
  return "";
}

/// Whether two readers of TOML said the same; where a table stands each tells in its own way.
inline bool same_toml(const catalog::TomlNode& a, const catalog::TomlNode& b) {
  return a.key == b.key && a.kind == b.kind && a.word == b.word && a.below.size() == b.below.size() &&
         (!a.is_plain() || a.line == b.line) && std::equal(a.below.begin(), a.below.end(), b.below.begin(), same_toml);
}

/// Our own reader of TOML, which a page uses, beside toml++: what ours accepts toml++ reads as the same.
inline std::string wrong_toml(std::string_view text) {
  const auto ours = catalog::parse_plain_toml(text, "fuzz.toml");
  if (!ours) return wrong_refusal(ours.error());
  const auto theirs = catalog::parse_toml(text, "fuzz.toml");
  if (!theirs) return "only our own reader takes it; toml++: " + theirs.error().front().what;
  return same_toml(*ours, *theirs) ? "" : "our own reader and toml++ say different things";
}

/// The least an entry leans on: a source, formats and a chip, so that a good entry is accepted. Null: not read.
inline const std::vector<catalog::Fact>* base_facts() {
  static const std::vector<catalog::Fact> facts = [] {
    const auto sources = catalog::read_entries(
        "[s]\ntitle = \"t\"\nkind = \"datasheet\"\nconfidence = \"high\"\ndate = \"2026-01-01\"\n", "source",
        "sources.toml");
    const auto formats = catalog::read_entries(
        "[bf16]\ntitle = \"t\"\nbytes = { value = \"2 B/param\", source = \"s\" }\ncomputes_as = \"bf16\"\n"
        "[fp8]\ntitle = \"t\"\nbytes = { value = \"1 B/param\", source = \"s\" }\ncomputes_as = \"fp8\"\nfalls_back = "
        "\"bf16\"\n",
        "format", "format.toml");
    const auto chip = catalog::read_entry(
        "title = \"c\"\nvendor = \"v\"\nyear = 2022\n[matmul]\nsource = \"s\"\nbf16 = \"1 TFLOP/s\"\n[hbm]\nsource = "
        "\"s\"\ntype = \"HBM\"\ncapacity = \"1 GB\"\nbandwidth = \"1 TB/s\"\n",
        "chip", "x", "chip/x.toml");
    std::vector<catalog::Fact> all;
    for (const auto* part : {&sources, &formats, &chip}) {
      if (*part) all.insert(all.end(), (*part)->begin(), (*part)->end());
    }
    return all;
  }();
  return catalog::build_library(facts) ? &facts : nullptr;
}

inline std::string wrong_entry(std::string_view text) {
  static const std::vector<catalog::Fact>* base = base_facts();
  if (base == nullptr) return "the entries this test leans on are not read";
  // one category for each text, by the text itself: all of them take too long
  constexpr std::array kCategories = {"chip",  "machine", "model", "engine", "scaling_law", "lifecycle",  "tier",
                                      "reuse", "traffic", "prior", "day",    "rack",        "calibration"};
  const char* category = kCategories[fnv1a(text) % kCategories.size()];
  const auto entry = catalog::read_entry(text, category, "fuzzed", "fuzz.toml");
  if (!entry) return wrong_refusal(entry.error());
  std::vector<catalog::Fact> facts = *base;
  facts.insert(facts.end(), entry->begin(), entry->end());
  const auto library = catalog::build_library(facts);
  if (!library) return wrong_refusal(library.error());
  for (const Chip& chip : library->chips) {
    if (!(chip.bandwidth.value.value() > 0.0)) return "a chip without bandwidth was accepted";
  }
  for (const Model& model : library->models) {
    const double total = count_parameters(model).total();
    if (!(std::isfinite(total) && total > 0)) return "a model whose count is no number was accepted";
  }
  return "";
}

/// The facts of one category of the catalog, and what all of them lean on.
inline std::vector<catalog::Fact> facts_of(std::string_view category) {
  std::vector<catalog::Fact> kept;
  const auto all = catalog::read_folder(RIDGE_CATALOG, "").value();
  for (const catalog::Fact& fact : all) {
    if (fact.category == category || fact.category == "source" || fact.category == "format") kept.push_back(fact);
  }
  return kept;
}

/// The catalog's engines, and nothing else of it.
inline Library engines_alone() { return catalog::build_library(facts_of("engine")).value(); }

/// A line that a terminal would obey, or that ends early.
inline bool has_control(const std::string& line) {
  return line.find('\0') != std::string::npos || line.find('\x1b') != std::string::npos;
}

/// Commands that started an engine: read with a model beside them, since no model is here.
inline std::string wrong_command(std::string_view text) {
  static const Library engines = engines_alone();
  const auto read = catalog::read_engine_command(text, engines, "fuzz", "some-model");
  if (!read) return wrong_refusal(read.error());
  if (!std::isfinite(read->question.token_budget) || !std::isfinite(read->question.tensor.value_or(1)))
    return "a command with a number that is not finite";
  for (const auto* list : {&read->notes, &read->ignored}) {
    if (std::any_of(list->begin(), list->end(), has_control)) return "a note that a terminal would obey";
  }
  return "";
}

/// Commands and configurations that train a model, and what a run printed.
inline std::string wrong_training(std::string_view text) {
  static const Library none;
  static const std::vector<Trainer> trainers = catalog::trainers(facts_of("trainer")).value();
  const auto log = catalog::read_training_log(text, "fuzz");
  if (!log && !wrong_refusal(log.error()).empty()) return wrong_refusal(log.error());
  const auto sound = [](const std::optional<double>& value) { return !value || (std::isfinite(*value) && *value > 0); };
  if (log) {
    for (const auto& value : {log->step, log->rate, log->samples, log->tflops, log->peak_bytes}) {
      if (!sound(value)) return "a log with a number that nobody measured";
    }
  }
  const auto read = catalog::read_training_command(text, trainers, none, "fuzz", "some-model", 8);
  if (!read) return wrong_refusal(read.error());
  for (const auto& value : {read->chips, read->batch, read->sequence, read->tokens}) {
    if (!sound(value)) return "a training command with a number that is no count";
  }
  for (const auto* list : {&read->notes, &read->ignored}) {
    if (std::any_of(list->begin(), list->end(), has_control)) return "a note that a terminal would obey";
  }
  return "";
}

/// Price files, ours or LiteLLM's: what is accepted can be divided by.
inline std::string wrong_sheet(std::string_view text) {
  const auto sheets = catalog::read_sheets(text, "fuzz.toml");
  if (!sheets) return wrong_refusal(sheets.error());
  for (const PriceSheet& sheet : *sheets) {
    if (!(sheet.input.value() > 0.0 && std::isfinite(sheet.output.value() / sheet.input.value())))
      return "a sheet without a price was accepted";
  }
  return "";
}

/// A sweep's file: what is accepted has cases that can be counted, and finite axes.
inline std::string wrong_sweep(std::string_view text) {
  const auto file = catalog::read_sweep(text, "fuzz.toml");
  if (!file) return wrong_refusal(file.error());
  if (file->space.cases() == 0) return "a sweep without cases was accepted";
  for (const SweepAxis& axis : file->space.axes()) {
    for (const double value : axis.numbers) {
      if (!std::isfinite(value)) return "an axis with a number that is not finite: " + axis.key;
    }
  }
  return "";
}

/// Measurements: the first line names the file ("moe.csv"), the rest is what stands in it.
inline std::string wrong_evidence(std::string_view text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string name(text.substr(0, end)), body(text.substr(std::min(end + 1, text.size())));
  const catalog::NamedText sets{"sets.csv", "set,title,source,licence,date,note\ns,t,o,l,,\n"};
  const auto read = catalog::read_evidence(name == "sets.csv" ? std::vector<catalog::NamedText>{{name, body}}
                                                              : std::vector<catalog::NamedText>{sets, {name, body}});
  if (!read) return wrong_refusal(read.error());
  for (const KernelRow& row : read->kernels) {
    if (!(row.seconds > 0 && row.ep >= 1 && row.experts <= 1e6 && std::isfinite(row.m * row.n * row.k * row.tokens)))
      return "a kernel that nobody can have measured";
  }
  for (const ServingRow& row : read->serving) {
    if (!(row.isl > 0 && row.tensor >= 1 && row.expert >= 1 && row.chips >= 1)) return "a run on no chips";
  }
  return "";
}

/// Result files of benchmarks: what is accepted has finite numbers, none negative, and texts that a terminal can show.
inline std::string wrong_results(std::string_view text) {
  const auto results = catalog::read_results(text, "fuzz");
  if (!results) return wrong_refusal(results.error());
  if (results->empty()) return "a file without results was accepted";
  const auto wrong = [](const std::optional<double>& value) {
    return value && !(*value >= 0 && std::isfinite(*value));
  };
  for (const BenchmarkResult& r : *results) {
    for (const auto& value : {r.chips, r.tensor, r.isl, r.osl, r.concurrency, r.rate, r.in_flight, r.request_rate,
                              r.output_rate, r.total_rate, r.completed, r.failed, r.duration, r.kv_tokens}) {
      if (wrong(value)) return "a number that nobody measured: " + r.tool;
    }
    for (const MeasuredTime& time : {r.ttft, r.tpot, r.itl, r.e2e}) {
      if (wrong(time.mean) || wrong(time.median) || wrong(time.p99)) return "a time that nobody measured: " + r.tool;
    }
    for (const std::string& name : {r.tool, r.model, r.engine, r.engine_version, r.hardware, r.format, r.version}) {
      if (name.find('\x1b') != std::string::npos || name.find('\n') != std::string::npos)
        return "a name with a control";
    }
  }
  return "";
}

/// What is wrong with a trace that was accepted: its order, a length, a time, a name of a chunk, a note.
inline std::string wrong_requests(const simulate::Trace& trace) {
  if (trace.requests.empty()) return "a trace without a request was accepted";
  simulate::Nanoseconds last = 0;
  for (const simulate::TraceRequest& one : trace.requests) {
    if (one.sent < last) return "requests out of order";
    last = one.sent;
    if (one.prompt < 1 || one.output < 1) return "a request without tokens";
    if (one.ttft < -1 || one.e2e < -1 || (one.e2e >= 0 && one.ttft > one.e2e)) return "a time that nobody measured";
    const std::size_t names = std::size_t{one.prompt_chunks} + one.output_chunks;
    if (one.first_chunk + names > trace.chunks.size()) return "a chunk without a name";
    if (names > 0 && (trace.chunk_tokens < 1 || std::int64_t{one.prompt_chunks} * trace.chunk_tokens > one.prompt))
      return "more chunks than tokens";
  }
  if (trace.requests.front().sent != 0) return "a trace that does not begin with its first request";
  for (const std::string& note : trace.notes) {
    if (note.find('\x1b') != std::string::npos || note.find('\n') != std::string::npos) return "a note with a control";
  }
  return "";
}

/// Traces of requests: what is accepted can be replayed, and is the same after it was written and read.
inline std::string wrong_trace(std::string_view text) {
  const catalog::TraceLimits limits{.rows = 10'000, .bytes = 1 << 20, .line = 1 << 18, .chunks = 100'000};
  const auto trace = catalog::read_trace(text, "fuzz", limits);
  if (!trace) return wrong_refusal(trace.error());
  if (std::string wrong = wrong_requests(*trace); !wrong.empty()) return wrong;
  const bool sessions = std::any_of(trace->requests.begin(), trace->requests.end(),
                                    [](const simulate::TraceRequest& one) { return one.session >= 0; });
  if (trace->chunk_tokens > 16 && sessions) return "";  // in smaller parts under the usual limits: long when written
  const std::string written = report::trace_csv(*trace);
  const auto again = catalog::read_trace(written, "fuzz");
  if (!again) return "what was written is refused: " + again.error().front().what;
  if (again->requests.size() != trace->requests.size()) return "requests were lost when written";
  return report::trace_csv(*again) == written ? "" : "another trace after it was written and read";
}

/// What broke, or nothing.
inline std::string complaint(std::string_view text) {
  for (const auto check : {wrong_measure, wrong_formula, wrong_scenario, wrong_toml, wrong_entry, wrong_command,
                           wrong_training, wrong_sheet, wrong_sweep, wrong_evidence, wrong_results, wrong_trace}) {
    if (std::string wrong = check(text); !wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace ridge::fuzz
