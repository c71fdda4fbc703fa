#pragma once
// --shard I/N: one part of a space that several runs share.

#include <cmath>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "base/result.hpp"
#include "base/text/text.hpp"

namespace ridge::cli {

inline constexpr std::uint64_t kMostParts = 1000000;

struct Shard {
  std::uint64_t part = 1, parts = 1;
};

inline Result<Shard> parse_shard(const std::string& text) {
  const auto words = split(text, '/');
  const auto part = words.size() == 2 ? parse_number(words[0]) : std::nullopt;
  const auto parts = words.size() == 2 ? parse_number(words[1]) : std::nullopt;
  const bool whole = part && parts && *part == std::floor(*part) && *parts == std::floor(*parts);
  if (!whole || *part < 1 || *part > *parts || *parts > static_cast<double>(kMostParts)) {
    return fail({"shard", fmt::format("\"{}\" is no part of a whole", shortened(text)),
                 "write I/N with I from 1 to N, e.g. --shard 3/10"});
  }
  return Shard{static_cast<std::uint64_t>(*part), static_cast<std::uint64_t>(*parts)};
}

}  // namespace ridge::cli
