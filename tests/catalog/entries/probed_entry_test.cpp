// Do entries of a probed machine read back as what was measured?

#include "catalog/entries/probed_entry.hpp"

#include <doctest/doctest.h>

#include "base/text/text.hpp"

namespace probed_entry_test {

using namespace ridge;
using namespace ridge::catalog;

namespace {

ProbedCpu some_cpu() {
  ProbedCpu cpu;
  cpu.title = "Acme \"One\"";
  cpu.vendor = "Acme";
  cpu.instructions = "AVX2";
  cpu.threads = 6;
  cpu.memory = 16e9;
  cpu.read = probed_rates({{1, {8e9}}, {6, {31.25e9}}});
  cpu.fp32 = probed_rates({{6, {200e9}}});
  cpu.int8 = probed_rates({{6, {1.5e12}}});
  cpu.missing = {"products by OpenBLAS (libopenblas is not there)"};
  return cpu;
}

const ProbedNames kNames{"here", "here-cpu", "2026-11-16"};

}  // namespace

TEST_CASE("a CPU becomes a chip and a machine of it, measured") {
  const auto files = probed_files(some_cpu(), kNames);
  REQUIRE(files);
  REQUIRE(files->size() == 2);
  CHECK((*files)[0].path() == "chip/here-cpu.toml");
  CHECK((*files)[1].path() == "machine/here.toml");
  const std::string& chip = (*files)[0].toml;
  for (const char* part : {"cpu = true", "threads = 6", "year = 2026", "bf16 = { value = \"200 GFLOP/s\"",
                           "int8 = { value = \"1.5 TFLOP/s\"", "bandwidth = { value = \"31.25 GB/s\"",
                           "capacity = { value = \"16 GB\"", "kind = \"measured\"", "[sources.probe-here]",
                           "by 6 threads", "Not measured: products by OpenBLAS", "Acme _One_"})
    CHECK_MESSAGE(contains(chip, part), part);
  CHECK_FALSE(contains(chip, "[measured]"));  // no product was timed
  CHECK(contains((*files)[1].toml, "chip = \"here-cpu\""));
  CHECK(contains((*files)[1].toml, "title = \"This machine, 6 CPU threads\""));  // short: it heads every answer
}

TEST_CASE("a machine that was busy gives entries of low confidence") {
  ProbedCpu cpu = some_cpu();
  CHECK(contains(probed_files(cpu, kNames)->front().toml, "confidence = \"medium\""));
  cpu.read = probed_rates({{6, {31.25e9, 20e9, 20e9}}});  // a median of 20 is below 0.8 x 31.25
  const std::string chip = probed_files(cpu, kNames)->front().toml;
  CHECK(contains(chip, "confidence = \"low\""));
  CHECK(contains(chip, "Something else was running"));
}

TEST_CASE("without a bandwidth, a peak or a memory there is no entry") {
  ProbedCpu cpu = some_cpu();
  cpu.read.clear();
  CHECK_FALSE(probed_files(cpu, kNames));
  cpu = some_cpu();
  cpu.fp32.clear();
  CHECK_FALSE(probed_files(cpu, kNames));
  cpu = some_cpu();
  cpu.memory = 0;
  CHECK_FALSE(probed_files(cpu, kNames));
}

TEST_CASE("the GPU's script is read: rates, or why there are none") {
  const auto none = read_gpu_report(R"({"none": "PyTorch finds no GPU"})");
  REQUIRE(none);
  CHECK(none->none == "PyTorch finds no GPU");
  const auto found = read_gpu_report(
      R"({"name": "Acme G", "vendor": "NVIDIA", "devices": 2, "memory": 80e9, "software": "PyTorch 2",
          "read": [2.9e12, 3e12], "bf16": [7e14, "x", 6e14], "fp8": [], "missing": ["int8: no"]})");
  REQUIRE(found);
  CHECK(found->gpu.devices == 2);
  CHECK(found->gpu.bf16.front().best == 7e14);
  CHECK(found->gpu.bf16.front().passes == 2);
  CHECK(found->gpu.fp8.empty());
  const auto files = probed_files(found->gpu, {"here", "here-gpu", "2026-11-16"});
  REQUIRE(files);
  CHECK(contains((*files)[0].toml, "bf16 = { value = \"700 TFLOP/s\""));
  CHECK(contains((*files)[0].toml, "bandwidth = { value = \"3 TB/s\""));
  CHECK(contains((*files)[0].toml, "2 devices are there"));
  CHECK_FALSE(contains((*files)[0].toml, "cpu = true"));
}

TEST_CASE("a broken report of the GPU is refused in words") {
  for (const char* text : {"", "{", "[]", "{}", R"({"name": "x", "vendor": "y", "read": [1], "bf16": [0]})",
                           R"({"name": 1, "vendor": "y", "read": [1], "bf16": [1]})"})
    CHECK_FALSE(read_gpu_report(text));
}

}  // namespace probed_entry_test
