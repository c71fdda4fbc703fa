// Chapter 1: a cipher undoes what cannot be undone, and spreads what a network must not spread.

#include <bit>
#include <cmath>
#include <limits>

#include "chapters.hpp"
#include "network.hpp"
#include "residual_stack.hpp"
#include "reversible_stack.hpp"
#include "round_functions.hpp"

namespace reversible {

namespace {

using Words = std::vector<std::uint32_t>;

template <class Mixing>
bool comes_back(const Message<Words>& message, std::span<const RoundFunction<Words>> rounds) {
  return decipher<Mixing>(encipher<Mixing>(message, rounds), rounds) == message;
}

/// Networks of random depth and size over random functions; how many messages do not come back?
double lost_messages(int networks, std::mt19937_64& random) {
  int lost = 0;
  for (int network = 0; network < networks; ++network) {
    std::vector<RoundFunction<Words>> rounds(random() % 33);
    for (auto& round : rounds) round = random_function<std::uint32_t>(random);
    Message<Words> message{Words(1 + random() % 40), {}};
    message.right.resize(message.left.size());
    for (std::uint32_t& word : message.left) word = static_cast<std::uint32_t>(random());
    for (std::uint32_t& word : message.right) word = static_cast<std::uint32_t>(random());
    if (!comes_back<ExclusiveOr>(message, rounds) || !comes_back<WrappingSum>(message, rounds)) ++lost;
  }
  return lost;
}

/// Per cent of the 64 output bits that flip with one input bit: over all input bits, and for the one that flips fewest.
struct Avalanche {
  double mean, least;
};

Avalanche avalanche(std::size_t round_count, int messages, std::mt19937_64& random) {
  using Half = std::uint32_t;
  std::array<int, 64> flipped{};
  for (int i = 0; i < messages; ++i) {
    std::vector<RoundFunction<Half>> rounds;
    for (std::size_t round = 0; round < round_count; ++round) rounds.push_back(random_function(random()));
    const Message<Half> message{static_cast<Half>(random()), static_cast<Half>(random())};
    const auto plain = encipher<ExclusiveOr, Half>(message, rounds);
    for (std::size_t bit = 0; bit < 64; ++bit) {
      Message<Half> changed = message;
      (bit < 32 ? changed.left : changed.right) ^= Half{1} << (bit % 32);
      const auto other = encipher<ExclusiveOr, Half>(changed, rounds);
      flipped[bit] += std::popcount(plain.left ^ other.left) + std::popcount(plain.right ^ other.right);
    }
  }
  double sum = 0;
  for (const int count : flipped) sum += count;
  const double percent = 100.0 / (64.0 * messages);
  return {sum / 64 * percent, *std::min_element(flipped.begin(), flipped.end()) * percent};
}

double distance(const Tensor<double>& a, const Tensor<double>& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.elements().size(); ++i) squares += std::pow(a.elements()[i] - b.elements()[i], 2);
  return std::sqrt(squares);
}

/// How far a network carries a small change of one input number.
struct Carried {
  double gain;       // size of the output's change over that of the input's
  double unrelated;  // per cent of the distance between the outputs of two unrelated inputs
};

Carried carried(std::size_t depth, int inputs, std::uint64_t seed) {
  constexpr double kChange = 1e-3;
  const Shape shape{.batch = 1, .length = 16, .width = 32, .heads = 4, .depth = depth};
  Ledger ledger;
  const auto blocks = random_parameters<double>(ledger, shape, seed).blocks;
  const auto output = [&](const Tensor<double>& x) {
    return ResidualStack<double>(blocks, shape, Keep::kNothing).forward(x);
  };
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  double gain = 0, unrelated = 0;
  for (int i = 0; i < inputs; ++i) {
    Tensor<double> x(ledger, shape.tokens(), shape.width), other = x;
    for (double& value : x.elements()) value = normal(random);
    for (double& value : other.elements()) value = normal(random);
    Tensor<double> changed = x;
    changed.elements()[random() % changed.elements().size()] += kChange;
    const Tensor<double> y = output(x);
    const double moved = distance(y, output(changed));
    gain += moved / kChange / inputs;
    unrelated += 100 * moved / distance(y, output(other)) / inputs;
  }
  return {gain, unrelated};
}

constexpr const char* kCipherText =
    R"(A Feistel network cuts a message in two halves and mixes a function of one into the other, in turns. Undoing a round needs
the function again, never its inverse. A cipher wants one flipped bit to flip half of all bits. A residual network is built
the same way and wants the opposite: a small change must stay small, or nothing could be learned by small steps. Both
distances are shown as shares of what unrelated messages, or inputs, are apart (half of the bits, in the cipher's case).
)";

Table avalanche_table(const Options& options, std::mt19937_64& random) {
  Table table{"avalanche",
              "rounds or blocks",
              {{"bits_flipped", "cipher: bits flipped", "%.1f %%"},
               {"bits_least", "laziest input bit", "%.1f %%"},
               {"cipher_unrelated", "of unrelated", "%.1f %%"},
               {"network_gain", "network: |dy|/|dx|", "%.2f"},
               {"network_unrelated", "of unrelated", "%.4f %%"}},
              {}};
  for (const std::size_t rounds : {0u, 1u, 2u, 3u, 4u, 6u, 8u, 16u}) {
    const Avalanche bits = avalanche(rounds, options.quick ? 100 : 400, random);
    const Carried change = carried(rounds, options.quick ? 4 : 16, options.seed);
    table.rows.push_back(
        {std::to_string(rounds), {bits.mean, bits.least, 2 * bits.mean, change.gain, change.unrelated}});
  }
  return table;
}

}  // namespace

Chapter cipher_chapter(const Options& options) {
  std::mt19937_64 random(options.seed);
  const int networks = options.quick ? 300 : 3000;
  Chapter chapter{.key = "cipher", .title = "1. A cipher and a network", .text = kCipherText};
  const double lost = lost_messages(networks, random);
  chapter.claims.push_back(
      {"exact_inverse", "messages lost by " + std::to_string(networks) + " networks of functions without an inverse",
       lost, 0, 0});
  const Table table = avalanche_table(options, random);
  for (const Row& row : table.rows) {
    if (row.label != "4" && row.label != "16") continue;
    const std::string after = ", after " + row.label + " rounds";
    chapter.claims.push_back(
        {"avalanche_" + row.label, "per cent of bits that one bit flips" + after, row.values[0], 45, 55});
    chapter.claims.push_back(
        {"laziest_bit_" + row.label, "the same for the laziest input bit" + after, row.values[1], 45, 55});
  }
  const double start = table.rows.front().values[4], end = table.rows.back().values[4];
  chapter.claims.push_back(
      {"small_change",
       "network: a small change, as a share of unrelated inputs' distance, grows over 16 blocks by a factor of",
       end / start, 0.2, 5});
  chapter.tables.push_back(table);
  return chapter;
}

}  // namespace reversible
