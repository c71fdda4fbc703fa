// Chapter 6: what the memory costs in time. In theory a backward pass is two forward passes, so that one more makes 4 of 3.

#include <algorithm>
#include <array>
#include <ctime>

#include "chapters.hpp"
#include "text.hpp"
#include "trained_network.hpp"

namespace reversible {

namespace {

/// Processor time, in milliseconds: on a busy machine it is steadier than the clock on the wall.
template <class Work>
double processor_time(Work work) {
  const std::clock_t began = std::clock();
  work();
  return 1e3 * static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Milliseconds of every repeat. What is compared is measured in turns, so that both meet the same weather.
struct Times {
  std::vector<double> forward;
  std::array<std::vector<double>, kMethods.size()> step;
};

Times measure(const Shape& shape, const Alphabet& alphabet, int repeats, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Network<FloatingStream<float>> network(shape, seed);
  const Batch batch = random_batch(alphabet, shape, random);
  Times times;
  for (int repeat = -1; repeat < repeats; ++repeat) {  // the first one warms caches and the allocator
    if (repeat == 0) times = {};
    times.forward.push_back(processor_time([&] { network.loss(Method::kReversibleStored, batch); }));
    for (std::size_t i = 0; i < kMethods.size(); ++i) {
      times.step[i].push_back(processor_time([&] { network.step(kMethods[i], batch); }));
    }
  }
  return times;
}

/// Turn by turn, one method's time over another's; and what one more forward pass should make of it.
Row ratio(const std::string& label, const Times& times, std::size_t method, std::size_t reference) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < times.forward.size(); ++i)
    ratios.push_back(times.step[method][i] / times.step[reference][i]);
  const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
  return {label, {median(ratios), *least, *most, 1 + median(times.forward) / median(times.step[reference]), 4.0 / 3}};
}

constexpr const char* kTimeText =
    R"(A step is a forward and a backward pass; backward does about twice the work (slopes of inputs, slopes of weights). One more
forward pass makes 4 of 3 in theory. Measured in turns, processor time; "expected" is (step + forward) / step with this
machine's own forward pass and stored step.
)";

}  // namespace

Chapter time_chapter(const Options& options) {
  const Alphabet alphabet;
  const std::size_t size = options.quick ? 32 : 64;
  const Shape shape{.batch = 4, .length = size, .width = size, .heads = 4, .depth = 6, .vocabulary = alphabet.size};
  const int repeats = options.quick ? 9 : 25;
  const Times times = measure(shape, alphabet, repeats, options.seed);
  Table milliseconds{"milliseconds",
                     "median of " + std::to_string(repeats),
                     {{"milliseconds", "ms", "%.2f"}},
                     {{"forward pass alone", {median(times.forward)}}}};
  for (std::size_t i = 0; i < kMethods.size(); ++i)
    milliseconds.rows.push_back({"step, " + std::string(name_of(kMethods[i])), {median(times.step[i])}});
  Table ratios{"ratio",
               "time over stored",
               {{"median", "median", "%.3f"},
                {"least", "least", "%.3f"},
                {"most", "most", "%.3f"},
                {"expected", "expected", "%.3f"},
                {"theory", "theory", "%.3f"}},
               {ratio("residual: recomputed", times, 1, 0), ratio("reversible: rebuilt", times, 3, 2)}};
  Chapter chapter{.key = "time", .title = "6. Time", .text = kTimeText};
  if (!options.quick)
    chapter.claims.push_back(
        {"ratio", "reversible: time of a rebuilt step over that of a stored one", ratios.rows[1].values[0], 1.1, 1.7});
  chapter.tables = {milliseconds, ratios};
  return chapter;
}

}  // namespace reversible
