// Are engines read as their files say, and is a wrong file refused with its place?

#include "catalog/entries/engine_entry.hpp"

#include <doctest/doctest.h>

#include "catalog/facts/read_toml.hpp"
#include "catalog/refusal.hpp"
#include "catalog_library.hpp"
#include "library/engines.hpp"

namespace engine_entry_test {

using namespace ridge;
using namespace ridge::literals;
using ridge::testing::check_refusal;
using ridge::testing::library;

namespace {

constexpr std::string_view kGood = R"(title = "Mine"
[start]
source = "vllm-docs"
programs = "mine run"
[flag]
source = "vllm-docs"
tensor = "ways (from 2), tp"
[memory]
source = "vllm-docs"
rule = "free"
utilization = 0.8
[kv_cache]
otherwise = { value = "bf16", source = "vllm-docs" }
[scheduler]
source = "vllm-docs"
family = "mixed"
token_budget = 4096
max_sequences = 64
[scheduler.max_sequences_from]
source = "vllm-docs"
"70 GiB" = 512
"100 GiB" = 1024
[layout]
source = "vllm-docs"
tensor = "group"
attention_data = "none"
expert = "none"
context = "none"
limits = "group"
)";

Result<Library> with_engine(std::string_view text) {
  const auto facts = catalog::read_entry(text, "engine", "mine", "engine/mine.toml");
  if (!facts) return fail(facts.error());
  return catalog::build_library(catalog::overlaid(catalog::embedded_facts(), *facts));
}

void refused(std::string_view from, std::string_view to, std::string_view where, std::string_view what) {
  std::string text(kGood);
  text.replace(text.find(from), from.size(), to);
  CAPTURE(text);
  const auto built = with_engine(text);
  REQUIRE(!built.has_value());
  check_refusal(built.error(), where, what);
}

}  // namespace

TEST_CASE("the engines of the catalog, in their order") {
  std::vector<std::string> names;
  for (const Engine* engine : ordered_engines(library())) names.push_back(engine->name);
  CHECK(names == std::vector<std::string>{"vllm", "sglang", "trtllm", "atom", "llama.cpp"});
  const Engine& vllm = *find_named(library().engines, "vllm");
  CHECK(vllm.memory_utilization.value.value == 0.92);
  CHECK(vllm.older_utilization->value == 0.9);
  CHECK(vllm.scheduler.max_sequences->at(80_GB) == 1024);
  CHECK(vllm.scheduler.max_sequences->at(48_GB) == 256);
  CHECK(find_named(library().engines, "atom")->memory_rule.from.kind == Kind::assumed);
  CHECK(find_named(library().engines, "sglang")->memory_rule.from.kind == Kind::datasheet);
}

TEST_CASE("a name means its engine, the engine it is a version of, or the general one") {
  CHECK(find_engine(library(), "trtllm").facts->name == "trtllm");
  CHECK(find_engine(library(), "trtllm-1.0").facts->name == "trtllm");
  CHECK(!find_engine(library(), "trtllm-1.0").borrowed);
  CHECK(find_engine(library(), "nobodys").facts->name == kGeneralEngine);
  CHECK(find_engine(library(), "nobodys").borrowed);
}

TEST_CASE("an engine in a file of one's own") {
  const auto built = with_engine(kGood);
  REQUIRE(built.has_value());
  const Engine& mine = *find_named(built->engines, "mine");
  CHECK(mine.programs == std::vector<std::string>{"mine run"});
  CHECK(find_flag(mine, "ways")->versions == "from 2");
  CHECK(mine.memory_rule.value == MemoryRule::free);
  CHECK(mine.memory_utilization.at(80_GB) == 0.8);
  CHECK(mine.scheduler.max_sequences->at(200_GB) == 1024);
  CHECK(mine.scheduler.token_budget.value.value == 4096);
  CHECK(!mine.is_written());
  const auto names = known_engines(*built);
  CHECK(std::find(names.begin(), names.end(), "mine") != names.end());
}

TEST_CASE("what is wrong with an engine's file is said with its place") {
  refused("tensor = \"ways", "tensro = \"ways", "engine/mine.toml", "unknown key \"flag.tensro\"");
  refused("rule = \"free\"", "rule = \"some\"", "memory.rule", "\"some\" is none of them");
  refused("utilization = 0.8", "utilization = 1.8", "memory.utilization", "above zero and at most 1");
  refused("utilization = 0.8", "", "engine/mine.toml", "memory.utilization is missing");
  refused("ways (from 2), tp", "tp, tp", "flag.tensor", "tp stands twice");
  refused("value = \"bf16\"", "value = \"bf17\"", "kv_cache.otherwise", "unknown name \"bf17\"");
  refused("\"70 GiB\" = 512", "\"70 s\" = 512", "max_sequences_from.70 s", "");
  refused("[layout]\nsource = \"vllm-docs\"", "[layout]", "layout.tensor", "has no source");
  refused("[layout]", "[format]\nsource = \"vllm-docs\"\nfp9 = \"nine\"\n[layout]", "format.fp9",
          "unknown number format");
  refused("[layout]", "[write.command]\nsource = \"vllm-docs\"\nstrat = \"x\"\n[layout]", "engine/mine.toml",
          "unknown key \"write.command.strat\"");
}

}  // namespace engine_entry_test
