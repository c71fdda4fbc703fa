// Does a changed dimension change what follows from it, and nothing else?

#include "model/reshaped.hpp"

#include <doctest/doctest.h>

#include "catalog_library.hpp"

namespace reshaped_test {

using namespace ridge;
using doctest::Approx;
using ridge::testing::model;

namespace {

Model with(const char* name, ShapeKind kind, double value) {
  const auto changed = reshaped(model(name), kind, value);
  REQUIRE_MESSAGE(changed, (changed ? "" : changed.error().front().what));
  return *changed;
}

double kv_elements(const Model& one) { return stored_elements(context_terms(one), Held::kv, 1000); }

}  // namespace

TEST_CASE("the own value changes no parameter and no byte of context") {
  for (const char* name : {"llama-3.1-70b", "deepseek-v3", "gpt-oss-120b"}) {
    for (const ShapeKind kind : kShapeKinds) {
      const auto own = shape_value(model(name), kind);
      if (!own || *own == 0) continue;
      CAPTURE(name);
      CAPTURE(name_of(kind));
      const Model same = with(name, kind, *own);
      CHECK(count_parameters(same).total() == Approx(count_parameters(model(name)).total()).epsilon(1e-3));
      CHECK(kv_elements(same) == kv_elements(model(name)));
    }
  }
}

TEST_CASE("half of the layers have half of the layers' parameters and half of the KV cache") {
  const Model &whole = model("llama-3.1-70b"), half = with("llama-3.1-70b", ShapeKind::layers, 40);
  const ParameterParts a = count_parameters(whole), b = count_parameters(half);
  CHECK(b[Part::attention] == Approx(a[Part::attention] / 2));
  CHECK(b[Part::dense_ffn] == Approx(a[Part::dense_ffn] / 2));
  CHECK(b[Part::embedding] == a[Part::embedding]);
  CHECK(kv_elements(half) == Approx(kv_elements(whole) / 2));
}

TEST_CASE("a quarter of the KV heads keeps a quarter of the cache") {
  const Model two = with("llama-3.1-70b", ShapeKind::kv_heads, 2);
  CHECK(kv_elements(two) == Approx(kv_elements(model("llama-3.1-70b")) / 4));
  // key and value projections: 2 x 8192 x (8 - 2) x 128 less in each of 80 layers
  CHECK(count_parameters(model("llama-3.1-70b")).total() - count_parameters(two).total() ==
        Approx(80.0 * 2 * 8192 * 6 * 128));
  CHECK_FALSE(reshaped(model("llama-3.1-70b"), ShapeKind::kv_heads, 3));
  CHECK_FALSE(reshaped(model("deepseek-v3"), ShapeKind::kv_heads, 2));  // latent attention has none
}

TEST_CASE("twice the experts are twice the routed parameters, and no more are active but the router's") {
  const Model &one = model("deepseek-v3"), more = with("deepseek-v3", ShapeKind::experts, 512);
  const ParameterParts a = count_parameters(one), b = count_parameters(more);
  CHECK(b[Part::routed_experts] == Approx(2 * a[Part::routed_experts]));
  CHECK(active_parameters(more) - active_parameters(one) == Approx(b[Part::router] - a[Part::router]));
  CHECK_FALSE(reshaped(one, ShapeKind::experts, 4));    // a token uses 8
  CHECK_FALSE(reshaped(one, ShapeKind::experts, 260));  // not in 8 groups
  CHECK_FALSE(reshaped(model("llama-3.1-70b"), ShapeKind::experts, 8));
}

TEST_CASE("networks and query heads grow with the hidden size, the KV cache does not") {
  const Model &one = model("llama-3.1-70b"), wide = with("llama-3.1-70b", ShapeKind::hidden, 16384);
  const ParameterParts a = count_parameters(one), b = count_parameters(wide);
  CHECK(b[Part::dense_ffn] == Approx(4 * a[Part::dense_ffn]));
  CHECK(b[Part::embedding] == Approx(2 * a[Part::embedding]));
  CHECK(kv_elements(wide) == kv_elements(one));
}

TEST_CASE("a window bounds the cache of the layers that have one") {
  // half of gpt-oss's layers have windows of 128: with 512 a context of 1000 keeps 512 there instead
  const Model &one = model("gpt-oss-120b"), wide = with("gpt-oss-120b", ShapeKind::window, 512);
  CHECK(kv_elements(wide) / kv_elements(one) == Approx((1000.0 + 512) / (1000 + 128)));
  const Model llama = with("llama-3.1-70b", ShapeKind::window, 500);  // has none: all are given one
  CHECK(kv_elements(llama) == Approx(kv_elements(model("llama-3.1-70b")) / 2));
}

TEST_CASE("usual values are possible ones around the own") {
  for (const ShapeKind kind : kShapeKinds) {
    const auto values = usual_values(model("gpt-oss-120b"), kind);
    CHECK(values.size() >= 3);
    for (const double value : values) CHECK(reshaped(model("gpt-oss-120b"), kind, value));
  }
  CHECK(usual_values(model("llama-3.1-70b"), ShapeKind::experts).empty());
}

}  // namespace reshaped_test
