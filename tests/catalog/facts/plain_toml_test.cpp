// Do toml++ and our own reader say the same of every TOML text that there is here, and refuse the same?

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "catalog/facts/toml_tree.hpp"

namespace plain_toml_test {

using ridge::Error;
using ridge::catalog::parse_plain_toml;
using ridge::catalog::parse_toml;
using ridge::catalog::TomlNode;

namespace {

/// Kinds, words and lines; where a table stands toml++ says in its own way, and no answer cites it.
std::string shown(const TomlNode& node) {
  std::string out = node.key + "|" + std::to_string(static_cast<int>(node.kind)) + "|" + node.word;
  if (node.is_plain()) out += "@" + std::to_string(node.line);
  for (const TomlNode& one : node.below) out += "(" + shown(one) + ")";
  return out;
}

std::string both_say(std::string_view text) {
  const auto theirs = parse_toml(text, "x.toml"), ours = parse_plain_toml(text, "x.toml");
  if (theirs.has_value() != ours.has_value()) {
    const Error& error = theirs ? ours.error().front() : theirs.error().front();
    return std::string(theirs ? "only toml++ reads it: " : "only ours reads it: ") + error.where + " " + error.what;
  }
  if (!theirs) return "refused";
  return shown(*theirs) == shown(*ours) ? "the same" : shown(*theirs) + "\n" + shown(*ours);
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("our reader of TOML says what toml++ says of every file of the catalog and the examples") {
  int files = 0;
  for (const char* folder : {"catalog", "examples"}) {
    for (const auto& one :
         std::filesystem::recursive_directory_iterator(std::filesystem::path(RIDGE_CATALOG).parent_path() / folder)) {
      if (one.path().extension() != ".toml") continue;
      CAPTURE(one.path().string());
      CHECK(both_say(text_of(one.path())) == "the same");
      ++files;
    }
  }
  CHECK(files > 100);
}

TEST_CASE("our reader of TOML agrees with toml++ on every corner that a price sheet may reach") {
  const std::vector<std::string> read = {"",
                                         "# nothing\n",
                                         "a = 1",
                                         "a=-0\nb=+5\nc=1_000",
                                         "a = 0x1F\nb = 0o17\nc = 0b101",
                                         "a = 1.5e3\nb = -2E-2\nc = 6.0",
                                         "a = inf\nb = -inf",
                                         "a = true\nb = false # yes",
                                         "a.b.c = \"x\"\na.b.d = 'y\\n'",
                                         "\"a b\" = \"q\\\"\\t\\u00e9\\U0001F600\"",
                                         "[a]\nx = 1\n[a.b]\ny = 2\n[c]\n",
                                         "[a.b]\nx=1\n[a]\ny=2",
                                         "t = { value = \"$2/Mtok\", source = \"s\", n.m = 3 }",
                                         "t = {}",
                                         "l = [1, 2,\n 3, # three\n]\nm = []",
                                         "l = [[1], ['a', \"b\"], {x = 1}]",
                                         "s = \"\"\"\none\n two\\\n   three\"\"\"",
                                         "s = '''raw \\n\n'quotes' '''",
                                         "[\"quoted.key\".x]\na = 1",
                                         "a = 1\r\nb = 2\r\n",
                                         "\xEF\xBB\xBF"
                                         "a = 1",
                                         "d = 2026-11-17",
                                         "t = 07:32:00",
                                         "t = 07:32:00.25",
                                         "d = 2024-02-29T23:59:59Z",
                                         "d = 2026-11-17t00:00:00+01:30",
                                         "[ a . b ]\nc = 1",
                                         "tier.200k.input = \"$4/Mtok\"",
                                         "1 = 2\n-x = 3",
                                         "a = 0xdead_beef\nb = 0xE_e\nc = 1_0.5_0e1_0",
                                         "s = \"\"\"\r\none\r\n\r\ntwo\"\"\"",
                                         "s = '''one\r\ntwo'''",
                                         "s = \"\"\"one \\ \t\r\n \r\n two\"\"\"",
                                         "[[a]]\nx = 1\n[[a]]\nx = 2\n[a.b]\ny = 3\n[[ c . d ]]\n[c]\nz = 1",
                                         "[[a]]\n[[a.b]]\nx = 1\n[[a.b]]\n[[a]]\n[[a.b]]"};
  for (const std::string& text : read) {
    CAPTURE(text);
    CHECK(both_say(text) == "the same");
  }
  const std::vector<std::string> refused = {"# a comment that is no UTF-8: \xb0\na = 1",
                                            "a = \"\xff\"",
                                            "a = 2026-02-29",
                                            "a = 2026-13-01",
                                            "a = 2020-01",
                                            "a = 24:00:00",
                                            "a = 07:32:00.",
                                            "a = 3e-",
                                            "a = 1e+5-e",
                                            "a = \"\\e\"",
                                            "# alone \r\na = 1\r",
                                            "#\r",
                                            "a = \"\"\"x\\\n  \u00e9\"\"\"",
                                            "a = \"x\\\u00e9\"",
                                            "a",
                                            "a =",
                                            "= 1",
                                            "a = b",
                                            "a = 1 2",
                                            "a = 1\na = 2",
                                            "[a]\n[a]",
                                            "a = {x = 1}\n[a]",
                                            "a = {x = 1,}",
                                            "a = {x = 1\n}",
                                            "a = \"no end",
                                            "a = \"\\q\"",
                                            "a = [1, 2",
                                            "a = [1 2]",
                                            "[a",
                                            "[]",
                                            "a = 01",
                                            "a = 1__0",
                                            "a = 1_",
                                            "a = .5",
                                            "a = 5.",
                                            "a = \"\\uD800\"",
                                            "a.b = 1\na = 2",
                                            "a = 1\na.b = 2",
                                            "[a.b]\n[a]\nb.c = 1",
                                            "a = 99999999999999999999",
                                            "a = + 1",
                                            "a\n= 1",
                                            "a = 0x",
                                            "a = truely",
                                            "\"\"\"a\"\"\" = 1",
                                            "a = 'x\n'",
                                            "a = \"\"\"x\\ y\"\"\"",
                                            "a = \"\"\"x\\ \t\"\"\"",
                                            "a = \"\"\"x\\\ry\"\"\"",
                                            "a = \"\"\"x\\\x01y\"\"\"",
                                            "a = 0o-1",
                                            "a = 0x-f",
                                            "a = 0b_1",
                                            "a = 0x_f",
                                            "a = 1e_5",
                                            "a = 1_e5",
                                            "a = 1._5",
                                            "a = 1_.5",
                                            "a = 0." + std::string(130, '1'),
                                            "a = 1." + std::string(200, '0') + "e1",
                                            "a = 0x" + std::string(130, '0') + "1",
                                            "[[a]]\n[a]",
                                            "[a]\n[[a]]",
                                            "a = []\n[[a]]",
                                            "a.b = 1\n[[a]]",
                                            "[[a]",
                                            "[[a] ]",
                                            "[[t.a]]\n[t]\na.x = 1",
                                            "a = {}\n[[a.b]]"};
  for (const std::string& text : refused) {
    CAPTURE(text);
    CHECK(both_say(text) == "refused");
  }
}

TEST_CASE("what nests too deep is refused, not followed") {
  CHECK_FALSE(parse_plain_toml("a = " + std::string(100'000, '['), "x").has_value());
  CHECK_FALSE(parse_plain_toml("a = " + std::string(100'000, '{'), "x").has_value());
}

TEST_CASE("letters beyond ASCII in a text that is wrong are refused before toml++ looks for blanks among them") {
  // toml++ 3.3 looks for the end of a number and meets a letter of which its table of blanks knows nothing
  for (const char* text : {"b = 838*-- 9 \"\xEF\xBB\xBE\"", "b = 72{\"\xC5\x82\"}", "b = [22[\"\xE3\x80\x81\"]]",
                           "b = 0[\"\xC5\x82\"", "b = 12\"\xC5\x82\"", "b = 1.\"\xC5\x82\""}) {
    CAPTURE(text);
    CHECK(both_say(text) == "refused");
  }
  CHECK(both_say("b = \"\xC5\x82\xE3\x80\x81\" # \xC5\x82") == "the same");
}

}  // namespace plain_toml_test
