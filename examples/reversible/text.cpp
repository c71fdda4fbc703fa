#include "text.hpp"

#include <cmath>
#include <map>

namespace reversible {

Alphabet::Alphabet() {
  std::map<char, std::size_t> numbers;
  for (const char letter : kText) text.push_back(numbers.try_emplace(letter, numbers.size()).first->second);
  size = numbers.size();
}

Batch random_batch(const Alphabet& alphabet, const Shape& shape, std::mt19937_64& random) {
  Batch batch;
  for (std::size_t sequence = 0; sequence < shape.batch; ++sequence) {
    const std::size_t start = random() % (alphabet.text.size() - shape.length);
    for (std::size_t i = start; i < start + shape.length; ++i) {
      batch.letters.push_back(alphabet.text[i]);
      batch.next.push_back(alphabet.text[i + 1]);
    }
  }
  return batch;
}

double counted_entropy(const Alphabet& alphabet, std::size_t context) {
  using Letters = std::vector<std::size_t>;
  std::map<Letters, std::map<std::size_t, double>> followers;
  const auto letter = alphabet.text.begin();
  const auto count = static_cast<std::ptrdiff_t>(alphabet.text.size()), before = static_cast<std::ptrdiff_t>(context);
  for (std::ptrdiff_t i = before; i < count; ++i) followers[Letters(letter + i - before, letter + i)][letter[i]] += 1;
  double nats = 0;
  for (const auto& [letters, next] : followers) {
    double sum = 0;
    for (const auto& [which, times] : next) sum += times;
    for (const auto& [which, times] : next) nats -= times * std::log(times / sum);
  }
  return nats / static_cast<double>(count - before);
}

}  // namespace reversible
