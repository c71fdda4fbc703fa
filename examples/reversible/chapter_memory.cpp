// Chapter 5: how much memory a step's activations take, against depth. Counted by the allocator that every tensor uses.

#include <cmath>
#include <limits>

#include "chapters.hpp"
#include "process_peak.hpp"
#include "text.hpp"

namespace reversible {

namespace {

constexpr double kKibi = 1024;

struct Peak {
  double activations, weights;  // KiB; weights with their gradients
};

Peak counted(Method method, std::size_t depth, const Options& options) {
  const Shape shape = memory_shape(depth, options.quick);
  std::mt19937_64 random(options.seed);
  Network<FloatingStream<float>> network(shape, options.seed);
  network.step(method, random_batch(Alphabet(), shape, random));
  return {static_cast<double>(network.activations().peak) / kKibi, static_cast<double>(network.weights().peak) / kKibi};
}

/// What one block more costs: counted by us, and as the operating system sees it.
Row growth(Method method, std::size_t shallow, std::size_t deep, const Options& options) {
  const Peak low = counted(method, shallow, options), high = counted(method, deep, options);
  const double resident =
      peak_of_new_process(method, deep, options.quick) - peak_of_new_process(method, shallow, options.quick);
  const double blocks = static_cast<double>(deep - shallow);
  const double activations = (high.activations - low.activations) / blocks,
               weights = (high.weights - low.weights) / blocks;
  return {std::string(name_of(method)), {activations, weights, activations + weights, resident / kKibi / blocks}};
}

Table peak_table(std::size_t shallow, std::size_t deep, const Options& options) {
  Table table{"peak", "blocks", {}, {}};
  for (const char* key : {"residual_stored", "residual_recomputed", "reversible_stored", "reversible_rebuilt"}) {
    table.columns.push_back({key, std::string(name_of(kMethods[table.columns.size()])), "%.0f KiB"});
  }
  for (std::size_t depth = shallow; depth <= deep; depth *= 2) {
    Row row{std::to_string(depth), {}};
    for (const Method method : kMethods) row.values.push_back(counted(method, depth, options).activations);
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<Claim> peak_claims(const Table& table) {
  constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  const Row &first = table.rows.front(), &middle = table.rows[table.rows.size() - 2], &last = table.rows.back();
  const auto slope = [](const Row& from, const Row& to) {  // residual, stored: KiB a block
    return (to.values[0] - from.values[0]) / (std::stod(to.label) - std::stod(from.label));
  };
  const auto grown = [&](std::size_t method) { return last.values[method] / first.values[method]; };
  return {{"flat", "reversible, rebuilt: peak of the deepest over that of the shallowest", grown(3), 1, 1.001},
          {"linear", "residual, stored: growth a block below half of the depth, over that above it",
           slope(first, middle) / slope(middle, last), 0.99, 1.01},
          {"grows", "residual, stored: peak of the deepest over that of the shallowest", grown(0), 4, kNoLimit},
          {"inputs", "residual, recomputed: the same", grown(1), 1.1, kNoLimit}};
}

Table growth_table(std::size_t shallow, std::size_t deep, const Options& options) {
  return {"growth",
          "one block more, KiB",
          {{"activations", "activations", "%.0f"},
           {"weights", "weights and gradients", "%.0f"},
           {"sum", "sum", "%.0f"},
           {"resident", "process, as the system sees it", "%.0f"}},
          {growth(Method::kResidualStored, shallow, deep, options),
           growth(Method::kReversibleRebuilt, shallow, deep, options)}};
}

constexpr const char* kMemoryText =
    R"(The most memory that a step's activations take at once, forward and backward: not a formula, but what the tensors of this
program asked for. Stored activations grow with every block. Block inputs alone, to recompute the rest from, grow with every
block, too, though more slowly. Rebuilt from the output, nothing grows: about one block's worth, at any depth.
)";

}  // namespace

Chapter memory_chapter(const Options& options) {
  const std::size_t shallow = 2, deep = options.quick ? 16 : 32;
  const Table peaks = peak_table(shallow, deep, options), growths = growth_table(shallow, deep, options);
  Chapter chapter{.key = "memory", .title = "5. Memory against depth", .text = kMemoryText};
  chapter.tables = {peaks, growths};
  chapter.claims = peak_claims(peaks);
  const std::vector<double>& stored = growths.rows[0].values;
  const double seen = stored[3] / stored[2];
  if (!options.quick && !std::isnan(seen)) {
    chapter.claims.push_back({"system", "residual, stored: growth seen by the system over ours", seen, 0.7, 1.4});
  }
  return chapter;
}

}  // namespace reversible
