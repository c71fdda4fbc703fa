// Does a saved scenario give the same answer to the last bit, and does a hostile one do no harm?

#include <bit>
#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include "catalog/entries/library.hpp"
#include "catalog/facts/fact.hpp"
#include "catalog/question/scenario_text.hpp"
#include "catalog_library.hpp"
#include "roofline/readings.hpp"

namespace scenario_file_test {

using namespace ridge;
using catalog::read_scenario;
using catalog::set_option;
using catalog::write_scenario;

using ridge::testing::library;

namespace {

void check_same_bits(const DecodeCase<double>& a, const DecodeCase<double>& b) {
  const auto left = input_values(a), right = input_values(b);
  for (std::size_t i = 0; i < kDecodeInputs; ++i) {
    CAPTURE(input_info(i).key);
    CHECK(std::bit_cast<std::uint64_t>(left[i]) == std::bit_cast<std::uint64_t>(right[i]));
  }
}

Errors refusal(std::string_view text) {
  const auto scenario = read_scenario(text, "s.toml");
  if (scenario) return {};
  for (const Error& error : scenario.error()) {
    CHECK_FALSE(error.where.empty());
    CHECK_FALSE(error.what.empty());
  }
  return scenario.error();
}

}  // namespace

TEST_CASE("a saved scenario, read again, has the same numbers to the last bit and the same sources") {
  for (const Model& model : library().models) {
    for (const auto* machine : {"gb200-nvl72", "hgx-h100", "tpu-v5e-pod"}) {
      CAPTURE(model.name);
      CAPTURE(machine);
      Scenario scenario;
      scenario.model = model.name;
      scenario.machine = machine;
      scenario.given = {{"utilization", 1.0 / 3.0, {"--utilization", Kind::user}},
                        {"price", 2.1 / 3600, {"--price", Kind::user}}};
      const auto answer = answer_why(scenario, library());
      REQUIRE(answer.has_value());
      const auto again = read_scenario(write_scenario(*answer), "saved.toml");
      REQUIRE(again.has_value());
      const auto resolved = resolve(*again, library());
      REQUIRE(resolved.has_value());
      check_same_bits(answer->resolved.numbers, resolved->numbers);
      for (std::size_t i = 0; i < kDecodeInputs; ++i) {
        CHECK(resolved->from[i].source == answer->resolved.from[i].source);
        CHECK(resolved->from[i].kind == answer->resolved.from[i].kind);
        CHECK(resolved->from[i].note == answer->resolved.from[i].note);
      }
      CHECK(resolved->matmul_format == answer->resolved.matmul_format);
      CHECK(resolved->precision.kv == answer->resolved.precision.kv);
    }
  }
}

TEST_CASE("a saved scenario needs no catalog: the file alone gives the same numbers") {
  Scenario scenario;
  scenario.model = "deepseek-v3";
  scenario.machine = "gb200-nvl72";
  const auto answer = answer_why(scenario, library()).value();
  const auto resolved = resolve(read_scenario(write_scenario(answer), "saved.toml").value(), Library{});
  REQUIRE(resolved.has_value());
  check_same_bits(answer.resolved.numbers, resolved->numbers);
}

TEST_CASE("options are read from words, and unknown ones suggest the nearest") {
  Scenario scenario;
  CHECK(set_option(scenario, "model", " deepseek-v3 ", "--model").has_value());
  CHECK(scenario.model == "deepseek-v3");
  CHECK(set_option(scenario, "price", "owned", "--price").has_value());
  CHECK(scenario.price_basis == PriceBasis::owned);
  CHECK(set_option(scenario, "context", "32k tokens", "--context").has_value());
  CHECK(scenario.given.back().value == 32000);
  CHECK(set_option(scenario, "W", "4 TB/s", "--set").has_value());  // by its symbol
  const auto unknown = set_option(scenario, "bach", "4", "--set");
  REQUIRE_FALSE(unknown.has_value());
  CHECK(unknown.error().front().hint.find("batch") != std::string::npos);
  CHECK_FALSE(set_option(scenario, "batch", "", "--batch").has_value());
  CHECK_FALSE(set_option(scenario, "batch", "4 GB", "--batch").has_value());
}

TEST_CASE("a range shares the unit of its high end and has a low one") {
  const auto range = [](std::string_view text, Dimension dimension) -> Result<Interval> {
    const auto split = catalog::split_range(text, "--range");
    if (!split) return fail(split.error());
    return catalog::parse_range(*split, dimension, "--range");
  };
  CHECK(range("hbm=6.5..8 TB/s", kByte / kSecond).value() == Interval(6.5e12, 8e12));
  CHECK(range("hbm = 900 GB/s .. 8 TB/s", kByte / kSecond).value() == Interval(900e9, 8e12));
  CHECK(range("price=$2..4/h", kDollar / kSecond).value().high == doctest::Approx(4.0 / 3600));
  CHECK(range("price=$2..$4/h", kDollar / kSecond).value().low == doctest::Approx(2.0 / 3600));
  CHECK(range("batch=1..64", kNone).value() == Interval(1, 64));
  for (const auto* text : {"hbm", "hbm=", "hbm=..", "hbm=1", "hbm=8..6 TB/s", "hbm=1..2", "hbm=nan..2 TB/s",
                           "hbm=1..inf TB/s", "..", "=..", "hbm=1...2 TB/s"}) {
    CAPTURE(text);
    CHECK_FALSE(range(text, kByte / kSecond).has_value());
  }
}

TEST_CASE("hostile scenario texts are refused or harmless, never worse") {
  std::string deep = "a = ";
  for (int i = 0; i < 5000; ++i) deep += '[';
  const std::string wide = "model = \"" + std::string(1000000, 'm') + "\"\nmachine = \"x\"\n";
  CHECK_FALSE(refusal("").empty());
  CHECK_FALSE(refusal("scenario = 2\nmodel = \"deepseek-v3\"\nmachine = \"gb200-nvl72\"\n").empty());
  CHECK_FALSE(refusal("model = \"deepseek-v3\"\n").empty());
  CHECK_FALSE(refusal("model = \"\"\nmachine = \"gb200-nvl72\"\n").empty());
  CHECK_FALSE(refusal("model = \"a\"\nmachine = \"b\"\nbatch = nan\n").empty());
  CHECK_FALSE(refusal("model = \"a\"\nmachine = \"b\"\nbatch = inf\n").empty());
  CHECK_FALSE(refusal("model = \"a\"\nmachine = \"b\"\nbatch = [1]\n").empty());
  CHECK_FALSE(refusal("model = \"a\"\nmachine = \"b\"\n[inputs]\n\"hbm.bandwidth\" = \"4\"\n").empty());
  CHECK_FALSE(refusal("model = \"a\"\nmachine = \"b\"\n[nonsense]\nx = 1\n").empty());
  CHECK_FALSE(refusal(std::string("\0\0\0", 3)).empty());
  CHECK_FALSE(refusal(deep).empty());
  CHECK(refusal(wide).empty());  // a long name is no mistake of the file; the catalog does not know it
  CHECK_FALSE(answer_why(read_scenario(wide, "s.toml").value(), library()).has_value());
  // all mistakes at once
  CHECK(refusal("batch = \"x\"\ncontext = \"y\"\n").size() == 4);
}

TEST_CASE("numbers outside an input's domain are refused when the case is resolved") {
  for (const auto* line : {"batch = 0", "batch = -1", "batch = 0.5", "chips = 0", "utilization = 0",
                           "utilization = 1.5", "context = -1", "batch = 1e31", "\"experts.per_token\" = 300",
                           "\"experts.count\" = 4", "\"hbm.bandwidth\" = \"0 TB/s\"", "price = \"$-1/h\""}) {
    CAPTURE(line);
    const auto scenario =
        read_scenario(std::string("model = \"deepseek-v3\"\nmachine = \"gb200-nvl72\"\n") + line + "\n", "s.toml");
    CHECK_FALSE((scenario.has_value() && answer_why(*scenario, library()).has_value()));
  }
}

TEST_CASE("a sourced word among the inputs is refused or read, and leaves the numbers' sources alone") {
  // [inputs] holds numbers; a word there pushes no number whose source could be set
  const std::string head = "model = \"deepseek-v3\"\nmachine = \"gb200-nvl72\"\n[inputs]\n";
  const auto basis = read_scenario(head + "price = { value = \"rental\", source = \"me\" }\n", "s.toml");
  if (basis) CHECK(basis->given.empty());
  const auto both = read_scenario(
      head + "batch = { value = 7, source = \"mine\" }\nprice = { value = \"owned\", source = \"theirs\" }\n",
      "s.toml");
  if (both) {
    REQUIRE(both->given.size() == 1);
    CHECK(both->given.front().from.source == "mine");
  }
}

}  // namespace scenario_file_test
