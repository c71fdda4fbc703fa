// Does a word that people use lead to the entry they mean, is that said, and is nothing guessed where several are meant?

#include "library/names.hpp"

#include <map>
#include <string>

#include <doctest/doctest.h>

#include "base/text/text.hpp"
#include "catalog_library.hpp"
#include "roofline/scenario.hpp"

namespace names_test {

using namespace ridge;
using ridge::testing::library;

namespace {

struct Word {
  const char *word, *means;
};

std::string error_of(const Errors& errors) { return errors.front().what + "; " + errors.front().hint; }

/// No name of the catalog may be taken for another once case and separators are gone.
template <class T>
void check_bare_names(const Shelf<T>& shelf) {
  std::map<std::string, std::string> seen;
  for (const std::string& name : names_of(shelf)) {
    const auto [at, is_new] = seen.try_emplace(bare_word(name), name);
    CAPTURE(name);
    CAPTURE(at->second);
    CHECK(is_new);
  }
}

}  // namespace

TEST_CASE("words for machines") {
  for (const Word& one : {Word{"h100", "hgx-h100"},
                          {"H100", "hgx-h100"},
                          {"H100-SXM", "hgx-h100"},
                          {"h100_sxm5", "hgx-h100"},
                          {"NVIDIA H100", "hgx-h100"},
                          {"DGX-H100", "hgx-h100"},
                          {"HGX H100", "hgx-h100"},
                          {"8xH100", "hgx-h100"},
                          {"8 x H100", "hgx-h100"},
                          {"8×H100", "hgx-h100"},
                          {"h100-pcie", "h100-pcie-1"},
                          {"h200", "hgx-h200"},
                          {"8xh200", "hgx-h200"},
                          {"h800", "hgx-h800"},
                          {"h20", "hgx-h20"},
                          {"a100", "hgx-a100"},
                          {"A100-80GB", "hgx-a100"},
                          {"b200", "hgx-b200"},
                          {"B300", "hgx-b300"},
                          {"gb200", "gb200-nvl72"},
                          {"GB200-NVL72", "gb200-nvl72"},
                          {"gb200nvl72", "gb200-nvl72"},
                          {"72xGB200", "gb200-nvl72"},
                          {"gb300", "gb300-nvl72"},
                          {"mi300x", "mi300x-8"},
                          {"AMD MI325X", "mi325x-8"},
                          {"mi355x", "mi355x-8"},
                          {"MI355X_8", "mi355x-8"},
                          {"gaudi3", "gaudi3-8"},
                          {"l40s", "l40s-1"},
                          {"1xL4", "l4-1"},
                          {"4090", "rtx-4090-1"},
                          {"RTX 5090", "rtx-5090-1"},
                          {"tpu-v5p", "tpu-v5p-pod"},
                          {"trillium", "tpu-v6e-pod"},
                          {"rubin", "rubin-nvl144"}}) {
    CAPTURE(one.word);
    const auto named = machine_named(library(), one.word);
    REQUIRE_MESSAGE(named.has_value(), (named ? "" : error_of(named.error())));
    CHECK(named->entry->name == one.means);
    CHECK(!named->chips.has_value());
    if (std::string_view(one.word) != "GB200-NVL72") CHECK(named->note == std::string(one.word) + " is " + one.means);
  }
}

TEST_CASE("words for models") {
  for (const Word& one : {Word{"deepseek-ai/DeepSeek-V3", "deepseek-v3"},
                          {"DeepSeek_V3", "deepseek-v3"},
                          {"deepseek v3", "deepseek-v3"},
                          {"deepseek-ai/DeepSeek-V3.1", "deepseek-v3.1"},
                          {"DeepSeek-R1-0528", "deepseek-r1"},
                          {"r1", "deepseek-r1"},
                          {"llama3-70b", "llama-3-70b"},
                          {"Llama-3.3-70B-Instruct", "llama-3.3-70b"},
                          {"llama-405b", "llama-3.1-405b"},
                          {"maverick", "llama-4-maverick"},
                          {"scout", "llama-4-scout"},
                          {"GLM 4.6", "glm-4.6"},
                          {"zai-org/GLM-4.6", "glm-4.6"},
                          {"gpt_oss_120b", "gpt-oss-120b"},
                          {"k2", "kimi-k2"}}) {
    CAPTURE(one.word);
    const auto named = model_named(library(), one.word);
    REQUIRE_MESSAGE(named.has_value(), (named ? "" : error_of(named.error())));
    CHECK(named->entry->name == one.means);
    const bool own = lower_case(named->entry->repository) == lower_case(one.word);
    CHECK(named->note.empty() == own);
  }
}

TEST_CASE("words for chips") {
  for (const Word& one : {Word{"h100", "h100-sxm"},
                          {"H200", "h200-sxm"},
                          {"NVIDIA B200", "b200"},
                          {"a100-40gb", "a100-sxm-40gb"},
                          {"MI300X", "mi300x"},
                          {"trn2", "trainium2"}}) {
    CAPTURE(one.word);
    const auto named = chip_named(library(), one.word);
    REQUIRE(named.has_value());
    CHECK(named->entry->name == one.means);
  }
}

TEST_CASE("a word that can mean several is not guessed: the few are named") {
  const auto llama = model_named(library(), "llama-70b");
  REQUIRE(!llama.has_value());
  CHECK(llama.error().front().what == "llama-70b can mean llama-2-70b, llama-3-70b, llama-3.1-70b or llama-3.3-70b");
  CHECK(llama.error().front().where == "model");
  CHECK(error_of(machine_named(library(), "nvl72").error()).find("gb200-nvl72 or gb300-nvl72") != std::string::npos);
  CHECK(error_of(machine_named(library(), "trn2").error()).find("trn2-16 or trn2-ultraserver") != std::string::npos);
  CHECK(error_of(model_named(library(), "qwen3").error()).find("can mean") != std::string::npos);
}

TEST_CASE("a word that means nothing gets the nearest names") {
  CHECK(error_of(model_named(library(), "deepsek-v3").error()).find("did you mean deepseek-v3") != std::string::npos);
  CHECK(error_of(machine_named(library(), "hgx-h10").error()).find("hgx-h100") != std::string::npos);
  for (const char* word : {"", " ", "-", "/", "x", "8x", "0xH100", "8x8xH100", "nobody/nothing-7b", "\xff\xfe"}) {
    CAPTURE(word);
    CHECK(!model_named(library(), word).has_value());
    CHECK(!machine_named(library(), word).has_value());
    CHECK(!chip_named(library(), word).has_value());
  }
  CHECK(!model_named(library(), std::string(1'000'000, 'x')).has_value());
}

TEST_CASE("a word near an alias, or near the parts of a name, gets those and not the alphabet") {
  const auto machine = machine_named(library(), "h1000");
  REQUIRE(!machine);
  CHECK(machine.error().front().hint.find("h100") != std::string::npos);
  CHECK(machine.error().front().hint.starts_with("did you mean"));
  const auto model = model_named(library(), "lama-70b");  // llama-70b would be part of several names
  REQUIRE(!model);
  CHECK(model.error().front().hint.starts_with("did you mean llama-"));
  CHECK(model.error().front().hint.find("70b") != std::string::npos);
  const auto chip = chip_named(library(), "h10O-sxm5");  // an O for a zero
  REQUIRE(!chip);
  CHECK(chip.error().front().hint.find("h100-sxm") != std::string::npos);
}

TEST_CASE("some chips of a machine are that many, or an error where only the whole can be meant") {
  const auto four = machine_named(library(), "4xH100");
  REQUIRE(four.has_value());
  CHECK(four->entry->name == "hgx-h100");
  CHECK(four->chips == 4.0);
  CHECK(four->note == "4xH100 is 4 chips of hgx-h100, which has 8");
  CHECK(!whole_machine_named(library(), "4xH100").has_value());
  CHECK(whole_machine_named(library(), "8xH100").has_value());
  Scenario scenario;
  scenario.model = "llama-3.1-8b";
  scenario.machine = "4xH100";
  const auto resolved = resolve(scenario, library());
  REQUIRE(resolved.has_value());
  CHECK(resolved->machine == "hgx-h100");
  CHECK(resolved->numbers.chips.value() == 4);
  CHECK(resolved->notes.back() == four->note);
}

TEST_CASE("no two names of the catalog are one word without case and separators") {
  check_bare_names(library().models);
  check_bare_names(library().machines);
  check_bare_names(library().chips);
  check_bare_names(library().aliases);
}

}  // namespace names_test
