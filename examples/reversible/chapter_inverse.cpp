// Chapter 3: how exactly do a stack's inputs come back from its outputs, and how does that depend on depth?

#include <cmath>

#include "chapters.hpp"
#include "trained_network.hpp"

namespace reversible {

namespace {

/// The root-mean-square error of the inputs that come back, as a share of their own size.
template <class Stream>
double inverse_error(std::size_t depth, double gain, std::uint64_t seed) {
  using Real = typename Stream::Real;
  const Shape shape{.batch = 2, .length = 16, .width = 32, .heads = 4, .depth = depth};
  Ledger ledger;
  const auto blocks = random_parameters<Real>(ledger, shape, seed, gain).blocks;
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Tensor<Real> x(ledger, shape.tokens(), shape.width);
  for (Real& value : x.elements()) value = static_cast<Real>(normal(random));

  ReversibleStack<Stream> stack(blocks, shape, Keep::kNothing);
  const auto before = stack.split(x);
  auto streams = before;
  stack.forward(streams);
  stack.invert(streams);
  double error = 0, size = 0;
  for (std::size_t i = 0; i < x.elements().size(); ++i) {
    const double wanted = static_cast<double>(Stream::to_real(before.first.elements()[i]));
    error += std::pow(static_cast<double>(Stream::to_real(streams.first.elements()[i])) - wanted, 2) +
             std::pow(static_cast<double>(Stream::to_real(streams.second.elements()[i])) - wanted, 2);
    size += 2 * wanted * wanted;
  }
  return std::sqrt(error / size);
}

/// p in error ~ depth^p: the slope of the least-squares line through the logarithms.
double growth_power(const Table& table, std::size_t column) {
  double count = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const Row& row : table.rows) {
    const double depth = std::log(std::stod(row.label)), error = std::log(row.values[column]);
    count += 1;
    x += depth;
    y += error;
    xx += depth * depth;
    xy += depth * error;
  }
  return (count * xy - x * y) / (count * xx - x * x);
}

constexpr const char* kInverseText =
    R"(Inputs go up through the blocks and come back down. The error is that of the inputs that come back, as a share of their
size. Weights of gain 1 make each sublayer write as much as layer norm hands it; with gain 2 and 4 they write more, and
every rounding error is carried further.
)";

}  // namespace

Chapter inverse_chapter(const Options& options) {
  Chapter chapter{.key = "inverse", .title = "3. The way back", .text = kInverseText};
  Table table{"error",
              "blocks",
              {{"fixed", "fixed point", "%.1e"},
               {"double", "double", "%.1e"},
               {"float", "float", "%.1e"},
               {"float_gain_2", "float, gain 2", "%.1e"},
               {"float_gain_4", "float, gain 4", "%.1e"}},
              {}};
  double worst_fixed = 0;
  for (std::size_t depth = 1; depth <= (options.quick ? 32u : 128u); depth *= 2) {
    const double fixed = inverse_error<FixedPointStream<float>>(depth, 1, options.seed);
    const double fixed_harsh = inverse_error<FixedPointStream<float>>(depth, 4, options.seed);
    worst_fixed = std::max({worst_fixed, fixed, fixed_harsh});
    table.rows.push_back({std::to_string(depth),
                          {fixed, inverse_error<FloatingStream<double>>(depth, 1, options.seed),
                           inverse_error<FloatingStream<float>>(depth, 1, options.seed),
                           inverse_error<FloatingStream<float>>(depth, 2, options.seed),
                           inverse_error<FloatingStream<float>>(depth, 4, options.seed)}});
  }
  const std::vector<double>& deepest = table.rows.back().values;
  const std::string at = " after " + table.rows.back().label + " blocks";
  chapter.claims = {{"fixed", "fixed point: the worst error, gain 1 and 4, all depths", worst_fixed, 0, 0},
                    {"double", "double: error" + at, deepest[1], 0, 1e-12},
                    {"float", "float: error" + at, deepest[2], 0, 1e-3},
                    {"power", "float: the error grows as depth to the power of", growth_power(table, 2), 0.5, 2},
                    {"power_harsh", "float, gain 2: the same", growth_power(table, 3), 0.5, 3}};
  chapter.tables.push_back(std::move(table));
  return chapter;
}

}  // namespace reversible
