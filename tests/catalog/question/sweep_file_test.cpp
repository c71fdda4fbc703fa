// Are the axes of a file what they say, and is every slip in one named?

#include "catalog/question/sweep_file.hpp"

#include <doctest/doctest.h>

#include "catalog/question/sweep_cases.hpp"
#include "catalog_library.hpp"
#include "roofline/answer.hpp"
#include "roofline/readings.hpp"

namespace sweep_file_test {

using namespace ridge;
using namespace ridge::catalog;

namespace {

const std::string kHead = "scenario = 1\nmodel = \"deepseek-v3\"\nmachine = \"gb200-nvl72\"\nkv = \"fp8\"\n";

SweepFile sweep_of(const std::string& text) {
  const auto file = read_sweep(kHead + text, "grid.toml");
  REQUIRE_MESSAGE(file.has_value(), (file ? "" : file.error().front().where + ": " + file.error().front().what));
  return *file;
}

std::string first_error(const std::string& text) {
  const auto file = read_sweep(kHead + text, "grid.toml");
  REQUIRE(!file);
  const Error& error = file.error().front();
  return error.where + ": " + error.what + " | " + error.hint;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("axes keep the order of the file, not of the alphabet") {
  const auto file = sweep_of(
      "[sweep]\nmachine = [\"hgx-h100\", \"hgx-h200\"]\nbatch = [1, 2, 3]\nattention.flops = [\"1 FLOP/token\"]\n");
  REQUIRE(file.space.axes().size() == 3);
  CHECK(file.space.axes()[0].key == "machine");
  CHECK(file.space.axes()[1].key == "batch");
  CHECK(file.space.axes()[2].key == "attention.flops");
  CHECK(file.space.cases() == 6);
}

TEST_CASE("without columns, the axes and a few figures are shown, each once") {
  const auto file = sweep_of("[sweep]\nB = [1]\nmatmul.fp8 = [\"1 PFLOP/s\"]\nmatmul.bf16 = [\"1 PFLOP/s\"]\n");
  CHECK(file.columns == std::vector<std::string>{"case", "batch", "matmul.weights", "matmul.experts",
                                                 "matmul.attention", "step_time", "tok_s_per_user",
                                                 "output_tok_s_per_chip", "cost", "memory_needed", "fits", "binds"});
}

TEST_CASE("ranges hold what they say") {
  const auto values = [](const std::string& axis) {
    return sweep_of("[sweep]\nbatch = " + axis + "\n").space.axes()[0].numbers;
  };
  CHECK(values("{ from = 1, to = 10, step = 3 }") == std::vector<double>{1, 4, 7, 10});
  CHECK(values("{ from = 1, to = 11, step = 3 }") == std::vector<double>{1, 4, 7, 10});
  CHECK(values("{ from = 1, to = 9, points = 3 }") == std::vector<double>{1, 5, 9});
  CHECK(values("{ from = 1, to = 100, points = 3, log = true }") == std::vector<double>{1, 10, 100});
  CHECK(values("{ from = 3, to = 30, factor = 2 }") == std::vector<double>{3, 6, 12, 24});
  // batches are whole: 1, 1.47, 2.15, 3.16, 4.64, 6.8, 10 round to six different ones
  CHECK(values("{ from = 1, to = 10, points = 7, log = true }") == std::vector<double>{1, 2, 3, 5, 7, 10});
  CHECK(values("64") == std::vector<double>{64});
  const auto bandwidth =
      sweep_of("batch = 1\n[sweep]\n\"hbm.bandwidth\" = { from = \"4 TB/s\", to = \"8 TB/s\", points = 3 }\n");
  CHECK(bandwidth.space.axes()[0].numbers == std::vector<double>{4e12, 6e12, 8e12});
  const auto shares = sweep_of("batch = 1\n[sweep]\nutilization = { from = 0.1, to = 1, step = 0.1 }\n");
  REQUIRE(shares.space.axes()[0].numbers.size() == 10);
  CHECK(shares.space.axes()[0].numbers.back() == doctest::Approx(1.0).epsilon(1e-12));
}

TEST_CASE("slips are named, with the line and what to do") {
  CHECK(has(first_error("[sweep]\nbacth = [1]\n"), "batch"));
  CHECK(has(first_error("bacth = 7\n[sweep]\nbatch = [1]\n"), "batch"));
  CHECK(has(first_error("isll = 7\n[sweep]\ntp = [1]\n"), "isl"));
  CHECK(has(first_error("[sweep]\nbatch = [1]\n\nbatch2 = [1]\n"), "grid.toml:8"));
  CHECK(has(first_error("[sweep]\nbatch = []\n"), "empty"));
  CHECK(has(first_error("[sweep]\n"), "no axis"));
  CHECK(has(first_error("batch = 1\n"), "no [sweep]"));
  CHECK(has(first_error("sweep = 4\n"), "no [sweep]"));
  CHECK(has(first_error("[sweep]\ncontext = [1]\n"), "batch is neither"));
  CHECK(has(first_error("[sweep]\nbatch = [1.5]\n"), "whole"));
  CHECK(has(first_error("[sweep]\nbatch = [0]\n"), "at least 1"));
  CHECK(has(first_error("[sweep]\nbatch = [\"many\"]\n"), "many"));
  CHECK(has(first_error("[sweep]\nbatch = [[1]]\n"), "neither text"));
  CHECK(has(first_error("[sweep]\nbatch = { from = 1, to = 5 }\n"), "one of step"));
  CHECK(has(first_error("[sweep]\nbatch = { from = 5, to = 1, step = 1 }\n"), "above"));
  CHECK(has(first_error("[sweep]\nbatch = { from = 1, to = 5, step = 0 }\n"), "step"));
  CHECK(has(first_error("[sweep]\nbatch = { from = 1, to = 5, points = 1 }\n"), "points"));
  CHECK(has(first_error("[sweep]\nbatch = { from = 1, to = 1e9, step = 1 }\n"), "1000000"));
  CHECK(has(first_error("[sweep]\nbatch = { from = 1, to = 5, stepp = 1, points = 2 }\n"), "step"));
  CHECK(
      has(first_error("[sweep]\nbatch = [1]\ncontext = { from = 0, to = 5, points = 2, log = true }\n"), "above zero"));
  CHECK(has(first_error("[sweep]\nmachine = { from = 1, to = 5, points = 2 }\n"), "list"));
  CHECK(has(first_error("[sweep]\nbatch = [1]\nB = [2]\n"), "already"));
  CHECK(has(first_error("columns = [\"cots\"]\n[sweep]\nbatch = [1]\n"), "cost"));
  CHECK(has(first_error("columns = [\"cost\", \"cost\"]\n[sweep]\nbatch = [1]\n"), "twice"));
  CHECK(has(first_error("batch = 3\n[sweep]\ntp = [1]\n"), "concurrency"));
  CHECK(has(first_error("tp = 1\n[sweep]\ncontext = [1]\n"), "isl"));
}

TEST_CASE("every case of a sweep equals the same case asked alone, to the last bit") {
  const Library& library = testing::library();
  // words innermost, so that neighboring cases have different bases; windows and selections come and go
  const auto file = sweep_of(
      "[sweep]\nbatch = [1, 37, 2048]\ncontext = { from = 100, to = 100000, points = 5, log = true }\n"
      "model = [\"deepseek-v3\", \"gpt-oss-120b\", \"llama-3.1-70b\"]\nmachine = [\"gb200-nvl72\", \"hgx-h100\"]\n");
  std::vector<SweepColumn> columns;
  for (const SweepColumn& column : roofline_columns()) {
    if (column.kind == SweepColumn::Kind::output) columns.push_back(column);
  }
  const auto sweep = roofline_sweep(file, library, columns);
  REQUIRE(sweep);
  SweepTable table;
  sweep->evaluate(0, static_cast<std::size_t>(file.space.cases()), table);
  REQUIRE(table.rows == 90);
  for (std::size_t row = 0; row < table.rows; ++row) {
    CAPTURE(row);
    const auto text = [&](std::size_t axis) { return file.space.axes()[axis].text(file.space.digit(axis, row)); };
    Scenario scenario;
    scenario.model = text(2);
    scenario.machine = text(3);
    scenario.kv = "fp8";
    scenario.given = {{"batch", file.space.axes()[0].numbers[file.space.digit(0, row)], {}},
                      {"context", file.space.axes()[1].numbers[file.space.digit(1, row)], {}}};
    const auto resolved = resolve(scenario, library);
    REQUIRE(resolved);
    const auto expected = output_values(estimate_decode(resolved->numbers));
    for (std::size_t i = 0; i < kDecodeOutputs; ++i) CHECK(table.columns[i].numbers[row] == expected[i]);
  }
}

TEST_CASE("what stands above [inputs] holds for every machine, what stands below belongs to the first") {
  const Library& library = testing::library();
  const auto file = sweep_of(
      "batch = 8\nchips = 4\n[inputs]\n\"hbm.bandwidth\" = \"1 TB/s\"\n[sweep]\nmachine = [\"hgx-h100\", "
      "\"hgx-h200\"]\n");
  const auto columns =
      std::vector{*find_column("chips", roofline_columns(), ""), *find_column("hbm.bandwidth", roofline_columns(), "")};
  const auto sweep = roofline_sweep(file, library, columns);
  REQUIRE(sweep);
  SweepTable table;
  sweep->evaluate(0, 2, table);
  CHECK(table.columns[0].numbers == std::vector<double>{4, 4});
  CHECK(table.columns[1].numbers[0] != 1e12);
  CHECK(table.columns[1].numbers[1] > table.columns[1].numbers[0]);
}

}  // namespace sweep_file_test
