#pragma once
// A set of texts that others own: one flat table, no allocation for each member. For the tens of thousands of keys and
// module names that a stranger's file may bring.

#include <bit>
#include <cstddef>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace ridge {

class TextSet {
 public:
  explicit TextSet(std::size_t expected = 0) : slots_(std::bit_ceil(2 * expected + 2)) {}

  /// False where an equal text is already there.
  bool insert(std::string_view text) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    const std::size_t hash = hash_of(text);
    Slot& slot = slots_[place_of(text, hash)];
    if (slot.used()) return false;
    slot = {hash, text};
    ++count_;
    return true;
  }
  bool contains(std::string_view text) const { return slots_[place_of(text, hash_of(text))].used(); }
  bool empty() const { return count_ == 0; }

 private:
  struct Slot {
    std::size_t hash = 0;  // never 0 where used
    std::string_view text;
    bool used() const { return hash != 0; }
  };

  static std::size_t hash_of(std::string_view text) { return std::hash<std::string_view>()(text) | 1; }

  /// Where the text is, or the free place where it belongs.
  std::size_t place_of(std::string_view text, std::size_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (hash >> 1) & mask;
    while (slots_[at].used() && (slots_[at].hash != hash || slots_[at].text != text)) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    std::swap(old, slots_);
    for (const Slot& slot : old) {
      if (slot.used()) slots_[place_of(slot.text, slot.hash)] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

}  // namespace ridge
