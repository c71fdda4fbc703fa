#include "base/field_list.hpp"

#include <doctest/doctest.h>

#include "base/number/dual.hpp"

namespace ridge {

namespace testing {

struct LoafInfo {
  std::string_view key, symbol;
};

template <class S>
struct Loaf {
  Bytes<S> size;
  Seconds<S> age;
  bool sliced = false;
};

}  // namespace testing

using testing::Loaf, testing::LoafInfo;

template <>
struct FieldList<Loaf> {
  using Info = LoafInfo;
  static constexpr std::size_t kCount = 2;
  static constexpr void visit(auto& loaf, auto&& f) {
    f(LoafInfo{"size", "b"}, loaf.size);
    f(LoafInfo{"age", "t"}, loaf.age);
  }
  static constexpr void keep_terms(const auto& from, auto& to) { to.sliced = from.sliced; }
};

TEST_CASE("a list has the fields in the visitor's order, with their dimensions, by key or symbol") {
  constexpr auto kRows = field_rows<Loaf>();
  CHECK(kRows[0].dimension == kByte);
  CHECK(kRows[1].dimension == kSecond);
  CHECK(keys_of(kRows) == std::vector<std::string>{"size", "age"});
  CHECK(find_field(kRows, "age") == 1);
  CHECK(find_field(kRows, "b") == 0);
  CHECK(find_field(kRows, "crust") == kRows.size());
}

TEST_CASE("another reading has the same values and terms, and the scalars it was given") {
  const Loaf<double> loaf{Bytes<double>(800.0), Seconds<double>(60.0), true};
  const Loaf<Dual> seeded = read_as<Dual>(loaf, [](std::size_t index, const LoafInfo&, Dimension, double value) {
    return Dual(value, index == 1 ? 1.0 : 0.0);
  });
  CHECK(input_values(loaf) == std::array{800.0, 60.0});
  CHECK(seeded.sliced);
  const auto duals = output_values(seeded);
  CHECK(duals[0].value == 800.0);
  CHECK(duals[0].slope == 0.0);
  CHECK(duals[1].value == 60.0);
  CHECK(duals[1].slope == 1.0);
}

}  // namespace ridge
