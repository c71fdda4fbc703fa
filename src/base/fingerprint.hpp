#pragma once
// A short text that stands for much more: two things with the same fingerprint are taken to be the same.

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace ridge {

/// FNV-1a with 64 bits, going on from `hash`. Source: Fowler, Noll and Vo, isthe.com/chongo/tech/comp/fnv.
constexpr std::uint64_t fnv1a(std::string_view text, std::uint64_t hash = 0xcbf29ce484222325u) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

/// Not against an adversary: it finds slips, such as parts of two different sweeps.
class Fingerprint {
 public:
  void add(std::string_view text) { hash_ = fnv1a("\xff", fnv1a(text, hash_)); }  // an end that is never in UTF-8
  std::string text() const { return fmt::format("{:016x}", hash_); }

 private:
  std::uint64_t hash_ = fnv1a("");
};

}  // namespace ridge
