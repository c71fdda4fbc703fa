#include "simulate/client/benchmark_client.hpp"

#include <doctest/doctest.h>

#include "simulate/question_check.hpp"

namespace ridge::simulate::benchmark_client_test {

TEST_CASE("lengths around L keep its mean; lengths down from L do not") {
  const LengthRange around = lengths_of(LengthRule::around, 1000, 0.2);
  CHECK(around.least == 800);
  CHECK(around.most == 1200);
  CHECK(around.mean() == 1000);
  const LengthRange down = lengths_of(LengthRule::down, 1024, 0.8);  // InferenceX: int(819.2) to 1,024
  CHECK(down.least == 819);
  CHECK(down.most == 1024);
  CHECK(lengths_of(LengthRule::around, 3, 1).least == 1);  // no prompt of nothing
  CHECK(lengths_of(LengthRule::down, 1e300, 1).most == 2'000'000'000);
}

TEST_CASE("a client sends so many requests a user, and at least so many") {
  const BenchmarkClient client{.requests_per_user = 10, .least_requests = 200};
  CHECK(client.requests_for(4) == 200);
  CHECK(client.requests_for(64) == 640);
}

TEST_CASE("at a rate there are enough requests for two minutes and a 99th percentile") {
  CHECK(requests_at(1) == 1000);
  CHECK(requests_at(12) == 1440);
  CHECK(requests_at(12, 60) == 5760);  // eight times a minute
  CHECK(requests_at(1e9) == 20'000);
}

SimulationQuestion usual() {
  SimulationQuestion question;
  question.client.prompt = question.client.output = {100, 100};
  question.client.arrivals = OpenLoop{.rate = 10};
  return question;
}

std::string refused(const SimulationQuestion& question) {
  const Errors errors = checked_question(question);
  return errors.empty() ? "" : errors.front().where;
}

TEST_CASE("what nobody can wait for is refused by its field") {
  CHECK(refused(usual()).empty());
  SimulationQuestion question = usual();
  question.client.requests = 20'000'001;
  CHECK(refused(question) == "requests");
  question = usual();
  question.client.arrivals = OpenLoop{.rate = 1e-9};  // 100 requests take 3,000 years
  CHECK(refused(question) == "rate");
  question.client.arrivals = OpenLoop{.rate = 10, .burstiness = 1e-9};
  CHECK(refused(question) == "burstiness");
  question.client.arrivals = OpenLoop{.rate = 10, .ramp_from = 1e-9};
  CHECK(refused(question) == "ramp_from");
  question.client.arrivals = ClosedLoop{.users = 2'000'000};
  CHECK(refused(question) == "concurrency");
  question.client.arrivals = ClosedLoop{.users = 1, .think = nanoseconds(1e8)};
  CHECK(refused(question) == "think");
  question.client.arrivals = Sessions{.users = 1, .turns = 10'001};
  CHECK(refused(question) == "turns");
  question.client.arrivals = Sessions{.users = 1, .turns = 10'000};
  question.client.prompt = {2000, 2000};
  CHECK(refused(question) == "turns");  // 21 million tokens in the last prompt
  question = usual();
  question.client.output = {1, 10'000'001};
  CHECK(refused(question) == "osl");
  question = usual();
  question.client.system_prompts = 1;
  question.client.system_tokens = 101;
  CHECK(refused(question) == "system_tokens");
  question = usual();
  question.serving.replicas = 1e6;
  CHECK(refused(question) == "replicas");
}

}  // namespace ridge::simulate::benchmark_client_test
