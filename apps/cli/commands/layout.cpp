// ridge layout: which experts and layers sit on which chip and rack, what each holds and sends, and what a rack bounds.

#include <cmath>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "catalog/entries/racks.hpp"
#include "cli/program.hpp"
#include "library/names.hpp"
#include "report/serve/layout_text.hpp"

namespace ridge::cli {

namespace {

constexpr double kMostChips = 65536;  // of one replica: more than any drawing or all-to-all
constexpr std::array kCompared = {"hgx-h100",    "gb200-nvl72", "rubin-nvl144", "rubin-ultra-nvl576",
                                  "tpu-v5e-pod", "tpu-v5p-pod", "tpu-v7-pod"};

/// The texts given to flags, read as what they should be; what is wrong is collected.
class Flags {
 public:
  explicit Flags(const Options& options) : options_(options) {}

  const std::string* text(std::string_view flag) const {
    const std::string* found = nullptr;
    for (const auto& [key, value] : options_.settings) {
      if (key == flag) found = &value;
    }
    return found;
  }
  std::optional<std::string> word(std::string_view flag) const {
    const std::string* found = text(flag);
    return found == nullptr ? std::nullopt : std::optional(*found);
  }
  double whole(std::string_view flag, double otherwise, double least = 1) {
    const auto value = read<Ratio<double>>(flag);
    if (!value) return otherwise;
    if (value->value() >= least && value->value() <= kMostChips && value->value() == std::floor(value->value())) {
      return value->value();
    }
    complain(flag, fmt::format("\"{}\" is not possible", shortened(*text(flag))),
             fmt::format("a whole number from {:g} to {:g}", least, kMostChips));
    return otherwise;
  }
  template <class Q>
  std::optional<Q> positive(std::string_view flag, double most = 1e12) {
    const auto value = read<Q>(flag);
    if (!value || (value->value() > 0 && value->value() <= most)) return value;
    complain(flag, fmt::format("\"{}\" is out of range", shortened(*text(flag))), "a number above zero");
    return {};
  }
  void complain(std::string_view flag, std::string what, std::string hint) {
    errors_.push_back({fmt::format("--{}", flag), std::move(what), std::move(hint)});
  }
  const Errors& errors() const { return errors_; }

 private:
  template <class Q>
  std::optional<Q> read(std::string_view flag) {
    const std::string* found = text(flag);
    if (found == nullptr) return {};
    const auto value = parse<Q>(*found, fmt::format("--{}", flag));
    if (value) return *value;
    append(errors_, value.error());
    return {};
  }

  const Options& options_;
  Errors errors_;
};

Layout given_layout(Flags& flags) {
  Layout layout;
  layout.tensor = flags.whole("tp", 1);
  layout.pipeline = flags.whole("pp", 1);
  layout.context = flags.whole("cp", 1);
  layout.attention_data = flags.whole("dp", 1);
  layout.expert = flags.whole("ep", 1);
  layout.replicas = flags.whole("replicas", 1);
  layout.redundant_experts = flags.whole("redundant", 0, 0);
  if (layout.chips_per_stage() * layout.pipeline > kMostChips) {
    flags.complain("tp", fmt::format("tp x cp x dp x pp = {:g} chips", layout.chips_per_stage() * layout.pipeline),
                   fmt::format("at most {:g}; --replicas copies a layout", kMostChips));
  }
  return layout;
}

/// The degrees that were not given, chosen; those that were stay, a given 1 too.
Layout completed(const Layout& given, const Flags& flags, const Model& model, double rack_chips) {
  const bool experts_together = flags.text("ep") != nullptr && given.expert == 1;
  Layout layout = given;
  if (!experts_together) {
    layout = suggested_layout(given, model, rack_chips);
  } else if (flags.text("cp") == nullptr && flags.text("dp") == nullptr) {
    for (const double degree : valid_tensor(model, rack_chips)) layout.tensor = degree;
  }
  if (flags.text("tp") != nullptr) layout.tensor = given.tensor;
  return layout;
}

/// The flag whose degree an error is about, so that a reader finds it.
std::string layout_flag_of(const std::string& where) {
  constexpr std::array<std::pair<std::string_view, const char*>, 12> kFlags = {{{"tensor parallelism", "--tp"},
                                                                                {"pipeline parallelism", "--pp"},
                                                                                {"context parallelism", "--cp"},
                                                                                {"attention data parallelism", "--dp"},
                                                                                {"expert parallelism", "--ep"},
                                                                                {"replicas", "--replicas"},
                                                                                {"racks", "--racks"},
                                                                                {"weights", "--weights"},
                                                                                {"experts", "--experts"},
                                                                                {"kv", "--kv"},
                                                                                {"model", "MODEL"},
                                                                                {"machine", "MACHINE"}}};
  for (const auto& [words, flag] : kFlags) {
    if (where == words) return flag;
  }
  return where;
}

Errors with_flags(Errors errors) {
  for (Error& error : errors) error.where = layout_flag_of(error.where);
  return errors;
}

Result<LayoutQuestion> question_of(Flags& flags, const Options& options, const Program& program,
                                   const std::string& model_name) {
  LayoutQuestion question;
  question.model = model_name;
  question.machine = flags.text("on") != nullptr ? *flags.text("on") : options.other;
  question.layout = given_layout(flags);
  question.racks = flags.whole("racks", 0);
  question.formats = {flags.word("weights"), flags.word("experts"), flags.word("kv")};
  question.batch = flags.positive<Ratio<double>>("batch").value_or(Ratio<double>(question.batch)).value();
  const auto context = flags.positive<Tokens<double>>("context");
  question.latency = flags.positive<Seconds<double>>("latency").value_or(question.latency);
  question.hop = flags.positive<Seconds<double>>("hop");
  question.power_limit = flags.positive<Watts<double>>("rack-power");
  if (const auto cables = flags.positive<Ratio<double>>("rack-cables")) question.cable_limit = cables->value();
  Errors errors = flags.errors();
  if (question.machine.empty()) {
    errors.push_back({"MACHINE", "which machine?", "name one after the model, e.g. gb200-nvl72 (ridge list machines)"});
  }
  if (!errors.empty()) return fail(std::move(errors));
  const auto model = ridge::model_named(program.library, question.model);
  const auto machine = whole_machine_named(program.library, question.machine);
  if (model && machine) {  // who is not known is explained where the question is answered
    if (context)
      question.context = context->value();
    else if (model->entry->context_limit > 0)
      question.context = std::min(question.context, model->entry->context_limit);
    question.layout = completed(question.layout, flags, *model->entry, machine->entry->chips.value);
  }
  return question;
}

int run_compare(const Options& options, const Program& program, const std::string& model) {
  const auto columns = compare_racks(model, {kCompared.begin(), kCompared.end()}, program.library);
  if (!columns) return report_errors(with_flags(columns.error()), options);
  const auto named = ridge::model_named(program.library, model);
  if (!named->note.empty()) say("note: " + named->note + "\n");
  const Model& found = *named->entry;
  return print(options.json ? report::compare_json(*columns, found)
                            : report::compare_text(*columns, found, program.style));
}

}  // namespace

int run_layout(const Options& options, Program& program) {
  Flags flags(options);
  if (options.subject.empty()) {
    return report_errors({{"MODEL", "which model?", "e.g. ridge layout deepseek-v3 gb200-nvl72 (ridge list models)"}},
                         options);
  }
  const auto model = model_named(program, options.subject, options);
  if (!model) return report_errors(model.error(), options);
  if (flags.text("compare") != nullptr) return run_compare(options, program, *model);
  const auto question = question_of(flags, options, program, *model);
  if (!question) return report_errors(question.error(), options);
  const auto racks = catalog::read_racks(*program.facts);
  if (!racks) return report_errors(racks.error(), options);
  const auto answer = lay_out(*question, program.library, *racks);
  if (!answer) return report_errors(with_flags(answer.error()), options);
  if (!options.svg_file.empty()) {
    if (const int code = write_svg(options.svg_file, report::layout_svg(*answer), options); code != kAnswered)
      return code;
  }
  const int code = print(options.json ? report::layout_json(*answer) : report::layout_text(*answer, program.style));
  if (code != kAnswered) return code;
  return answer->fits() ? kAnswered : kNoAnswer;
}

}  // namespace ridge::cli
