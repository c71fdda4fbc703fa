// Claims about layers that run backwards: what they save, that they do, and what a cipher does that a network does not.

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "claims/computations.hpp"
#include "train/activations.hpp"

namespace ridge {

namespace {

/// Numbers that look random and are the same everywhere (splitmix64).
class Stream {
 public:
  explicit Stream(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  double symmetric() { return static_cast<double>(next() >> 11) * 0x1p-52 - 1.0; }  // in [-1, 1)

 private:
  std::uint64_t state_;
};

/// Any function will do, the less invertible the better: half of the bits of a hash.
std::uint32_t round_function(std::uint32_t x, std::uint64_t key) {
  return static_cast<std::uint32_t>(Stream(x ^ key).next() >> 32);
}

struct Halves {
  std::uint32_t x = 0, y = 0;
  bool operator==(const Halves&) const = default;
};

// (x, y) -> (y + f(x), x), and back
Halves forward(Halves h, std::uint64_t rounds) {
  for (std::uint64_t key = 1; key <= rounds; ++key) h = {h.y + round_function(h.x, key), h.x};
  return h;
}
Halves backward(Halves h, std::uint64_t rounds) {
  for (std::uint64_t key = rounds; key >= 1; --key) h = {h.y, h.x - round_function(h.y, key)};
  return h;
}

constexpr int kTrials = 20000;

double wrong_share(std::uint64_t rounds) {
  Stream stream(1);
  int wrong = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const Halves start{static_cast<std::uint32_t>(stream.next()), static_cast<std::uint32_t>(stream.next())};
    if (!(backward(forward(start, rounds), rounds) == start)) ++wrong;
  }
  return static_cast<double>(wrong) / kTrials;
}

/// Share of the 64 output bits that change with one input bit.
double flipped_share(std::uint64_t rounds) {
  Stream stream(2);
  double flipped = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const Halves start{static_cast<std::uint32_t>(stream.next()), static_cast<std::uint32_t>(stream.next())};
    const std::uint32_t bit = 1u << (stream.next() % 32);
    const Halves other = trial % 2 == 0 ? Halves{start.x ^ bit, start.y} : Halves{start.x, start.y ^ bit};
    const Halves a = forward(start, rounds), b = forward(other, rounds);
    flipped += std::popcount(a.x ^ b.x) + std::popcount(a.y ^ b.y);
  }
  return flipped / (64.0 * kTrials);
}

constexpr std::size_t kStreamWidth = 32;
using Vector = std::array<double, kStreamWidth>;

/// A branch of a residual network: the input normalized, one matrix of random weights, tanh.
Vector branch(const Vector& x, std::uint64_t layer) {
  double square = 0;
  for (const double one : x) square += one * one;
  const double scale = 1.0 / std::sqrt(square / kStreamWidth + 1e-6);
  Stream stream(1000 + layer);
  Vector out{};
  for (double& one : out) {
    double sum = 0;
    for (const double in : x) sum += stream.symmetric() * std::sqrt(3.0 / kStreamWidth) * in * scale;
    one = std::tanh(sum);
  }
  return out;
}

Vector start_vector() {
  Stream stream(3);
  Vector x{};
  for (double& one : x) one = stream.symmetric();
  return x;
}

double length(const Vector& x) {
  double square = 0;
  for (const double one : x) square += one * one;
  return std::sqrt(square);
}
double distance(const Vector& a, const Vector& b) {
  Vector difference{};
  for (std::size_t i = 0; i < kStreamWidth; ++i) difference[i] = a[i] - b[i];
  return length(difference);
}

/// Relative change of the output of a residual network over that of its input.
double residual_gain(std::uint64_t layers) {
  const auto run = [&](Vector x) {
    for (std::uint64_t layer = 0; layer < layers; ++layer) {
      const Vector add = branch(x, layer);
      for (std::size_t i = 0; i < kStreamWidth; ++i) x[i] += add[i];
    }
    return x;
  };
  const Vector start = start_vector();
  Vector near = start;
  near[0] += 1e-6;
  const Vector a = run(start), b = run(near);
  return (distance(a, b) / length(a)) / (distance(start, near) / length(start));
}

/// Relative error of the inputs computed back through a reversible network in double precision.
double inverse_error(std::uint64_t layers) {
  Vector x = start_vector(), y = branch(x, 77);
  const Vector first_x = x, first_y = y;
  for (std::uint64_t layer = 0; layer < layers; ++layer) {
    const Vector add = branch(x, layer);
    Vector z{};
    for (std::size_t i = 0; i < kStreamWidth; ++i) z[i] = y[i] + add[i];
    y = x;
    x = z;
  }
  for (std::uint64_t layer = layers; layer-- > 0;) {
    const Vector add = branch(y, layer);
    Vector z{};
    for (std::size_t i = 0; i < kStreamWidth; ++i) z[i] = x[i] - add[i];
    x = y;
    y = z;
  }
  return (distance(x, first_x) + distance(y, first_y)) / (length(first_x) + length(first_y));
}

}  // namespace

std::vector<Figure> c55(Inputs& in) {
  const auto batch = in.given<Ratio<double>>("batch");
  const auto sequence = in.given<Tokens<double>>("sequence");
  const ActivationCase<double> c = activation_case(in.model(kDense), batch, sequence, false);
  ActivationCase<double> deeper = c;
  deeper.layers = 2 * c.layers;
  const auto kept = activation_cost(c, ActivationPolicy::selective);
  const auto reversible = activation_cost(c, ActivationPolicy::reversible);
  return {figure("compute", "compute of a step with reversible layers, over keeping all", reversible.compute),
          figure("depth", "memory of reversible layers in a model twice as deep, over this one",
                 activation_cost(deeper, ActivationPolicy::reversible).total / reversible.total),
          figure("depth_kept", "the same where activations are kept",
                 activation_cost(deeper, ActivationPolicy::keep_all).total /
                     activation_cost(c, ActivationPolicy::keep_all).total),
          figure("memory", "memory of reversible layers, scores never stored, over what is kept of all layers",
                 (reversible.total - kept.working) / kept.kept),
          figure("layers", "one over the layers of the model", Ratio<double>(1.0 / c.layers))};
}

std::vector<Figure> c56(Inputs& in) {
  const auto rounds = static_cast<std::uint64_t>(in.given<Ratio<double>>("rounds").value());
  return {figure("integers_wrong", "share of 20,000 random inputs not recovered bit for bit, in integers",
                 Ratio<double>(wrong_share(rounds))),
          figure("floats_error", "relative error of inputs computed back through as many layers in doubles",
                 Ratio<double>(inverse_error(rounds))),
          figure("floats_error_deep", "the same through four times as many", Ratio<double>(inverse_error(4 * rounds)))};
}

std::vector<Figure> c57(Inputs& in) {
  const auto rounds = static_cast<std::uint64_t>(in.given<Ratio<double>>("rounds").value());
  const auto layers = static_cast<std::uint64_t>(in.given<Ratio<double>>("layers").value());
  return {figure("flipped", "output bits that change with one input bit, after four rounds",
                 Ratio<double>(flipped_share(rounds))),
          figure("flipped_one", "the same after one round", Ratio<double>(flipped_share(1))),
          figure("flipped_two", "the same after two", Ratio<double>(flipped_share(2))),
          figure("residual", "relative change of a residual network's output over that of its input, 64 layers",
                 Ratio<double>(residual_gain(layers)))};
}

std::vector<Figure> c58(Inputs& in) {
  const Model model = in.model(kDense);
  const auto batch = in.given<Ratio<double>>("batch");
  const auto sequence = in.given<Tokens<double>>("sequence");
  const CacheTrade trade = cache_trade(model, batch, sequence);
  const ActivationCase<double> c = activation_case(model, batch, sequence, false);
  const auto all = activation_cost(c, ActivationPolicy::keep_all);
  const auto reversible = activation_cost(c, ActivationPolicy::reversible);
  return {figure("cache_spends", "memory of the KV cache of a sequence", trade.cache),
          figure("cache_saves", "compute of a token with it, over that without", trade.with_cache / trade.without),
          figure("reversible_saves", "memory of reversible layers over keeping all", reversible.total / all.total),
          figure("reversible_spends", "compute of reversible layers over keeping all", reversible.compute)};
}

}  // namespace ridge
