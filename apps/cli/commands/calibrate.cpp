// ridge calibrate: chips, kernels and engines fitted to the evidence again.

#include <filesystem>

#include <fmt/format.h>

#include "calibrate/known.hpp"
#include "calibrate/spread_fit.hpp"
#include "catalog/entries/calibration_file.hpp"
#include "cli/evidence.hpp"
#include "cli/options/option_groups.hpp"
#include "report/base/entry_json.hpp"

namespace ridge::cli {

namespace {

Result<int> run_calibrate(const Arguments& arguments, Program& program) {
  const auto evidence = evidence_of(arguments, program.library);
  if (!evidence) return fail(evidence.error());
  std::vector<CalibrationEntry> entries;
  if (!arguments.has("spread_alone")) {
    say(fmt::format("ridge: fitting {} kernels, then {} serving runs; this takes a few minutes\n",
                    evidence->kernels.size(), evidence->serving.size()));
    auto fitted = calibrate(*evidence, program.library);
    if (!fitted) return fail(fitted.error());
    entries = std::move(*fitted);
  }
  say("ridge: fitting again without each model, chip, engine, ... in turn: how far off answers are\n");
  const auto left_out = left_out_runs(*evidence, with_calibrations(program.library, entries));
  if (!left_out) return fail(left_out.error());
  if (!left_out->empty()) entries.push_back(spread_entry(*left_out, spread_prior(program.library)));
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

}  // namespace

Command calibrate_command() {
  Option out = kOut.saying("folder to write the entries to");
  out.type = "DIR";
  return {.name = "calibrate",
          .purpose = Purpose::data,
          .place = 4,
          .summary = "fit chips, kernels and engines to the evidence again",
          .groups = {{kUsual,
                      {out,
                       {"--spread-alone", "spread_alone", "",
                        "leave the fits as they are, and write how far off answers are alone (spread.toml)"},
                       kEvidence}},
                     {"Output", {kJson.saying("JSON around the entries, which are TOML (docs/json.md)"), kPlain}},
                     rare_options()},
          .examples = {"ridge calibrate --out my-catalog/calibration"},
          .notes =
              "Fits every chip to the measured kernels and every engine to the measured runs, starting from "
              "catalog/calibration/prior.toml; then fits again without each model, chip and engine in turn, and "
              "writes how far off such answers are (spread.toml). The catalog's own entries were written by: ridge "
              "calibrate --out "
              "catalog/calibration. To see how good yours are: ridge validate --catalog my-catalog.",
          .run = run_calibrate};
}

}  // namespace ridge::cli
