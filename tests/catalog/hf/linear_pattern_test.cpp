// Our own matcher against RE2: the same patterns refused or understood, the same names matched.

#include "catalog/hf/linear_pattern.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "catalog/facts/files.hpp"
#include "catalog/hf/name_expression.hpp"
#include "catalog/json/json_value.hpp"
#include "real_files.hpp"

namespace linear_pattern_test {

using namespace ridge;
using catalog::LinearPattern;
using catalog::NameExpression;

namespace {

const std::vector<std::string> kNames = {
    "lm_head",
    "model.embed_tokens",
    "model.layers.0.self_attn.q_proj",
    "model.layers.3.mlp.gate",
    "model.layers.3.mlp.gate_proj",
    "model.layers.17.mlp.experts.255.down_proj",
    "model.layers.60.mlp.shared_experts.up_proj",
    "language_model.model.layers.12.self_attn.kv_a_proj_with_mqa",
    "visual.blocks.7.attn.qkv",
    "model.layers.5.block_sparse_moe.gate",
    "mtp.fc",
    "a",
    "",
};

/// Every text below a value that starts with "re:".
void collect_patterns(const catalog::JsonValue& value, std::vector<std::string>& out) {
  if (value.text() != nullptr && value.text()->starts_with("re:")) out.push_back(value.text()->substr(3));
  if (value.array() != nullptr) {
    for (const auto& one : *value.array()) collect_patterns(one, out);
  }
  if (value.object() != nullptr) {
    for (const auto& [key, one] : *value.object()) {
      if (key.starts_with("re:")) out.push_back(key.substr(3));
      collect_patterns(one, out);
    }
  }
}

void check_equal(const std::string& pattern) {
  CAPTURE(pattern);
  const auto ours = LinearPattern::read(pattern);
  const auto theirs = NameExpression::read(pattern);
  REQUIRE(ours.has_value() == theirs.has_value());
  if (!ours) return;
  for (const std::string& name : kNames) {
    CAPTURE(name);
    CHECK(ours->match_start(name) == theirs->match_start(name));
  }
}

}  // namespace

TEST_CASE("patterns of published configs mean the same to us and to RE2") {
  for (const char* pattern : {".*gate$",
                              ".*lm_head",
                              ".*mlp.gate$",
                              "model\\.layers\\.\\d+\\.mlp\\.(gate|shared_experts).*",
                              ".*self_attn.*",
                              "vision_tower.*",
                              ".*experts\\.[0-9]+\\..*",
                              "^model.layers.[0-2].",
                              ".*\\.(q|k|v|o)_proj",
                              ".*block_sparse_moe.gate",
                              "(?:language_model\\.)?model\\.layers\\.(?:[0-9]|1[0-9])\\..*",
                              ".*",
                              "",
                              "a*",
                              "model\\.layers\\.\\d{1,2}\\.mlp",
                              "[^.]+\\.layers\\..*proj$",
                              "visual\\..*|mtp\\..*",
                              ".+?proj$",
                              "x{2,}",
                              "lm_head|",
                              "model\\.layers\\.[\\d]+"}) {
    check_equal(pattern);
  }
}

TEST_CASE("patterns that are wrong are refused by both") {
  for (const char* pattern :
       {"(", ")", "a**", "*a", "[", "[b-a]", "a{3,2}", "a{2000}", "\\", "(?P<x", "a{2}{3}", "+", "a|*"})
    check_equal(pattern);
}

TEST_CASE("what is beyond the subset is refused, never misread") {
  for (const char* pattern : {"(?i)LM_HEAD", "\\bgate\\b", "\\pL+", "[[:alpha:]]+", "(?P<n>a)", "\\x61", "\xC3\xA9"}) {
    CAPTURE(pattern);
    CHECK_FALSE(LinearPattern::read(pattern));
  }
}

TEST_CASE("a pattern that makes others run for ever is answered at once") {
  const auto pattern = LinearPattern::read("(a*)*(a|aa)+$");
  REQUIRE(pattern);
  CHECK_FALSE(pattern->match_start(std::string(20'000, 'a') + "b"));
  CHECK_FALSE(LinearPattern::read("((((a{1,1000}){1,1000}){1,1000}){1,1000})"));
}

TEST_CASE("every pattern of published configs means the same to us and to RE2") {
  const std::filesystem::path folder = testing::real_files("models").path;
  std::vector<std::string> patterns;
  for (const std::string& path : catalog::files_ending(folder.string(), ".json")) {
    const auto text = catalog::read_file(path);
    REQUIRE(text);
    if (const auto json = catalog::parse_json(*text, path)) collect_patterns(*json, patterns);
  }
  CHECK_FALSE(patterns.empty());
  for (const std::string& pattern : patterns) check_equal(pattern);
}

}  // namespace linear_pattern_test
