// Does a Feistel network undo itself, whatever its round functions are?

#include <cstdint>

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "examples/reversible/round_functions.hpp"

namespace reversible {

namespace {

template <class Word>
std::vector<Word> random_half(std::size_t size, std::mt19937_64& random) {
  std::vector<Word> half(size);
  for (Word& word : half) word = static_cast<Word>(random());
  return half;
}

/// Functions, sizes and a message from one seed, which is printed with a failure.
template <class Mixing, class Word>
void check_round_trip() {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto size = *rc::gen::inRange<std::size_t>(0, 100);
  const auto round_count = *rc::gen::inRange<std::size_t>(0, 40);
  RC_LOG() << "seed " << seed << ", " << size << " words a half, " << round_count << " rounds\n";
  std::mt19937_64 random(seed);
  std::vector<RoundFunction<std::vector<Word>>> rounds(round_count);
  for (auto& round : rounds) round = random_function<Word>(random);
  const Message<std::vector<Word>> message{random_half<Word>(size, random), random_half<Word>(size, random)};
  const auto view = std::span<const RoundFunction<std::vector<Word>>>(rounds);
  RC_ASSERT(decipher<Mixing>(encipher<Mixing>(message, view), view) == message);
  RC_ASSERT(encipher<Mixing>(decipher<Mixing>(message, view), view) == message);
}

}  // namespace

TEST_CASE("a Feistel network over any functions is a permutation, and deciphering is its inverse from both sides") {
  CHECK(rc::check("exclusive or of bytes", check_round_trip<ExclusiveOr, std::uint8_t>));
  CHECK(rc::check("exclusive or of 64-bit words", check_round_trip<ExclusiveOr, std::uint64_t>));
  CHECK(rc::check("wrapping sums of 16-bit words", check_round_trip<WrappingSum, std::uint16_t>));
  CHECK(rc::check("wrapping sums of 32-bit words", check_round_trip<WrappingSum, std::uint32_t>));
}

TEST_CASE("two rounds of a Feistel network are one reversible block") {
  CHECK(rc::check("y1 = x1 + F(x2), y2 = x2 + G(y1)", [](std::uint64_t seed, std::uint32_t x1, std::uint32_t x2) {
    const std::vector<RoundFunction<std::uint32_t>> rounds = {random_function(seed), random_function(~seed)};
    const std::uint32_t y1 = x1 + rounds[0](x2), y2 = x2 + rounds[1](y1);
    const auto out = encipher<WrappingSum, std::uint32_t>({x1, x2}, rounds);
    RC_ASSERT(out == (Message<std::uint32_t>{y1, y2}));
  }));
}

}  // namespace reversible
