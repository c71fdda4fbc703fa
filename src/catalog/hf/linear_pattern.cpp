#include "catalog/hf/linear_pattern.hpp"

#include <algorithm>
#include <memory>
#include <string>

namespace ridge::catalog {

namespace {

using Characters = LinearPattern::Characters;

constexpr int kNoMost = -1;
constexpr int kMostRepeats = 1000;        // as RE2 has it
constexpr int kDeepestGroups = 100;       // groups in groups
constexpr std::size_t kMostSteps = 5000;  // a pattern that repeats repetitions grows by their product

struct Node {
  enum class Is { sequence, choice, repeat, characters, begin, end };
  Is is = Is::sequence;
  std::vector<Node> parts = {};
  Characters characters = {};
  int least = 0, most = 0;  // of a repeat
};

Characters range_of(char from, char to) {
  Characters all;
  for (int c = from; c <= to; ++c) all.set(static_cast<std::size_t>(c));
  return all;
}

/// \d, \w and \s, and their opposites.
std::optional<Characters> class_of(char letter) {
  switch (letter) {
    case 'd':
      return range_of('0', '9');
    case 'w':
      return range_of('0', '9') | range_of('A', 'Z') | range_of('a', 'z') | range_of('_', '_');
    case 's':
      return range_of('\t', '\n') | range_of('\f', '\r') | range_of(' ', ' ');
    case 'D':
    case 'W':
    case 'S':
      return ~*class_of(static_cast<char>(letter - 'A' + 'a'));
    default:
      return {};
  }
}

bool is_letter_or_digit(char c) { return (*class_of('w'))[static_cast<std::size_t>(c)] && c != '_'; }

/// A character after a backslash that stands for itself, or for one that is not seen.
std::optional<char> escaped(char c) {
  constexpr std::string_view kNames = "ntrfv", kMeant = "\n\t\r\f\v";
  if (const std::size_t at = kNames.find(c); at != std::string_view::npos) return kMeant[at];
  if (is_letter_or_digit(c)) return {};
  return c;
}

/// Reads one pattern; `failed` once something is wrong or beyond the subset.
class PatternReader {
 public:
  explicit PatternReader(std::string_view text) : text_(text) {}

  std::optional<Node> read() {
    for (const char c : text_) {
      if (static_cast<unsigned char>(c) >= 128 || c == '\0') return {};
    }
    Node all = choice(0);
    if (failed_ || at_ != text_.size()) return {};
    return all;
  }

 private:
  bool more() const { return !failed_ && at_ < text_.size(); }
  bool took(char c) {
    if (!more() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  Node failure() {
    failed_ = true;
    return {};
  }

  Node choice(int depth) {
    if (depth > kDeepestGroups) return failure();
    Node all{.is = Node::Is::choice};
    do all.parts.push_back(sequence(depth));
    while (took('|'));
    return all;
  }

  Node sequence(int depth) {
    Node all;
    while (more() && text_[at_] != '|' && text_[at_] != ')') all.parts.push_back(repeated(atom(depth)));
    return all;
  }

  Node atom(int depth) {
    if (repetition()) return failure();  // of nothing
    if (failed_) return {};
    const char c = text_[at_++];
    switch (c) {
      case '(':
        return group(depth);
      case '[':
        return one_of();
      case '.':
        return {.is = Node::Is::characters, .characters = ~range_of('\n', '\n')};
      case '^':
        return {.is = Node::Is::begin};
      case '$':
        return {.is = Node::Is::end};
      case '\\':
        return after_backslash();
      default:
        return {.is = Node::Is::characters, .characters = range_of(c, c)};
    }
  }

  Node group(int depth) {
    if (took('?') && !took(':')) return failure();
    Node inside = choice(depth + 1);
    return took(')') ? inside : failure();
  }

  Node after_backslash() {
    if (!more()) return failure();
    const char c = text_[at_++];
    if (c == 'A') return {.is = Node::Is::begin};
    if (c == 'z') return {.is = Node::Is::end};
    if (const auto many = class_of(c)) return {.is = Node::Is::characters, .characters = *many};
    const auto one = escaped(c);
    return one ? Node{.is = Node::Is::characters, .characters = range_of(*one, *one)} : failure();
  }

  Node one_of() {
    Node all{.is = Node::Is::characters};
    const bool others = took('^');
    for (bool first = true; more() && (first || text_[at_] != ']'); first = false) {
      char from = text_[at_++];
      if (from == '[' && more() && text_[at_] == ':') return failure();
      if (from == '\\') {
        if (!more()) return failure();
        const char c = text_[at_++];
        if (const auto many = class_of(c)) {
          all.characters |= *many;
          continue;
        }
        const auto one = escaped(c);
        if (!one) return failure();
        from = *one;
      }
      char to = from;
      if (at_ + 1 < text_.size() && text_[at_] == '-' && text_[at_ + 1] != ']') {
        ++at_;
        to = text_[at_++];
        if (to == '\\') {
          const auto one = more() ? escaped(text_[at_++]) : std::nullopt;
          if (!one) return failure();
          to = *one;
        }
      }
      if (to < from) return failure();
      all.characters |= range_of(from, to);
    }
    if (!took(']')) return failure();
    if (others) all.characters = ~all.characters;
    return all;
  }

  Node repeated(Node one) {
    const auto bounds = repetition();
    if (failed_ || !bounds) return one;
    took('?');  // which match is found first does not change whether there is one
    if (more() && (text_[at_] == '*' || text_[at_] == '+' || text_[at_] == '?')) return failure();
    if (const std::size_t here = at_; repetition() && at_ != here) return failure();
    Node all{.is = Node::Is::repeat, .least = bounds->first, .most = bounds->second};
    all.parts.push_back(std::move(one));
    return all;
  }

  std::optional<std::pair<int, int>> repetition() {
    if (took('*')) return std::pair(0, kNoMost);
    if (took('+')) return std::pair(1, kNoMost);
    if (took('?')) return std::pair(0, 1);
    if (!more() || text_[at_] != '{') return {};
    const std::size_t before = at_++;
    const auto least = count();
    auto most = least;
    if (took(',')) most = more() && text_[at_] == '}' ? std::optional(kNoMost) : count();
    if (!least || !most || !took('}')) {  // a brace like any other character
      at_ = before;
      return {};
    }
    const bool inverted = *most != kNoMost && *most < *least;
    if (*least > kMostRepeats || *most > kMostRepeats || inverted) failed_ = true;
    return std::pair(*least, *most);
  }

  std::optional<int> count() {
    const std::size_t from = at_;
    int value = 0;
    while (more() && text_[at_] >= '0' && text_[at_] <= '9') {
      value = std::min(value * 10 + (text_[at_++] - '0'), kMostRepeats + 1);
    }
    if (at_ == from) return {};
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

using Step = LinearPattern::Step;
using Does = LinearPattern::Does;

/// Writes the steps of a node in front of `next`, which is there already: where they begin.
std::size_t write_steps(const Node& node, std::size_t next, std::vector<Step>& steps) {
  const auto add = [&](Step step) {
    steps.push_back(step);
    return steps.size() - 1;
  };
  if (steps.size() > kMostSteps) return next;
  switch (node.is) {
    case Node::Is::characters:
      return add({Does::take, next, 0, node.characters});
    case Node::Is::begin:
      return add({Does::begin, next});
    case Node::Is::end:
      return add({Does::end, next});
    case Node::Is::sequence:
      for (auto part = node.parts.rbegin(); part != node.parts.rend(); ++part) next = write_steps(*part, next, steps);
      return next;
    case Node::Is::choice: {
      std::size_t begin = write_steps(node.parts.back(), next, steps);
      for (std::size_t i = node.parts.size() - 1; i-- > 0;)
        begin = add({Does::split, write_steps(node.parts[i], next, steps), begin});
      return begin;
    }
    case Node::Is::repeat:
      break;
  }
  if (node.most == kNoMost) {
    const std::size_t loop = add({Does::split, next, next});
    const std::size_t inside = write_steps(node.parts.front(), loop, steps);
    steps[loop].next = inside;
    next = loop;
  } else {
    const std::size_t after = next;
    for (int i = node.least; i < node.most && steps.size() <= kMostSteps; ++i)
      next = add({Does::split, write_steps(node.parts.front(), next, steps), after});
  }
  for (int i = 0; i < node.least && steps.size() <= kMostSteps; ++i)
    next = write_steps(node.parts.front(), next, steps);
  return next;
}

}  // namespace

std::optional<LinearPattern> LinearPattern::read(std::string_view pattern) {
  const auto node = PatternReader(pattern).read();
  if (!node) return {};
  std::vector<Step> steps{{Does::match}};
  const std::size_t begin = write_steps(*node, 0, steps);
  if (steps.size() > kMostSteps) return {};
  steps.push_back({Does::split, begin, begin});
  return LinearPattern(std::move(steps));
}

bool LinearPattern::match_start(std::string_view text) const {
  std::vector<std::size_t> now{steps_.size() - 1}, then;
  std::vector<std::size_t> seen(steps_.size(), 0);  // the round in which a step was last reached
  for (std::size_t at = 0; !now.empty(); ++at) {
    then.clear();
    const std::size_t round = at + 1;
    while (!now.empty()) {
      const std::size_t here = now.back();
      now.pop_back();
      if (seen[here] == round) continue;
      seen[here] = round;
      const Step& step = steps_[here];
      switch (step.does) {
        case Does::match:
          return true;
        case Does::split:
          now.push_back(step.next);
          now.push_back(step.other);
          break;
        case Does::begin:
          if (at == 0) now.push_back(step.next);
          break;
        case Does::end:
          if (at == text.size()) now.push_back(step.next);
          break;
        case Does::take: {
          const auto c = at < text.size() ? static_cast<unsigned char>(text[at]) : 128U;
          if (c < 128 && step.characters[c]) then.push_back(step.next);
          break;
        }
      }
    }
    if (at == text.size()) return false;
    std::swap(now, then);
  }
  return false;
}

}  // namespace ridge::catalog
