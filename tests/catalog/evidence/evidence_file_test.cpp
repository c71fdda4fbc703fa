// Does the evidence load whole, and does a wrong file say everything that is wrong with it?

#include "catalog/evidence/evidence_file.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "catalog_library.hpp"

namespace evidence_file_test {

using namespace ridge;
using catalog::NamedText;
using catalog::read_evidence;
using catalog::unknown_names;

namespace {

const NamedText kSets{"sets.csv", "set,title,source,licence,date,note\nmine,Mine,\"a, b\",MIT,,\n"};
const std::string kGemmHeader = "set,chip,kernel,format,m,n,k,us\n";
const std::string kServingHeader =
    "set,id,model,machine,format,engine,version,mode,chips,tensor,pipeline,attention_data,moe_tensor,expert,isl,osl,"
    "length_mean,concurrency,cached,speculative,tpot_ms,ttft_ms,output_rate,total_rate,latency_ms,wrong\n";
const std::string kServingLine =
    "mine,a1,llama-3-8b,hgx-h100,bf16,vllm,,aggregated,1,1,1,1,1,1,1024,512,1,8,0,0,7.5,50,,,,\n";

/// The errors of a gemm.csv with these lines; empty where it has none.
Errors gemm_errors(const std::string& lines, const std::string& header = kGemmHeader) {
  const auto read = read_evidence({{"gemm.csv", header + lines}, kSets});
  return read ? Errors{} : read.error();
}

bool has(const Errors& errors, std::string_view where, std::string_view what) {
  for (const Error& error : errors) {
    if (error.where == where && error.what.find(what) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("the compiled-in evidence reads without an error, and every name in it is known") {
  const auto evidence = read_evidence(catalog::embedded_evidence());
  REQUIRE(evidence);
  CHECK(evidence->serving.size() >= 600);
  CHECK(evidence->kernels.size() >= 600);
  CHECK(unknown_names(*evidence, ridge::testing::library()).empty());
  for (const auto& [name, set] : evidence->sets) {
    CAPTURE(name);
    CHECK(!set.source.empty());
    CHECK(!set.licence.empty());
  }
}

TEST_CASE("the compiled-in evidence is the folder's, byte for byte") {
  const auto compiled = catalog::embedded_evidence();
  const auto folder = catalog::evidence_texts(RIDGE_CATALOG "/evidence");
  REQUIRE(folder);
  REQUIRE(folder->size() == compiled.size());
  for (std::size_t i = 0; i < compiled.size(); ++i) {
    CHECK(compiled[i].name == (*folder)[i].name);
    CHECK(compiled[i].text == (*folder)[i].text);
  }
}

TEST_CASE("every credible serving row uses the chips that its layout needs") {
  const auto evidence = read_evidence(catalog::embedded_evidence());
  REQUIRE(evidence);
  for (const ServingRow& row : evidence->serving) {
    if (!row.wrong.empty()) continue;
    CAPTURE(row.id);
    CHECK(row.chips == row.tensor * row.attention_data * row.pipeline);
    const double expert_chips = row.moe_tensor * row.expert * row.pipeline;
    CHECK((expert_chips == row.chips || expert_chips == row.pipeline));  // the second: a dense model
  }
}

TEST_CASE("what newer files tell of a run may be missing, and is read where it is there") {
  std::string header = kServingHeader, line = kServingLine;
  header.insert(header.size() - 1, ",kv_format,itl_p50_ms");
  line.insert(line.size() - 1, ",fp8,6.5");
  const auto read = read_evidence({{"serving.csv", header + line}, kSets});
  REQUIRE(read);
  CHECK(read->serving[0].kv_format == "fp8");
  CHECK(read->serving[0].itl_p50 == doctest::Approx(6.5e-3));
  CHECK(read->serving[0].ttft_p99 == 0);
}

TEST_CASE("units become seconds, and what was not measured stays zero") {
  const auto read = read_evidence({{"gemm.csv", kGemmHeader + "mine,h100-sxm,cublas,bf16,1,2,3,4.5\n"},
                                   {"serving.csv", kServingHeader + kServingLine},
                                   kSets});
  REQUIRE(read);
  REQUIRE(read->kernels.size() == 1);
  CHECK(read->kernels[0].kind == KernelClass::product);
  CHECK(read->kernels[0].seconds == doctest::Approx(4.5e-6));
  REQUIRE(read->serving.size() == 1);
  CHECK(read->serving[0].tpot == doctest::Approx(7.5e-3));
  CHECK(read->serving[0].latency == 0);
  CHECK(read->sets.at("mine").source == "a, b");
}

TEST_CASE("columns may stand in any order, and lines may end as on Windows") {
  CHECK(gemm_errors("4.5,mine,h100-sxm,cublas,bf16,1,2,3\r\n\r\n", "us,set,chip,kernel,format,m,n,k\r\n").empty());
}

TEST_CASE("a wrong header names every column that is missing or unknown") {
  const Errors errors = gemm_errors("", "set,chip,kernal,format,m,m,k,us\n");
  CHECK(has(errors, "gemm.csv:1", "unknown column 'kernal'"));
  CHECK(has(errors, "gemm.csv:1: kernel", "missing"));
  CHECK(has(errors, "gemm.csv:1: n", "missing"));
  CHECK(has(errors, "gemm.csv:1: m", "twice"));
  CHECK(!gemm_errors("", "").empty());
}

TEST_CASE("every wrong field of every line is told at once, with its line") {
  const Errors errors = gemm_errors(
      "mine,h100-sxm,cublas,bf16,one,2,3,4\n"    // text for a number
      "mine,h100-sxm,cublas,bf16,1,nan,3,inf\n"  // neither is a number here
      "mine,h100-sxm,cublas,bf16,1,2,-3,0\n"     // negative, and no time at all
      "mine,h100-sxm,cublas,bf16,1,2\n"          // short
      "mine,h100-sxm,,bf16,1,2,3,4,5\n"          // long
      "yours,h100-sxm,cublas,bf16,1,2,3,4\n"     // a set nobody told
      "mine,\"h100-sxm,cublas,bf16,1,2,3,4\n"    // an open quote
      "mine,h100-sxm,,bf16,1,2,3,1e999\n");      // no kernel, and too large
  CHECK(has(errors, "gemm.csv:2: m", "'one' is not a number"));
  CHECK(has(errors, "gemm.csv:3: n", "'nan' is not a number"));
  CHECK(has(errors, "gemm.csv:3: us", "'inf' is not a number"));
  CHECK(has(errors, "gemm.csv:4: k", "-3 is not a whole number from 1"));
  CHECK(has(errors, "gemm.csv:4: us", "0 is not positive"));
  CHECK(has(errors, "gemm.csv:5", "6 fields, the header 8"));
  CHECK(has(errors, "gemm.csv:6", "9 fields, the header 8"));
  CHECK(has(errors, "gemm.csv:7", "'yours' is not in sets.csv"));
  CHECK(has(errors, "gemm.csv:8", "quote"));
  CHECK(has(errors, "gemm.csv:9: kernel", "is empty"));
  CHECK(has(errors, "gemm.csv:9: us", "not a number"));
  CHECK(errors.size() == 11);
}

TEST_CASE("a file of another kind is given up after fifty errors") {
  std::string lines;
  for (int i = 0; i < 1000; ++i) lines += "not a row\n";
  CHECK(gemm_errors(lines).size() <= 51);
}

TEST_CASE("a serving row that measures nothing, repeats an id, or has a strange flag is an error") {
  std::string silent = kServingLine, flagged = kServingLine;
  silent.replace(silent.find("7.5,50"), 6, ",");
  flagged.replace(flagged.find(",8,0,0,"), 7, ",8,0,yes,");
  const auto read =
      read_evidence({{"serving.csv", kServingHeader + kServingLine + kServingLine + silent + flagged}, kSets});
  REQUIRE(!read);
  CHECK(has(read.error(), "serving.csv:3", "id 'a1' is there twice"));
  CHECK(has(read.error(), "serving.csv:4", "measures nothing"));
  CHECK(has(read.error(), "serving.csv:5: speculative", "neither 0 nor 1"));
  std::string all_cached = kServingLine;
  all_cached.replace(all_cached.find(",8,0,0,"), 7, ",8,1,0,");
  const auto cached = read_evidence({{"serving.csv", kServingHeader + all_cached}, kSets});
  REQUIRE(!cached);
  CHECK(has(cached.error(), "serving.csv:2: cached", "not a share from 0 to below 1"));
}

TEST_CASE("unknown files, operations and modes are errors, and so are missing sets") {
  const std::string header = "set,chip,kernel,op,mode,chips,bytes,us\n";
  const auto read = read_evidence({{"collective.csv", header + "mine,b200,x,all_reduce,graph,8,1,1\n"
                                                               "mine,b200,x,broadcast,graph,8,1,1\n"
                                                               "mine,b200,x,all_gather,lazy,8,1,1\n"},
                                   {"gem.csv", ""}});
  REQUIRE(!read);
  CHECK(has(read.error(), "sets.csv", "missing"));
  CHECK(has(read.error(), "gem.csv", "not an evidence file"));
  CHECK(has(read.error(), "collective.csv:3", "'broadcast'"));
  CHECK(has(read.error(), "collective.csv:4", "'lazy'"));
  CHECK(!catalog::read_evidence_folder("/no/such/folder"));
}

TEST_CASE("a chip, model or machine that the catalog lacks is named once") {
  Evidence evidence;
  evidence.kernels.resize(3);
  for (KernelRow& row : evidence.kernels) row.chip = "h1000";
  evidence.serving.resize(2);
  for (ServingRow& row : evidence.serving) {
    row.model = "llama-9";
    row.machine = "hgx-h100";
  }
  const Errors errors = unknown_names(evidence, ridge::testing::library());
  REQUIRE(errors.size() == 2);
  CHECK(errors[0].what.find("chip 'h1000'") != std::string::npos);
  CHECK(errors[1].what.find("model 'llama-9'") != std::string::npos);
}

}  // namespace evidence_file_test
