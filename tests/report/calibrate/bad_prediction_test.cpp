#include "report/calibrate/bad_prediction.hpp"

#include <doctest/doctest.h>

namespace bad_prediction_test {

using ridge::report::flag_word;
using ridge::report::version_word;

TEST_CASE("of a version stays what a version may hold") {
  CHECK(version_word("0.11.0+cu128") == "0.11.0+cu128");
  CHECK(version_word("0.11 from /home/bob/vllm") == "0.11");
  CHECK(version_word("/opt/secret") == "");
  CHECK(version_word(std::string(100, '1')).size() == 32);
}

TEST_CASE("of a flag nobody knows the value goes") {
  CHECK(flag_word("--served-model-name=us-east-secret") == "--served-model-name");
  CHECK(flag_word("--api-key abc") == "--api-key");
  CHECK(flag_word("--plain") == "--plain");
}

TEST_CASE("a run keeps figures, and no text of its file") {
  ridge::ComparedRun run;
  run.result.place = "/home/bob/private/run.json";
  run.result.tool = "vllm bench serve";
  run.result.model = "bobs-secret-model";
  run.result.hardware = "bobs-cluster";
  run.result.notes = {"a note with /home/bob"};
  run.result.missing = {"machine"};
  run.result.isl = 1000;
  run.unpredicted = "no model is called bobs-secret-model";
  ridge::report::BadPrediction report{"ridge 1", {ridge::report::reported(run, "")}, {}, 0};
  for (const std::string& text : {bad_prediction_text(report), bad_prediction_json(report)}) {
    CHECK(text.find("bob") == std::string::npos);
    CHECK(text.find("1000") != std::string::npos);
  }
}

}  // namespace bad_prediction_test
