#pragma once
// Entries by name, each made when somebody first asks for it. A name is always there, made or not, so an entry that
// nobody has asked for yet cannot look like one that does not exist.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/lazy.hpp"
#include "base/provenance.hpp"

namespace ridge {

template <class T>
const std::string& name_of_entry(const T& entry) {
  return entry.name;
}
inline const std::string& name_of_entry(const Source& source) { return source.id; }

/// Copies share the entries that have been made; addresses hold as long as any copy does.
template <class T>
class Shelf {
 public:
  using Make = std::function<T(std::size_t)>;

  class iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = const T&;
    iterator() = default;
    iterator(const Shelf* shelf, std::size_t at) : shelf_(shelf), at_(at) {}
    reference operator*() const { return (*shelf_)[at_]; }
    pointer operator->() const { return &(*shelf_)[at_]; }
    iterator& operator++() {
      ++at_;
      return *this;
    }
    iterator operator++(int) {
      iterator before = *this;
      ++at_;
      return before;
    }
    bool operator==(const iterator& other) const { return at_ == other.at_; }

   private:
    const Shelf* shelf_ = nullptr;
    std::size_t at_ = 0;
  };

  Shelf() = default;
  Shelf(std::vector<T> entries) {  // NOLINT: a list of entries is a shelf
    for (T& entry : entries) add(std::move(entry));
    sort();
  }
  /// make(i) makes the entry called names[i].
  Shelf(std::vector<std::string> names, Make make) {
    const auto shared = std::make_shared<const Make>(std::move(make));
    slots_.reserve(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      slots_.push_back({std::move(names[i]), Lazy<T>([shared, i] { return (*shared)(i); })});
    }
    sort();
  }

  std::size_t size() const { return slots_.size(); }
  bool empty() const { return slots_.empty(); }
  iterator begin() const { return {this, 0}; }
  iterator end() const { return {this, size()}; }
  const T& operator[](std::size_t i) const { return *slots_[i].entry; }
  /// Known without making anything.
  const std::string& name(std::size_t i) const { return slots_[i].name; }

  /// The first of that name, or nothing.
  const T* find(std::string_view name) const {
    const auto at = std::lower_bound(by_name_.begin(), by_name_.end(), name,
                                     [&](std::size_t i, std::string_view wanted) { return slots_[i].name < wanted; });
    return at == by_name_.end() || slots_[*at].name != name ? nullptr : &*slots_[*at].entry;
  }

  void push_back(T entry) {
    add(std::move(entry));
    sort();
  }
  void pop_back() {
    slots_.pop_back();
    sort();
  }
  void clear() {
    slots_.clear();
    by_name_.clear();
  }

 private:
  struct Slot {
    std::string name;
    Lazy<T> entry;
  };

  void add(T entry) {
    std::string name = name_of_entry(entry);
    slots_.push_back({std::move(name), Lazy<T>(std::move(entry))});
  }
  void sort() {
    by_name_.resize(slots_.size());
    std::iota(by_name_.begin(), by_name_.end(), std::size_t{0});
    std::sort(by_name_.begin(), by_name_.end(), [&](std::size_t a, std::size_t b) {
      const int order = slots_[a].name.compare(slots_[b].name);
      return order != 0 ? order < 0 : a < b;
    });
  }

  std::vector<Slot> slots_;
  std::vector<std::size_t> by_name_;  // slots in the order of their names
};

template <class T>
const T* find_named(const Shelf<T>& shelf, std::string_view name) {
  return shelf.find(name);
}

template <class T>
std::vector<std::string> names_of(const Shelf<T>& shelf) {
  std::vector<std::string> names;
  names.reserve(shelf.size());
  for (std::size_t i = 0; i < shelf.size(); ++i) names.push_back(shelf.name(i));
  return names;
}

}  // namespace ridge
