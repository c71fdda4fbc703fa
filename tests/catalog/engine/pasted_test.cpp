// Is pasted text split into words as a shell would, and as the person who pasted it meant?

#include "catalog/engine/pasted.hpp"

#include <doctest/doctest.h>

namespace pasted_test {

using namespace ridge;
using catalog::option_lines;
using catalog::split_pasted;
using Words = std::vector<std::string>;

namespace {

Words words(std::string_view text) {
  const auto pasted = split_pasted(text, "test");
  REQUIRE(pasted.has_value());
  REQUIRE(pasted->statements.size() == 1);
  return pasted->statements[0];
}

}  // namespace

TEST_CASE("quotes hold words together and are taken off") {
  CHECK(words("a 'b c' \"d e\"") == Words{"a", "b c", "d e"});
  CHECK(words("--x='{\"a\": 1}' \"\\\"q\\\"\"") == Words{"--x={\"a\": 1}", "\"q\""});
  CHECK(words("'it'\\''s' ''") == Words{"it's", ""});
}

TEST_CASE("a backslash continues a line, also with blanks after it, or pasted into one line") {
  CHECK(words("vllm serve \\\n  m \\  \n --tp 8 \\") == Words{"vllm", "serve", "m", "--tp", "8"});
  CHECK(words("vllm serve \\ m \\ --tp 8") == Words{"vllm", "serve", "m", "--tp", "8"});
  CHECK(words("vllm \\\r\n serve") == Words{"vllm", "serve"});
  CHECK(words("a\\$b") == Words{"a$b"});
}

TEST_CASE("comments and redirections are left out, placeholders are words") {
  CHECK(words("run x # as root\n") == Words{"run", "x"});
  CHECK(words("run x > log.txt 2>&1") == Words{"run", "x"});
  CHECK(words("run x &> log.txt") == Words{"run", "x"});
  CHECK(words("run <MODEL> --env HF_TOKEN=<secret> y") == Words{"run", "<MODEL>", "--env", "HF_TOKEN=<secret>", "y"});
  CHECK(words("run < in.txt x") == Words{"run", "x"});
}

TEST_CASE("statements end at a line's end, ; and the shell's operators") {
  const auto pasted = split_pasted("export A=1; cd x && vllm serve m | tee log &\ncurl y", "test");
  REQUIRE(pasted.has_value());
  CHECK(pasted->statements ==
        std::vector<Words>{{"export", "A=1"}, {"cd", "x"}, {"vllm", "serve", "m"}, {"tee", "log"}, {"curl", "y"}});
}

TEST_CASE("here-documents are kept apart") {
  const auto pasted = split_pasted("cat > f.yml <<'EOF'\na: 'x\n  b: 1\nEOF\nrun f.yml", "test");
  REQUIRE(pasted.has_value());
  CHECK(pasted->documents == std::vector<std::string>{"a: 'x\n  b: 1\n"});
  CHECK(pasted->statements == std::vector<Words>{{"cat"}, {"run", "f.yml"}});
  CHECK(split_pasted("cat <<EOF\nnever ended", "test")->documents.size() == 1);
}

TEST_CASE("option files: keys by indentation") {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  CHECK(option_lines("a: 1\nb:\n  c: 'x' # why\n  d:\n    e: true\n  - f: 2\ng: \"y\"\n# h: 3\n") ==
        Pairs{{"a", "1"}, {"b.c", "x"}, {"b.d.e", "true"}, {"g", "y"}});
}

TEST_CASE("what cannot be split is refused with its place and a remedy") {
  for (const char* text : {"vllm serve 'x", "\"", "a \"b\\"}) {
    CAPTURE(text);
    const auto pasted = split_pasted(text, "--from");
    REQUIRE(!pasted.has_value());
    CHECK(pasted.error()[0].where == "--from");
    CHECK(pasted.error()[0].what.find("never closed") != std::string::npos);
    CHECK(!pasted.error()[0].hint.empty());
  }
  CHECK(!split_pasted(std::string(1 << 20, 'x'), "--from").has_value());
}

TEST_CASE("long and odd texts are split in time") {
  for (const char* part : {"<a", "a<>", "\\ ", "\\", ">", "<<x ", "&>", "#\n", "''", "x: \n "}) {
    std::string text;
    while (text.size() < 200'000) text += part;
    const auto pasted = split_pasted(text, "test");
    CHECK(pasted.has_value());
    option_lines(text);
  }
}

}  // namespace pasted_test
