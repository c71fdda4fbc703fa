// Chapter 2: are the gradients right, and does it matter whether activations were stored or rebuilt?

#include "chapters.hpp"
#include "compare.hpp"
#include "text.hpp"

namespace reversible {

namespace {

constexpr Shape kShape{.batch = 2, .length = 12, .width = 16, .heads = 2, .depth = 3};

Shape with_depth(Shape shape, std::size_t depth, const Alphabet& alphabet) {
  shape.depth = depth;
  shape.vocabulary = alphabet.size;
  return shape;
}

template <class Stream>
double rebuilt_against_stored(const Shape& shape, const Batch& batch, std::uint64_t seed) {
  Network<Stream> network(shape, seed);
  return gradient_distance(network, batch, Method::kReversibleRebuilt, Method::kReversibleStored);
}

Table against_finite_differences(const Shape& shape, const Batch& batch, const Options& options) {
  Table table{"finite_differences", "double precision", {{"error", "against finite differences", "%.1e"}}, {}};
  std::mt19937_64 random(options.seed);
  for (const Method method : kMethods) {
    Network<FloatingStream<double>> network(shape, options.seed);
    const double error = finite_difference_error(network, batch, method, options.quick ? 2 : 8, random);
    table.rows.push_back({std::string(name_of(method)), {error}});
  }
  return table;
}

constexpr const char* kGradientText =
    R"(Every backward pass is written by hand, so it is held against finite differences of the loss. Then the same reversible
network computes its gradient twice: from stored activations, and from activations rebuilt from the output. In floating
point they differ by the rounding of the way back; in fixed point by nothing, to the last bit.
)";

}  // namespace

Chapter gradient_chapter(const Options& options) {
  const Alphabet alphabet;
  std::mt19937_64 random(options.seed);
  const Shape shape = with_depth(kShape, kShape.depth, alphabet);
  const Batch batch = random_batch(alphabet, shape, random);
  Chapter chapter{.key = "gradients", .title = "2. The same gradients", .text = kGradientText};

  chapter.tables.push_back(against_finite_differences(shape, batch, options));
  double worst = 0;
  for (const Row& row : chapter.tables[0].rows) worst = std::max(worst, row.values[0]);
  chapter.claims.push_back(
      {"finite_differences", "the worst gradient's distance from finite differences", worst, 0, 1e-6});

  Table depths{"rebuilt_against_stored",
               "blocks",
               {{"double", "rebuilt against stored: double", "%.1e"},
                {"float", "float", "%.1e"},
                {"fixed", "fixed point", "%.1e"}},
               {}};
  double worst_double = 0, worst_float = 0, worst_fixed = 0;
  for (const std::size_t depth : {1u, 2u, 4u, 8u, 16u, 32u}) {
    const Shape deep = with_depth(kShape, depth, alphabet);
    const double in_double = rebuilt_against_stored<FloatingStream<double>>(deep, batch, options.seed);
    const double in_float = rebuilt_against_stored<FloatingStream<float>>(deep, batch, options.seed);
    const double in_fixed = rebuilt_against_stored<FixedPointStream<float>>(deep, batch, options.seed);
    depths.rows.push_back({std::to_string(depth), {in_double, in_float, in_fixed}});
    worst_double = std::max(worst_double, in_double);
    worst_float = std::max(worst_float, in_float);
    worst_fixed = std::max(worst_fixed, in_fixed);
  }
  chapter.tables.push_back(std::move(depths));
  Network<FloatingStream<float>> residual(shape, options.seed);
  const double recomputed = gradient_distance(residual, batch, Method::kResidualRecomputed, Method::kResidualStored);
  chapter.claims.push_back(
      {"double", "rebuilt against stored gradients, double, up to 32 blocks", worst_double, 0, 1e-12});
  chapter.claims.push_back({"float", "the same in float", worst_float, 0, 1e-3});
  chapter.claims.push_back({"fixed", "the same in fixed point", worst_fixed, 0, 0});
  chapter.claims.push_back({"recomputed", "residual: recomputed against stored gradients, float", recomputed, 0, 0});
  return chapter;
}

}  // namespace reversible
