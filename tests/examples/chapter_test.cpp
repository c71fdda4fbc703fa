// Does a claim that fails say so?

#include "examples/reversible/chapter.hpp"

#include <limits>

#include <doctest/doctest.h>

#include "examples/reversible/text.hpp"

using namespace reversible;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();

Chapter chapter_with(double measured) {
  return {.key = "memory",
          .title = "5. Memory",
          .text = "Text.\n",
          .tables = {{"peak", "blocks", {{"stored", "stored", "%.1f"}}, {{"2", {1.5}}, {"16", {kNan}}}}},
          .claims = {{"flat", "peak over peak", measured, 1, 1.5}}};
}

}  // namespace

TEST_CASE("a claim holds within its bounds and nowhere else") {
  CHECK(Claim{"", "", 1.0, 1, 1.5}.holds());
  CHECK(Claim{"", "", 1e9, 1, kInfinity}.holds());
  for (const double measured : {0.99, 1.51, kInfinity, kNan}) CHECK_FALSE(Claim{"", "", measured, 1, 1.5}.holds());
}

TEST_CASE("a failure names the chapter, the claim, what was measured and what was promised") {
  CHECK(failures({chapter_with(1.2)}).empty());
  CHECK(failures({chapter_with(1.2), chapter_with(3)}) ==
        "memory.flat: peak over peak: 3, promised between 1 and 1.5\n");
  CHECK(as_text(chapter_with(3)).find("FAILED  peak over peak") != std::string::npos);
}

TEST_CASE("tables are aligned, and what was not measured is a dash") {
  CHECK(as_text(chapter_with(1)).find("  blocks  stored\n  2          1.5\n  16           -\n") != std::string::npos);
}

TEST_CASE("JSON has null for what is no number") {
  const std::string json = as_json({chapter_with(kNan)}, 3);
  CHECK(json.find("\"peak\": [{\"label\": \"2\", \"stored\": 1.5}, {\"label\": \"16\", \"stored\": null}]") !=
        std::string::npos);
  CHECK(json.find("\"measured\": null, \"low\": 1, \"high\": 1.5, \"holds\": false") != std::string::npos);
}

TEST_CASE("a longer context never makes the text harder to guess") {
  const Alphabet alphabet;
  CHECK(alphabet.size > 20);
  double before = std::log(static_cast<double>(alphabet.size));
  for (std::size_t context = 0; context < 5; ++context) {
    const double now = counted_entropy(alphabet, context);
    CHECK(now < before);
    before = now;
  }
}
