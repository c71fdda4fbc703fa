// Reading one megabyte of config.json, in the shapes that are slowest: the target is under 10 ms for each.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "catalog/entries/library.hpp"
#include "catalog/facts/fact.hpp"
#include "catalog/hf/config.hpp"

namespace {

using namespace ridge;

constexpr std::size_t kMegabyte = 1'000'000;

/// A small mixture of experts whose file is filled up to a megabyte by repeating `item(i)`.
template <class Item>
std::string config(std::string_view open, Item item, std::string_view close) {
  std::string text =
      R"({"model_type": "qwen3_moe", "torch_dtype": "bfloat16", "hidden_size": 3072, "num_hidden_layers": 40,
  "num_attention_heads": 32, "num_key_value_heads": 4, "head_dim": 128, "intermediate_size": 9216, "num_experts": 128,
  "num_experts_per_tok": 8, "moe_intermediate_size": 1024, "max_position_embeddings": 262144, "vocab_size": 151936,
  "decoder_sparse_step": 1, "mlp_only_layers": [], "tie_word_embeddings": false, )";
  text += open;
  for (int i = 0; text.size() < kMegabyte; ++i) {
    if (i > 0) text += ", ";
    text += item(i);
  }
  return text + std::string(close);
}

void read_config(benchmark::State& state, const std::string& text) {
  const ConfigWords words = catalog::config_words(catalog::checked_library(catalog::embedded_entries()));
  for (auto _ : state) {
    const auto tree = catalog::parse_json(text, "config.json");
    const auto read = catalog::read_hf_config(tree.value(), "config.json", words);
    if (!read) state.SkipWithError(read.error().front().what.c_str());
    benchmark::DoNotOptimize(read);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

BENCHMARK_CAPTURE(read_config, keys,
                  config(R"("id2label": {)", [](int i) { return fmt::format(R"("{0}": "LABEL_{0}")", i); }, "}}"))
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_config, numbers,
                  config(R"("freqs": [)", [](int i) { return fmt::format("{}.5", i % 1000); }, "]}"))
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_config, texts,
                  config(R"("notes": [)", [](int i) { return fmt::format(R"("{:0200}")", i); }, "]}"))
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_config, modules,
                  config(R"("quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128],
  "modules_to_not_convert": [)",
                         [](int i) { return fmt::format(R"("model.layers.{}.mlp.experts.{}.gate_proj")", i % 40, i); },
                         "]}}"))
    ->Unit(benchmark::kMillisecond);

}  // namespace
