// ridge infer: what a price sheet says of the model, the machine and the business behind it.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "catalog/entries/library.hpp"
#include "catalog/prices/price_file.hpp"
#include "catalog/question/scenario_text.hpp"
#include "cli/options/flags.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/options/option_reader.hpp"
#include "cli/question/prices.hpp"
#include "cli/sweep/in_order.hpp"
#include "library/names.hpp"
#include "price/sheet/sheet_check.hpp"
#include "report/price/infer/infer_text.hpp"

namespace ridge::cli {

namespace {

constexpr std::uint64_t kMachineSamples = 200'000;  // for each machine of --machines

struct InferAsked {
  std::string sheet_file, provider, model, prior;
  std::optional<double> fast_speed;
  SampleRequest samples;
  std::vector<GivenRange> given;
};

/// "active=50B..200B" or "active=100B"; a margin is a range of price over cost.
void read_belief(OptionReader& reader, const OptionReader::Pair& pair, bool is_range, InferAsked& asked) {
  const bool margin = pair.key == "margin";
  const auto unknown = reader.take(find_unknown(margin ? "markup" : pair.key, pair.where));
  if (!unknown) return;
  std::optional<Interval> values;
  if (is_range) {
    const auto range = reader.take(catalog::split_range(pair.key + "=" + pair.value, pair.where));
    if (range) values = reader.take(catalog::parse_range(*range, unknown->dimension, pair.where));
  } else if (pair.value.find("..") != std::string::npos) {
    reader.refuse("set", fmt::format("{} is a range", shortened(pair.value)),
                  fmt::format("say --range '{}={}'", pair.key, shortened(pair.value)));
  } else if (const auto value = reader.take(parse_as(pair.value, unknown->dimension, pair.where))) {
    values = Interval(*value);
  }
  if (!values) return;
  if (margin && !(values->low >= 0 && values->high < 1))
    return reader.refuse(pair.where, "a margin is a share of the price", "from 0 to below 1");
  if (margin) values = Interval(1 / (1 - values->low), 1 / (1 - values->high));
  asked.given.push_back({std::string(unknown->info.key), *values, pair.where});
}

Result<InferAsked> infer_question(const Arguments& arguments) {
  constexpr double kMostSamples = 1e10, kMostSeed = 1e15;
  OptionReader reader(arguments);
  InferAsked asked{.sheet_file = arguments.text("sheet"),
                   .provider = arguments.text("provider"),
                   .model = arguments.text("model", arguments.text("sold")),
                   .prior = arguments.text("prior", "provider"),
                   .fast_speed = {},
                   .samples = {},
                   .given = {}};
  asked.samples.set = best_instruction_set();
  if (const auto speed = reader.read<Ratio<double>>("fast_speed", {.least = 1, .above = true}))
    asked.fast_speed = speed->value();
  if (const auto samples =
          reader.read<Ratio<double>>("samples", {.least = 1000, .most = kMostSamples, .above = false, .whole = true}))
    asked.samples.samples = static_cast<std::uint64_t>(samples->value());
  if (const auto seed = reader.read<Ratio<double>>("seed", {.most = kMostSeed, .above = false, .whole = true}))
    asked.samples.seed = static_cast<std::uint64_t>(seed->value());
  for (const auto& pair : reader.pairs("set", "--set active=100B")) read_belief(reader, pair, false, asked);
  for (const auto& pair : reader.pairs("range", "--range active=50B..200B")) read_belief(reader, pair, true, asked);
  if (!reader.errors().empty()) return fail(reader.errors());
  return asked;
}

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
int much_said(const PriceSheet& sheet) {
  return (sheet.tiers.empty() ? 0 : 4) + (sheet.writes.size() >= 2 ? 2 : 0) + (sheet.cached ? 1 : 0);
}

/// Those of a file, or of the catalog.
Result<catalog::SheetFile> known_sheets(const InferAsked& asked, const Program& program) {
  if (!asked.sheet_file.empty()) return sheet_file(asked.sheet_file);
  auto sheets = price_sheets(program);
  if (!sheets) return fail(sheets.error());
  return catalog::SheetFile{std::move(*sheets), {}, {}};
}

Result<std::vector<PriceSheet>> chosen_sheets(const InferAsked& asked, bool all, const catalog::SheetFile& file) {
  Result<std::vector<PriceSheet>> sheets = file.sheets;
  if (!asked.provider.empty()) {
    std::vector<PriceSheet> these = of_provider(*sheets, asked.provider);
    if (these.empty()) {
      std::vector<std::string> known;
      for (const PriceSheet& sheet : *sheets) {
        if (known.empty() || known.back() != sheet.provider) known.push_back(sheet.provider);
      }
      return fail({"provider", fmt::format("no sheet of \"{}\"", shortened(asked.provider)),
                   suggestion(asked.provider, known)});
    }
    sheets = std::move(these);
  }
  if (!asked.model.empty()) {
    const catalog::SheetFile among{*sheets, {}, file.left_out};
    const auto found = catalog::find_sheet(among, asked.model, asked.sheet_file.empty() ? "sold" : "model");
    const bool is_file = asked.model.ends_with(".toml") || asked.model.ends_with(".json");
    if (!found && is_file && asked.sheet_file.empty())
      return fail({"sold", fmt::format("\"{}\" is a file", shortened(asked.model)),
                   "name it with " + field("sheet", asked.model)});
    if (!found) return fail(found.error());
    return std::vector<PriceSheet>{**found};
  }
  if (all || sheets->size() == 1) return sheets;
  if (asked.provider.empty()) {
    return fail({"sold", fmt::format("which of {} sheets?", sheets->size()),
                 asked.sheet_file.empty() ? "e.g. ridge infer google/gemini-2.5-pro (ridge list prices), or --all"
                                          : "--model names one of the file, --all takes them all"});
  }
  const auto better = [](const PriceSheet& a, const PriceSheet& b) {
    return std::pair(much_said(a), a.date) < std::pair(much_said(b), b.date);
  };
  return std::vector<PriceSheet>{*std::max_element(sheets->begin(), sheets->end(), better)};
}

/// One line a sheet.
std::string infer_summary(const report::InferReport& one) {
  const Inferred& active = one.inference.inferred[kActive];
  const Marginal& sampled = one.posterior.marginals[kActive];
  return fmt::format(
      "{:<44} {:<11} active {:>6.3g}G to {:>6.3g}G, median {:>6.3g}G; {} readings, {} contradictions{}\n",
      shortened(sold_name(one.inference.sheet)), one.inference.sheet.date, active.interval.low / 1e9,
      active.interval.high / 1e9, sampled.median / 1e9, one.inference.readings.size(),
      one.inference.contradictions.size(), one.findings.empty() ? "" : fmt::format(", {} odd", one.findings.size()));
}

/// What is believed of the machine, from --on and --weights.
Result<Beliefs> with_machine(const Beliefs& priors, const Arguments& arguments, const Library& library) {
  const std::string name = arguments.text("machine"), wanted = arguments.text("weights");
  if (name.empty()) {
    if (wanted.empty()) return priors;
    return fail({"weights", "is a format of a machine", "name one: --on hgx-b200 (ridge list machines)"});
  }
  for (const std::size_t unknown : {kWidth, kIntensity, kFlopPrice}) {
    if (priors.from[unknown].kind == Kind::user)
      return fail(
          {priors.from[unknown].source, "stands beside --on, which has it from the catalog", "give one of them"});
  }
  if (arguments.has("machines"))
    return fail({"machines", "asks about all machines, --on about one", "give one of them"});
  const auto named = whole_machine_named(library, name);
  if (!named) return fail(named.error());
  if (!named->note.empty()) say("note: " + named->note + "\n");
  std::vector<ChipInFormat> chips = chip_in_formats(*named->entry, library);
  if (chips.empty())
    return fail({"machine", name + " has no rental price in the catalog", "--set flop_price and intensity"});
  if (!wanted.empty()) {
    std::vector<std::string> formats;
    for (const ChipInFormat& chip : chips) formats.push_back(chip.format);
    std::erase_if(chips, [&](const ChipInFormat& chip) { return chip.format != wanted; });
    if (chips.empty())
      return fail({"weights", fmt::format("{} does not compute in \"{}\"", name, shortened(wanted)),
                   suggestion(wanted, formats)});
  }
  return on_machine(priors, name, chips);
}

report::InferReport infer_report(const PriceSheet& sheet, const InferAsked& asked, const Beliefs& priors,
                                 unsigned threads, const Command& command) {
  report::InferReport one;
  one.inference = infer({.sheet = sheet, .priors = priors, .fast_speed = asked.fast_speed});
  SampleRequest samples = asked.samples;
  samples.threads = threads;
  one.posterior = sample_posterior(one.inference, samples);
  one.findings = sheet_findings(sheet, FindingsFor::inference);
  in_flags(one.inference.silent, command);
  in_flags(one.inference.contradictions, command);
  return one;
}

/// Several sheets: a line each, or a list of answers in JSON.
int print_all(const std::vector<PriceSheet>& sheets, const InferAsked& asked, const Beliefs& priors,
              const Arguments& arguments) {
  const bool json = arguments.json();
  if (json) {
    if (const int code = print("[\n"); code != kAnswered) return code;
  }
  const auto text_of = [&](std::size_t i) {
    const report::InferReport one =
        infer_report(sheets[i], asked, priors, 1, *arguments.command);  // threads take a sheet each
    if (!json) return infer_summary(one);
    return (i > 0 ? ",\n" : "") + report::infer_json(one);
  };
  const int code = print_in_order(sheets.size(), text_of, arguments.has("quiet"));
  return code == kAnswered && json ? print("]\n") : code;
}

Result<int> run_infer(const Arguments& arguments, Program& program) {
  const auto asked = infer_question(arguments);
  if (!asked) return fail(asked.error());
  const auto all_priors = catalog::priors(*program.facts);
  if (!all_priors) return fail(all_priors.error());
  const auto believed = priors_named(*all_priors, asked->prior, asked->given);
  if (!believed) return fail(believed.error());
  const auto priors = with_machine(*believed, arguments, program.library);
  if (!priors) return fail(priors.error());
  const auto file = known_sheets(*asked, program);
  if (!file) return fail(file.error());
  const auto sheets = chosen_sheets(*asked, arguments.has("all"), *file);
  if (!sheets) return fail(sheets.error());
  const std::vector<std::string> notes = catalog::notes_of(*file);
  if (sheets->size() > 1) {
    if (arguments.has("svg")) return fail({"svg", "is a picture of one sheet", "name one of them"});
    if (arguments.has("machines")) return fail({"machines", "is about one sheet", "name one of them"});
    for (const std::string& note : notes) say(note + "\n");
    return print_all(*sheets, *asked, *priors, arguments);
  }
  const unsigned threads = all_threads();
  auto one = infer_report(sheets->front(), *asked, *priors, threads, *arguments.command);
  one.notes = notes;
  if (arguments.has("machines")) {
    SampleRequest samples = asked->samples;
    samples.threads = threads;
    samples.samples = std::min<std::uint64_t>(samples.samples, kMachineSamples);
    one.machines = machines_behind({.sheet = sheets->front(), .priors = *priors, .fast_speed = asked->fast_speed},
                                   program.library, samples);
  }
  return print_with_svg(arguments, arguments.json() ? report::infer_json(one) : report::infer_text(one, program.style),
                        [&] { return report::to_svg(report::infer_panels(one)); });
}

}  // namespace

Command infer_command() {
  return {
      .name = "infer",
      .purpose = Purpose::price,
      .place = 6,
      .summary = "what a price sheet says of the model and machine behind it",
      .groups = {{kUsual,
                  {{"SHEET", "sold", "SHEET",
                    "provider/model of the catalog, its newest sheet or @DATE (ridge list prices)"},
                   {"--provider", "provider", "NAME",
                    "a provider, or how its models' names begin: its newest sheet that says most"},
                   {"--sheet", "sheet", "FILE",
                    "a file of prices: our TOML, an answer of ridge price --json, or LiteLLM's price map"},
                   {"--model", "model", "NAME", "of the file or the provider"},
                   {"--all", "all", "", "every sheet there is, one line each"}}},
                 {"What is believed before",
                  {{"--prior", "prior", "NAME", "provider or lecture (catalog/prior)", "provider"},
                   {"--on", "machine", "MACHINE", "machine (ridge list machines)", "any within what is believed"},
                   {"--weights", "weights", "FORMAT", "format of the weights", "any that the machine computes in"},
                   {"--range", "range", "KEY=LOW..HIGH",
                    "believe something else, e.g. active, kv, margin; may be given again", "", Reads::command, true},
                   {"--set", "set", "KEY=VALUE", "the same of one value; may be given again", "", Reads::command, true},
                   {"--fast-speed", "fast_speed", "X", "speed of a fast mode whose sheet does not promise one"}}},
                 {"Samples",
                  {{"--machines", "machines", "",
                    "each machine of the catalog that could stand behind it, and the size then"},
                   {"--samples", "samples", "N", "providers drawn", "1M"},
                   {"--seed", "seed", "N", "of the random numbers", "1"}}},
                 output_options({kSvg.saying("draw how the samples lie as SVG"), kDetails}),
                 rare_options({kQuiet})},
      .examples = {"ridge infer --provider gemini", "ridge infer google/gemini-2.5-pro --prior lecture",
                   "ridge infer anthropic/claude-opus-4-6 --fast-speed 2.5 --svg opus.svg",
                   "ridge infer --sheet catalog/price/openai.toml --model gpt-4o --range active=50B..200B --range "
                   "margin=0.3..0.7",
                   "ridge infer deepseek/deepseek-reasoner --samples 10M --json",
                   "ridge infer google/gemini-3-pro-preview --on tpu-v7-pod --weights fp8",
                   "ridge infer openai/gpt-4o --machines", "ridge infer --provider deepseek --all"},
      .notes =
          "Intervals hold every explanation within what is believed (catalog/prior); samples say which are "
          "likely.",
      .run = run_infer};
}

}  // namespace ridge::cli
