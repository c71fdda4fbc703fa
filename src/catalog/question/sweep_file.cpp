#include "catalog/question/sweep_file.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text/request_rate.hpp"
#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "catalog/question/scenario_text.hpp"
#include "catalog/question/serving_text.hpp"
#include "search/sweep/roofline_sweep.hpp"
#include "search/sweep/serving_sweep.hpp"
#include "search/sweep/simulation_sweep.hpp"
#include "simulate/simulation_fields.hpp"

namespace ridge::catalog {

namespace {

class SweepReader {
 public:
  SweepReader(SweepText text, std::string_view place) : text_(std::move(text)), place_(place) {
    const auto by_its_name = [](auto& one) {
      if (const ServingOption* option = find_serving_option(one.key)) one.key = option->key;
      if (const simulate::SimulationField* option = simulate::find_simulation_field(one.key)) one.key = option->key;
    };
    std::for_each(text_.facts.begin(), text_.facts.end(), by_its_name);
    std::for_each(text_.axes.begin(), text_.axes.end(), by_its_name);
  }

  Result<SweepFile> read() {
    const auto serving = [](const auto& one) { return find_serving_option(one.key) != nullptr; };
    file_.serves = std::any_of(text_.facts.begin(), text_.facts.end(), serving) ||
                   std::any_of(text_.axes.begin(), text_.axes.end(), serving);
    const auto simulating = [](const auto& one) { return simulate::find_simulation_field(one.key) != nullptr; };
    file_.simulates = std::any_of(text_.facts.begin(), text_.facts.end(), simulating) ||
                      std::any_of(text_.axes.begin(), text_.axes.end(), simulating);
    for (const Fact& fact : text_.facts) {
      if (fact.key == kSimulate) read_simulate(fact);
    }
    file_.serves = file_.serves || file_.simulates;
    for (const Fact& fact : text_.facts) read_fact(fact);
    read_axes();
    check_scenario();
    check_columns();
    if (!errors_.empty()) return fail(std::move(errors_));
    return std::move(file_);
  }

 private:
  static constexpr std::string_view kSimulate = "simulate";

  void read_simulate(const Fact& fact) {
    if (fact.text != "true")
      return errors_.push_back({fact.place + ": simulate", fmt::format("\"{}\" is not true", shortened(fact.text)),
                                "simulate = true, or leave it out"});
    file_.simulates = true;
  }

  void read_fact(const Fact& fact) {
    if (fact.key == kSimulate) return;
    if (const simulate::SimulationField* option = simulate::find_simulation_field(fact.key)) {
      file_.simulation.emplace_back(option->key, fact.text);
      if (option->is_word) return;
      const std::string where = fact.place + ": " + fact.key;
      if (const auto number =
              option->is_rate ? parse_request_rate(fact.text, where) : parse_as(fact.text, option->dimension, where);
          !number)
        append(errors_, number.error());
      return;
    }
    if (const ServingOption* option = find_serving_option(fact.key)) {
      file_.serving.emplace_back(option->key, fact.text);
      file_.serving_places.push_back(fact.place + ": " + fact.key);
      ServingQuestion unused;
      const auto set = set_serving_option(unused, fact.key, fact.text, file_.serving_places.back());
      if (!set) append(errors_, set.error());
      return;
    }
    if (is_unknown(fact.key)) {
      return errors_.push_back(
          {fact.place, fmt::format("unknown option \"{}\"", shortened(fact.key)), suggestion(fact.key, all_keys())});
    }
    const std::size_t before = file_.base.given.size();
    set_fact(file_.base, fact, errors_);
    if (file_.base.given.size() == before) return refuse_beside_load(fact.key, fact.place);
    refuse_beside_load(file_.base.given.back().key, fact.place);
    if (!fact.key.starts_with("inputs.")) file_.stays.push_back(file_.base.given.back());
  }

  static bool is_unknown(std::string_view key) {
    const auto keys = all_keys();
    return !key.starts_with("inputs.") && key != "scenario" && key != "matmul" && !key.starts_with("matmul.") &&
           find_input(key) < 0 && std::find(keys.begin(), keys.end(), key) == keys.end();
  }

  static std::vector<std::string> all_keys() {
    std::vector<std::string> keys(roofline_words().begin(), roofline_words().end());
    for (const std::string& input : input_keys()) keys.push_back(input);
    for (const ServingOption& option : serving_options()) keys.emplace_back(option.key);
    for (const simulate::SimulationField& option : simulate::simulation_fields()) keys.emplace_back(option.key);
    keys.insert(keys.end(), {"scenario", "columns", "sweep", std::string(kSimulate)});
    return keys;
  }

  /// Numbers of the roofline model that a serving answer would have to ignore.
  void refuse_beside_load(std::string_view key, const std::string& place) {
    if (!file_.serves || key == "chips" || key == "price") return;
    if (key != "attention" && find_input(key) < 0 && !key.starts_with("matmul")) return;
    const char* hint = key == "batch"     ? "say concurrency instead"
                       : key == "context" ? "say isl and osl: the context follows from them"
                                          : "put changed facts into a catalog of your own";
    errors_.push_back({place, fmt::format("{} has no meaning beside a layout or a load", key), hint});
  }

  void read_axes() {
    std::vector<SweepAxis> axes;
    for (const AxisText& text : text_.axes) {
      auto axis = read_axis(text, file_.serves, file_.simulates);
      if (!axis) {
        append(errors_, axis.error());
        continue;
      }
      refuse_beside_load(axis->key, axis->place);
      for (const SweepAxis& other : axes) {
        const bool same_input = find_input(other.key) >= 0 && find_input(other.key) == find_input(axis->key);
        if (other.key == axis->key || (same_input && find_serving_option(axis->key) == nullptr)) {
          errors_.push_back({axis->place, fmt::format("{} is an axis already ({})", axis->key, other.place),
                             "put all its values into one list"});
        }
      }
      axes.push_back(std::move(*axis));
    }
    if (!errors_.empty()) return;
    if (axes.empty()) return errors_.push_back({place_, "[sweep] has no axis", "e.g. batch = [1, 16, 256]"});
    auto space = Space::of(std::move(axes));
    if (!space) return append(errors_, space.error());
    file_.space = std::move(*space);
  }

  bool has_axis(std::string_view key) const {
    return std::any_of(text_.axes.begin(), text_.axes.end(), [&](const AxisText& axis) {
      return axis.key == key || (find_input(key) >= 0 && find_input(axis.key) == find_input(key));
    });
  }

  void check_scenario() {
    if (file_.base.model.empty() && !has_axis("model"))
      errors_.push_back({place_, "model is missing", "add model = \"deepseek-v3\" (ridge list models)"});
    if (file_.base.machine.empty() && !has_axis("machine"))
      errors_.push_back({place_, "machine is missing", "add machine = \"gb200-nvl72\" (ridge list machines)"});
    const bool batch = std::any_of(file_.base.given.begin(), file_.base.given.end(),
                                   [](const GivenInput& one) { return find_input(one.key) == find_input("batch"); });
    if (!file_.serves && !batch && !has_axis("batch")) {
      errors_.push_back({place_, "batch is neither given nor an axis: its default would differ from case to case",
                         "add batch = 64, or batch = [1, 16, 256] below [sweep]; or isl and osl for serving"});
    }
  }

  void check_columns() {
    if (!errors_.empty()) return;
    file_.columns = text_.columns.empty() ? default_columns() : text_.columns;
    const auto known = known_columns(file_);
    for (std::size_t i = 0; i < file_.columns.size(); ++i) {
      std::string& name = file_.columns[i];
      const auto column = find_column(name, known, place_ + ": columns");
      if (!column)
        append(errors_, column.error());
      else
        name = column->name;
      if (std::find(file_.columns.begin(), file_.columns.begin() + static_cast<std::ptrdiff_t>(i), name) !=
          file_.columns.begin() + static_cast<std::ptrdiff_t>(i))
        errors_.push_back({place_ + ": columns", fmt::format("\"{}\" stands there twice", name), "once is enough"});
    }
  }

  std::vector<std::string> default_columns() const {
    std::vector<std::string> columns;
    const auto add = [&](std::initializer_list<std::string_view> names) {
      for (const std::string_view name : names) {
        if (std::find(columns.begin(), columns.end(), name) == columns.end()) columns.emplace_back(name);
      }
    };
    add({"case"});
    bool words = file_.serves;
    for (const SweepAxis& axis : file_.space.axes()) {
      words = words || !axis.is_numeric();
      const int input = file_.serves ? -1 : find_input(axis.key);
      if (input >= 0)
        add({input_info(static_cast<std::size_t>(input)).key});
      else if (axis.key.starts_with("matmul"))
        add({"matmul.weights", "matmul.experts", "matmul.attention"});
      else
        add({axis.key});
    }
    if (file_.simulates)
      add({"layout", "chips", "ttft_mean", "ttft_p50", "ttft_p99", "tpot_mean", "tpot_p99", "e2e_mean", "e2e_p99",
           "output_tok_s", "requests_per_s", "slo_share", "preemptions", "output_cost", "saturated", "fits"});
    else if (file_.serves)
      add({"layout", "chips", "tpot", "ttft", "tok_s_per_user", "output_tok_s_per_chip", "output_cost", "fits"});
    else
      add({"step_time", "tok_s_per_user", "output_tok_s_per_chip", "cost", "memory_needed", "fits", "binds"});
    if (words) add({"problem"});
    return columns;
  }

  SweepText text_;
  std::string place_;
  SweepFile file_;
  Errors errors_;
};

struct TestText {
  std::string_view sign;
  Condition::Test test;
};
constexpr std::array kTests = {TestText{"<=", Condition::Test::at_most}, TestText{">=", Condition::Test::at_least},
                               TestText{"!=", Condition::Test::unequal}, TestText{"==", Condition::Test::equal},
                               TestText{"<", Condition::Test::less},     TestText{">", Condition::Test::more},
                               TestText{"=", Condition::Test::equal}};

}  // namespace

Result<SweepFile> read_sweep(std::string_view text, std::string_view place) {
  const auto tables = read_sweep_text(text, place);
  if (!tables) return fail(tables.error());
  return SweepReader(*tables, place).read();
}

std::vector<SweepColumn> known_columns(const SweepFile& file) {
  if (file.simulates) return simulation_columns();
  return file.serves ? serving_columns() : roofline_columns();
}

Result<Condition> read_condition(std::string_view text, const std::vector<SweepColumn>& known,
                                 std::vector<SweepColumn>& columns) {
  const std::size_t at = text.find_first_of("<>=!");
  const auto found = std::find_if(kTests.begin(), kTests.end(), [&](const TestText& one) {
    return at != std::string_view::npos && text.substr(at).starts_with(one.sign);
  });
  if (found == kTests.end()) {
    return fail({"where", fmt::format("\"{}\" is no condition", shortened(text)), "e.g. tpot<30ms"});
  }
  const auto column = find_column(trimmed(text.substr(0, at)), known, "where");
  if (!column) return fail(column.error());
  const std::string value(trimmed(text.substr(at + found->sign.size())));
  const std::string where = "where: " + column->name;
  Condition condition{.column = 0, .test = found->test, .number = 0, .text = value, .is_text = false};
  if (column->holds == SweepColumn::Holds::text) {
    condition.is_text = true;
    if (found->test != Condition::Test::equal && found->test != Condition::Test::unequal)
      return fail({where, "is a word: it is equal or not", "use = or !="});
  } else if (column->holds == SweepColumn::Holds::flag) {
    if (value != "true" && value != "false")
      return fail({where, fmt::format("\"{}\" is neither true nor false", shortened(value)), "fits=true"});
    condition.number = value == "true" ? 1.0 : 0.0;
  } else {
    const auto number = parse_as(value, column->dimension, where);
    if (!number) return fail(number.error());
    condition.number = *number;
  }
  const auto there = std::find_if(columns.begin(), columns.end(),
                                  [&](const SweepColumn& other) { return other.name == column->name; });
  condition.column = static_cast<std::size_t>(there - columns.begin());
  if (there == columns.end()) columns.push_back(*column);
  return condition;
}

}  // namespace ridge::catalog
