// Are impossible layouts refused, with the possible degrees in the hint?

#include "layout/layout.hpp"

#include <doctest/doctest.h>

#include "catalog_library.hpp"

using namespace ridge;

using ridge::testing::library;
using ridge::testing::model;

namespace {

/// The only error of a layout that is refused.
Error refused(const Layout& layout, const std::string& name) {
  const auto result = checked(layout, model(name));
  REQUIRE(!result);
  REQUIRE(result.error().size() == 1);
  return result.error().front();
}

}  // namespace

TEST_CASE("chips are the product of all degrees but expert parallelism") {
  const Layout layout{.tensor = 2, .pipeline = 3, .context = 2, .attention_data = 4, .expert = 8, .replicas = 5};
  CHECK(layout.chips_per_stage() == 16);  // 2 * 2 * 4
  CHECK(layout.chips() == 240);           // 16 * 3 * 5
  CHECK(layout.moe_tensor() == 2);        // 16 chips hold 8 shares of the experts
}

TEST_CASE("a layout is called as engines call it") {
  CHECK(short_name({}) == "TP1");
  CHECK(short_name({.tensor = 8}) == "TP8");
  CHECK(short_name({.tensor = 4, .expert = 4}) == "TEP4");
  CHECK(short_name({.pipeline = 2, .attention_data = 8, .expert = 64, .replicas = 3}) == "3×DP8·EP64·PP2");
}

TEST_CASE("a degree is divided among as many pieces as there are") {
  CHECK(divided(4, 8) == 4);
  CHECK(divided(16, 8) == 8);  // each kv head twice
  CHECK(divided(16, kUnlimited) == 16);
}

TEST_CASE("tensor parallelism by 3 is refused, with the degrees that divide the heads") {
  // 64 query heads: their divisors; the 8 kv heads are copied above 8
  const Error error = refused({.tensor = 3}, "llama-3-70b");
  CHECK(error.where == "tp");
  CHECK(error.hint == "possible: 1, 2, 4, 8, 16, 32, 64");
  CHECK(refused({.tensor = 128}, "llama-3-70b").hint == error.hint);
  CHECK(valid_tensor(model("llama-3-70b"), 8) == std::vector<double>{1, 2, 4, 8});
}

TEST_CASE("kv heads are copied where there are fewer than chips") {
  // Llama-3-70B on 16 chips, Qwen2.5-7B (28 query heads, 4 kv heads) on 4 but not on 8
  CHECK(checked({.tensor = 16}, model("llama-3-70b")));
  CHECK(checked({.tensor = 4}, model("qwen2.5-7b")));
  CHECK(refused({.tensor = 8}, "qwen2.5-7b").hint.find("1, 2, 4") != std::string::npos);
}

TEST_CASE("expert parallelism by 7 is refused, with the degrees that divide experts and chips") {
  // 256 experts over 8 chips: 1, 2, 4, 8
  const Error error = refused({.tensor = 8, .expert = 7}, "deepseek-v3");
  CHECK(error.where == "ep");
  CHECK(error.hint == "possible: 1, 2, 4, 8");
  CHECK(error.what.find("256 experts") != std::string::npos);
  CHECK(checked({.tensor = 8, .expert = 8}, model("deepseek-v3")));
  CHECK(checked({.tensor = 8, .expert = 1}, model("deepseek-v3")));
}

TEST_CASE("copies of experts make room for more degrees") {
  // DeepSeek's decoding on 144 chips: 256 experts do not divide, 288 do
  CHECK(!checked({.attention_data = 144, .expert = 144}, model("deepseek-v3")));
  CHECK(checked({.attention_data = 144, .expert = 144, .redundant_experts = 32}, model("deepseek-v3")));
}

TEST_CASE("more stages than layers are refused") {
  const Error error = refused({.pipeline = 62}, "deepseek-v3");
  CHECK(error.where == "pp");
  CHECK(error.what == "62 stages for 61 layers");
  CHECK(error.hint == "at most 61");
  CHECK(checked({.pipeline = 61}, model("deepseek-v3")));
}

TEST_CASE("a dense model has no expert parallelism") {
  const Error error = refused({.tensor = 8, .expert = 8}, "llama-3-70b");
  CHECK(error.where == "ep");
  CHECK(error.what.find("no experts") != std::string::npos);
  CHECK(error.hint.find("leave it out") != std::string::npos);
}

TEST_CASE("degrees are whole numbers from one, and every wrong one is named") {
  for (const double wrong : {0.0, -1.0, 1.5, 1e7, std::numeric_limits<double>::quiet_NaN(), kUnlimited}) {
    CAPTURE(wrong);
    CHECK(refused({.tensor = wrong}, "llama-3-70b").where == "tp");
    CHECK(refused({.context = wrong}, "llama-3-70b").where == "cp");
    CHECK(refused({.replicas = wrong}, "llama-3-70b").where == "replicas");
  }
  const auto both = checked({.tensor = 0, .pipeline = 0.5}, model("llama-3-70b"));
  REQUIRE(!both);
  CHECK(both.error().size() == 2);
}

TEST_CASE("every model lies on one chip, and on every degree that is said to be valid") {
  for (const Model& one : library().models) {
    CAPTURE(one.name);
    CHECK(checked({}, one));
    for (const double degree : valid_tensor(one, 64)) {
      CAPTURE(degree);
      CHECK(checked({.tensor = degree}, one));
    }
  }
}

TEST_CASE("a layout's short name is read back, and what is none is refused") {
  for (const Layout& layout :
       {Layout{}, Layout{.tensor = 4, .expert = 4}, Layout{.pipeline = 3, .attention_data = 8, .expert = 8},
        Layout{.tensor = 2, .context = 2}}) {
    CHECK(parse_layout(short_name(layout), "here").value() == layout);
  }
  CHECK(parse_layout("tp4,ep4", "here").value() == parse_layout(" ep4  tp4 ", "here").value());
  for (const char* wrong :
       {"", " ", "tp", "tp0", "tp1.5", "tp-2", "xp4", "4", "tp1e9", "tp4 and more", "x2", "tp4 tp8"}) {
    CHECK_FALSE(parse_layout(wrong, "here"));
  }
}
