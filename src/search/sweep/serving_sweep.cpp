#include "search/sweep/serving_sweep.hpp"

#include <array>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "search/sweep/answered_rows.hpp"

namespace ridge {

namespace {

using What = SweepColumn::Kind;
using Holds = SweepColumn::Holds;

struct OptionColumn {
  const char* name;
  Dimension dimension;
  double (*value)(const ServingQuestion&);
};

const std::array kOptions = {
    OptionColumn{"isl", kToken, [](const ServingQuestion& q) { return q.isl; }},
    OptionColumn{"osl", kToken, [](const ServingQuestion& q) { return q.osl; }},
    OptionColumn{"rate", kNone, [](const ServingQuestion& q) { return q.rate.value_or(kNothing); }},
    OptionColumn{"cached", kNone, [](const ServingQuestion& q) { return q.cached; }},
    OptionColumn{"memory_utilization", kNone,
                 [](const ServingQuestion& q) { return q.memory_utilization.value_or(kNothing); }},
    OptionColumn{"token_budget", kToken, [](const ServingQuestion& q) { return q.token_budget; }},
    OptionColumn{"speculative_tokens", kNone, [](const ServingQuestion& q) { return q.speculative_tokens; }},
    OptionColumn{"acceptance_rate", kNone, [](const ServingQuestion& q) { return q.acceptance_rate; }},
    OptionColumn{"redundant_experts", kNone, [](const ServingQuestion& q) { return q.redundant_experts.value_or(0); }},
};

struct LayoutColumn {
  const char* name;
  double (*value)(const Layout&);
};
const std::array kDegrees = {
    LayoutColumn{"tp", [](const Layout& l) { return l.tensor; }},
    LayoutColumn{"pp", [](const Layout& l) { return l.pipeline; }},
    LayoutColumn{"cp", [](const Layout& l) { return l.context; }},
    LayoutColumn{"dp", [](const Layout& l) { return l.attention_data; }},
    LayoutColumn{"ep", [](const Layout& l) { return l.expert; }},
    LayoutColumn{"replicas", [](const Layout& l) { return l.replicas; }},
};

struct FigureColumn {
  const char* name;
  Dimension dimension;
  bool more_is_better;
  double (*value)(const ServingAnswer&);
};

/// A figure whose 0 says that there is none.
constexpr double if_any(double value) { return value == 0 ? kNothing : value; }

constexpr Dimension kRate = kToken / kSecond;
constexpr Dimension kCost = kDollar / kToken;

const std::array kFigures = {
    FigureColumn{"concurrency", kNone, true,
                 [](const ServingAnswer& a) { return a.load.concurrency * a.layout().replicas; }},
    FigureColumn{"chips", kNone, false, [](const ServingAnswer& a) { return a.estimate.chips.value(); }},
    FigureColumn{"tpot", kSecond, false, [](const ServingAnswer& a) { return if_any(a.estimate.times.tpot.value()); }},
    FigureColumn{"ttft", kSecond, false,
                 [](const ServingAnswer& a) { return a.waits ? kNothing : a.estimate.times.ttft.value(); }},
    FigureColumn{"prefill_time", kSecond, false,
                 [](const ServingAnswer& a) { return a.estimate.times.prefill_alone.value(); }},
    FigureColumn{"step_time", kSecond, false,
                 [](const ServingAnswer& a) { return if_any(a.estimate.times.decode_step.value()); }},
    FigureColumn{"bound", kSecond, false, [](const ServingAnswer& a) { return a.estimate.step.bound().value(); }},
    FigureColumn{"batch", kNone, true, [](const ServingAnswer& a) { return a.estimate.times.batch.value(); }},
    FigureColumn{"tok_s_per_user", kRate, true,
                 [](const ServingAnswer& a) { return if_any(a.estimate.user_rate.value()); }},
    FigureColumn{"output_tok_s", kRate, true, [](const ServingAnswer& a) { return a.estimate.output_rate.value(); }},
    FigureColumn{"output_tok_s_per_chip", kRate, true,
                 [](const ServingAnswer& a) { return a.estimate.output_rate.value() / a.estimate.chips.value(); }},
    FigureColumn{"total_tok_s_per_chip", kRate, true,
                 [](const ServingAnswer& a) { return a.estimate.total_rate.value() / a.estimate.chips.value(); }},
    FigureColumn{"requests_per_s", kNone, true,
                 [](const ServingAnswer& a) { return a.estimate.times.requests.value() * a.layout().replicas; }},
    FigureColumn{"output_cost", kCost, false, [](const ServingAnswer& a) { return a.estimate.output_cost.value(); }},
    FigureColumn{"input_cost", kCost, false, [](const ServingAnswer& a) { return a.estimate.input_cost.value(); }},
    FigureColumn{"price", kDollar / kSecond, false,
                 [](const ServingAnswer& a) { return a.ground().numbers.price.value(); }},
    FigureColumn{"mfu", kNone, true, [](const ServingAnswer& a) { return a.estimate.mfu.value(); }},
    FigureColumn{"mbu", kNone, true, [](const ServingAnswer& a) { return a.estimate.mbu.value(); }},
    FigureColumn{"energy_per_output_token", kJoule / kToken, false,
                 [](const ServingAnswer& a) { return if_any(a.estimate.energy.value()); }},
    FigureColumn{"utilization", kNone, false,
                 [](const ServingAnswer& a) { return a.question.rate ? a.rate_share : kNothing; }},
    FigureColumn{"prefill_share", kNone, false,
                 [](const ServingAnswer& a) { return a.estimate.times.prefill_share.value(); }},
    FigureColumn{"sequences", kNone, true, [](const ServingAnswer& a) { return a.estimate.memory.sequences.value(); }},
    FigureColumn{"kv_cache", kByte, true, [](const ServingAnswer& a) { return a.estimate.memory.cache.value(); }},
    FigureColumn{"prefill_replicas", kNone, false,
                 [](const ServingAnswer& a) {
                   return a.question.disaggregated ? a.estimate.prefill_replicas.value() : kNothing;
                 }},
};

constexpr std::array kWords = {"model", "machine", "engine",        "weights", "experts",
                               "kv",    "overlap", "disaggregated", "layout"};

std::string word_of(std::size_t which, const ServingQuestion& question, const Layout* layout) {
  const Scenario& scenario = question.scenario;
  switch (which) {
    case 0:
      return scenario.model;
    case 1:
      return scenario.machine;
    case 2:
      return question.engine;
    case 3:
      return scenario.weights.value_or("");
    case 4:
      return scenario.experts.value_or("");
    case 5:
      return scenario.kv.value_or("");
    case 6:
      return std::string(name_of(question.overlap.value_or(Overlap::none)));
    case 7:
      return question.disaggregated ? "true" : "false";
    default:
      return layout == nullptr ? "" : short_name(*layout);
  }
}

/// One case answered; the layout stands apart, since what does not fit has one too.
struct Answered {
  ServingQuestion question;
  std::optional<ServingAnswer> answer;
  std::optional<Layout> layout;
  std::string problem;
  double fits = kNothing;
};

Answered answered(const ServingSweep::Ask& ask, const Library& library, std::uint64_t index) {
  Answered out;
  const auto question = ask(index);
  if (!question) {
    out.problem = problem_text(question.error());
    return out;
  }
  out.question = *question;
  auto result = answer_serving(*question, library);
  if (!result) {
    out.problem = problem_text(result.error());
  } else if (result->answer) {
    out.answer = std::move(result->answer);
    out.layout = out.answer->layout();
    out.fits = 1.0;
  } else {
    out.layout = result->shortfall->layout;
    out.fits = 0.0;
  }
  if (result && !out.question.memory_utilization) {
    const ChipMemory& memory = out.answer ? out.answer->estimate.memory : result->shortfall->memory;
    out.question.memory_utilization = find_engine(library, question->engine).facts->memory_utilization.at(memory.there);
  }
  return out;
}

double number_of(const SweepColumn& column, std::uint64_t index, const Answered& one) {
  if (column.kind == What::index) return static_cast<double>(index);
  if (column.kind == What::fits) return one.fits;
  if (column.kind == What::output) return one.answer ? kFigures[column.which].value(*one.answer) : kNothing;
  return question_number(column, one.question, one.layout ? &*one.layout : nullptr);
}

}  // namespace

double question_number(const SweepColumn& column, const ServingQuestion& question, const Layout* layout) {
  if (column.which < kOptions.size()) return kOptions[column.which].value(question);
  return layout == nullptr ? kNothing : kDegrees[column.which - kOptions.size()].value(*layout);
}

std::string question_word(const SweepColumn& column, const ServingQuestion& question, const Layout* layout) {
  return word_of(column.which, question, layout);
}

std::vector<SweepColumn> question_columns() {
  std::vector<SweepColumn> columns;
  columns.push_back({"case", What::index, 0, kNone, Holds::count, false});
  std::size_t which = 0;
  for (const char* word : kWords) columns.push_back({word, What::word, which++, kNone, Holds::text, false});
  which = 0;
  for (const OptionColumn& one : kOptions)
    columns.push_back({one.name, What::input, which++, one.dimension, Holds::number, false});
  for (const LayoutColumn& one : kDegrees)
    columns.push_back({one.name, What::input, which++, kNone, Holds::number, false});
  return columns;
}

std::vector<SweepColumn> serving_columns() {
  std::vector<SweepColumn> columns = question_columns();
  std::size_t which = 0;
  for (const FigureColumn& one : kFigures)
    columns.push_back({one.name, What::output, which++, one.dimension, Holds::number, one.more_is_better});
  columns.push_back({"fits", What::fits, 0, kNone, Holds::flag, true});
  columns.push_back({"problem", What::problem, 0, kNone, Holds::text, false});
  return columns;
}

ServingSweep::ServingSweep(Space space, Ask ask, const Library& library, std::vector<SweepColumn> columns)
    : space_(std::move(space)),
      ask_(std::move(ask)),
      library_(&library),
      columns_(std::move(columns)),
      axis_of_(axes_of(space_, columns_)) {}

void ServingSweep::evaluate(std::uint64_t first, std::size_t count, SweepTable& table) const {
  const auto text = [](const SweepColumn& column, const Answered& one) {
    if (column.kind == What::problem) return one.problem;
    return question_word(column, one.question, one.layout ? &*one.layout : nullptr);
  };
  fill_rows(
      {&space_, &columns_, &axis_of_}, first, count, table,
      [this](std::uint64_t index) { return answered(ask_, *library_, index); }, number_of, text);
}

}  // namespace ridge
