// --from: an engine's command as the question, with what is given beside it on top.

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "catalog/engine/engine_command.hpp"
#include "catalog/facts/files.hpp"
#include "cli/question/serving.hpp"

namespace ridge::cli {

namespace {

using catalog::EngineReading;

double stage(const ServingQuestion& question) {
  return question.tensor.value_or(1) * question.context.value_or(1) * question.attention_data.value_or(1);
}

/// The command's scenario under the user's.
Result<Scenario> scenario_with(const EngineReading& reading, const Arguments& arguments, Program& program,
                               std::vector<std::string>& notes) {
  const Scenario& read = reading.question.scenario;
  auto scenario = scenario_of(program, arguments, read.model);
  if (!scenario) return scenario;
  const auto merge = [&](const char* name, std::optional<std::string>& given, const std::optional<std::string>& from) {
    if (given && from && *given != *from)
      notes.push_back(fmt::format("{} wins over the command's {}", field(name, *given), *from));
    if (!given) given = from;
  };
  merge("weights", scenario->weights, read.weights);
  merge("kv", scenario->kv, read.kv);
  return scenario;
}

/// What was said beside the command and differs from it.
void note_winners(const ServingQuestion& read, const ServingQuestion& asked, std::vector<std::string>& notes) {
  const auto compare = [&](const char* name, std::optional<double> before, std::optional<double> after) {
    if (before && after && *before != *after)
      notes.push_back(
          fmt::format("{} wins over the command's {:g}", field(name, fmt::format("{:g}", *after)), *before));
  };
  compare("tp", read.tensor, asked.tensor);
  compare("pp", read.pipeline, asked.pipeline);
  compare("cp", read.context, asked.context);
  compare("dp", read.attention_data, asked.attention_data);
  compare("ep", read.expert, asked.expert);
  compare("replicas", read.replicas, asked.replicas);
  compare("redundant_experts", read.redundant_experts.value_or(0), asked.redundant_experts.value_or(0));
  compare("concurrency", read.concurrency, asked.concurrency);
  compare("memory_utilization", read.memory_utilization, asked.memory_utilization);
  compare("token_budget", read.token_budget, asked.token_budget);
  compare("speculative_tokens", read.speculative_tokens, asked.speculative_tokens);
  if (read.engine != asked.engine)
    notes.push_back(fmt::format("{} wins over the command's {}", field("engine", asked.engine), read.engine));
}

void note_limits(const EngineReading& reading, const ServingQuestion& asked, std::vector<std::string>& notes) {
  const double tokens = asked.isl + asked.osl;
  if (reading.most_tokens && tokens > *reading.most_tokens)
    notes.push_back(
        fmt::format("the command refuses requests of {:g} tokens: its limit is {:g}", tokens, *reading.most_tokens));
}

}  // namespace

Result<std::string> pasted_text(const std::string& word) {
  if (word == "-") return catalog::read_standard_input();
  if (word == "@") return fail({"from", "@ names no file", "write @start.sh, or - for standard input"});
  if (word.starts_with('@')) return catalog::read_file(word.substr(1));
  return word;
}

Result<AskedServing> asked_with_command(const Arguments& arguments, Program& program) {
  const auto text = pasted_text(arguments.text("from"));
  if (!text) return fail(text.error());
  const std::string model = arguments.text("model");
  if (!model.empty()) {  // it may be a file, which the reading needs to know
    const auto named = model_named(program, model, arguments);
    if (!named) return fail(named.error());
  }
  const auto reading = catalog::read_engine_command(*text, program.library, "from", model);
  if (!reading) return fail(reading.error());
  AskedServing asked;
  asked.ignored = reading->ignored;
  asked.notes = reading->notes;
  if (!reading->load_note.empty() && !arguments.has("rate") && !arguments.has("concurrency"))
    asked.notes.push_back(reading->load_note);
  asked.scheduler = reading->scheduler;
  if (!model.empty() && !reading->model.empty())
    asked.notes.push_back(fmt::format("{} wins over the command's \"{}\"", model, shortened(reading->model)));
  const auto scenario = scenario_with(*reading, arguments, program, asked.notes);
  if (!scenario) return fail(scenario.error());
  ServingQuestion known = reading->question;
  known.scenario = *scenario;
  if (arguments.has("rate")) known.concurrency.reset();
  auto whole = with_options(known, arguments);
  if (!whole) return fail(whole.error());
  const Engine *read = find_engine(program.library, known.engine).facts,
               *asks = find_engine(program.library, whole->engine).facts;
  if (read != asks && !arguments.has("memory_utilization")) {
    whole->memory_utilization.reset();
    asked.notes.push_back(fmt::format("{} counts memory its own way: its default is taken", asks->title));
  }
  const bool everywhere = known.expert.value_or(1) > 1 && *known.expert == stage(known);
  if (everywhere && !arguments.has("ep")) whole->expert = stage(*whole);
  note_winners(reading->question, *whole, asked.notes);
  note_limits(*reading, *whole, asked.notes);
  asked.question = std::move(*whole);
  return asked;
}

}  // namespace ridge::cli
