#include "report/derive/derivation.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "library/owned.hpp"
#include "report/derive/expression.hpp"
#include "roofline/readings.hpp"

namespace ridge::report {

namespace {

constexpr int kDigitsShown = 4;
constexpr int kMostDigits = 17;

// How tightly an operation binds; brackets go around anything looser than its surroundings.
enum Binding { kLoosest, kSum, kProduct, kPower, kTightest };

Binding binding_of(const TraceNode& node) {
  switch (node.operation) {
    case Operation::add:
    case Operation::subtract:
      return kSum;
    case Operation::multiply:
    case Operation::divide:
    case Operation::divide_or_unbounded:
      return kProduct;
    case Operation::power:
      return kPower;
    default:
      return kTightest;
  }
}

bool is_quotient(const TraceNode& node) {
  return node.operation == Operation::divide || node.operation == Operation::divide_or_unbounded;
}

bool is_leaf(const TraceNode& node) {
  return node.operation == Operation::literal || node.operation == Operation::input ||
         node.operation == Operation::named;
}

std::string number_text(double value, Dimension dimension, int digits) {
  if (!std::isfinite(value)) return "unbounded";
  const DisplayUnit unit = display_unit(value, dimension);
  const std::string number = fmt::format("{:.{}g}", value / unit.scale, digits);
  if (unit.name.starts_with("$")) return "$" + number + unit.name.substr(1);
  return unit.name.empty() ? number : number + " " + unit.name;
}

/// Prints the part of the graph between one named line and the next.
class Formula {
 public:
  /// digits 0: symbols; else numbers with that many significant digits.
  explicit Formula(int digits) : digits_(digits) {}

  std::string print(const TraceNode& node, Binding around, bool right_side) const {
    if (is_leaf(node)) return leaf(node);
    const Binding own = binding_of(node);
    const std::string text = inside(node, own);
    const bool bracket = own < around || (right_side && own == around);
    return bracket ? "(" + text + ")" : text;
  }

 private:
  std::string leaf(const TraceNode& node) const {
    if (node.operation == Operation::literal) {
      return digits_ == 0 ? fmt::format("{:.12g}", node.value) : number_text(node.value, node.dimension, 12);
    }
    return digits_ == 0 ? node.symbol : number_text(node.value, node.dimension, digits_);
  }

  std::string inside(const TraceNode& node, Binding own) const {
    const auto left = [&](Binding around) { return print(*node.operands[0], around, false); };
    const auto right = [&](Binding around) { return print(*node.operands[1], around, true); };
    switch (node.operation) {
      case Operation::add:
        return left(own) + " + " + print(*node.operands[1], own, false);
      case Operation::subtract:
        return left(own) + " - " + right(own);
      // a quotient as a factor is bracketed: "B / n·c" would read as B / (n·c)
      case Operation::multiply:
        return left(is_quotient(*node.operands[0]) ? kTightest : own) + "·" + right(own);
      case Operation::divide:
      case Operation::divide_or_unbounded:
        return left(own) + " / " + right(own);
      case Operation::maximum:
        return "max(" + left(kLoosest) + ", " + print(*node.operands[1], kLoosest, false) + ")";
      case Operation::minimum:
        return "min(" + left(kLoosest) + ", " + print(*node.operands[1], kLoosest, false) + ")";
      case Operation::square_root:
        return "sqrt(" + left(kLoosest) + ")";
      case Operation::power:
        return left(kTightest) + "^" + right(kTightest);
      case Operation::logarithm:
        return "ln(" + left(kLoosest) + ")";
      case Operation::balance:
        return "balance(" + left(kLoosest) + ", " + print(*node.operands[1], kLoosest, false) + ", " +
               print(*node.operands[2], kLoosest, false) + ")";
      default:
        return "";
    }
  }

  int digits_;
};

void collect_operands(const TraceNode& node, std::vector<const TraceNode*>& leaves) {
  if (node.operation == Operation::literal) return;
  if (is_leaf(node)) {
    const bool seen =
        std::any_of(leaves.begin(), leaves.end(), [&](const TraceNode* leaf) { return leaf->symbol == node.symbol; });
    if (!seen) leaves.push_back(&node);
    return;
  }
  for (const auto& operand : node.operands) collect_operands(*operand, leaves);
}

/// As few digits as make the printed formula come out at the printed value.
std::string numbers_that_agree(const TraceNode& body, double value, Dimension dimension) {
  const std::string shown = number_text(value, dimension, kDigitsShown);
  std::string numbers;
  const int most = std::isfinite(value) ? kMostDigits : kDigitsShown;
  for (int digits = kDigitsShown; digits <= most; ++digits) {
    numbers = Formula(digits).print(body, kLoosest, false);
    const auto evaluated = evaluate(numbers);
    if (evaluated && number_text(*evaluated, dimension, kDigitsShown) == shown) break;
  }
  return numbers;
}

DerivationLine line_of(const TraceNode& named, const std::vector<const TraceNode*>& leaves, int depth) {
  const TraceNode& body = *named.operands[0];
  DerivationLine line{.symbol = named.symbol,
                      .formula = Formula(0).print(body, kLoosest, false),
                      .numbers = numbers_that_agree(body, named.value, named.dimension),
                      .shown = number_text(named.value, named.dimension, kDigitsShown),
                      .value = named.value,
                      .dimension = named.dimension,
                      .operands = {},
                      .depth = depth};
  for (const TraceNode* leaf : leaves) line.operands.emplace_back(leaf->symbol, leaf->value);
  return line;
}

std::vector<const TraceNode*> operands_of(const TraceNode& named) {
  std::vector<const TraceNode*> leaves;
  collect_operands(*named.operands[0], leaves);
  return leaves;
}

/// What is zero (the experts of a dense model) is not worth a line.
bool is_worth_a_line(const TraceNode& leaf) { return leaf.operation == Operation::named && leaf.value != 0.0; }

class Deriver {
 public:
  explicit Deriver(int deepest) : deepest_(deepest) {}

  void add(const TraceNode& named, int depth) {
    if (deepest_ > 0 && depth >= deepest_) return;
    if (!seen_.insert(named.symbol).second) return;
    const auto leaves = operands_of(named);
    lines.push_back(line_of(named, leaves, depth));
    for (const TraceNode* leaf : leaves) {
      if (is_worth_a_line(*leaf)) add(*leaf, depth + 1);
    }
  }

  std::vector<DerivationLine> lines;

 private:
  int deepest_;
  std::set<std::string> seen_;
};

}  // namespace

std::vector<DerivationLine> derive(const Traced& figure, int depth) {
  Deriver deriver(depth);
  if (figure.node()->operation == Operation::named) deriver.add(*figure.node(), 0);
  return std::move(deriver.lines);
}

std::vector<DerivationLine> derive_all(std::span<const Traced> figures) {
  std::vector<std::string> order;
  struct Said {
    const TraceNode* named = nullptr;
    std::vector<const TraceNode*> leaves;
  };
  std::map<std::string, Said> said;  // of a symbol that stands for two things, the last figure's
  for (const Traced& figure : figures) {
    if (figure.node()->operation != Operation::named) continue;
    std::set<std::string> seen;
    std::vector<const TraceNode*> waiting{figure.node().get()};
    while (!waiting.empty()) {
      const TraceNode* named = waiting.back();
      waiting.pop_back();
      if (!seen.insert(named->symbol).second) continue;
      const auto [at, first] = said.try_emplace(named->symbol);
      if (first) order.push_back(named->symbol);
      Said& one = at->second;
      if (one.named != named) one = {named, operands_of(*named)};
      for (auto leaf = one.leaves.rbegin(); leaf != one.leaves.rend(); ++leaf) {
        if (is_worth_a_line(**leaf)) waiting.push_back(*leaf);
      }
    }
  }
  std::vector<DerivationLine> lines;
  for (const std::string& symbol : order) {
    const Said& one = said.at(symbol);
    lines.push_back(line_of(*one.named, one.leaves, 0));
  }
  return lines;
}

DecodeCase<Traced> traced_case(const ResolvedCase& resolved) {
  DecodeCase<Traced> traced = traced_case(resolved.numbers);
  if (resolved.owned) {
    traced.price = owned_price(owned_as<Traced>(*resolved.owned, [](std::size_t, const OwnedInput& input) {
                     return Traced::input(input.symbol, input.dimension, input.value);
                   })).total();
  }
  return traced;
}

namespace {

std::string plain_dots(std::string text, const Style& style) {
  if (style.unicode) return text;
  for (std::size_t at = 0; (at = text.find("·", at)) != std::string::npos;)
    text.replace(at, std::string_view("·").size(), "*");
  return text;
}

/// Sources in the order they are first cited, numbered from 1.
class Footnotes {
 public:
  explicit Footnotes(const Library& library) : library_(library) {}

  std::string cite(const Provenance& from) {
    const Source* known = find_named(library_.sources, from.source);
    const std::string note = from.note.empty() ? "" : "; " + from.note;
    if (from.kind == Kind::fallback) return name_of(from.kind) + note;
    if (known == nullptr) return fmt::format("{}: {}{}", name_of(from.kind), from.source, note);
    auto at = std::find(cited_.begin(), cited_.end(), known);
    if (at == cited_.end()) at = cited_.insert(cited_.end(), known);
    return fmt::format("{} [{}]{}{}", name_of(from.kind), at - cited_.begin() + 1,
                       from.place.empty() ? "" : " " + from.place, note);
  }

  std::string text(const Style& style) const {
    std::string out;
    for (std::size_t i = 0; i < cited_.size(); ++i) {
      const Source& source = *cited_[i];
      out += wrapped(fmt::format("  [{}] {}{}{}", i + 1, source.title, source.date.empty() ? "" : ", " + source.date,
                                 source.confidence == "high" || source.confidence.empty()
                                     ? ""
                                     : "; confidence " + source.confidence),
                     style.columns, 6) +
             "\n";
    }
    return out;
  }

 private:
  const Library& library_;
  std::vector<const Source*> cited_;
};

}  // namespace

std::vector<DerivationInput> derivation_inputs(const ResolvedCase& resolved) {
  std::vector<DerivationInput> inputs = derivation_inputs(resolved.numbers, resolved.from);
  if (resolved.owned) {
    for (const OwnedInput& input : owned_inputs(*resolved.owned))
      inputs.push_back({input.symbol, input.meaning, input.value, input.dimension, input.from});
  }
  return inputs;
}

std::string derivation_text(const std::vector<DerivationLine>& lines, const std::vector<DerivationInput>& inputs,
                            const Library& library, const Style& style) {
  const auto is_input = [&](std::string_view symbol) {
    return std::any_of(inputs.begin(), inputs.end(), [&](const DerivationInput& one) { return one.symbol == symbol; });
  };
  std::string out;
  std::set<std::string> printed, used;
  for (const DerivationLine& line : lines) printed.insert(line.symbol);
  for (const DerivationLine& line : lines) {
    const std::string indent(static_cast<std::size_t>(2 * line.depth), ' ');
    const std::string under = indent + std::string(line.symbol.size(), ' ');
    const std::string result = std::isfinite(line.value) ? line.shown : "there is none (the divisor is not positive)";
    const int behind = std::min(static_cast<int>(under.size()) + 5, 24);  // a line goes on behind its equals sign
    const auto written = [&](const std::string& text) {
      return wrapped(plain_dots(text, style), style.columns, behind) + "\n";
    };
    out += written(fmt::format("{}{} = {}", indent, bold(style, line.symbol), line.formula));
    out += written(fmt::format("{} = {} = {}", under, line.numbers, result));
    for (const auto& [symbol, value] : line.operands) {
      if (value != 0.0 || is_input(symbol)) used.insert(symbol);
    }
  }
  out += "where\n";
  Footnotes footnotes(library);
  for (const DerivationInput& input : inputs) {
    if (!used.contains(std::string(input.symbol)) || printed.contains(std::string(input.symbol))) continue;
    const std::string head =
        fmt::format("  {} = {}", padded(input.symbol, 8), padded(number_text(input.value, input.dimension, 6), 16));
    out += wrapped(fmt::format("{} {}; {}", head, input.meaning, footnotes.cite(input.from)), style.columns, 13) + "\n";
  }
  const auto balances = [](const DerivationLine& line) { return line.formula.find("balance(") != std::string::npos; };
  if (std::any_of(lines.begin(), lines.end(), balances))
    out += plain_dots("  balance(c, m, q) is the x with x·(1 + m·x)^q = c\n", style);
  out += footnotes.text(style);
  std::vector<std::string> deeper;
  for (const std::string& symbol : used) {
    if (!is_input(symbol) && !printed.contains(symbol)) deeper.push_back(symbol);
  }
  if (!deeper.empty())
    out += wrapped(fmt::format("  not opened here: {} (--depth 0 opens everything)", joined(deeper, ", ")),
                   style.columns, 4) +
           "\n";
  return out;
}

}  // namespace ridge::report
