#pragma once
// One lane, where the standard library has no std::experimental::simd (WebAssembly's libc++): as much of it as
// base/number/lanes.hpp and the files over lanes use.

#include <cstddef>
#include <cstdint>

namespace ridge::stdx {

struct ElementAligned {};
inline constexpr ElementAligned element_aligned{};

template <class T>
struct SimdOfOne {
  using mask_type = bool;
  T only;

  SimdOfOne() = default;
  explicit(false) SimdOfOne(T value) : only(value) {}
  SimdOfOne(const T* from, ElementAligned) : only(*from) {}
  static constexpr std::size_t size() { return 1; }
  void copy_to(T* to, ElementAligned) const { *to = only; }

  SimdOfOne operator-() const { return -only; }
  friend SimdOfOne operator+(SimdOfOne a, SimdOfOne b) { return a.only + b.only; }
  friend SimdOfOne operator-(SimdOfOne a, SimdOfOne b) { return a.only - b.only; }
  friend SimdOfOne operator*(SimdOfOne a, SimdOfOne b) { return a.only * b.only; }
  friend SimdOfOne operator/(SimdOfOne a, SimdOfOne b) { return a.only / b.only; }
  friend SimdOfOne operator&(SimdOfOne a, SimdOfOne b) { return a.only & b.only; }
  friend SimdOfOne operator|(SimdOfOne a, SimdOfOne b) { return a.only | b.only; }
  friend SimdOfOne operator<<(SimdOfOne a, int by) { return a.only << by; }
  friend SimdOfOne operator>>(SimdOfOne a, int by) { return a.only >> by; }
  friend bool operator<(SimdOfOne a, SimdOfOne b) { return a.only < b.only; }
  friend bool operator>(SimdOfOne a, SimdOfOne b) { return a.only > b.only; }
  friend bool operator<=(SimdOfOne a, SimdOfOne b) { return a.only <= b.only; }
  friend bool operator>=(SimdOfOne a, SimdOfOne b) { return a.only >= b.only; }
  friend bool operator==(SimdOfOne a, SimdOfOne b) { return a.only == b.only; }
};

template <class T>
using native_simd = SimdOfOne<T>;
template <class T, class>
using rebind_simd_t = SimdOfOne<T>;

inline SimdOfOne<double> sqrt(SimdOfOne<double> a) { return __builtin_sqrt(a.only); }

/// where(condition, lanes) = value.
template <class T>
struct Chosen {
  bool condition;
  SimdOfOne<T>& lanes;
  void operator=(SimdOfOne<T> value) && {
    if (condition) lanes = value;
  }
};
template <class T>
Chosen<T> where(bool condition, SimdOfOne<T>& lanes) {
  return {condition, lanes};
}

}  // namespace ridge::stdx
