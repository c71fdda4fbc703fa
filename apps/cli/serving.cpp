// The serving half of ridge why and ridge fit: a layout and a load given, so the answer is the operator's.

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "catalog/evidence_file.hpp"
#include "cli/program.hpp"
#include "report/serving_text.hpp"

namespace ridge::cli {

namespace {

/// Reads --isl, --tp, ... into a question.
class QuestionReader {
 public:
  explicit QuestionReader(const Options& options) : options_(options) {}

  Result<ServingQuestion> read(ServingQuestion question) {
    overlap_ = question.overlap;
    for (const auto& [key, text] : options_.serving) {
      if (key == "engine") question.engine = lower_case(text);
      if (key == "tp") question.tensor = number(key, text);
      if (key == "pp") question.pipeline = number(key, text);
      if (key == "cp") question.context = number(key, text);
      if (key == "dp") question.attention_data = number(key, text);
      if (key == "ep") question.expert = number(key, text);
      if (key == "redundant") question.redundant = number(key, text);
      if (key == "replicas") question.replicas = number(key, text);
      if (key == "isl") question.isl = tokens(key, text);
      if (key == "osl") question.osl = tokens(key, text);
      if (key == "concurrency") question.concurrency = number(key, text);
      if (key == "rate") question.rate = number(key, text);
      if (key == "cached") question.cached = share(key, text);
      if (key == "memory-share") question.memory_share = share(key, text);
      if (key == "overlap") overlap_ = overlap(text);
      if (key == "chunk") question.chunk = tokens(key, text);
      if (key == "guesses") question.guesses = number(key, text);
      if (key == "accepted") question.accepted = share(key, text);
    }
    question.disaggregated = question.disaggregated || options_.disaggregated;
    question.overlap = overlap_;
    question.sensitivity = options_.sensitivity;
    if (!errors_.empty()) return fail(std::move(errors_));
    return question;
  }

 private:
  template <class Q>
  double read_as(const std::string& key, const std::string& text) {
    const auto value = parse<Q>(text, "--" + key);
    if (!value) append(errors_, value.error());
    return value ? value->value() : 1;
  }
  Overlap overlap(const std::string& text) {
    for (const Overlap one : {Overlap::none, Overlap::two, Overlap::full}) {
      if (text == name_of(one)) return one;
    }
    errors_.push_back({"--overlap", fmt::format("\"{}\" is no way to overlap", shortened(text)), "none, two or full"});
    return Overlap::none;
  }
  double number(const std::string& key, const std::string& text) { return read_as<Ratio<double>>(key, text); }
  double share(const std::string& key, const std::string& text) { return read_as<Ratio<double>>(key, text); }
  double tokens(const std::string& key, const std::string& text) { return read_as<Tokens<double>>(key, text); }

  const Options& options_;
  Overlap overlap_ = Overlap::none;
  Errors errors_;
};

}  // namespace

bool asks_serving(const Options& options) {
  return !options.serving.empty() || options.disaggregated || options.commands || !options.pasted.empty();
}

Result<ServingQuestion> with_options(ServingQuestion question, const Options& options) {
  return QuestionReader(options).read(std::move(question));
}

namespace {

/// Options of the chalk step that a serving answer would have to ignore.
Errors without_meaning(const Options& options) {
  Errors errors;
  const auto refuse = [&](const std::string& flag, const char* instead) {
    errors.push_back({flag, "has no meaning beside a layout or a load", instead});
  };
  for (const auto& [key, text] : options.settings) {
    if (key == "batch") refuse("--batch", "say --concurrency: requests in flight");
    if (key == "context") refuse("--context", "say --isl and --osl: the context follows from them");
    if (key == "attention" || key == "utilisation") refuse("--" + key, "leave it out");
  }
  if (!options.sets.empty()) refuse("--set", "put changed facts into a catalog of your own (--catalog DIR)");
  if (!options.ranges.empty()) refuse("--range", "ask for each end of the range");
  if (options.derive) refuse("--derive", "docs/theory/serving.md has the equations; --json has every part");
  if (options.csv) refuse("--csv", "use --json");
  if (!options.save_file.empty()) refuse("--save", "leave it out");
  return errors;
}

Result<Asked> asked_of(const Options& options, Program& program) {
  if (Errors wrong = without_meaning(options); !wrong.empty()) return fail(std::move(wrong));
  if (!options.pasted.empty()) return asked_with(options, program);
  ServingQuestion question;
  const auto scenario = scenario_of(program, options, options.subject);
  if (!scenario) return fail(scenario.error());
  question.scenario = *scenario;
  const auto whole = with_options(std::move(question), options);
  if (!whole) return fail(whole.error());
  return Asked{*whole, {}, {}};
}

/// The answer with what is to be said of the question.
Result<ServingResult> answered(const Asked& asked, const Program& program) {
  auto result = answer_serving(asked.question, program.library);
  if (!result) return fail(result.error());
  auto& notes = result->answer ? result->answer->notes : result->shortfall->notes;
  notes.insert(notes.begin(), asked.notes.begin(), asked.notes.end());
  return result;
}

report::ServingExtras extras_of(const Options& options, const Asked& asked, const ServingResult& result,
                                const Program& program) {
  report::ServingExtras extras{{}, !options.pasted.empty(), asked.ignored};
  if (options.commands && result.answer) extras.commands = engine_commands(*result.answer, program.library);
  return extras;
}

}  // namespace

int run_serving(const Options& options, Program& program) {
  const auto asked = asked_of(options, program);
  if (!asked) return report_errors(asked.error(), options);
  const auto result = answered(*asked, program);
  if (!result) return report_errors(result.error(), options);
  const report::ServingExtras extras = extras_of(options, *asked, *result, program);
  std::optional<NearestRun> nearest;
  const auto evidence = catalog::read_evidence(catalog::embedded_evidence());
  if (evidence && result->answer) nearest = nearest_run(*result->answer, *evidence, program.library);
  std::string out;
  if (options.json) {
    out = report::serving_json(*result, nearest, extras);
  } else if (result->answer) {
    out = report::serving_text(*result->answer, nearest, program.style);
  } else {
    out = report::shortfall_text(*result->shortfall, asked->question, program.style);
  }
  if (!options.json) out += report::commands_text(extras.commands, program.style);
  if (const int code = print(out); code != kAnswered) return code;
  return result->answer ? kAnswered : kNoAnswer;
}

int run_serving_fit(const Options& options, Program& program) {
  const auto asked = asked_of(options, program);
  if (!asked) return report_errors(asked.error(), options);
  const auto result = answered(*asked, program);
  if (!result) return report_errors(result.error(), options);
  const report::ServingExtras extras = extras_of(options, *asked, *result, program);
  std::string out = options.json     ? report::serving_json(*result, {}, extras)
                    : result->answer ? report::serving_fit_text(*result->answer, program.style)
                                     : report::shortfall_text(*result->shortfall, asked->question, program.style);
  if (!options.json) out += report::commands_text(extras.commands, program.style);
  if (const int code = print(out); code != kAnswered) return code;
  return result->answer && !result->answer->waits ? kAnswered : kNoAnswer;
}

}  // namespace ridge::cli
