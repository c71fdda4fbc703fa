// ridge infer: what a price sheet says of the model, the machine and the business behind it.

#include <algorithm>
#include <cmath>
#include <thread>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "catalog/entries/library.hpp"
#include "catalog/prices/price_file.hpp"
#include "catalog/question/scenario_text.hpp"
#include "cli/prices.hpp"
#include "cli/program.hpp"
#include "cli/sweep/in_order.hpp"
#include "price/sheet/sheet_check.hpp"
#include "report/price/infer/infer_text.hpp"

namespace ridge::cli {

namespace {

constexpr std::uint64_t kMachineSamples = 200'000;  // for each machine of --machines

struct Asked {
  std::string sheet_file, provider, model, prior = "provider";
  std::optional<double> fast_speed;
  SampleRequest samples;
  std::vector<GivenRange> given;
};

class InferReader {
 public:
  Result<Asked> read(const Options& options) {
    asked_.model = options.subject;
    asked_.samples.set = best_instruction_set();
    for (const auto& [key, text] : options.planning) take(key, text);
    for (const std::string& set : options.sets) prior(set);
    if (!errors_.empty()) return fail(std::move(errors_));
    return std::move(asked_);
  }

 private:
  void take(const std::string& key, const std::string& text) {
    if (key == "sheet") asked_.sheet_file = text;
    if (key == "provider") asked_.provider = text;
    if (key == "model") asked_.model = text;
    if (key == "prior") asked_.prior = text;
    if (key == "fast-speed") asked_.fast_speed = above(key, text, 1);
    if (key == "samples") {
      constexpr double kMost = 1e10;
      const double count = above(key, text, 999);
      if (!(count <= kMost)) errors_.push_back({"--samples", text, "at most 10G"});
      asked_.samples.samples = static_cast<std::uint64_t>(std::min(count, kMost));
    }
    if (key == "seed") asked_.samples.seed = static_cast<std::uint64_t>(std::min(above(key, text, -1), 1e15));
  }

  double above(const std::string& key, const std::string& text, double least) {
    const auto value = parse_as(text, kNone, "--" + key);
    if (!value) append(errors_, value.error());
    if (value && !(*value > least)) errors_.push_back({"--" + key, text, fmt::format("above {:g}", least)});
    return value.value_or(2);
  }

  /// "active=50G..200G" or "active=100G"; a margin is a range of price over cost.
  void prior(const std::string& set) {
    const std::size_t equals = set.find('=');
    if (equals == std::string::npos) {
      errors_.push_back({"--set", fmt::format("\"{}\" has no =", shortened(set)), "write KEY=LOW..HIGH or KEY=VALUE"});
      return;
    }
    const std::string key(trimmed(set.substr(0, equals))), where = "--set " + key;
    const bool margin = key == "margin";
    const auto unknown = find_unknown(margin ? "markup" : key, where);
    if (!unknown) return append(errors_, unknown.error());
    Interval values;
    if (set.find("..") != std::string::npos) {
      const auto range = catalog::split_range(set, where);
      if (!range) return append(errors_, range.error());
      const auto parsed = catalog::parse_range(*range, unknown->dimension, where);
      if (!parsed) return append(errors_, parsed.error());
      values = *parsed;
    } else {
      const auto value = parse_as(set.substr(equals + 1), unknown->dimension, where);
      if (!value) return append(errors_, value.error());
      values = Interval(*value);
    }
    if (margin && !(values.low >= 0 && values.high < 1)) {
      errors_.push_back({where, "a margin is a share of the price", "from 0 to below 1"});
      return;
    }
    if (margin) values = {1 / (1 - values.low), 1 / (1 - values.high)};
    asked_.given.push_back({std::string(unknown->info.key), values, where});
  }

  Asked asked_;
  Errors errors_;
};

/// Sheets of a provider, or of models whose name begins with the word ("gemini").
std::vector<PriceSheet> of_provider(const std::vector<PriceSheet>& sheets, const std::string& word) {
  const std::string wanted = lower_case(word);
  std::vector<PriceSheet> out;
  for (const PriceSheet& sheet : sheets) {
    if (lower_case(sheet.provider) == wanted) out.push_back(sheet);
  }
  if (!out.empty()) return out;
  for (const PriceSheet& sheet : sheets) {
    if (lower_case(sheet.model).starts_with(wanted)) out.push_back(sheet);
  }
  return out;
}

/// How much there is to read on a sheet.
int says(const PriceSheet& sheet) {
  return (sheet.tiers.empty() ? 0 : 4) + (sheet.writes.size() >= 2 ? 2 : 0) + (sheet.cached ? 1 : 0);
}

/// Those of a file, or of the catalog.
Result<catalog::SheetFile> known_sheets(const Asked& asked, const Program& program) {
  if (!asked.sheet_file.empty()) return sheet_file(asked.sheet_file);
  auto sheets = price_sheets(program);
  if (!sheets) return fail(sheets.error());
  return catalog::SheetFile{std::move(*sheets), {}, {}};
}

Result<std::vector<PriceSheet>> chosen(const Asked& asked, const Options& options, const catalog::SheetFile& file) {
  Result<std::vector<PriceSheet>> sheets = file.sheets;
  if (!asked.provider.empty()) {
    std::vector<PriceSheet> these = of_provider(*sheets, asked.provider);
    if (these.empty()) {
      std::vector<std::string> known;
      for (const PriceSheet& sheet : *sheets) {
        if (known.empty() || known.back() != sheet.provider) known.push_back(sheet.provider);
      }
      return fail({"--provider", fmt::format("no sheet of \"{}\"", shortened(asked.provider)),
                   suggestion(asked.provider, known)});
    }
    sheets = std::move(these);
  }
  if (!asked.model.empty()) {
    const catalog::SheetFile among{*sheets, {}, file.left_out};
    const auto found = catalog::find_sheet(among, asked.model, asked.sheet_file.empty() ? "SHEET" : "--model");
    if (!found) return fail(found.error());
    return std::vector<PriceSheet>{**found};
  }
  if (options.verbose || sheets->size() == 1) return sheets;
  if (asked.provider.empty()) {
    return fail({"SHEET", fmt::format("which of {} sheets?", sheets->size()),
                 asked.sheet_file.empty() ? "e.g. ridge infer google/gemini-2.5-pro (ridge list prices), or --all"
                                          : "--model names one of the file, --all takes them all"});
  }
  const auto better = [](const PriceSheet& a, const PriceSheet& b) {
    return std::pair(says(a), a.date) < std::pair(says(b), b.date);
  };
  return std::vector<PriceSheet>{*std::max_element(sheets->begin(), sheets->end(), better)};
}

/// One line a sheet.
std::string summary(const report::InferReport& one) {
  const Inferred& active = one.inference.inferred[kActive];
  const Marginal& sampled = one.posterior.marginals[kActive];
  return fmt::format(
      "{:<44} {:<11} active {:>6.3g}G to {:>6.3g}G, median {:>6.3g}G; {} readings, {} contradictions{}\n",
      shortened(sold_name(one.inference.sheet)), one.inference.sheet.date, active.interval.low / 1e9,
      active.interval.high / 1e9, sampled.median / 1e9, one.inference.readings.size(),
      one.inference.contradictions.size(), one.findings.empty() ? "" : fmt::format(", {} odd", one.findings.size()));
}

/// What is believed of the machine, from --on and --weights.
Result<Beliefs> with_machine(const Beliefs& priors, const Options& options, const Library& library) {
  std::string name, wanted;
  for (const auto& [key, text] : options.settings) {
    if (key == "machine") name = text;
    if (key == "weights") wanted = text;
  }
  if (name.empty()) {
    if (wanted.empty()) return priors;
    return fail({"--weights", "is a format of a machine", "name one: --on hgx-b200 (ridge list machines)"});
  }
  for (const std::size_t unknown : {kWidth, kIntensity, kFlopPrice}) {
    if (priors.from[unknown].kind == Kind::user)
      return fail(
          {priors.from[unknown].source, "stands beside --on, which has it from the catalog", "give one of them"});
  }
  if (options.machines) return fail({"--machines", "asks about all machines, --on about one", "give one of them"});
  const Machine* machine = find_named(library.machines, name);
  if (machine == nullptr)
    return fail(
        {"--on", fmt::format("unknown machine \"{}\"", shortened(name)), suggestion(name, names_of(library.machines))});
  std::vector<ChipInFormat> chips = chip_in_formats(*machine, library);
  if (chips.empty())
    return fail({"--on", name + " has no rental price in the catalog", "--set flop_price and intensity"});
  if (!wanted.empty()) {
    std::vector<std::string> formats;
    for (const ChipInFormat& chip : chips) formats.push_back(chip.format);
    std::erase_if(chips, [&](const ChipInFormat& chip) { return chip.format != wanted; });
    if (chips.empty())
      return fail({"--weights", fmt::format("{} does not compute in \"{}\"", name, shortened(wanted)),
                   suggestion(wanted, formats)});
  }
  return on_machine(priors, name, chips);
}

report::InferReport report_of(const PriceSheet& sheet, const Asked& asked, const Beliefs& priors, unsigned threads) {
  report::InferReport one;
  one.inference = infer({.sheet = sheet, .priors = priors, .fast_speed = asked.fast_speed});
  SampleRequest samples = asked.samples;
  samples.threads = threads;
  one.posterior = sample_posterior(one.inference, samples);
  one.findings = sheet_findings(sheet, FindingsFor::inference);
  return one;
}

/// Several sheets: a line each, or a list of answers in JSON.
int print_all(const std::vector<PriceSheet>& sheets, const Asked& asked, const Beliefs& priors,
              const Options& options) {
  if (options.json) {
    if (const int code = print("[\n"); code != kAnswered) return code;
  }
  const auto text_of = [&](std::size_t i) {
    const report::InferReport one = report_of(sheets[i], asked, priors, 1);  // threads take a sheet each
    if (!options.json) return summary(one);
    return (i > 0 ? ",\n" : "") + report::infer_json(one);
  };
  const int code = print_in_order(sheets.size(), text_of, options.quiet);
  return code == kAnswered && options.json ? print("]\n") : code;
}

}  // namespace

int run_infer(const Options& options, Program& program) {
  const auto asked = InferReader().read(options);
  if (!asked) return report_errors(asked.error(), options);
  const auto all_priors = catalog::priors(program.facts);
  if (!all_priors) return report_errors(all_priors.error(), options);
  const auto believed = priors_named(*all_priors, asked->prior, asked->given);
  if (!believed) return report_errors(believed.error(), options);
  const auto priors = with_machine(*believed, options, program.library);
  if (!priors) return report_errors(priors.error(), options);
  const auto file = known_sheets(*asked, program);
  if (!file) return report_errors(file.error(), options);
  const auto sheets = chosen(*asked, options, *file);
  if (!sheets) return report_errors(sheets.error(), options);
  if (sheets->size() > 1 && !options.svg_file.empty())
    return report_errors({{"--svg", "is a picture of one sheet", "name one of them"}}, options);
  if (sheets->size() > 1 && options.machines)
    return report_errors({{"--machines", "is about one sheet", "name one of them"}}, options);
  const std::vector<std::string> notes = catalog::notes_of(*file);
  if (sheets->size() > 1) {
    for (const std::string& note : notes) say(note + "\n");
    return print_all(*sheets, *asked, *priors, options);
  }
  auto one = report_of(sheets->front(), *asked, *priors, std::max(1U, std::thread::hardware_concurrency()));
  one.notes = notes;
  if (options.machines) {
    SampleRequest samples = asked->samples;
    samples.threads = std::max(1U, std::thread::hardware_concurrency());
    samples.samples = std::min<std::uint64_t>(samples.samples, kMachineSamples);
    one.machines = machines_behind({.sheet = sheets->front(), .priors = *priors, .fast_speed = asked->fast_speed},
                                   program.library, samples);
  }
  if (!options.svg_file.empty()) {
    const int code = write_svg(options.svg_file, report::to_svg(report::infer_chart(one)), options);
    if (code != kAnswered) return code;
  }
  return print(options.json ? report::infer_json(one) : report::infer_text(one, program.style));
}

}  // namespace ridge::cli
