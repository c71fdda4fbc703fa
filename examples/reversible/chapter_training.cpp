// Chapter 4: both kinds of network learn, and the reversible one does not care whether its activations were stored.

#include <numeric>

#include "adam.hpp"
#include "chapters.hpp"
#include "compare.hpp"
#include "text.hpp"

namespace reversible {

namespace {

/// How a training went. The same seed gives the same weights and batches.
struct Trained {
  std::vector<double> losses;  // one a step
  double gradient_distance;    // at the end, rebuilt against stored
};

template <class Stream>
Trained train(Method method, const Shape& shape, std::size_t steps, std::uint64_t seed) {
  const Alphabet alphabet;
  Network<Stream> network(shape, seed, 0.5);
  Adam<Stream> adam(shape, 0.006);
  std::mt19937_64 random(seed);
  Trained trained{};
  for (std::size_t step = 0; step < steps; ++step) {
    trained.losses.push_back(network.step(method, random_batch(alphabet, shape, random)));
    adam.update(network);
  }
  const Batch batch = random_batch(alphabet, shape, random);
  trained.gradient_distance = gradient_distance(network, batch, Method::kReversibleRebuilt, Method::kReversibleStored);
  return trained;
}

/// The mean over the ten steps up to `end`.
double mean_before(const std::vector<double>& history, std::size_t end) {
  const auto last = history.begin() + static_cast<std::ptrdiff_t>(end);
  return std::accumulate(last - 10, last, 0.0) / 10;
}

constexpr const char* kTrainingText =
    R"(The task is to guess the next letter of a short text about this very trade. Both networks have the same weights to begin
with, as many parameters, and see the same batches. Counting how often a letter follows another gives a mark to beat: below
it, a network must be looking further back than one letter. Losses are means over the ten steps up to the one named.
)";

}  // namespace

Chapter training_chapter(const Options& options) {
  const Alphabet alphabet;
  const Shape shape{.batch = 8, .length = 32, .width = 32, .heads = 4, .depth = 4, .vocabulary = alphabet.size};
  const std::size_t steps = options.quick ? 160 : 400;
  const auto residual = train<FloatingStream<float>>(Method::kResidualStored, shape, steps, options.seed);
  const auto stored = train<FloatingStream<float>>(Method::kReversibleStored, shape, steps, options.seed);
  const auto rebuilt = train<FloatingStream<float>>(Method::kReversibleRebuilt, shape, steps, options.seed);

  Chapter chapter{.key = "training", .title = "4. Both learn", .text = kTrainingText};
  Table table{"loss",
              "steps",
              {{"residual", "residual, stored", "%.3f"},
               {"reversible_stored", "reversible, stored", "%.3f"},
               {"reversible_rebuilt", "reversible, rebuilt", "%.3f"},
               {"difference", "stored - rebuilt", "%.1e"}},
              {}};
  for (std::size_t end = steps / 8; end <= steps; end += steps / 8) {
    const double with = mean_before(stored.losses, end), without = mean_before(rebuilt.losses, end);
    table.rows.push_back({std::to_string(end), {mean_before(residual.losses, end), with, without, with - without}});
  }
  const double one_letter = counted_entropy(alphabet, 1);
  const std::vector<double>& last = table.rows.back().values;
  chapter.claims = {
      {"start", "all start at the loss of a blind guess, log(letters); its share",
       rebuilt.losses[0] / std::log(static_cast<double>(alphabet.size)), 0.9, 1.3},
      {"residual", "residual: loss at the end, against counted pairs of letters", last[0], 0, one_letter},
      {"reversible", "reversible, rebuilt: loss at the end, against the same", last[2], 0, one_letter},
      {"same", "reversible: stored and rebuilt end apart by", std::fabs(last[3]), 0, 0.01},
      {"gradients", "trained weights: rebuilt against stored gradients, float", rebuilt.gradient_distance, 0, 1e-3}};
  chapter.tables.push_back(std::move(table));
  return chapter;
}

}  // namespace reversible
