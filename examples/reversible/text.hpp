#pragma once
// What the networks read.

#include <random>
#include <string_view>

#include "network.hpp"

namespace reversible {

inline constexpr std::string_view kText =
    "a cipher must forget nothing. the one who holds the key has to get back every letter of the message, and so each "
    "step "
    "of the cipher must have a way back. it is hard to find steps that scramble well and can be undone. the trick is "
    "old: "
    "cut the message in two halves. leave one half alone, put it through any function you like, and add the result to "
    "the "
    "other half. then swap the halves and do it again. to undo a step, take the half that was left alone, put it "
    "through "
    "the same function, and take the result off. the function itself is never undone. a network of layers has the same "
    "wish. it learns by walking back through its layers, and at each layer it needs the numbers that went in. most "
    "networks "
    "write all of these numbers down on the way up, and a deep network fills the memory with them. but if each layer "
    "has a "
    "way back, the numbers that went in can be made again from the numbers that came out, one layer at a time. nothing "
    "is "
    "written down. the price is time: each layer is worked out once more on the way back. a cache does the reverse. it "
    "writes down what it could work out again, and pays with memory for time. there is no best side of this trade. "
    "when "
    "memory is short, spend time, and when time is short, spend memory. ";

/// The letters that occur, as numbers from zero.
struct Alphabet {
  Alphabet();
  std::vector<std::size_t> text;  // kText as numbers
  std::size_t size = 0;
};

/// Sequences from anywhere in the text.
Batch random_batch(const Alphabet& alphabet, const Shape& shape, std::mt19937_64& random);

/// The loss, in nats a letter, of guessing from the previous `context` letters by counting the text itself.
double counted_entropy(const Alphabet& alphabet, std::size_t context);

}  // namespace reversible
