// ridge cost, ridge day, ridge host: what chips cost, what tokens bring, and where the two meet.

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "catalog/entries/numbers_entry.hpp"
#include "cli/defaults.hpp"
#include "cli/prices.hpp"
#include "library/names.hpp"
#include "price/sheet/sheet_check.hpp"
#include "report/price/money/money_text.hpp"
#include "report/serve/serving_text.hpp"

namespace ridge::cli {

namespace {

constexpr const char* kMemoryClaim = "C31";

/// The share of capital that is memory, where nobody gives one: what the lecture says.
void set_memory_share(CostQuestion& question, const Program& program) {
  for (const Claim& claim : *program.claims) {
    const auto share = claim.given.find("share");
    if (claim.id != kMemoryClaim || share == claim.given.end()) continue;
    question.memory_utilization = share->second.value.value;
    question.memory_from = fmt::format("said in {}; --memory-share says otherwise", kMemoryClaim);
  }
}

Result<CostQuestion> cost_question(const Options& options, const Program& program) {
  CostQuestion question;
  question.machine = options.subject;
  set_memory_share(question, program);
  Errors errors;
  const auto number = [&](const std::string& text, const std::string& where, auto& into) {
    using Q = typename std::remove_reference_t<decltype(into)>::value_type;
    const auto value = parse<Q>(text, where);
    if (!value) return append(errors, value.error());
    into = *value;
  };
  for (const auto& [key, text] : options.settings) {
    const std::string where = "--" + key;
    OwnershipChanges& changes = question.changes;
    if (key == "capex") number(text, where, changes.capex);
    if (key == "life") number(text, where, changes.life);
    if (key == "power") number(text, where, changes.power);
    if (key == "pue") number(text, where, changes.pue);
    if (key == "electricity") number(text, where, changes.electricity);
    if (key == "cost-of-capital") number(text, where, changes.cost_of_capital);
    std::optional<Ratio<double>> share;
    if (key == "utilization" || key == "memory-share") number(text, where, share);
    if (share && key == "utilization") question.utilization = share->value();
    if (share && key == "memory-share") {
      question.memory_utilization = share->value();
      question.memory_from = "given";
    }
  }
  if (!errors.empty()) return fail(std::move(errors));
  return question;
}

/// Sheets to compare with: a file, one of the catalog by name, or all that sell the model.
struct Compared {
  std::vector<PriceSheet> all;
  std::vector<const PriceSheet*> chosen;
  std::vector<std::string> notes;  // what a sheet that was named says oddly, or beside prices of tokens
};

void note_findings(Compared& compared) {
  for (const PriceSheet* sheet : compared.chosen) {
    for (const std::string& finding : sheet_findings(*sheet))
      compared.notes.push_back(fmt::format("{}: {}", sold_name(*sheet), finding));
  }
}

Result<Compared> compared_with(const Options& options, const Program& program, const std::string& model) {
  Compared out;
  if (options.sheet.ends_with(".toml") || options.sheet.ends_with(".json")) {
    auto file = sheet_file(options.sheet);
    if (!file) return fail(file.error());
    out.notes = catalog::notes_of(*file);
    out.all = std::move(file->sheets);
    for (const PriceSheet& sheet : out.all) out.chosen.push_back(&sheet);
    note_findings(out);
    return out;
  }
  auto sheets = price_sheets(program);
  if (!sheets) return fail(sheets.error());
  out.all = std::move(*sheets);
  if (options.sheet.empty()) {
    out.chosen = sheets_of_weights(out.all, model);
    note_findings(out);
    return out;
  }
  const auto sheet = find_sheet(out.all, options.sheet, "--sheet");
  if (!sheet) return fail(sheet.error());
  out.chosen.push_back(*sheet);
  note_findings(out);
  return out;
}

/// Options of serving that mean nothing here.
Errors without_meaning(const Options& options) {
  Errors errors = not_about_money(options);
  for (const auto& [key, text] : options.serving) {
    if (key == "rate") errors.push_back({"--rate", "is a demand", "say --tokens-per-day"});
  }
  return errors;
}

Result<HostQuestion> host_question(const Options& options, Program& program) {
  if (Errors wrong = without_meaning(options); !wrong.empty()) return fail(std::move(wrong));
  HostQuestion question;
  const auto scenario = scenario_of(program, options, options.subject);
  if (!scenario) return fail(scenario.error());
  question.serving.scenario = *scenario;
  auto serving = with_options(std::move(question.serving), options);
  if (!serving) return fail(serving.error());
  question.serving = std::move(*serving);
  Errors errors;
  for (const auto& [key, text] : options.planning) {
    const auto value = parse_as(text, key == "tpot" ? kSecond : kToken, "--" + key);
    if (!value) {
      append(errors, value.error());
    } else if (key == "tpot") {
      question.slo.tpot = Seconds<double>(*value);
      question.slo.given = true;
    } else {
      question.tokens_per_day = *value;
    }
  }
  if (!errors.empty()) return fail(std::move(errors));
  return question;
}

std::vector<std::string> taken_by_host(const Options& options, const HostAnswer& answer) {
  const ServingQuestion& serving = answer.serving.question;
  std::vector<std::string> taken;
  const auto add = [&](const char* key, const std::string& value) {
    if (!was_given(options.serving, key)) taken.push_back(fmt::format("--{} {}", key, value));
  };
  add("isl", fmt::format("{:g}", serving.isl));
  add("osl", fmt::format("{:g}", serving.osl));
  add("cached", fmt::format("{:g}", serving.cached));
  add("engine", serving.engine);
  return taken;
}

}  // namespace

int run_cost(const Options& options, Program& program) {
  const auto question = cost_question(options, program);
  if (!question) return report_errors(question.error(), options);
  const auto cost = chip_cost(*question, program.library);
  if (!cost) return report_errors(cost.error(), options);
  return print(options.json ? report::cost_json(*cost) : report::cost_text(*cost, program.style));
}

int run_day(const Options& options, Program& program) {
  const auto days = catalog::numbers_entries(*program.facts, "day");
  if (!days) return report_errors(days.error(), options);
  const std::vector<std::string> names = names_of(*days);
  if (days->empty()) return report_errors({{"day", "the catalog has none", "add day/NAME.toml"}}, options);
  const NumbersEntry* entry = options.subject.empty() ? &days->front() : find_named(*days, options.subject);
  if (entry == nullptr) {
    return report_errors({{"DAY", fmt::format("no day is called \"{}\"", shortened(options.subject)),
                           suggestion(options.subject, names)}},
                         options);
  }
  const auto sheets = price_sheets(program);
  if (!sheets) return report_errors(sheets.error(), options);
  const auto day = serving_day(*entry, *sheets);
  if (!day) return report_errors(day.error(), options);
  return print(options.json ? report::day_json(*day) : report::day_text(*day, program.style));
}

int run_host(const Options& options, Program& program) {
  const auto question = host_question(options, program);
  if (!question) return report_errors(question.error(), options);
  const std::string& word = question->serving.scenario.model;
  const auto named = ridge::model_named(program.library, word);  // an unknown one is explained by the answer
  const auto compared = compared_with(options, program, named ? named->entry->name : word);
  if (!compared) return report_errors(compared.error(), options);
  auto result = answer_host(*question, compared->chosen, program.library);
  if (!result) return report_errors(result.error(), options);
  if (!result->answer) {
    const int code = print(options.json ? report::serving_json({{}, result->shortfall}, {}, {})
                                        : report::shortfall_text(*result->shortfall, question->serving, program.style));
    return code == kAnswered ? kNoAnswer : code;
  }
  result->answer->notes.insert(result->answer->notes.begin(), compared->notes.begin(), compared->notes.end());
  note_defaults(result->answer->notes, taken_by_host(options, *result->answer));
  if (!options.svg_file.empty()) {
    const int code = write_svg(options.svg_file, report::to_svg(report::host_chart(*result->answer)), options);
    if (code != kAnswered) return code;
  }
  return print(options.json ? report::host_json(*result->answer) : report::host_text(*result->answer, program.style));
}

}  // namespace ridge::cli
