#pragma once
// What an operation takes in ggml's kernels, as llama.cpp runs them: dot products of quantized blocks for a few tokens,
// then tiles on the int8 matrix units; 16-bit weights by its own kernels for a few tokens, then by the vendor's library.
// docs/theory/serving.md, "llama.cpp's kernels", derives these. Numbers are data (catalog/calibration/ggml-*.toml).

#include "base/number/root.hpp"
#include "base/number/units.hpp"

namespace ridge {

/// Physical numbers of the kernels on one kind of processor. They are plain: no reading moves them one by one.
struct GgmlCalibration {
  Seconds<double> launch_time;       // of a kernel in a captured graph; of a barrier between threads
  Ratio<double> small_share;         // kernels between the products, over those that are counted for other engines
  Ratio<double> vector_memory;       // share of the bandwidth, weights against a few tokens
  Ratio<double> vector_rate;         // share of the vector peak in dot products of quantized blocks
  Ratio<double> vector_unpack;       // the same of weights below 8 bit against those of 8: times longer
  Ratio<double> tile_feed;           // bytes of weights laid out for tiles, for each FLOP of the vector peak
  Ratio<double> tile_rate;           // of tiles: FLOP over the vector peak, on which the scales of every block run
  Ratio<double> tile_unpack;         // weights below 8 bit against those of 8: times longer
  Ratio<double> few_memory;          // share of the bandwidth, 16-bit weights against 2 to 16 tokens
  Ratio<double> library_memory;      // share of the bandwidth in the vendor's library, above that
  Ratio<double> library_matrix;      // share of the 16-bit peak there
  Ratio<double> library_launches;    // kernels for one product there: its input and output are converted
  Ratio<double> cache_memory;        // share of the bandwidth, reading the KV cache
  Seconds<double> block_time;        // of decode attention, for a sequence and kv head
  Ratio<double> attention_matrix;    // share of the 16-bit peak in a prompt's attention
  Ratio<double> activation_passes;   // times the fp32 activations cross the memory
  BytesPerSecond<double> host_link;  // logits on their way to the CPU
  Seconds<double> logit_time;        // of sampling, for each entry of the vocabulary, on one thread
  Bytes<double> sampling_cache;      // candidates that stay in the CPU's cache from one step to the next

  template <class Self, class Visit>
  static void visit_fields(Self& self, Visit&& visit) {
    visit("launch_time", self.launch_time);
    visit("small_share", self.small_share);
    visit("vector_memory", self.vector_memory);
    visit("vector_rate", self.vector_rate);
    visit("vector_unpack", self.vector_unpack);
    visit("tile_feed", self.tile_feed);
    visit("tile_rate", self.tile_rate);
    visit("tile_unpack", self.tile_unpack);
    visit("few_memory", self.few_memory);
    visit("library_memory", self.library_memory);
    visit("library_matrix", self.library_matrix);
    visit("library_launches", self.library_launches);
    visit("cache_memory", self.cache_memory);
    visit("block_time", self.block_time);
    visit("attention_matrix", self.attention_matrix);
    visit("activation_passes", self.activation_passes);
    visit("host_link", self.host_link);
    visit("logit_time", self.logit_time);
    visit("sampling_cache", self.sampling_cache);
  }
};

/// Where ggml changes kernels, by the tokens of a product, and how wide its numbers are (ggml-cuda's sources).
struct GgmlSwitches {
  static constexpr double kVectorTokens = 8;     // quantized weights: dot products up to here, tiles above
  static constexpr double kFewTokens = 16;       // 16-bit weights: ggml's own matrix kernel from 2 up to here
  static constexpr double kCacheBlock = 256;     // tokens: the KV length that kernels see is a multiple of this
  static constexpr double kFloatBytes = 4;       // activations and logits are fp32
  static constexpr double kCandidateBytes = 12;  // of an entry of the vocabulary while it is sampled: id, logit, share
  static constexpr double kQuantized = 1.5;      // bytes of a parameter: below it is in blocks, above in 16 or 32 bit
  static constexpr double kNarrow = 1;           // bytes of a parameter: below it is unpacked first
};

/// ggml under one step: its numbers, and what a chip's peaks do not say.
struct GgmlKernels {
  GgmlCalibration numbers;
  FlopsPerSecond<double> vector_peak, int8_peak;
  double ubatch = 512;  // tokens that run at once
  bool on_cpu = false;  // the tables that are looked up lie in the same memory
};

/// 0 up to `limit` tokens, 1 from the next whole number on.
template <class S>
Ratio<S> beyond(const Ratio<S>& tokens, double limit) {
  return min(literal<Ratio<S>>(1.0), max(literal<Ratio<S>>(0.0), tokens - literal<Ratio<S>>(limit)));
}

/// The first time up to `limit` tokens, the second above.
template <class S>
Seconds<S> switched(const Ratio<S>& tokens, double limit, const Seconds<S>& up_to, const Seconds<S>& above) {
  const Ratio<S> other = beyond(tokens, limit);
  return up_to * (literal<Ratio<S>>(1.0) - other) + above * other;
}

/// Matrices that take the same input; each is a kernel of its own.
struct GgmlMatrices {
  double tensors = 1;
  bool quantized = false, narrow = false;  // narrow: below 8 bit
};

/// `rows` of input at once against weights of `read` bytes; `row_work`: FLOP of one of them, `work`: of all.
template <class S>
struct GgmlProduct {
  Ratio<S> rows;
  Flops<S> row_work, work;
  Bytes<S> read;
};

template <class S>
Seconds<S> ggml_quantized_time(const GgmlKernels& ggml, const BytesPerSecond<S>& memory, const GgmlMatrices& matrices,
                               const GgmlProduct<S>& product) {
  const GgmlCalibration& n = ggml.numbers;
  const double dots =
      ggml.vector_peak.value() * n.vector_rate.value() / (matrices.narrow ? n.vector_unpack.value() : 1);
  const double tiles = ggml.vector_peak.value() * n.tile_rate.value() / (matrices.narrow ? n.tile_unpack.value() : 1);
  const auto few = min(product.rows, literal<Ratio<S>>(GgmlSwitches::kVectorTokens));
  const auto least = literal<Seconds<S>>(1e-30);
  const Seconds<S> reading = product.read / (memory * n.vector_memory.value());
  const Seconds<S> multiplying = product.row_work * few / literal<FlopsPerSecond<S>>(dots);
  const Seconds<S> vector = root(reading * reading + multiplying * multiplying + least * least);
  // weights come from memory and are laid out by the vector units before any tile is multiplied
  const Seconds<S> laying = product.read / literal<BytesPerSecond<S>>(ggml.vector_peak.value() * n.tile_feed.value());
  const Seconds<S> scaling = product.work / literal<FlopsPerSecond<S>>(tiles);
  const Seconds<S> tiling = product.work / literal<FlopsPerSecond<S>>(ggml.int8_peak.value());
  const Seconds<S> tile = root(reading * reading + laying * laying + least * least) +
                          root(scaling * scaling + tiling * tiling + least * least);
  const double launches = 2 * matrices.tensors;  // its input is quantized by a kernel of its own
  return literal<Seconds<S>>(launches * n.launch_time.value()) +
         switched<S>(product.rows, GgmlSwitches::kVectorTokens, vector, tile);
}

template <class S>
Seconds<S> ggml_wide_time(const GgmlKernels& ggml, const BytesPerSecond<S>& memory, const FlopsPerSecond<S>& matrix,
                          const GgmlMatrices& matrices, const GgmlProduct<S>& product) {
  const GgmlCalibration& n = ggml.numbers;
  const auto launches = literal<Seconds<S>>(matrices.tensors * n.launch_time.value());
  const auto least = literal<Seconds<S>>(1e-30);
  const Seconds<S> one = launches + product.read / (memory * n.vector_memory.value());
  const Seconds<S> few = launches + product.read / (memory * n.few_memory.value());
  const Seconds<S> reading = product.read / (memory * n.library_memory.value());
  const Seconds<S> multiplying = product.work / (matrix * n.library_matrix.value());
  const Seconds<S> library =
      launches * n.library_launches.value() + root(reading * reading + multiplying * multiplying + least * least);
  return switched<S>(product.rows, GgmlSwitches::kFewTokens, switched<S>(product.rows, 1, one, few), library);
}

template <class S>
Seconds<S> ggml_product_time(const GgmlKernels& ggml, const BytesPerSecond<S>& memory, const FlopsPerSecond<S>& matrix,
                             const GgmlMatrices& matrices, const GgmlProduct<S>& product) {
  return matrices.quantized ? ggml_quantized_time<S>(ggml, memory, matrices, product)
                            : ggml_wide_time<S>(ggml, memory, matrix, matrices, product);
}

/// Sampling, one sequence after another on one thread. Candidates of the first few stay in its cache from one step to the
/// next; those of the others are read from memory, which takes as long again.
template <class S>
Seconds<S> ggml_sampling_time(const GgmlKernels& ggml, double vocabulary, const Ratio<S>& sequences) {
  const GgmlCalibration& n = ggml.numbers;
  const double kept = n.sampling_cache.value() / (GgmlSwitches::kCandidateBytes * vocabulary);
  const Ratio<S> read_again = max(literal<Ratio<S>>(0.0), sequences - literal<Ratio<S>>(kept));
  return literal<Seconds<S>>(n.logit_time.value() * vocabulary) * (sequences + read_again);
}

}  // namespace ridge
