// ridge calibrate: chips, kernels and engines fitted to the evidence again; or a chip and an engine by one's own
// measurements (--anchor).

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "calibrate/anchor/anchor_fit.hpp"
#include "calibrate/evidence/known.hpp"
#include "calibrate/fit/halves.hpp"
#include "calibrate/fit/spread_fit.hpp"
#include "calibrate/fit/training_fit.hpp"
#include "calibrate/judge/worth.hpp"
#include "catalog/entries/calibration_file.hpp"
#include "catalog/entries/library.hpp"
#include "catalog/entries/recipes.hpp"
#include "catalog/facts/read_toml.hpp"
#include "cli/options/flags.hpp"
#include "cli/question/anchors.hpp"
#include "cli/question/evidence.hpp"
#include "report/base/entry_json.hpp"
#include "report/calibrate/results_text.hpp"

namespace ridge::cli {

namespace {

/// The source of an entry, by its name as a key of TOML.
std::string anchor_source(const std::string& entry) {
  std::string id = "own-" + entry;
  std::replace(id.begin(), id.end(), '.', '-');
  return id;
}

Result<int> make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error && std::filesystem::is_directory(folder, error)) return 0;
  return fail({"out", fmt::format("\"{}\" cannot be made", folder.string()), "name a folder that can be written"});
}

/// The names of files without their folders: an entry says what it was measured by, not where that lies.
std::string file_names(const std::vector<std::string>& files) {
  std::vector<std::string> names;
  for (const std::string& file : files)
    names.push_back(file == "-" ? "standard input" : std::filesystem::path(file).filename().string());
  return joined(names, ", ");
}

/// A text between quotes of TOML.
std::string quoted_toml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\' && c != 0x7f;
    out += plain ? c : '_';
  }
  return is_utf8(out) ? out : "result files";
}

/// The entry with its source in the same file.
std::string anchored_toml(CalibrationEntry entry, const std::string& files) {
  entry.from = {anchor_source(entry.name), Kind::measured};
  return catalog::calibration_toml(entry) +
         fmt::format("\n[sources.{}]\ntitle = \"{}\"\nkind = \"measured\"\nconfidence = \"medium\"\n",
                     entry.from.source, quoted_toml(files));
}

/// What was written is read again before anybody relies on it.
Errors unreadable(const std::vector<report::AnchorEntryText>& texts, const Program& program) {
  std::vector<catalog::Fact> facts;
  for (const report::AnchorEntryText& one : texts) {
    const auto entry =
        catalog::read_entry(one.toml, "calibration", std::filesystem::path(one.path).stem().string(), one.path);
    if (!entry) return entry.error();
    facts.insert(facts.end(), entry->begin(), entry->end());
  }
  const auto library = catalog::build_library(catalog::overlaid(*program.facts, facts));
  return library ? Errors{} : library.error();
}

Result<int> run_anchored(const Arguments& arguments, Program& program) {
  if (arguments.has("evidence"))
    return fail({"evidence", "has no meaning beside one's own measurements", "leave it out"});
  const auto given = anchor_given(arguments, program);
  if (!given) return fail(given.error());
  const std::vector<std::string> files = arguments.all("anchor");
  const ReadResults read = read_result_files(files);
  if (!read.refused.empty()) return fail(read.refused);
  auto answer = calibrate_by(read.results, *given, program.library);
  if (!answer) return fail(answer.error());
  for (AnchorLine& line : answer->lines) in_flags(line.notes, *arguments.command);
  for (RefusedAnchor& one : answer->refused) one.why = in_flags(one.why, *arguments.command);
  std::vector<report::AnchorEntryText> texts;
  for (const CalibrationEntry& entry : answer->entries)
    texts.push_back({"calibration/" + entry.name + ".toml", anchored_toml(entry, file_names(files))});
  if (const Errors wrong = unreadable(texts, program); !wrong.empty()) {
    say("ridge: the entries could not be read back; this is a bug\n");
    report_errors(wrong, arguments);
    return kOurBug;
  }
  std::string shown = report::anchor_text(*answer, program.style);
  if (arguments.has("out")) {
    const std::filesystem::path folder(arguments.text("out"));
    if (const auto made = make_folder(folder / "calibration"); !made) return made;
    for (const report::AnchorEntryText& one : texts) {
      if (const auto wrote = write((folder / one.path).string(), one.toml); !wrote) return wrote;
    }
    shown += fmt::format("\nuse it: ridge why ... --catalog {}\n", arguments.text("out"));
  } else {
    for (const report::AnchorEntryText& one : texts) shown += fmt::format("\n# {}\n{}", one.path, one.toml);
  }
  return print(arguments.json() ? report::anchor_json(*answer, texts) : shown);
}

/// Before minutes of fitting, and not after them.
Result<int> make_folder_of_out(const Arguments& arguments) {
  return arguments.has("out") ? make_folder(std::filesystem::path(arguments.text("out"))) : 0;
}

/// Into the folder of --out, or onto the screen.
Result<int> give_entries(const std::vector<CalibrationEntry>& entries, const Arguments& arguments) {
  std::string all;
  std::vector<report::EntryText> texts;
  for (const CalibrationEntry& entry : entries) {
    const std::string text = catalog::calibration_toml(entry);
    texts.push_back({entry.name, text});
    if (!arguments.has("out")) {
      all += fmt::format("# calibration/{}.toml\n{}\n", entry.name, text);
      continue;
    }
    const std::string path = (std::filesystem::path(arguments.text("out")) / (entry.name + ".toml")).string();
    if (const auto wrote = write(path, text); !wrote) return wrote;
  }
  return print(arguments.json() ? report::calibrate_json(texts) : all);
}

/// Training's numbers, from the rows whose half is "fit".
Result<int> run_training_fit(const Arguments& arguments, const Program& program) {
  const auto evidence = training_evidence(arguments, program);
  if (!evidence) return fail(evidence.error());
  const TrainingCases& cases = evidence->cases;
  std::vector<const TrainingCase*> steps, peaks;
  for (const TrainingCase& one : cases.cases) {
    if (one.row.half != "fit") continue;
    if (one.row.step > 0) steps.push_back(&one);
    if (one.row.peak > 0) peaks.push_back(&one);
  }
  if (steps.empty()) return fail({"evidence", "no measured training step is to be fitted", "rows whose half is fit"});
  say(fmt::format("ridge: fitting {} training steps and {} peaks of memory\n", steps.size(), peaks.size()));
  const auto fit = fit_training(steps, program.library);
  if (!fit) return fail(fit.error());
  const auto memory = fit_training_memory(peaks);
  if (!memory) return fail(memory.error());
  std::vector<CalibrationEntry> entries = training_entries(*fit, program.library);
  for (CalibrationEntry& entry : entries) {
    const auto found = memory->find(entry.name);
    if (found == memory->end()) continue;
    for (const FittedParameter& one : found->second) entry.numbers[one.name] = {one.value, one.spread};
  }
  return give_entries(entries, arguments);
}

Result<int> run_calibrate(const Arguments& arguments, Program& program) {
  if (arguments.has("anchor")) return run_anchored(arguments, program);
  if (const auto made = make_folder_of_out(arguments); !made) return made;
  if (arguments.has("train")) return run_training_fit(arguments, program);
  for (const Given& one : arguments.given) {
    if (one.by != Reads::command || one.key == "model")
      return fail({one.key, "says something of result files, and none is given", "give them: --anchor FILE"});
  }
  const auto evidence = evidence_of(arguments, program.library);
  if (!evidence) return fail(evidence.error());
  if (arguments.has("worth") && arguments.has("spread_alone"))
    return fail({"worth", "is written alone, and so is the spread", "leave out one of the two"});
  if (arguments.has("worth")) {
    say("ridge: fitting without each model in turn, with each number at its prior; this takes a quarter of an hour\n");
    const auto worth = worth_of_numbers(*evidence, program.library, all_threads(),
                                        [](const NumberWorth& one) { say(fmt::format("ridge: {}\n", one.name)); });
    if (!worth) return fail(worth.error());
    return give_entries({worth_entry(*worth)}, arguments);
  }
  std::vector<CalibrationEntry> entries;
  if (!arguments.has("spread_alone")) {
    say(fmt::format("ridge: fitting {} kernels, then {} serving runs; this takes a few minutes\n",
                    evidence->kernels.size(), evidence->serving.size()));
    auto fitted = calibrate(*evidence, program.library);
    if (!fitted) return fail(fitted.error());
    entries = std::move(*fitted);
  }
  say("ridge: fitting again without each model, chip, engine, ... in turn: how far off answers are\n");
  const auto left_out = left_out_runs(*evidence, with_calibrations(program.library, entries), all_threads());
  if (!left_out && arguments.has("spread_alone")) return fail(left_out.error());
  if (!left_out) {  // a handful of runs, of which none can be left out
    say(fmt::format("ridge: how far off answers are is not written: {}\n", left_out.error().front().what));
  } else if (const auto& runs = left_out->seen_otherwise; !runs.empty())
    entries.push_back(spread_entry(runs, spread_prior(program.library)));
  return give_entries(entries, arguments);
}

}  // namespace

Command calibrate_command() {
  Option out = kOut.saying("folder to write the entries to; with --anchor, a folder for --catalog");
  out.type = "DIR";
  const Option anchor{"--anchor", "anchor",
                      "FILE...",  "your own measurements: result files of benchmarks (ridge results reads the same)",
                      "",         Reads::command,
                      true};
  std::vector<OptionGroup> groups = {
      {kUsual,
       {anchor,
        out,
        {"--spread-alone", "spread_alone", "",
         "leave the fits as they are, and write how far off answers are alone (spread.toml)"},
        {"--worth", "worth", "",
         "leave the fits as they are, and write what each number bought alone (worth.toml, shown by ridge validate "
         "--numbers)"},
        {"--train", "train", "", "instead, the numbers of training, from catalog/evidence/training.csv"},
        kEvidence}}};
  for (OptionGroup& group : anchor_options()) groups.push_back(std::move(group));
  groups.push_back({"Output", {kJson.saying("JSON around the entries, which are TOML (docs/json.md)"), kPlain}});
  groups.push_back(rare_options({kAssume}));
  return {
      .name = "calibrate",
      .purpose = Purpose::data,
      .place = 4,
      .summary = "fit to your own measurements, or to the evidence again",
      .groups = std::move(groups),
      .examples = {"ridge calibrate --anchor examples/09-your-results/sweep.jsonl --on mi300x --tp 1 --out my-catalog",
                   "ridge calibrate --out my-catalog/calibration"},
      .notes =
          "With --anchor: a few factors on what is known of the chip and the engine (memory, latency, compute; "
          "overhead, prefill), starting from catalog/calibration/anchor.toml. It says which of them the runs could "
          "move, and how far off predictions are before and after, on runs that were left out where there are two. "
          "A run with failed requests, or faster than the bound, is named and not absorbed.\n"
          "Without: fits every chip to the measured kernels and every engine to the measured runs, starting from "
          "catalog/calibration/prior.toml; then fits again without each model, chip and engine in turn, and writes how "
          "far "
          "off such answers are (spread.toml). The catalog's own entries were written by: ridge calibrate --out "
          "catalog/calibration. To see how good yours are: ridge validate --catalog my-catalog.",
      .run = run_calibrate};
}

}  // namespace ridge::cli
