// ridge plan: every layout there is, the frontier, the choice and the reason.

#include <algorithm>
#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "cli/sweep/plan_search.hpp"
#include "cli/sweep/world.hpp"
#include "report/search/plan_text.hpp"

namespace ridge::cli {

namespace {

/// Words with commas between them, each once.
std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> out;
  for (const std::string& word : split(text, ',')) {
    if (!word.empty() && std::find(out.begin(), out.end(), word) == out.end()) out.push_back(word);
  }
  return out;
}

class PlanReader {
 public:
  PlanReader(const Options& options, const Library& library) : options_(options), library_(library) {}

  Result<PlanRequest> read(PlanRequest request) {
    for (const auto& [key, text] : options_.planning) {
      if (key == "on") request.machines = machines(text);
      if (key == "ttft") request.ttft = positive<Seconds<double>>(key, text);
      if (key == "tpot") request.tpot = positive<Seconds<double>>(key, text);
      if (key == "max-chips") request.most_chips = positive<Ratio<double>>(key, text).value();
      if (key == "threads") request.threads = threads(text);
      if (key == "objective") read_objective(text, request);
      if (key == "pools") read_pools(text, request);
      if (key == "weights") request.weights = formats(key, text);
      if (key == "kv") request.kv = formats(key, text);
    }
    for (const auto& [key, text] : options_.serving) {
      if (key == "speculative_tokens") request.speculative_tokens = numbers<Ratio<double>>(key, text);
      if (key == "token_budget") request.token_budgets = numbers<Tokens<double>>(key, text);
    }
    if (options_.disaggregated) {
      if (!request.apart) errors_.push_back({"--pools", "together, beside --disaggregated", "leave one of them out"});
      request.together = false;
    }
    refuse_what_means_nothing();
    if (request.machines.empty() && errors_.empty()) {
      errors_.push_back({"--on", "which machine?", "e.g. --on gb200-nvl72, several with commas, or all"});
    }
    if (!options_.pasted.empty()) {
      errors_.push_back({"--from", "is one deployment; a plan tries all", "ridge why --from, or leave it out"});
    }
    for (const auto& [key, text] : options_.serving) {
      if (key != "concurrency" && key != "rate" && key != "replicas") continue;
      errors_.push_back({"--" + key, "is what a plan finds out", "leave it out; ridge why answers for one load"});
    }
    if (!errors_.empty()) return fail(std::move(errors_));
    return request;
  }

 private:
  void refuse_what_means_nothing() {
    const bool is_part = !options_.shard.empty(), changes = has("changes");
    if (!is_part && !options_.out_file.empty())
      errors_.push_back({"--out", "is the file for a part", "add --shard I/N, or redirect the answer"});
    if (is_part && (options_.json || !options_.svg_file.empty() || options_.commands || changes)) {
      errors_.push_back({"--shard", "a part is no answer: nothing to print or draw yet",
                         "give --json, --svg, --commands and --changes with --parts"});
    }
  }

  bool has(std::string_view key) const {
    return std::any_of(options_.planning.begin(), options_.planning.end(),
                       [&](const auto& setting) { return setting.first == key; });
  }

  template <class Q>
  Q positive(const std::string& key, const std::string& text) {
    const auto value = parse<Q>(text, "--" + key);
    if (!value) append(errors_, value.error());
    if (value && !(value->value() > 0)) errors_.push_back({"--" + key, text + " is not above 0", "a positive amount"});
    return value ? *value : Q(1.0);
  }

  std::vector<std::optional<std::string>> formats(const std::string& key, const std::string& text) {
    std::vector<std::optional<std::string>> out;
    for (const std::string& format : listed(text)) {
      if (find_named(library_.formats, format) == nullptr) {
        errors_.push_back({"--" + key, fmt::format("unknown format \"{}\"", shortened(format)),
                           suggestion(format, names_of(library_.formats))});
      }
      out.emplace_back(format);
    }
    if (out.empty()) errors_.push_back({"--" + key, "no format", "e.g. --" + key + " fp8,bf16"});
    return out;
  }

  template <class Q>
  std::vector<double> numbers(const std::string& key, const std::string& text) {
    std::vector<double> out;
    for (const std::string& one : listed(text)) {
      const auto value = parse<Q>(one, "--" + key);
      if (value) out.push_back(value->value());
      if (!value) append(errors_, value.error());
    }
    if (out.empty() && errors_.empty()) errors_.push_back({"--" + key, "no number", "one, or several with commas"});
    return out;
  }

  unsigned threads(const std::string& text) {
    constexpr double kMost = 1024;
    const double count = positive<Ratio<double>>("threads", text).value();
    if (count <= kMost) return static_cast<unsigned>(std::max(1.0, count));
    errors_.push_back({"--threads", shortened(text) + " threads", fmt::format("at most {:g}", kMost)});
    return 1;
  }

  std::vector<std::string> machines(const std::string& text) {
    if (text == "all") return names_of(library_.machines);
    std::vector<std::string> names = listed(text);
    for (const std::string& name : names) {
      if (find_named(library_.machines, name) != nullptr) continue;
      errors_.push_back({"--on", fmt::format("unknown machine \"{}\"", shortened(name)),
                         suggestion(name, names_of(library_.machines))});
    }
    return names;
  }

  void read_objective(const std::string& text, PlanRequest& request) {
    const auto aim = parse_objective(text);
    if (aim) request.objective = *aim;
    if (!aim) append(errors_, aim.error());
  }

  void read_pools(const std::string& text, PlanRequest& request) {
    if (text != "together" && text != "apart" && text != "both") {
      errors_.push_back({"--pools", fmt::format("\"{}\"", shortened(text)), "together, apart or both"});
    }
    request.together = text != "apart";
    request.apart = text != "together";
  }

  const Options& options_;
  const Library& library_;
  Errors errors_;
};

std::optional<ServingAnswer> whole_answer(const PlanRequest& request, const std::optional<PlanPoint>& point,
                                          const Library& library, bool sensitivity) {
  if (!point) return {};
  ServingQuestion question = question_at(request, *point);
  question.sensitivity = sensitivity;
  const auto result = answer_serving(question, library);
  return result && result->answer ? result->answer : std::nullopt;
}

}  // namespace

namespace {

Result<PlanRequest> request_of(const Options& options, Program& program) {
  if (options.subject.empty()) {
    return fail({"MODEL", "which model?", "e.g. ridge plan deepseek-v3 --on gb200-nvl72 (ridge list models)"});
  }
  if (!options.shard.empty() && !options.parts.empty()) {
    return fail({"--shard", "makes a part, and --parts puts them together", "one after the other"});
  }
  if (world::size() > 1 && !(options.shard.empty() && options.parts.empty())) {
    return fail({"mpirun", "shares a plan among its processes already", "leave --shard and --parts out"});
  }
  PlanRequest request;
  request.threads = world::size() > 1 ? 1 : std::max(1U, std::thread::hardware_concurrency());
  auto read = PlanReader(options, program.library).read(std::move(request));
  if (!read) return fail(read.error());
  Options first = options;  // a question has one machine: the first, until the search moves it
  first.settings.emplace_back("machine", read->machines.front());
  // what a plan tries in several ways is no part of the one question
  std::erase_if(first.serving,
                [](const auto& setting) { return setting.first == "speculative_tokens" || setting.first == "token_budget"; });
  ServingQuestion asked;
  const auto scenario = scenario_of(program, first, options.subject);
  if (!scenario) return fail(scenario.error());
  asked.scenario = *scenario;
  const auto question = with_options(std::move(asked), first);
  if (!question) return fail(question.error());
  read->question = *question;
  return read;
}

/// Whether all processes of an mpirun are ready and mean the same; else the exit code.
std::optional<int> disagreement(const Result<PlanWork>& work, const Options& options) {
  const auto agreement =
      world::agree(work.has_value(), work ? fmt::format("{} {}", fingerprint_of(*work), work->request().threads) : "");
  if (!work) return world::rank() == 0 ? report_errors(work.error(), options) : kBadInput;
  if (agreement == world::Agreement::yes) return {};
  if (world::rank() != 0) return kBadInput;
  const bool differ = agreement == world::Agreement::different;
  return report_errors(
      {{"mpirun", differ ? "processes were given different catalogs, models or options" : "a process could not start",
        "the program, the catalog and the options must be the same on every machine"}},
      options);
}

}  // namespace

int run_plan(const Options& options, Program& program) {
  const auto request = request_of(options, program);
  const auto work = request ? PlanWork::prepare(*request, program.library) : Result<PlanWork>(fail(request.error()));
  if (world::size() > 1) {
    if (const auto code = disagreement(work, options)) return *code;
    if (world::rank() != 0) return help_search(*work), kAnswered;
  }
  if (!work) return report_errors(work.error(), options);
  if (!options.shard.empty()) return search_part(*work, options);
  report::PlanReport report;
  const auto start = std::chrono::steady_clock::now();
  auto search = !options.parts.empty() ? joined_parts(*work, options)
                : world::size() > 1    ? Result<PlanSearch>(search_with_others(*work))
                                       : Result<PlanSearch>(work->search_all());
  if (!search) return report_errors(search.error(), options);
  report.plan = work->answer(std::move(*search));
  if (program.style.color) {  // a clock in a file would differ from run to run
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  report.best = whole_answer(report.plan.request, report.plan.search.best, program.library, true);
  report.runner_up = whole_answer(report.plan.request, report.plan.search.runner_up, program.library, false);
  const bool changes = std::any_of(options.planning.begin(), options.planning.end(),
                                   [](const auto& setting) { return setting.first == "changes"; });
  if (changes) report.outlooks = outlooks(report.plan.request, program.library);
  if (report.best && options.commands) report.commands = engine_commands(*report.best, program.library);
  if (!options.svg_file.empty()) {
    if (const int code = write_svg(options.svg_file, report::to_svg(report::plan_chart(report)), options);
        code != kAnswered)
      return code;
  }
  const int code = print(options.json ? report::plan_json(report) : report::plan_text(report, program.style));
  return code != kAnswered ? code : report.plan.search.best ? kAnswered : kNoAnswer;
}

}  // namespace ridge::cli
