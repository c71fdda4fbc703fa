// Which measured run stands beside an answer.

#include "calibrate/evidence/nearest.hpp"

#include <doctest/doctest.h>

#include "catalog/evidence/evidence_file.hpp"
#include "catalog_library.hpp"

namespace nearest_test {

using namespace ridge;

namespace {

ServingQuestion asked(const char* model, const char* machine, double tensor, const char* engine) {
  ServingQuestion question;
  question.scenario.model = model;
  question.scenario.machine = machine;
  question.tensor = tensor;
  question.engine = engine;
  question.isl = 1024;
  question.osl = 1024;
  question.concurrency = 64;
  return question;
}

const Evidence& measured() {
  static const Evidence evidence = catalog::read_evidence(catalog::embedded_runs()).value();
  return evidence;
}

NearestRun nearest_to(const ServingQuestion& question, const Evidence& evidence) {
  const auto result = answer_serving(question, testing::library());
  REQUIRE(result);
  REQUIRE(result->answer);
  const auto found = nearest_run(*result->answer, evidence, testing::library());
  REQUIRE(found);
  return *found;
}

/// The run of another that is like it in all but what `change` does to it.
template <class Change>
ServingRow changed(ServingRow row, const Change& change) {
  change(row);
  row.id += "'";
  return row;
}

}  // namespace

TEST_CASE("a question whose model, precision, machine and engine were measured gets such a run") {
  for (const char* weights : {"fp8", "nvfp4"}) {
    CAPTURE(weights);
    ServingQuestion question = asked("deepseek-v3", "hgx-b200", 8, "trtllm");
    question.scenario.weights = question.scenario.experts = weights;
    const NearestRun found = nearest_to(question, measured());
    CHECK(found.row->format == weights);
    CHECK(found.same.model);
    CHECK(found.same.precision);
    CHECK(found.same.machine);
  }
}

TEST_CASE("a question that is disaggregated gets a run of its own model before one of its way of serving") {
  ServingQuestion question = asked("llama-3.1-70b", "hgx-h100", 4, "vllm");
  question.scenario.weights = "fp8";
  question.disaggregated = true;
  const NearestRun found = nearest_to(question, measured());
  CHECK(found.row->model == "llama-3.1-70b");
  CHECK(found.row->mode == "aggregated");
  CHECK_FALSE(found.same.mode);
}

TEST_CASE("names tell runs apart before loads do: model, precision, machine, engine, in this order") {
  ServingQuestion question = asked("llama-3.1-70b", "hgx-h100", 4, "vllm");
  question.scenario.weights = "fp8";
  Evidence few;
  ServingRow like = *nearest_to(question, measured()).row;
  like.model = "llama-3.1-70b";
  like.machine = "hgx-h100";
  like.format = "fp8";
  like.engine = "vllm";
  // each row differs from the question in one name more important than the one before it, but is nearer in its load
  like.concurrency = 1;
  few.serving = {like, changed(like, [](ServingRow& row) { row.engine = "sglang", row.concurrency = 16; }),
                 changed(like, [](ServingRow& row) { row.machine = "hgx-h200", row.concurrency = 32; }),
                 changed(like, [](ServingRow& row) { row.format = "bf16", row.concurrency = 64; }),
                 changed(like, [](ServingRow& row) { row.model = "llama-3.1-8b", row.concurrency = 64; })};
  while (few.serving.size() > 1) {
    CHECK(nearest_to(question, few).row->id == few.serving.front().id);
    CHECK(nearest_to(question, few).row->engine == few.serving.front().engine);
    CHECK(nearest_to(question, few).row->machine == few.serving.front().machine);
    CHECK(nearest_to(question, few).row->format == few.serving.front().format);
    few.serving.erase(few.serving.begin());
  }
}

}  // namespace nearest_test
