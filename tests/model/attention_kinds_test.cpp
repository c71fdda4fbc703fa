// Is what each kind of attention keeps, reads and computes what its papers and serving engines say? One model a kind,
// worked by hand. Elements of a sequence: S is the context.

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "catalog_library.hpp"
#include "model/model.hpp"

using namespace ridge;
using doctest::Approx;

using ridge::testing::model;

namespace {

double kept(const Model& m, double context, Held held = Held::kv) {
  return stored_elements(context_terms(m), held, context);
}
double read(const Model& m, double context, Held held = Held::kv) {
  return read_elements(context_terms(m), held, context);
}
double work(const Model& m, double context) { return attention_flops(context_terms(m), context); }

/// A model of nothing but `layers` layers of one kind.
Model made_of(Mixer mixer, double hidden, std::size_t layers) {
  Model m;
  m.hidden = hidden;
  m.vocabulary = 1;
  m.kinds.resize(1);
  m.kinds.front().mixer = std::move(mixer);
  m.order.assign(layers, 0);
  return m;
}

}  // namespace

TEST_CASE("multi-head: every head of Llama 2 7B keeps its own keys and values") {
  const Model& llama = model("llama-2-7b");
  // 32 layers * 2 * 32 heads * 128 = 262,144 a token: 524,288 B in fp16
  CHECK(kept(llama, 1) == 262'144);
  CHECK(kept(llama, 4096) == 262'144.0 * 4096);
  CHECK(read(llama, 4096) == kept(llama, 4096));
  CHECK(work(llama, 4096) == 32 * 4.0 * 32 * 128 * 4096);  // scores and values, a multiply-add each
  CHECK(kept(llama, 4096, Held::index) == 0);
  CHECK(kept(llama, 4096, Held::state) == 0);
}

TEST_CASE("grouped: eight query heads of Llama 3.1 70B share one key and value") {
  const Model& llama = model("llama-3.1-70b");
  // 80 * 2 * 8 * 128 = 163,840 a token: 327,680 B in bf16; the work is that of all 64 heads
  CHECK(kept(llama, 1) == 163'840);
  CHECK(read(llama, 100'000) == 163'840.0 * 100'000);
  CHECK(work(llama, 1) == 80 * 4.0 * 64 * 128);
  // intensity 2g FLOP an element: 2 * 8
  CHECK(work(llama, 1000) / read(llama, 1000) == 16);
}

TEST_CASE("multi-query: Gemma 3 1B has one key/value head") {
  const Model& gemma = model("gemma-3-1b");
  // 26 layers, of which every sixth (4) sees everything and 22 see 512 tokens; 2 * 1 * 256 = 512 a layer and token
  CHECK(kept(gemma, 1) == 26 * 512);
  CHECK(kept(gemma, 32'768) == 512.0 * (4 * 32'768 + 22 * 512));
  CHECK(read(gemma, 32'768) == kept(gemma, 32'768));
  CHECK(work(gemma, 32'768) == 4.0 * 4 * 256 * (4 * 32'768 + 22 * 512));  // four query heads
}

TEST_CASE("latent: DeepSeek-V3 keeps one latent and one rotary key a token") {
  const Model& deepseek = model("deepseek-v3");
  // 61 * (512 + 64) = 35,136 a token: 70,272 B in bf16
  CHECK(kept(deepseek, 1) == 35'136);
  CHECK(2 * kept(deepseek, 1) == 70'272);
  CHECK(read(deepseek, 4096) == 35'136.0 * 4096);
  CHECK(work(deepseek, 1) == 61 * 2.0 * 128 * (2 * 512 + 64));  // absorbed: over the latent itself
  const auto& attention = std::get<LatentAttention>(deepseek.kinds.front().mixer);
  CHECK(attention.absorbed_flops() == 278'528);                       // 2 * 128 * (2*512 + 64)
  CHECK(attention.expanded_flops() == 2.0 * 128 * (128 + 64 + 128));  // 81,920: with keys and values of its own a head
}

TEST_CASE("sliding and global layers in turn: gpt-oss, Gemma 2 and Gemma 4") {
  // gpt-oss-120b: 36 layers, every second one with a window of 128; 2 * 8 * 64 = 1,024 a layer and token
  const Model& oss = model("gpt-oss-120b");
  CHECK(kept(oss, 100) == 36 * 1024.0 * 100);
  CHECK(kept(oss, 131'072) == 1024.0 * (18 * 131'072.0 + 18 * 128));
  CHECK(read(oss, 131'072) == kept(oss, 131'072));
  CHECK(work(oss, 131'072) == 4.0 * 64 * 64 * (18 * 131'072.0 + 18 * 128));
  // Gemma 2 2B: 13 and 13, a window of 4,096; 2 * 4 * 256 = 2,048
  CHECK(kept(model("gemma-2-2b"), 8192) == 2048.0 * (13 * 8192 + 13 * 4096));
  // Gemma 4 31B: 50 windows of 1,024 with 2 * 16 * 256 = 8,192; 10 global ones with 2 * 4 * 512 = 4,096: there one
  // projection makes key and value, but both are kept, since only one is rotated
  const Model& gemma = model("gemma-4-31b-nvfp4");
  CHECK(kept(gemma, 1) == 409'600 + 40'960);
  CHECK(kept(gemma, 262'144) == 409'600.0 * 1024 + 40'960.0 * 262'144);
  CHECK(read(gemma, 262'144) == kept(gemma, 262'144));
}

TEST_CASE("keys and values of different widths are both counted: MiMo-V2-Flash") {
  // 9 global layers with 4 * (192 + 128) = 1,280; 39 windows of 128 with 8 * 320 = 2,560
  const Model& mimo = model("mimo-v2-flash");
  CHECK(kept(mimo, 262'144) == 9 * 1280.0 * 262'144 + 39 * 2560.0 * 128);
  CHECK(work(mimo, 262'144) == 2.0 * 64 * 320 * (9 * 262'144.0 + 39 * 128));
}

TEST_CASE("chunked: a Llama 4 layer with positions keeps at most its chunk") {
  // 36 layers see their chunk of 8,192, 12 everything; 2 * 8 * 128 = 2,048 a layer and token
  const Model& scout = model("llama-4-scout");
  CHECK(kept(scout, 8192) == 48 * 2048.0 * 8192);
  CHECK(kept(scout, 1'000'000) == 2048.0 * (12 * 1'000'000.0 + 36 * 8192));
  // on average over its positions a chunk is half full
  CHECK(read(scout, 1'000'000) == 2048.0 * (12 * 1'000'000.0 + 36 * 4096));
}

TEST_CASE("cross-layer sharing divides what is kept, not what is read") {
  // Gemma 4 E2B: of 35 layers the first 15 keep (12 windows of 512 with 2*256 = 512, 3 global ones with 2*512 = 1,024);
  // the last 20 (16 and 4) read theirs
  const Model& gemma = model("gemma-4-e2b");
  CHECK(kept(gemma, 1) == 12 * 512 + 3 * 1024);  // 6,144 + 3,072
  CHECK(kept(gemma, 100'000) == 6144.0 * 512 + 3072.0 * 100'000);
  CHECK(read(gemma, 100'000) == 28 * 512.0 * 512 + 7 * 1024.0 * 100'000);
  CHECK(work(gemma, 100'000) == 4.0 * 8 * (28 * 256 * 512.0 + 7 * 512 * 100'000.0));
  // the sketch of Character.AI: 36 layers of which 6 are global, 2 of them keeping; of 30 windows of 1,024 16 keep;
  // multi-query, 2 * 128 = 256
  const Model& character = model("character-ai-like");
  CHECK(kept(character, 16'384) == 256.0 * (2 * 16'384 + 16 * 1024));
  CHECK(read(character, 16'384) == 256.0 * (6 * 16'384 + 30 * 1024));
}

TEST_CASE("sinks are weights: they add a logit a head and nothing to the cache") {
  const Model& oss = model("gpt-oss-120b");
  Model without = oss;
  for (Layer& kind : without.kinds) std::get<GroupedAttention>(kind.mixer).sinks = false;
  CHECK(count_parameters(oss)[Part::attention] - count_parameters(without)[Part::attention] == 36 * 64);
  CHECK(kept(oss, 5000) == kept(without, 5000));
  CHECK(read(oss, 5000) == read(without, 5000));
  CHECK(work(oss, 5000) == work(without, 5000));
}

TEST_CASE("indexed sparse: DeepSeek-V3.2 keeps everything, scores all index keys and reads 2,048 entries") {
  const Model& deepseek = model("deepseek-v3.2");
  for (const double context : {1000.0, 2048.0, 131'072.0}) {
    CAPTURE(context);
    const double chosen = std::min(context, 2048.0);
    CHECK(kept(deepseek, context) == 61 * 576 * context);
    CHECK(kept(deepseek, context, Held::index) == 61 * 128 * context);
    CHECK(read(deepseek, context) == 61 * 576 * chosen);
    CHECK(read(deepseek, context, Held::index) == 61 * 128 * context);
    // absorbed over the chosen, and 64 index heads of 128 over all
    CHECK(work(deepseek, context) == 61 * (2.0 * 128 * 1088 * chosen + 2.0 * 64 * 128 * context));
  }
  // kept in bf16 with index keys of 128 fp8 and one fp32 scale: 61 * (1,152 + 132) = 78,324 B a token
  CHECK(kept(deepseek, 1) * 2 + kept(deepseek, 1, Held::index) * (132.0 / 128) == 78'324);
}

TEST_CASE("an indexer's choice that is borrowed costs no keys of its own") {
  IndexedAttention attention = std::get<IndexedAttention>(model("deepseek-v3.2").kinds.front().mixer);
  const Model own = made_of(attention, 7168, 1);
  attention.borrows_index = true;
  const Model borrowed = made_of(attention, 7168, 1);
  CHECK(kept(borrowed, 5000) == kept(own, 5000));
  CHECK(read(borrowed, 5000) == read(own, 5000));
  CHECK(kept(borrowed, 5000, Held::index) == 0);
  // 1,536*64*128 + 7,168*128 + 2*128 + 7,168*64 = 13,959,424
  CHECK(count_parameters(own).total() - count_parameters(borrowed).total() == 13'959'424);
}

TEST_CASE("native sparse: S/16 compressed entries, 16 blocks of 64 and a window of 512") {
  // the paper's model: 30 layers, 64 query heads in 4 groups, keys of 192 and values of 128
  const NativeSparseAttention attention{
      .query_heads = 64, .kv_heads = 4, .head_dim = 192, .value_dim = 128, .selected = 16 * 64, .window = 512};
  const Model sparse = made_of(attention, 2560, 30);
  const double entry = 4 * (192 + 128);
  for (const double context : {8192.0, 65'536.0}) {
    CAPTURE(context);
    CHECK(read(sparse, context) == 30 * entry * (context / 16 + 16 * 64 + 512));
    CHECK(work(sparse, context) == 30 * 2.0 * 64 * (192 + 128) * (context / 16 + 16 * 64 + 512));
    // kept: all tokens for the choice, the compressed ones, and the window's own keys and values
    CHECK(kept(sparse, context) == 30 * entry * (context + context / 16 + 512));
  }
  CHECK(read(sparse, 256) == 30 * entry * (256.0 / 16 + 256 + 256));  // nothing more than there is
}

TEST_CASE("compressed: DeepSeek-V4-Flash has a window of 128 and an entry for each 4 or 128 tokens") {
  const Model& flash = model("deepseek-v4-flash");
  // 43 layers: 2 with the window alone, 21 with ratio 4, 20 with ratio 128; one vector of 512 is key and value
  const double context = 65'536;
  CHECK(kept(flash, context) == 512 * (43 * 128 + context * 21 / 4 + context * 20 / 128));
  CHECK(kept(flash, context, Held::index) == 128 * context * 21 / 4);
  // states: 8 rows of 2 * 2 * 512 = 16,384 and the indexer's 8 * 2 * 2 * 128 = 4,096 in each of 21 layers; 128 rows of
  // 2 * 512 = 131,072 in each of 20: 3,051,520
  CHECK(kept(flash, context, Held::state) == 21 * (16'384 + 4096) + 20 * 131'072);
  // read: the window, 512 chosen of the entries at ratio 4, all at ratio 128, all index keys
  CHECK(read(flash, context) == 512 * (43 * 128 + 21 * 512 + context * 20 / 128));
  CHECK(read(flash, context, Held::index) == 128 * context * 21 / 4);
  CHECK(read(flash, 1000) == 512 * (43 * 128 + 21 * 1000.0 / 4 + 20 * 1000.0 / 128));  // fewer entries than 512
  // a step writes a row of state; every ratio-th step reads all rows: 2,048 + 16,384/4, 512 + 4,096/4, 1,024 +
  // 131,072/128
  CHECK(read(flash, context, Held::state) == 21 * (6144 + 1536) + 20 * 2048);
  CHECK(work(flash, context) ==
        4.0 * 64 * 512 * (43 * 128 + 21 * 512 + context * 20 / 128) + 2.0 * 64 * 128 * context * 21 / 4);
}

TEST_CASE("DeepSeek-V4-Flash takes the bytes that the serving engine allots") {
  // vLLM: an entry of 512 takes 584 B (448 fp8, 64 rotary in bf16, 8 of scales), an index key of 128 takes 132 B, states
  // fp32: n * 3,850.25 B + 3,214,336 B of windows + 12,206,080 B of states
  const Model& flash = model("deepseek-v4-flash");
  const auto bytes = [&](double context) {
    return kept(flash, context) * 584 / 512 + kept(flash, context, Held::index) * 132 / 128 +
           kept(flash, context, Held::state) * 4;
  };
  CHECK(bytes(131'072) == 131'072 * 3850.25 + 3'214'336 + 12'206'080);
}

TEST_CASE("gated delta rule: three of four layers of Qwen3-Next keep a state and three inputs") {
  const Model& qwen = model("qwen3-next-80b-a3b");
  // 36 layers: 32 * 128 * 128 = 524,288 of state and 3 * (2*16*128 + 32*128) = 24,576 of the convolution; 12 layers
  // with 2 * 2 * 256 = 1,024 a token
  CHECK(kept(qwen, 1000, Held::state) == 36 * 32 * 128 * 128);
  CHECK(kept(qwen, 0) == 36 * 3 * 8192);
  CHECK(kept(qwen, 1000) == 36 * 24'576 + 12 * 1024 * 1000.0);
  CHECK(read(qwen, 1000, Held::state) == 2 * 36 * 524'288.0);            // read and written back
  CHECK(read(qwen, 1000) == 36 * (24'576 + 8192) + 12 * 1024 * 1000.0);  // three inputs read, one written
  CHECK(work(qwen, 1000) == 36 * 6.0 * 524'288 + 12 * 4.0 * 16 * 256 * 1000);
  // fp32 state, bf16 convolution: 77,266,944 B a sequence
  CHECK(4 * kept(qwen, 0, Held::state) + 2 * kept(qwen, 0) == 77'266'944);
}

TEST_CASE("Mamba-2: Nemotron keeps a state for every channel, and keys in a few layers") {
  // Nemotron 3 Nano: 23 layers of 64 * 64 * 128 = 524,288 and 3 * (4,096 + 2*8*128) = 18,432; 6 layers of 2 * 2 * 128
  const Model& nano = model("nemotron-3-nano");
  CHECK(kept(nano, 5000, Held::state) == 23 * 524'288);
  CHECK(kept(nano, 5000) == 23 * 18'432 + 6 * 512 * 5000.0);
  CHECK(read(nano, 5000, Held::state) == 2 * 23 * 524'288);
  CHECK(work(nano, 5000) == 23 * 4.0 * 524'288 + 6 * 4.0 * 32 * 128 * 5000);
  CHECK(4 * kept(nano, 0, Held::state) + 2 * kept(nano, 0) == 49'082'368);
  // Nemotron-H 56B: 54 layers of 256 * 64 * 256 = 4,194,304 and 3 * (16,384 + 2*8*256) = 61,440; 10 layers of 2 * 8 * 128
  const Model& large = model("nemotron-h-56b");
  CHECK(kept(large, 8192, Held::state) == 54 * 4'194'304.0);
  CHECK(kept(large, 8192) == 54 * 61'440 + 10 * 2048 * 8192.0);
  CHECK(4 * kept(large, 0, Held::state) + 2 * kept(large, 0) == 912'605'184);
}

TEST_CASE("lightning: seven of eight layers of MiniMax-Text-01 keep a state a head") {
  // 70 layers of 64 heads * 128 * 128 = 1,048,576; no convolution
  const Model minimax =
      made_of(LightningAttention{.query_heads = 64, .kv_heads = 64, .head_dim = 128, .output_norm = 8192}, 6144, 70);
  CHECK(kept(minimax, 1'000'000, Held::state) == 70 * 1'048'576.0);
  CHECK(kept(minimax, 1'000'000) == 0);
  CHECK(read(minimax, 1'000'000, Held::state) == 2 * 70 * 1'048'576.0);
  CHECK(work(minimax, 1'000'000) == 4 * 70 * 1'048'576.0);
  // a layer: 6,144 * 3*8,192 + 6,144 * 8,192 + 8,192 * 6,144 + 8,192 = 251,666,432
  CHECK(count_parameters(minimax)[Part::attention] == 70 * 251'666'432.0);
}

TEST_CASE("short convolution: a layer of LFM2 remembers two inputs") {
  // LFM2-1.2B: ten layers, 3 taps over 2,048 channels
  const Model lfm = made_of(ShortConvolution{.kernel = 3, .channels = 2048}, 2048, 10);
  CHECK(kept(lfm, 100'000) == 10 * 2 * 2048);
  CHECK(read(lfm, 100'000) == 10 * (2 + 1) * 2048);  // two inputs read, one written
  CHECK(work(lfm, 100'000) == 0);
  // 2,048 * 3*2,048 + 3*2,048 + 2,048^2 = 16,783,360
  CHECK(count_parameters(lfm)[Part::attention] == 10 * 16'783'360);
}

TEST_CASE("cross-attention: Llama 3.2 11B keeps keys of the image, however long the text") {
  const Model& text_alone = model("llama-3.2-11b-vision");
  // 40 layers, 8 of them cross; the other 32 keep 2 * 8 * 128 = 2,048 a token
  CHECK(kept(text_alone, 1000) == 32 * 2048 * 1000.0);
  Model with_image = text_alone;
  const double patches = 4 * 1601;  // four tiles of 40 * 40 patches and one class token
  for (Layer& kind : with_image.kinds) {
    if (auto* cross = std::get_if<CrossAttention>(&kind.mixer)) cross->source_tokens = patches;
  }
  CHECK(kept(with_image, 1000) == 32 * 2048 * 1000.0 + 8 * 2048 * patches);
  CHECK(read(with_image, 100'000) - read(text_alone, 100'000) == 8 * 2048 * patches);
  CHECK(work(with_image, 1000) - work(text_alone, 1000) == 8 * 4.0 * 32 * 128 * patches);
  CHECK(count_parameters(with_image).total() == 9'775'192'080);
}

TEST_CASE("square root: the what-if keeps everything and reads 2 sqrt(16 S) of it") {
  const Model& sparse = model("llama-3.1-70b-sqrt");
  const Model& dense = model("llama-3.1-70b");
  CHECK(kept(sparse, 1'000'000) == kept(dense, 1'000'000));
  // at S = 1,000,000 blocks of sqrt(S/16) = 250: 4,000 summaries and 16 * 250 tokens, 8,000 together
  CHECK(read(sparse, 1'000'000) == Approx(80 * 2.0 * 8 * 128 * 8000));
  CHECK(work(sparse, 1'000'000) == Approx(80 * 4.0 * 64 * 128 * 8000));
  CHECK(read(sparse, 4'000'000) == Approx(2 * read(sparse, 1'000'000)));
  CHECK(count_parameters(sparse).total() == count_parameters(dense).total());
}

TEST_CASE("a layer that is a feed-forward network alone keeps nothing") {
  const Model nothing = made_of(NoMixer{}, 4096, 12);
  CHECK(context_terms(nothing).empty());
  CHECK(work(nothing, 1e6) == 0);
}
