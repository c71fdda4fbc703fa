#pragma once
// Memory that is counted when it is taken and when it is given back: what the program says about memory is measured.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>

namespace reversible {

/// Bytes in use now, and the most there have been at once.
struct Ledger {
  std::size_t live = 0, peak = 0;

  void take(std::size_t bytes) {
    live += bytes;
    peak = std::max(peak, live);
  }
  void give_back(std::size_t bytes) { live -= bytes; }
};

/// The standard allocator, with every call written into a ledger.
template <class Element>
class CountingAllocator {
 public:
  using value_type = Element;
  using propagate_on_container_copy_assignment = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;

  explicit CountingAllocator(Ledger& ledger) : ledger_(&ledger) {}
  template <class Other>
  explicit CountingAllocator(const CountingAllocator<Other>& other) : ledger_(&other.ledger()) {}

  Element* allocate(std::size_t count) {
    Element* const memory = std::allocator<Element>().allocate(count);
    ledger_->take(count * sizeof(Element));
    return memory;
  }
  void deallocate(Element* memory, std::size_t count) {
    ledger_->give_back(count * sizeof(Element));
    std::allocator<Element>().deallocate(memory, count);
  }

  Ledger& ledger() const { return *ledger_; }
  bool operator==(const CountingAllocator& other) const { return ledger_ == other.ledger_; }

 private:
  Ledger* ledger_;
};

}  // namespace reversible
