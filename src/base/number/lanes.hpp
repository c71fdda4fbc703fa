#pragma once
// Many numbers at once: one SIMD register of doubles, as wide as the instruction set this file is compiled for.
// Include it only from files that are compiled once per instruction set (src/search/) or for one machine (tests, bench).

#include <bit>
#include <cstdint>

#include "base/number/scalar.hpp"

#ifdef __wasm__
#include "base/number/simd_of_one.hpp"
#else
#include <experimental/simd>
namespace ridge {
namespace stdx = std::experimental;
}
#endif

namespace ridge {

struct Lanes {
  using Vector = stdx::native_simd<double>;
  Vector v{0.0};

  Lanes() = default;
  explicit Lanes(double same_in_all) : v(same_in_all) {}
  explicit Lanes(Vector vector) : v(vector) {}

  static constexpr int size() { return static_cast<int>(Vector::size()); }
  static Lanes load(const double* from) { return Lanes(Vector(from, stdx::element_aligned)); }
  void store(double* to) const { v.copy_to(to, stdx::element_aligned); }

  friend Lanes operator+(Lanes a, Lanes b) { return Lanes(a.v + b.v); }
  friend Lanes operator-(Lanes a, Lanes b) { return Lanes(a.v - b.v); }
  friend Lanes operator*(Lanes a, Lanes b) { return Lanes(a.v * b.v); }
  friend Lanes operator/(Lanes a, Lanes b) { return Lanes(a.v / b.v); }
};

template <>
struct BitsOf<Lanes::Vector> {
  using Type = stdx::rebind_simd_t<std::uint64_t, Lanes::Vector>;
  static Type to(Lanes::Vector value) { return std::bit_cast<Type>(value); }
  static Lanes::Vector from(Type bits) { return std::bit_cast<Lanes::Vector>(bits); }
  static Type all(std::uint64_t bits) { return Type(bits); }
  static Lanes::Vector choose(Lanes::Vector::mask_type condition, Lanes::Vector yes, Lanes::Vector no) {
    stdx::where(condition, no) = yes;
    return no;
  }
};

inline Lanes max(Lanes a, Lanes b) { return Lanes(BitsOf<Lanes::Vector>::choose(a.v < b.v, b.v, a.v)); }
inline Lanes min(Lanes a, Lanes b) { return Lanes(BitsOf<Lanes::Vector>::choose(b.v < a.v, b.v, a.v)); }
inline Lanes sqrt(Lanes a) { return Lanes(stdx::sqrt(a.v)); }
inline Lanes pow(Lanes base, Lanes exponent) { return Lanes(elementary::pow(base.v, exponent.v)); }
inline Lanes log(Lanes a) { return Lanes(elementary::log(a.v)); }
inline Lanes balance(Lanes c, Lanes m, Lanes q) { return Lanes(elementary::balance(c.v, m.v, q.v)); }
inline Lanes divide_or_unbounded(Lanes a, Lanes b) {
  using Bits = BitsOf<Lanes::Vector>;
  const Lanes::Vector none(0.0), infinity(elementary::kInfinity);
  return Lanes(Bits::choose(b.v > none, a.v / b.v, Bits::choose(a.v < none, -infinity, infinity)));
}

static_assert(Scalar<Lanes>);

}  // namespace ridge
