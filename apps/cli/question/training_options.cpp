#include "cli/question/training_options.hpp"

#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "catalog/facts/files.hpp"
#include "catalog/trainer/training_log.hpp"
#include "catalog/trainer/training_reading.hpp"
#include "cli/options/option_reader.hpp"
#include "cli/question/serving.hpp"
#include "report/base/counts.hpp"
#include "train/plan/training_anchor.hpp"
#include "train/step/model_shape.hpp"
#include "train/step/training_layout_text.hpp"

namespace ridge::cli {

namespace {

constexpr double kUsualSequence = 8192, kUsualBatch = 4194304;

using Degree = std::optional<double> AskedLayout::*;
constexpr std::array<std::pair<std::string_view, Degree>, 8> kDegrees = {{{"tp", &AskedLayout::tensor},
                                                                          {"pp", &AskedLayout::pipeline},
                                                                          {"cp", &AskedLayout::context},
                                                                          {"ep", &AskedLayout::expert},
                                                                          {"etp", &AskedLayout::expert_tensor},
                                                                          {"vp", &AskedLayout::virtual_stages},
                                                                          {"micro_batch", &AskedLayout::micro_batch},
                                                                          {"zero", &AskedLayout::zero}}};

/// What a command says, as a question; the options come on top.
AskedTraining asked_by(const catalog::TrainingReading& reading) {
  AskedTraining asked;
  asked.one = true;
  asked.notes = reading.notes;
  asked.notes.insert(asked.notes.begin(), fmt::format("read as a {} command", reading.title));
  TrainingQuestion& question = asked.question;
  question.model = reading.model;
  question.chips = reading.chips.value_or(0);
  question.sequence = reading.sequence.value_or(kUsualSequence);
  if (!reading.sequence)
    asked.notes.push_back(fmt::format("no sequence length in it: {} is taken", field("sequence", "8,192")));
  question.global_batch = reading.batch ? *reading.batch * question.sequence : kUsualBatch;
  if (!reading.batch)
    asked.notes.push_back(fmt::format("no batch in it: {} tokens are taken", field("global_batch", "4Mi")));
  question.tokens = reading.tokens.value_or(0);
  question.recipe = reading.recipe;
  question.framework = reading.framework;
  question.layout = reading.layout;
  return asked;
}

/// A model that only this question has.
void add_shape(Program& program, Model model) {
  model.title = fmt::format("a model of {} parameters", report::count_text(count_parameters(model).total()));
  program.library.models.push_back(std::move(model));
}

Result<AskedTraining> read_command(const Arguments& arguments, Program& program, const std::vector<Trainer>& trainers,
                                   const std::string& model) {
  const auto text = pasted_text(arguments.text("from"));
  if (!text) return fail(text.error());
  double chips = 0;
  if (const auto given = parse_number(arguments.text("chips"))) chips = *given;
  const auto reading = catalog::read_training_command(*text, trainers, program.library, "from", model, chips);
  if (!reading) return fail(reading.error());
  if (reading->shape && find_named(program.library.models, reading->model) == nullptr)
    add_shape(program, *reading->shape);
  return asked_by(*reading);
}

/// A step's seconds, from what was measured of the run.
std::optional<double> measured_step(const catalog::TrainingLog& log, const TrainingQuestion& question) {
  if (log.step) return log.step;
  if (log.rate) return question.global_batch / question.chips / *log.rate;
  if (log.samples) return question.global_batch / question.sequence / *log.samples;
  return std::nullopt;
}

double chips_of_copy(const AskedLayout& layout) {
  return layout.tensor.value_or(1) * layout.pipeline.value_or(1) * layout.context.value_or(1);
}

/// --layout in place of a flag for each degree. Its copies, where it says them.
std::optional<double> take_layout(TrainingQuestion& question, OptionReader& reader, const Arguments& arguments) {
  const auto read = reader.take(parse_training_layout(arguments.text("layout"), "layout"));
  const SpokenLayout spoken = read.value_or(SpokenLayout{});
  if (arguments.has("from"))
    reader.refuse("layout", "stands beside --from, which has a layout of its own", "give one of them");
  AskedLayout layout = spoken.layout;
  for (const auto& [key, degree] : kDegrees)
    if (layout.*degree && arguments.has(key))
      reader.refuse(std::string(key), "stands beside --layout, which says it too", "give one of them");
  question.layout = layout;
  return spoken.data;
}

/// A model in words, "layers=60 hidden=5120 heads=40 ...", becomes one of the library for this question.
Result<std::string> model_asked(Program& program, const std::string& word, const Arguments& arguments) {
  if (!is_shape(word) || find_named(program.library.models, word) != nullptr)
    return model_named(program, word, arguments);
  auto model = model_of_shape(word, "model");
  if (!model) return fail(model.error());
  add_shape(program, std::move(*model));
  return word;
}

}  // namespace

Errors put_words(TrainingQuestion& question, const std::map<std::string, std::string>& words, std::string_view where) {
  Errors errors;
  std::vector<std::string> known = {"chips", "global_batch", "sequence", "tokens", "recipe", "framework", "recompute"};
  for (const auto& [key, degree] : kDegrees) known.emplace_back(key);
  for (const auto& [key, text] : words) {
    const auto tokens = [&](double& into) {
      const auto value = parse<Tokens<double>>(text, where);
      if (value)
        into = value->value();
      else
        append(errors, value.error());
    };
    if (key == "chips") {
      question.chips = parse_number(text).value_or(0);
    } else if (key == "global_batch") {
      tokens(question.global_batch);
    } else if (key == "sequence") {
      tokens(question.sequence);
    } else if (key == "tokens") {
      tokens(question.tokens);
    } else if (key == "recipe") {
      question.recipe = text;
    } else if (key == "framework") {
      question.framework = text;
    } else if (key == "recompute") {
      const auto policy = parse_recompute(text, where);
      if (policy)
        question.layout.recompute = *policy;
      else
        append(errors, policy.error());
    } else {
      bool found = false;
      for (const auto& [name, degree] : kDegrees) {
        if (key != name) continue;
        found = true;
        const auto value = parse_number(text);
        if (value)
          question.layout.*degree = *value;
        else
          errors.push_back(
              {std::string(where), fmt::format("{} = \"{}\" is no number", key, shortened(text)), "such as 8"});
      }
      if (!found)
        errors.push_back({std::string(where), fmt::format("unknown \"{}\"", shortened(key)), suggestion(key, known)});
    }
  }
  return errors;
}

Result<AskedTraining> with_anchor(AskedTraining asked, const Arguments& arguments, const Program& program,
                                  const std::vector<NumbersEntry>& recipes) {
  const auto text = catalog::read_file(arguments.text("anchor"));
  if (!text) return fail(text.error());
  const auto log = catalog::read_training_log(*text, "anchor");
  if (!log) return fail(log.error());
  TrainingQuestion run = asked.question;  // that was measured
  if (Errors wrong = put_words(run, log->said, "anchor"); !wrong.empty()) return fail(std::move(wrong));
  if (!is_one_layout(run))
    return fail({"anchor", fmt::format("{} does not say the layout of its run", log->form),
                 "give --tp and --pp, or --from with its command; or a CSV with columns tp and pp"});
  const auto ground = training_ground(run, program.library, recipes);
  if (!ground) return fail(ground.error());
  const auto layout = given_layout(run, *ground);
  if (!layout) return fail(layout.error());
  const auto step = measured_step(*log, run);
  if (!step || !(*step > 0)) return fail({"anchor", "no time of a step in it", "such as step_s"});
  const auto anchor = anchor_training(*ground, *layout, *step);
  if (!anchor) return fail(anchor.error());
  asked.question.kernels = anchor->kernels;
  asked.notes.push_back(fmt::format(
      "anchored on your run ({}, {} of {}): a step took {}, predicted was {}. Moved: the time of all kernels under {}, "
      "times {:.3f}. Nothing else: one run cannot tell kernels from network, host or stragglers",
      short_name(*layout), log->lines == 1 ? "a line" : fmt::format("{} lines", log->lines), log->form,
      show(Seconds<double>(anchor->measured), 4), show(Seconds<double>(anchor->predicted), 4), run.framework,
      anchor->kernels));
  if (log->peak_bytes) {
    const double peak = training_estimate(*ground, *layout).memory.worst().peak().value();
    asked.notes.push_back(fmt::format("its chips held {}, predicted was {}: nothing was moved by that",
                                      show_gib(*log->peak_bytes), show_gib(peak)));
  }
  return asked;
}

Result<AskedTraining> asked_training(const Arguments& arguments, Program& program,
                                     const std::vector<Trainer>& trainers) {
  constexpr Within kCount{.least = 1, .most = 1e7, .whole = true};
  constexpr Within kTokens{.least = 1, .most = 1e18};
  std::string model;
  if (!arguments.text("model").empty()) {
    const auto named = model_asked(program, arguments.text("model"), arguments);
    if (!named) return fail(named.error());
    model = *named;
  }
  AskedTraining asked;
  asked.question.sequence = kUsualSequence;
  asked.question.global_batch = kUsualBatch;
  if (arguments.has("from")) {
    auto read = read_command(arguments, program, trainers, model);
    if (!read) return fail(read.error());
    asked = std::move(*read);
  }
  OptionReader reader(arguments);
  TrainingQuestion& question = asked.question;
  if (!model.empty()) question.model = model;
  if (question.model.empty()) reader.refuse("model", "is needed", "such as llama-3.1-70b (ridge list models)");
  const auto wins = [&](std::string_view name, double before, double after) {
    if (arguments.has("from") && before > 0 && before != after)
      asked.notes.push_back(
          fmt::format("{} wins over the command's {:g}", field(std::string(name), fmt::format("{:g}", after)), before));
  };
  question.machine = arguments.text("machine");
  if (question.machine.empty()) reader.refuse("machine", "is needed", "such as --on hgx-h100 (ridge list machines)");
  std::optional<double> copies;
  if (arguments.has("layout")) copies = take_layout(question, reader, arguments);
  if (arguments.has("chips")) {
    const double chips = reader.number("chips", 0, kCount);
    wins("chips", question.chips, chips);
    question.chips = chips;
  } else if (copies) {
    question.chips = *copies * chips_of_copy(question.layout);
  } else if (!(question.chips > 0) && reader.errors().empty()) {
    reader.refuse("chips", "is needed", "such as --chips 1024");
  }
  if (const auto tokens = reader.read<Tokens<double>>("tokens", kTokens)) question.tokens = tokens->value();
  const double sequences = question.global_batch / question.sequence;
  if (const auto length = reader.read<Tokens<double>>("sequence", {.least = 1, .most = 1e9, .whole = true})) {
    wins("sequence", question.sequence, length->value());
    question.sequence = length->value();
    // a command counts its batch in sequences
    if (arguments.has("from")) question.global_batch = sequences * question.sequence;
  }
  if (const auto batch = reader.read<Tokens<double>>("global_batch", kTokens)) {
    wins("global_batch", question.global_batch, batch->value());
    question.global_batch = batch->value();
  }
  question.recipe = arguments.text("recipe", question.recipe);
  question.framework = arguments.text("framework", question.framework);
  for (const auto& [key, degree] : kDegrees) {
    const bool stage = key == "zero";
    const Within range = stage ? Within{.least = 0, .most = 3, .whole = true} : kCount;
    if (const auto value = reader.read<Ratio<double>>(std::string(key), range)) {
      wins(key, (question.layout.*degree).value_or(0), value->value());
      question.layout.*degree = value->value();
    }
  }
  if (const auto group = reader.read<Ratio<double>>("shard_group", kCount))
    question.layout.shard_group = group->value();
  if (arguments.has("offload"))
    question.layout.offload = reader.take(parse_offload(arguments.text("offload"), "offload"));
  if (arguments.has("schedule")) {
    const std::string word = arguments.text("schedule");
    question.layout.schedule = train::schedule_kind(word);
    if (!question.layout.schedule || question.layout.schedule == train::ScheduleKind::inference)
      reader.refuse("schedule", "no training schedule is called \"" + shortened(word) + "\"",
                    "1f1b, interleaved, gpipe, zb-h1, zb-h2, zb-v, dualpipe or dualpipev");
  }
  if (arguments.has("graphs")) {
    const std::string word = arguments.text("graphs");
    if (word != "full" && word != "none")
      reader.refuse("graphs", "no way of capturing is called \"" + shortened(word) + "\"", "full or none");
    question.captured = word == "full";
  }
  if (arguments.has("recompute"))
    question.layout.recompute = reader.take(parse_recompute(arguments.text("recompute"), "recompute"));
  if (arguments.has("price_basis"))
    question.basis = reader.take(parse_price_basis(arguments.text("price_basis"), "price_basis"));
  if (const auto price = reader.read<DollarsPerSecond<double>>("price")) question.price = price->value();
  const double spoken = copies.value_or(1) * chips_of_copy(question.layout);
  if (copies && spoken != question.chips)
    reader.refuse("layout", fmt::format("is a layout of {:g} chips, and there are {:g}", spoken, question.chips),
                  fmt::format("leave out {}, or {}", field("chips"), field("chips", fmt::format("{:g}", spoken))));
  if (!reader.errors().empty()) return fail(reader.errors());
  // one layout where it is said whole: tensor and pipeline degree; otherwise what is given holds, and the rest is found
  asked.one = asked.one || arguments.has("fixed") || arguments.has("layout") || is_one_layout(question);
  return asked;
}

}  // namespace ridge::cli
