// Is a step the sum of its operations, and does every chip hold and do what its layout gives it? A small model by hand;
// DeepSeek-V3 and gpt-oss-120b; every model of the catalog against the tensors' own sums.

#include "serve/step/step.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "catalog_library.hpp"
#include "serve/step/step.ipp"
#include "serve/step/step_formats.hpp"

namespace step_test {

using namespace ridge;
using doctest::Approx;

using ridge::testing::library;

namespace {

using Q = Ratio<double>;
constexpr double kExact = 1e-12;  // sums in another order

const Model& model(const std::string& name) {
  const Model* found = find_named(library().models, name);
  if (found == nullptr) FAIL("no model ", name);
  return *found;
}

const Chip& chip(const std::string& name) {
  const Chip* found = find_named(library().chips, name);
  if (found == nullptr) FAIL("no chip ", name);
  return *found;
}

StepFormats released(const Model& one) { return step_formats(one, library(), chip("h200-sxm"), {}).value(); }

/// Two layers of 64 wide: 8 query heads and 2 kv heads of 16, a gated network of 256; 1,000 words.
Model small_model() {
  Model small;
  small.title = "small";
  small.hidden = 64;
  small.vocabulary = 1000;
  Layer layer;
  layer.mixer = GroupedAttention{.query_heads = 8, .kv_heads = 2, .head_dim = 16, .value_dim = 16};
  layer.dense = DenseFeedForward{.size = 256};
  small.kinds = {layer};
  small.order = {0, 0};
  return small;
}

/// Datasheet peaks of 1 TFLOP/s, 1 GB/s and 1 GB/s, reached in full, and nothing takes time to start: so times are
/// amounts.
ChipRates<double> ideal() {
  ChipRates<double> r;
  r.peak.matrix.fill(FlopsPerSecond<double>(1e12));
  r.peak.memory = r.peak.scale_up = r.peak.scale_out = BytesPerSecond<double>(1e9);
  ChipCalibration<double>::visit_fields(r.chip, [](std::string_view, auto& field) {
    using Field = std::remove_reference_t<decltype(field)>;
    field = Field(std::is_same_v<Field, Seconds<double>> ? 0.0 : 1.0);
  });
  r.chip.softmax_rate = PerSecond<double>(1e30);
  KernelCalibration<double>::visit_fields(r.kernel, [](std::string_view, auto& field) {
    using Field = std::remove_reference_t<decltype(field)>;
    field = Field(std::is_same_v<Field, Seconds<double>> ? 0.0 : 1.0);
  });
  r.kernel.expert_skew = 1e-6;
  return r;
}

StepLoad<double> decode(double sequences, double context) {
  StepLoad<double> load;
  load.sequences = sequences;
  load.new_tokens = 1.0;
  load.context = Tokens<double>(context);
  return load;
}

StepLoad<double> prefill(double prompts, double tokens, double cached) {
  StepLoad<double> load;
  load.decodes = false;
  load.prefills = true;
  load.prompts = load.prefills_in_group = prompts;
  load.prompt_tokens = tokens;
  load.prompt_context = Tokens<double>(cached);
  return load;
}

double flops(const StepOperations& plan, const StepLoad<double>& load) {
  return step_times(plan, ideal(), load).compute.value() * 1e12;
}
double bytes_read(const StepOperations& plan, const StepLoad<double>& load) {
  return step_times(plan, ideal(), load).memory.value() * 1e9;
}
double bytes_sent(const StepOperations& plan, const StepLoad<double>& load) {
  return step_times(plan, ideal(), load).network.value() * 1e9;
}

const GemmOperation& product(const StepOperations& plan, double inner, double outer) {
  for (const GemmOperation& one : plan.products) {
    if (one.inner == inner && one.outer == outer) return one;
  }
  FAIL("no product ", inner, " x ", outer);
  return plan.products.front();
}

/// Bytes of all that a step keeps as matrices or tables, part by part: parameters less those of vectors and filters.
double matrix_bytes(const Model& one, const StepFormats& formats) {
  ParameterParts parts = count_parameters(one);
  visit_weights(one, [&](const Weight& weight, double times) {
    const bool matrix = weight.use == Use::table || weight.use == Use::matrix;
    if (!matrix) parts[weight.part] -= weight.params() * times;
  });
  double bytes = 0;
  for (const Part part : all_parts()) {
    if (part == Part::mtp || part == Part::vision || part == Part::audio) continue;
    bytes += parts[part] * formats.parts[static_cast<std::size_t>(part)].width;
  }
  return bytes;
}

double matrix_flops(const Model& one) {
  double used = 0;
  visit_weights(one, [&](const Weight& weight, double times) {
    if (weight.use == Use::matrix && weight.part != Part::mtp) used += weight.active() * times;
  });
  return 2 * used;
}

}  // namespace

TEST_CASE("the small model's step is five products and an attention") {
  const StepOperations plan = step_operations(small_model(), {}, {}, {});
  // queries, keys and values are one product of 8 * 16 + 2 * 2 * 16; gate and up are one of 2 * 256
  REQUIRE(plan.products.size() == 5);
  CHECK(product(plan, 64, 192).weights == 64 * 192 * 2);
  CHECK(product(plan, 64, 192).times == 2);
  CHECK(product(plan, 128, 64).part == StepPart::projections);
  CHECK(product(plan, 64, 512).part == StepPart::dense_ffn);
  CHECK(product(plan, 256, 64).weights == 256 * 64 * 2);
  CHECK(product(plan, 64, 1000).part == StepPart::head);
  CHECK(product(plan, 64, 1000).times == 1);
  // attention 64 * 192 + 128 * 64 = 20480, network 3 * 64 * 256 = 49152: 69632 a layer; head and embedding 64000 each
  CHECK(weights_held(plan) == (2 * 69632 + 2 * 64000) * 2);
  REQUIRE(plan.attention.size() == 1);
  CHECK(plan.attention[0].kv_heads == 2);
  CHECK(plan.attention[0].group == 4);
  CHECK(plan.all_reduces.empty());
  CHECK(plan.all_to_alls.empty());
  CHECK(plan.hops == 0);
  // 2 kv heads x 16 x (key and value) x 2 B x 2 layers
  CHECK(context_held(plan, 1000) == 256'000);
}

TEST_CASE("four chips have a quarter of the small model, but each of its two kv heads twice") {
  const StepOperations plan = step_operations(small_model(), {.tensor = 4}, {}, {.domain = 8});
  // queries 128 / 4 = 32, keys and values 32 / 2 = 16 each
  CHECK(product(plan, 64, 64).weights == 64 * 64 * 2);
  CHECK(product(plan, 32, 64).part == StepPart::projections);
  CHECK(product(plan, 64, 128).part == StepPart::dense_ffn);
  CHECK(product(plan, 64, 64).part == StepPart::projections);
  CHECK(product(plan, 64, 250).part == StepPart::head);
  // a layer: 64 * 64 + 32 * 64 + 3 * 64 * 64 = 18432; head and embedding 16000 each
  CHECK(weights_held(plan) == (2 * 18432 + 2 * 16000) * 2);
  CHECK(plan.attention[0].kv_heads == 1);
  CHECK(plan.attention[0].heads == 2);
  CHECK(plan.attention[0].group == 2);
  CHECK(context_held(plan, 1000) == 128'000);  // half, not a quarter
  // after attention and after the network of each layer: 64 x 2 B a token over 4 chips
  double all_reduces = 0;
  for (const AllReduceOperation& reduce : plan.all_reduces) {
    CHECK(reduce.bytes == 128);
    CHECK(reduce.over.chips == 4);
    CHECK(reduce.over.domains == 1);
    all_reduces += reduce.times;
  }
  CHECK(all_reduces == 4);
}

TEST_CASE("a tensor group larger than a domain reaches over several") {
  const StepOperations plan = step_operations(small_model(), {.tensor = 8}, {}, {.domain = 4});
  REQUIRE(!plan.all_reduces.empty());
  CHECK(plan.all_reduces.front().over.chips == 4);
  CHECK(plan.all_reduces.front().over.domains == 2);
}

TEST_CASE("stages divide layers and hand on their results") {
  const StepOperations plan = step_operations(small_model(), {.tensor = 2, .pipeline = 2}, {}, {.domain = 4});
  CHECK(plan.hops == 1);
  CHECK(plan.hop_bytes == 64);  // 64 x 2 B, half from each of the two chips
  CHECK(plan.hops_inside);
  CHECK(!step_operations(small_model(), {.tensor = 2, .pipeline = 2}, {}, {.domain = 2}).hops_inside);
  // half of the layers, and either the head or the embedding: at tp2 a layer is 34816, a table 32000
  CHECK(weights_held(plan) == (34816 + 32000) * 2);
  CHECK(context_held(plan, 1000) == 64'000);
}

TEST_CASE("one token of the small model is two FLOP a weight") {
  const StepOperations plan = step_operations(small_model(), {}, {}, {});
  // 2 * (2 * 69632 + 64000); attention 2 layers * 4 * 8 * 16 FLOP a token of context
  CHECK(flops(plan, decode(1, 0)) == Approx(406'528).epsilon(kExact));
  CHECK(flops(plan, decode(1, 100)) == Approx(406'528 + 102'400).epsilon(kExact));
  CHECK(flops(plan, decode(7, 100)) == Approx(7 * (406'528 + 102'400)).epsilon(kExact));
  CHECK(bytes_read(plan, decode(3, 100)) == Approx((2 * 69632 + 64000) * 2 + 3 * 25'600).epsilon(kExact));
}

TEST_CASE("guessed tokens multiply the work and not the reading") {
  const StepOperations plan = step_operations(small_model(), {}, {}, {});
  StepLoad<double> load = decode(3, 100);
  load.new_tokens = 4.0;
  CHECK(flops(plan, load) == Approx(4 * flops(plan, decode(3, 100))).epsilon(kExact));
  CHECK(bytes_read(plan, load) == Approx(bytes_read(plan, decode(3, 100))).epsilon(kExact));
}

TEST_CASE("a prompt needs the head for its last token only") {
  const StepOperations plan = step_operations(small_model(), {}, {}, {});
  // 2 prompts of 100: layers 200 times, the head twice; attention sees 100^2 / 2 tokens for each
  const double layers = 2.0 * 2 * 69632 * 200, head = 2.0 * 64000 * 2, attention = 1024.0 * 5000 * 2;
  CHECK(flops(plan, prefill(2, 100, 0)) == Approx(layers + head + attention).epsilon(kExact));
}

TEST_CASE("the contexts that a prompt's tokens see together are those of counting them one by one") {
  // the k-th of n new tokens sees the context before it and k - 1/2 of the new ones: itself by half
  for (const double limit : {kUnlimited, 128.0, 1000.0}) {
    for (const double context : {0.0, 1.0, 100.0, 5000.0}) {
      for (const int count : {1, 7, 128, 900, 1500}) {
        double sum = 0, causal = 0;
        for (int k = 1; k <= count; ++k) {
          sum += std::min(context + k - 0.5, limit);
          causal += std::min(context + k, limit);
        }
        CAPTURE(limit);
        CAPTURE(context);
        CAPTURE(count);
        const double seen = step::seen_context(Q(double(count)), Tokens<double>(context), limit).value();
        CHECK(seen == Approx(sum).epsilon(kExact));
        CHECK(std::abs(seen - causal) <= 0.5 * count);  // half a token each, at most
      }
    }
  }
}

TEST_CASE("a step at datasheet peaks with nothing to start takes what its operations take, one after the other") {
  // one sequence, no context: every product reads its weights and 2 (inner + outer) bytes at 1 GB/s, and computes nothing
  // to speak of; attention writes 128 B of cache a layer; small kernels move their bytes
  const StepOperations plan = step_operations(small_model(), {}, {}, {});
  const StepTimes<double> times = step_times(plan, ideal(), decode(1, 0));
  const auto part = [&](StepPart which) { return times.part[static_cast<std::size_t>(which)].value() * 1e9; };
  CHECK(part(StepPart::projections) == Approx(2 * (20480 * 2 + 2 * (64 + 192 + 128 + 64))).epsilon(1e-6));
  CHECK(part(StepPart::dense_ffn) == Approx(2 * (49152 * 2 + 2 * (64 + 512 + 256 + 64))).epsilon(1e-6));
  CHECK(part(StepPart::head) == Approx(64000 * 2 + 2 * 1064).epsilon(1e-6));
  CHECK(part(StepPart::attention) == Approx(2 * 128).epsilon(1e-3));
  CHECK(part(StepPart::small) == Approx(plan.small_bytes));
  double sum = 0;
  for (const auto& one : times.part) sum += one.value();
  CHECK(times.calibrated().value() == Approx(sum).epsilon(kExact));
  CHECK(times.bound().value() * 1e9 == Approx((2 * 69632 + 64000) * 2).epsilon(kExact));
}

TEST_CASE("every model's plan on one chip holds its matrices at their widths, and computes with all of them") {
  for (const Model& one : library().models) {
    CAPTURE(one.name);
    const StepFormats formats = released(one);
    const StepOperations plan = step_operations(one, {}, formats, {});
    CHECK(weights_held(plan) == Approx(matrix_bytes(one, formats)).epsilon(kExact));
    CHECK(flops(plan, decode(1, 0)) ==
          Approx(matrix_flops(one) + attention_flops(context_terms(one), 0)).epsilon(kExact));
    // vectors are a hundredth of a percent
    CHECK(flops(plan, decode(1, 0)) ==
          Approx(weight_flops(one) + attention_flops(context_terms(one), 0)).epsilon(0.002));
  }
}

TEST_CASE("every model's plan on one chip reads and keeps the context that its terms say") {
  for (const Model& one : library().models) {
    const StepFormats formats = released(one);
    const StepOperations plan = step_operations(one, {}, formats, {});
    const ContextTerms terms = context_terms(one);
    for (const double context : {1.0, 100.0, 1000.0, 123'456.0}) {
      CAPTURE(one.name);
      CAPTURE(context);
      double read = 0, stored = 0;
      for (const auto& [held, width] : {std::pair{Held::kv, formats.kv_width},
                                        {Held::index, formats.index_width},
                                        {Held::state, formats.state_width}}) {
        read += (read_elements(terms, held, context) - read_elements(terms, held, 0)) * width;
        stored += stored_elements(terms, held, context) * width;
      }
      // by the difference to no context, in which weights and experts cancel
      const double rounding = 1e-10 * bytes_read(plan, decode(2, context));
      CHECK(std::abs(bytes_read(plan, decode(2, context)) - bytes_read(plan, decode(2, 0)) - 2 * read) <= rounding);
      CHECK(context_held(plan, context) == Approx(stored).epsilon(kExact));
      const double work = attention_flops(terms, context) - attention_flops(terms, 0);
      const double more = flops(plan, decode(2, context)) - flops(plan, decode(2, 0));
      CHECK(std::abs(more - 2 * work) <= 1e-10 * flops(plan, decode(2, context)));
    }
  }
}

TEST_CASE("DeepSeek-V3's latent is whole on every chip, its heads and networks are divided") {
  const Model& one = model("deepseek-v3");
  const StepFormats formats = released(one);
  const StepOperations single = step_operations(one, {}, formats, {}),
                       eight = step_operations(one, {.tensor = 8}, formats, {.domain = 8});
  // 61 layers x 576 x 2 B: the published 70,272 B a token, on each of 8 chips
  CHECK(context_held(single, 1) == 70'272);
  CHECK(context_held(eight, 1) == 70'272);
  for (const AttentionOperation& attention : eight.attention) {
    CHECK(attention.latent);
    CHECK(attention.heads == 16);
    CHECK(attention.kv_heads == 1);
    CHECK(attention.group == 16);
    // 2 x 16 heads x (2 x 512 + 64) absorbed, 2 x 16 x (128 + 64 + 128) in prefill
    REQUIRE(attention.terms.size() == 1);
    CHECK(attention.terms[0].flops == 34'816);
    CHECK(attention.terms[0].prefill_flops == 10'240);
  }
  // whole: into the ranks (7168 x 1536, 7168 x 576) and the router; divided: out of the ranks by heads, networks by width
  CHECK(product(eight, 7168, 1536).times == 3);
  CHECK(product(eight, 7168, 576).part == StepPart::projections);
  CHECK(product(eight, 1536, 128 * 192 / 8).part == StepPart::projections);
  CHECK(product(eight, 512, 128 * 256 / 8).part == StepPart::projections);
  CHECK(product(eight, 128 * 128 / 8, 7168).part == StepPart::projections);
  CHECK(product(eight, 7168, 2 * 18432 / 8).part == StepPart::dense_ffn);
  CHECK(product(eight, 7168, 256).part == StepPart::experts);
  CHECK(product(eight, 7168, 129'280 / 8).part == StepPart::head);
  // what is whole is there eight times: 61 layers of q_a and kv_a, 58 routers
  const auto width = [&](Part part) { return formats.parts[static_cast<std::size_t>(part)].width; };
  const double whole = 61 * 7168.0 * (1536 + 576) * width(Part::attention) + 58 * 7168.0 * 256 * width(Part::router);
  CHECK(8 * weights_held(eight) == Approx(weights_held(single) + 7 * whole).epsilon(kExact));
}

TEST_CASE("expert parallelism moves experts, not bytes") {
  const Model& one = model("deepseek-v3");
  const StepFormats formats = released(one);
  const StepOperations sliced = step_operations(one, {.tensor = 8}, formats, {.domain = 8});
  const StepOperations spread = step_operations(one, {.tensor = 8, .expert = 8}, formats, {.domain = 8});
  REQUIRE(spread.experts.size() == 1);
  CHECK(sliced.experts[0].local == 256);
  CHECK(spread.experts[0].local == 32);
  CHECK(spread.experts[0].row_flops == 8 * sliced.experts[0].row_flops);
  CHECK(spread.experts[0].rows == 1);  // 8 experts over 8 chips
  CHECK(sliced.experts[0].deviations == 0);
  CHECK(spread.experts[0].deviations == Approx(1.424).epsilon(0.03));
  CHECK(weights_held(spread) == Approx(weights_held(sliced)).epsilon(kExact));
  CHECK(flops(spread, decode(64, 1000)) == Approx(flops(sliced, decode(64, 1000))).epsilon(kExact));
}

TEST_CASE("tokens go once to every chip that has one of their experts, and once to every domain") {
  // DeepSeek-V3 over 16 chips in one domain: a token reaches 16 (1 - (15/16)^8) = 6.45 chips, 15/16 of them elsewhere,
  // with 7168 numbers: 1 B each on the way out, 2 B on the way back
  const Model& one = model("deepseek-v3");
  StepFormats formats = released(one);
  formats.dispatch_width = 1;
  const StepOperations near = step_operations(one, {.attention_data = 16, .expert = 16}, formats, {.domain = 16});
  REQUIRE(near.all_to_alls.size() == 2);
  const double reached = 16 * (1 - std::pow(15.0 / 16, 8));
  CHECK(reached == Approx(6.453).epsilon(1e-3));
  CHECK(near.all_to_alls[0].inside == Approx(reached * 15 / 16 * 7168));
  CHECK(near.all_to_alls[1].inside == Approx(reached * 15 / 16 * 7168 * 2));
  CHECK(near.all_to_alls[0].outside == 0);
  CHECK(near.all_to_alls[0].times == 58);
  // over 8 domains of 8, limited to 4 of them by the router: 4 times 7/8 copies cross
  const StepOperations far = step_operations(one, {.attention_data = 64, .expert = 64}, formats, {.domain = 8});
  CHECK(far.all_to_alls[0].outside == Approx(4.0 * 7 / 8 * 7168));
  CHECK(bytes_sent(near, decode(10, 100)) == Approx(10 * 58 * reached * 15 / 16 * 7168 * 3));
}

TEST_CASE("experts whose matrices are sliced over data-parallel chips need every token on every one of them") {
  // eight groups with sequences of their own, every expert cut into eight: each token's 7168 numbers must reach the seven
  // other chips, whatever the algorithm
  const Model& one = model("deepseek-v3");
  StepFormats formats = released(one);
  formats.dispatch_width = 1;
  const StepOperations plan = step_operations(one, {.attention_data = 8, .expert = 1}, formats, {.domain = 8});
  CHECK(bytes_sent(plan, decode(10, 100)) >= 10 * 58 * 7 * 7168.0);
}

TEST_CASE("copies of experts share the tokens of the original") {
  // 288 slots for 256 experts: one token still touches 8 experts, and 144 chips have 8 / 144 of them each
  const Model& one = model("deepseek-v3");
  const StepOperations plan = step_operations(one, {.attention_data = 144, .expert = 144, .redundant_experts = 32},
                                              released(one), {.domain = 8});
  REQUIRE(plan.experts.size() == 1);
  const ExpertsOperation& experts = plan.experts[0];
  CHECK(experts.local == 2);
  CHECK(touched_experts(Q(1.0), experts.local, experts.share).value() == Approx(8.0 / 144).scale(0));
}

TEST_CASE("gpt-oss reads 128 tokens in every other layer") {
  const Model& one = model("gpt-oss-120b");
  const StepFormats formats = released(one);
  const StepOperations plan = step_operations(one, {}, formats, {});
  REQUIRE(plan.attention.size() == 2);
  // 8 kv heads x 128 x 2 B = 2048 B a token and layer, 18 layers of each kind
  CHECK(context_held(plan, 1000) == 18 * 2048.0 * (128 + 1000));
  CHECK(context_held(plan, 100) == 36 * 2048.0 * 100);
  CHECK(bytes_read(plan, decode(1, 2000)) - bytes_read(plan, decode(1, 1000)) ==
        Approx(18 * 2048.0 * 1000).epsilon(1e-6));
  CHECK(bytes_read(plan, decode(1, 100)) - bytes_read(plan, decode(1, 50)) == Approx(36 * 2048.0 * 50).epsilon(1e-6));
  // 16 chips: each kv head twice, so an eighth of the cache on each; queries and networks by 16
  const StepOperations wide = step_operations(one, {.tensor = 16}, formats, {.domain = 16});
  CHECK(context_held(wide, 1000) == Approx(context_held(plan, 1000) / 8));
  CHECK(product(wide, 2880, 64 * 64 / 16 + 2 * 8 * 64 / 8).part == StepPart::projections);
  // the experts are MXFP4: 0.53 B a parameter, widened to 16 bit on a chip without a 4-bit unit
  REQUIRE(plan.experts.size() == 2);
  CHECK(plan.experts[0].kernel.precision == Precision::bits16);
  CHECK(plan.experts[0].weights == Approx(3 * 2880.0 * 2880 * 0.53125).epsilon(0.005));
}

TEST_CASE("a table that is embedding and head at once is held once") {
  // Llama-3.2-1B: 1,235,814,400 parameters in 16 bit, of which 2 * 16 + 1 norms of 2048 are vectors
  const Model& one = model("llama-3.2-1b");
  REQUIRE(one.tied_embeddings);
  const StepOperations plan = step_operations(one, {}, {}, {});
  CHECK(weights_held(plan) == (1'235'814'400.0 - 33 * 2048) * 2);
}

TEST_CASE("a strict step reads the experts of one token, whatever the batch") {
  const Model& one = model("deepseek-v3");
  const StepOperations plan = step_operations(one, {}, released(one), {});
  const auto at = [&](double batch) { return step_times(plan, ideal(), decode(batch, 0)); };
  CHECK(at(1).memory_strict.value() == Approx(at(1).memory.value()));
  CHECK(at(256).memory_strict.value() == Approx(at(1).memory_strict.value()));
  CHECK(at(256).memory.value() > 10 * at(1).memory.value());
}

TEST_CASE("a sequence without context and a prompt that is all cached take a time, too") {
  for (const std::string name : {"llama-3-8b", "deepseek-v3", "gemma-4-e2b", "qwen3-next-80b-a3b", "nemotron-h-56b"}) {
    CAPTURE(name);
    const Model& one = model(name);
    const StepOperations plan = step_operations(one, {}, released(one), {});
    CHECK(std::isfinite(step_times(plan, ideal(), decode(1, 0)).calibrated().value()));
    StepLoad<double> cached = prefill(1, 0, 1000);
    cached.decodes = true;
    cached.sequences = cached.new_tokens = 1.0;
    CHECK(std::isfinite(step_times(plan, ideal(), cached).calibrated().value()));
  }
}

}  // namespace step_test
