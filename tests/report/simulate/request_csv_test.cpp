#include "report/simulate/request_csv.hpp"

#include <doctest/doctest.h>

#include "report/simulate/chrome_trace.hpp"

namespace ridge::report::request_csv_test {

simulate::RequestOutcome outcome(std::uint64_t number) {
  simulate::RequestOutcome one;
  one.number = number;
  one.sent = 1'000'000'005;
  one.admitted = one.sent + 10;
  one.first_token = one.sent + 20;
  one.last_token = one.sent + 3'000'000'020;
  one.prompt = 7;
  one.output = 4;
  return one;
}

TEST_CASE("a row has every time to the nanosecond") {
  // TPOT: 3 s over 3 tokens after the first
  CHECK(request_row(outcome(3)) ==
        "3,1.000000005,7,4,0,0.000000010,0.000000020,1.000000000000,3.000000020,0,0,false\n");
  simulate::RequestOutcome refused = outcome(4);
  refused.refused = true;
  CHECK(request_row(refused) == "4,1.000000005,7,4,0,,,,,0,0,true\n");
  CHECK(exact_seconds(-5) == "-0.000000005");
}

TEST_CASE("rows come in order, whatever order requests end in, and none is lost") {
  RowsInOrder rows;
  CHECK(rows.add(outcome(2)).empty());
  CHECK(rows.add(outcome(1)).empty());
  CHECK(rows.add(outcome(0)) == request_row(outcome(0)) + request_row(outcome(1)) + request_row(outcome(2)));
  CHECK(rows.add(outcome(5)).empty());  // the run is stopped here
  CHECK(rows.rest() == request_row(outcome(5)));
  CHECK(rows.rest().empty());
}

TEST_CASE("a step of a trace says what is in it, in microseconds") {
  const simulate::StepWork ranks[] = {{.decodes = 2, .decode_context = 10},
                                      {.decodes = 1, .prompts = 1, .prompt_tokens = 64}};
  const std::string step = trace_step(0, 1, 1500, 4000, ranks);
  CHECK(step.find("\"name\":\"mixed\"") != std::string::npos);
  CHECK(step.find("\"ts\":1.500,\"dur\":2.500") != std::string::npos);
  CHECK(step.find("\"decodes\":3") != std::string::npos);
  CHECK(step.find("\"prompt_tokens\":64") != std::string::npos);
}

}  // namespace ridge::report::request_csv_test
