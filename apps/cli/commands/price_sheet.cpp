// ridge price: a price sheet from a model, a machine, a load and a margin.

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "catalog/entries/library.hpp"
#include "catalog/question/serving_text.hpp"
#include "cli/prices.hpp"
#include "cli/program.hpp"
#include "report/price/make/price_sheet_text.hpp"
#include "report/price/sheet/litellm.hpp"
#include "report/serve/serving_text.hpp"

namespace ridge::cli {

namespace {

class SheetReader {
 public:
  Result<PriceQuestion> read(const Options& options, Program& program) {
    if (Errors wrong = not_about_money(options); !wrong.empty()) return fail(std::move(wrong));
    Options plain = options;  // --set is about the sheet, not about the machine
    plain.sets.clear();
    ServingQuestion serving;
    const auto scenario = scenario_of(program, plain, options.subject);
    if (!scenario) return fail(scenario.error());
    serving.scenario = *scenario;
    auto whole = with_options(std::move(serving), options);
    if (!whole) return fail(whole.error());
    question_.serving = std::move(*whole);
    for (const auto& [key, text] : options.serving) {
      if (key == "isl") question_.prompt_given = true;
      if (key == "osl") question_.answer_given = true;
    }
    for (const auto& [key, text] : options.planning) take(key, text);
    for (const std::string& set : options.sets) term(set);
    if (!errors_.empty()) return fail(std::move(errors_));
    return std::move(question_);
  }

 private:
  void take(const std::string& key, const std::string& text) {
    if (key == "margin") question_.margin = number<Ratio<double>>(key, text).value();
    if (key == "fast-speed") question_.fast_speed = number<Ratio<double>>(key, text).value();
    if (key == "keep") {
      question_.keeps.clear();
      for (const std::string& one : split(text, ',')) keep(one);
    }
    if (key == "tpot") question_.slo = {number<Seconds<double>>(key, text), true};
    if (key == "demand") demand(text);
  }

  void keep(const std::string& text) {
    const auto time = number<Seconds<double>>("keep", text);
    if (!(time.value() > 0)) {
      errors_.push_back({"--keep", fmt::format("\"{}\" keeps nothing", shortened(text)), "times are above zero"});
    } else if (std::find(question_.keeps.begin(), question_.keeps.end(), time) != question_.keeps.end()) {
      errors_.push_back({"--keep", fmt::format("{} appears twice", show(time, 6)), "give each time once"});
    } else {
      question_.keeps.push_back(time);
    }
  }

  /// "4k:60%,32k:30%,200k:10%": lengths and the share of the tokens in requests of that length.
  void demand(const std::string& text) {
    double sum = 0;
    for (const std::string& one : split(text, ',')) {
      const std::vector<std::string> parts = split(one, ':');
      if (parts.size() != 2) {
        errors_.push_back({"--demand", fmt::format("\"{}\" is not LENGTH:SHARE", shortened(one)),
                           "e.g. --demand 4k:60%,32k:30%,200k:10%"});
        return;
      }
      const DemandBand band{number<Tokens<double>>("demand", parts[0]),
                            number<Ratio<double>>("demand", parts[1]).value()};
      if (!(band.length.value() > 0) || !(band.share > 0))
        errors_.push_back({"--demand", fmt::format("\"{}\"", shortened(one)), "lengths and shares are above zero"});
      sum += band.share;
      question_.demand.push_back(band);
    }
    if (sum < 0.999 || sum > 1.001)
      errors_.push_back({"--demand", fmt::format("the shares sum to {:g}", sum), "they make up all tokens: 1"});
  }

  void term(const std::string& set) {
    const std::size_t equals = set.find('=');
    if (equals == std::string::npos) {
      errors_.push_back({"--set", fmt::format("\"{}\" has no =", shortened(set)),
                         "write KEY=VALUE, e.g. --set 'cache.fetch=60 GB/s'"});
      return;
    }
    const std::string key(trimmed(set.substr(0, equals))), where = "--set " + key;
    const auto index = sheet_input(key, where);
    if (!index) return append(errors_, index.error());
    const auto value = parse_as(set.substr(equals + 1), sheet_input_dimension(*index), where);
    if (!value) return append(errors_, value.error());
    question_.given.push_back({std::string(sheet_input_info(*index).key), *value, {where, Kind::user, "", ""}});
  }

  template <class Q>
  Q number(const std::string& key, const std::string& text) {
    const auto value = parse<Q>(text, "--" + key);
    if (!value) append(errors_, value.error());
    return value ? *value : Q(1.0);
  }

  PriceQuestion question_;
  Errors errors_;
};

}  // namespace

int run_price(const Options& options, Program& program) {
  if (options.subject.empty()) {
    return report_errors({{"MODEL", "which model?", "e.g. ridge price deepseek-v3 --on hgx-h200 (ridge list models)"}},
                         options);
  }
  const auto figure = sheet_output(options.derive.value_or("output"), "--derive");
  if (!figure) return report_errors(figure.error(), options);
  const auto question = SheetReader().read(options, program);
  if (!question) return report_errors(question.error(), options);
  const auto priors = catalog::priors(*program.facts);
  if (!priors) return report_errors(priors.error(), options);
  const NumbersEntry* terms = find_named(*priors, "sheet");
  if (terms == nullptr)
    return report_errors({{"catalog", "has no prior \"sheet\"", "add prior/sheet.toml to it"}}, options);
  const auto result = answer_price(*question, *terms, program.library);
  if (!result) return report_errors(result.error(), options);
  if (!result->answer) {
    const int code = print(options.json ? report::serving_json({{}, result->shortfall}, {}, {})
                                        : report::shortfall_text(*result->shortfall, question->serving, program.style));
    return code == kAnswered ? kNoAnswer : code;
  }
  const PriceAnswer& answer = *result->answer;
  if (!options.svg_file.empty()) {
    const int code = write_svg(options.svg_file, report::to_svg(report::price_chart(answer)), options);
    if (code != kAnswered) return code;
  }
  if (options.format == "litellm") {
    const report::PriceMap map = report::price_map({answer.sheet});
    for (const std::string& one : map.left_out) say("not in the map: " + one + "\n");
    return print(map.text);
  }
  if (options.json) return print(report::price_sheet_json(answer));
  if (options.derive) {
    const auto traced = output_values(estimate_sheet(report::traced_case(answer.numbers)));
    return print(report::derivation_text(report::derive(traced[*figure], options.depth),
                                         report::derivation_inputs(answer), program.library, program.style));
  }
  return print(report::price_sheet_text(answer, program.style));
}

}  // namespace ridge::cli
