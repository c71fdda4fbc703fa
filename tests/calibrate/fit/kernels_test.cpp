// Do measured kernels meet the equations with the shapes that were measured?

#include "calibrate/fit/kernels.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "serve/step/step.hpp"

namespace kernels_test {

using namespace ridge;

namespace {

/// Relative: doctest's own adds 1 to the size of a number, and times are far below 1.
doctest::Approx Approx(double value) { return doctest::Approx(value).scale(0); }

/// 1 TFLOP/s, 1 GB/s, all of it reached and nothing to start: a time is an amount of work or of bytes.
ChipRates<double> ideal() {
  ChipRates<double> r;
  r.peak.matrix.fill(FlopsPerSecond<double>(1e12));
  r.peak.memory = r.peak.scale_up = r.peak.scale_out = BytesPerSecond<double>(1e9);
  const auto fill = [](std::string_view, auto& field) {
    using Field = std::remove_reference_t<decltype(field)>;
    field = Field(std::is_same_v<Field, Seconds<double>> ? 0.0 : std::is_same_v<Field, PerSecond<double>> ? 1e30 : 1.0);
  };
  ChipCalibration<double>::visit_fields(r.chip, fill);
  KernelCalibration<double>::visit_fields(r.kernel, fill);
  return r;
}

KernelCase product_case(double m, double n, double k) {
  KernelCase c;
  c.row.kind = KernelClass::product;
  c.row.m = m;
  c.row.n = n;
  c.row.k = k;
  return c;
}

KernelCase attention_case(KernelClass kind, double batch, double tokens) {
  KernelCase c;
  c.row.kind = kind;
  c.row.batch = batch;
  c.row.heads = 32;
  c.row.kv_heads = 8;
  c.row.head_dim = 128;
  c.row.tokens = tokens;
  return c;
}

KernelCase experts_case(double tokens, double ep, const char* distribution) {
  KernelCase c;
  c.row.kind = KernelClass::experts;
  c.row.tokens = tokens;
  c.row.hidden = 7168;
  c.row.size = 2048;
  c.row.top = 8;
  c.row.experts = 256;
  c.row.ep = ep;
  c.row.distribution = distribution;
  return c;
}

double bytes(const KernelCase& c) { return predict_kernel(c, ideal(), {}) * 1e9; }

}  // namespace

TEST_CASE("a product of one row moves its weights, its input and its output") {
  // 4096 x 8192 x 2 B, 4096 x 2 B in, 8192 x 2 B out
  CHECK(bytes(product_case(1, 8192, 4096)) == Approx(4096 * 8192 * 2 + 4096 * 2 + 8192 * 2).epsilon(1e-6));
}

TEST_CASE("decode attention reads keys and values of the context, or of the window") {
  // 4 sequences x 8 heads x 128 x 2 x 2 B = 16384 B a token
  KernelCase c = attention_case(KernelClass::decode_attention, 4, 1000);
  auto r = ideal();
  r.kernel.decode_rows = 0.0;
  const auto read = [&] { return predict_kernel(c, r, {}) * 1e9; };
  CHECK(read() == Approx(16384 * 1000.0).epsilon(1e-3));
  c.row.window = 128;
  CHECK(read() == Approx(16384 * 128.0).epsilon(1e-3));
  c.row.window = 4096;
  CHECK(read() == Approx(16384 * 1000.0).epsilon(1e-3));
  c.kv_width = 1;
  CHECK(read() == Approx(8192 * 1000.0).epsilon(1e-3));
}

TEST_CASE("latent decode reads one latent for all heads") {
  // 4 sequences x 1000 x 576 x 2 B; with 1 head there is nothing to compute
  KernelCase c = attention_case(KernelClass::latent_decode, 4, 1000);
  c.row.heads = 1;
  CHECK(bytes(c) == Approx(4 * 1000 * 576 * 2.0).epsilon(1e-3));
}

TEST_CASE("prefill attention computes half of all pairs, or the pairs inside a window") {
  auto r = ideal();
  r.kernel.prefill_rows = r.kernel.prefill_passes = 0.0;
  KernelCase c = attention_case(KernelClass::prefill_attention, 2, 1000);
  const auto flops = [&] { return predict_kernel(c, r, {}) * 1e12; };
  // 2 x 32 heads x 1000^2 / 2 scores of 4 x 128 FLOP
  CHECK(flops() == Approx(2.0 * 32 * 500'000 * 512));
  c.row.window = 100;  // 100^2 / 2 while it fills, then 900 x 100
  CHECK(flops() == Approx(2.0 * 32 * (5'000 + 90'000) * 512));
  c.row.kind = KernelClass::latent_prefill;  // 2 x (192 + 128) FLOP a score; it has no windows
  CHECK(flops() == Approx(2.0 * 32 * 500'000 * 640));
}

TEST_CASE("balanced routing uses every expert alike") {
  // 512 tokens x 8 over 8 chips: 512 rows, all 32 experts of a chip; 2 tokens: 2 rows, 2 experts
  KernelCase many = experts_case(512, 8, "balanced");
  route_tokens(many);
  CHECK(many.rows == 512);
  CHECK(many.touched == 32);
  KernelCase few = experts_case(2, 8, "balanced");
  route_tokens(few);
  CHECK(few.rows == 2);
  CHECK(few.touched == 2);
}

TEST_CASE("a power law loads the busiest chip above the mean, and touches fewer experts") {
  KernelCase even = experts_case(64, 8, "balanced"), skewed = experts_case(64, 8, "power_law_1.2");
  route_tokens(even);
  route_tokens(skewed);
  CHECK(skewed.rows > even.rows);
  CHECK(skewed.touched <= even.touched);
  KernelCase rebalanced = experts_case(64, 8, "power_law_1.2_eplb");
  route_tokens(rebalanced);
  CHECK(rebalanced.rows == even.rows);
}

TEST_CASE("on one chip a power law leaves the rows alone, unless an expert would get more than there are tokens") {
  for (const double tokens : {16.0, 128.0, 4096.0}) {
    CAPTURE(tokens);
    KernelCase skewed = experts_case(tokens, 1, "power_law_1.01");
    route_tokens(skewed);
    CHECK(skewed.rows <= tokens * 8 * (1 + 1e-9));
    CHECK(skewed.rows >= tokens * 8 * 0.7);
    CHECK(skewed.touched <= 256);
  }
}

TEST_CASE("a harness adds its own time and has a floor") {
  const KernelCase c = product_case(1, 8192, 4096);
  const double alone = predict_kernel(c, ideal(), {});
  CHECK(predict_kernel(c, ideal(), {.extra = 5e-6}) == Approx(alone + 5e-6));
  // a floor of the same length as the kernel: 2^(1/4) of it
  CHECK(predict_kernel(c, ideal(), {.launch = alone}) == Approx(alone * std::sqrt(std::sqrt(2.0))));
  CHECK(predict_kernel(c, ideal(), {.launch = alone / 100}) == Approx(alone));
  // a slope for each thousand of the inner dimension
  CHECK(predict_kernel(c, ideal(), {.slope = 1e-6}) == Approx(alone + 4.096e-6));
  // a quantizer's walk over each thousand of it, where the input is narrow
  CHECK(predict_kernel(c, ideal(), {.walk = 1e-6}) == alone);
  KernelCase narrow = c;
  narrow.precision = Precision::bits8;
  CHECK(predict_kernel(narrow, ideal(), {.walk = 1e-6}) == Approx(predict_kernel(narrow, ideal(), {}) + 4.096e-6));
}

TEST_CASE("rows of another class, program or format have another harness") {
  KernelRow row;
  row.kernel = "torch_flow";
  row.format = "fp8";
  const std::string name = harness_name(row);
  KernelRow other = row;
  other.chip = "b200";  // a harness is the program's, not the chip's
  CHECK(harness_name(other) == name);
  other.format = "bf16";
  CHECK(harness_name(other) != name);
  other = row;
  other.kernel = "vllm";
  CHECK(harness_name(other) != name);
  other = row;
  other.kind = KernelClass::experts;
  CHECK(harness_name(other) != name);
}

TEST_CASE("a prompt's attention moves as many bytes in a step as in the measured kernel of its shape") {
  // on a chip that computes at once, attention is what it moves
  auto r = ideal();
  r.peak.matrix.fill(FlopsPerSecond<double>(1e30));
  const auto in_step = [&](const Mixer& mixer) {
    Model model;
    model.hidden = 4096;
    model.vocabulary = 1000;
    Layer layer;
    layer.mixer = mixer;
    model.kinds = {layer};
    model.order = {0};
    StepLoad<double> load;
    load.decodes = false;
    load.prefills = true;
    load.prompts = load.prefills_in_group = 2.0;
    load.prompt_tokens = 1000.0;
    const auto times = step_times(step_operations(model, {}, {}, {}), r, load);
    return times.part[static_cast<std::size_t>(StepPart::attention)].value() * 1e9;
  };
  const auto measured = [&](KernelClass kind) { return predict_kernel(attention_case(kind, 2, 1000), r, {}) * 1e9; };
  // grouped: 32 heads of queries and results, 8 of keys and values read and written: 2 x 1000 x 128 x (128 + 64) B
  const double grouped = in_step(GroupedAttention{.query_heads = 32, .kv_heads = 8, .head_dim = 128, .value_dim = 128});
  CHECK(grouped == Approx(2.0 * 1000 * 128 * (2 * 32 * 2 + 2 * 8 * 4)));
  CHECK(grouped == Approx(measured(KernelClass::prefill_attention)));
  // latent, expanded: queries and keys of 192, values and results of 128, for each of 32 heads; the latent, twice 576,
  // is a twentieth of that
  const double latent =
      in_step(LatentAttention{.query_heads = 32, .kv_rank = 512, .nope_dim = 128, .rope_dim = 64, .value_dim = 128});
  CHECK(latent == Approx(measured(KernelClass::latent_prefill)).epsilon(0.1));
}

}  // namespace kernels_test
