#include "report/derive/expression.hpp"

#include <cctype>
#include <string>

#include "base/number/scalar.hpp"
#include "base/text/unit_text.hpp"

namespace ridge::report {

namespace {

constexpr int kDeepest = 200;

class Parser {
 public:
  Parser(std::string_view text, const SymbolValue& symbols) : text_(text), symbols_(symbols) {}

  std::optional<double> run() {
    const double value = sum();
    skip_spaces();
    if (failed_ || at_ != text_.size()) return {};
    return value;
  }

 private:
  double sum() {
    double value = product();
    while (!failed_) {
      if (accept(" + ") || accept("+"))
        value = value + product();
      else if (accept(" - "))
        value = value - product();
      else
        break;
    }
    return value;
  }

  double product() {
    double value = power();
    while (!failed_) {
      if (accept("·") || accept("*"))
        value = value * power();
      else if (accept(" / "))
        value = value / power();
      else
        break;
    }
    return value;
  }

  double power() {
    const double base = primary();
    return accept("^") ? ridge::pow(base, primary()) : base;
  }

  double primary() {
    if (++depth_ > kDeepest) return fail();
    const double value = primary_inside();
    --depth_;
    return value;
  }

  double primary_inside() {
    skip_spaces();
    if (accept("(")) return closed(sum());
    if (accept("max(")) return pair([](double a, double b) { return ridge::max(a, b); });
    if (accept("min(")) return pair([](double a, double b) { return ridge::min(a, b); });
    if (accept("sqrt(")) return closed(ridge::sqrt(sum()));
    if (accept("ln(")) return closed(ridge::log(sum()));
    if (accept("balance(")) return balanced();
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '$' || c == '-') return number();
    return symbol();
  }

  double closed(double value) { return accept(")") ? value : fail(); }

  template <class Combine>
  double pair(Combine&& combine) {
    const double first = sum();
    if (!accept(", ")) return fail();
    return closed(combine(first, sum()));
  }

  double balanced() {
    const double c = sum();
    if (!accept(", ")) return fail();
    const double m = sum();
    if (!accept(", ")) return fail();
    return closed(ridge::balance(c, m, sum()));
  }

  // digits, then perhaps one space and a unit; a unit is letters, % and slashes without spaces
  double number() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_number_part(at_)) ++at_;
    std::size_t unit = at_;
    if (unit < text_.size() && text_[unit] == ' ') ++unit;
    std::size_t end = unit;
    while (end < text_.size() && (std::isalpha(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '/' ||
                                  text_[end] == '%' || text_[end] == '$'))
      ++end;
    // "69.5 B params" is one unit
    if (end == unit + 1 && text_.substr(end).starts_with(" params")) end += std::string_view(" params").size();
    // " / " is a division, not a unit
    const bool is_unit = end > unit && !(text_[unit] == '/' && unit > at_);
    if (is_unit) at_ = end;
    const auto measure = parse_measure(text_.substr(begin, at_ - begin), "");
    return measure ? measure->value : fail();
  }

  bool is_number_part(std::size_t i) const {
    const char c = text_[i];
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '$') return true;
    const bool after_exponent = i > 0 && (text_[i - 1] == 'e');
    if ((c == '-' || c == '+') && (after_exponent || i == 0 || !std::isdigit(static_cast<unsigned char>(text_[i - 1]))))
      return true;
    return c == 'e' && i + 1 < text_.size() &&
           (text_[i + 1] == '+' || text_[i + 1] == '-' || std::isdigit(static_cast<unsigned char>(text_[i + 1])) != 0);
  }

  double symbol() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      ++at_;
    if (at_ == begin || !symbols_) return fail();
    const auto value = symbols_(text_.substr(begin, at_ - begin));
    return value ? *value : fail();
  }

  bool accept(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  double fail() {
    failed_ = true;
    return 0.0;
  }

  std::string_view text_;
  const SymbolValue& symbols_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool failed_ = false;
};

}  // namespace

std::optional<double> evaluate(std::string_view formula, const SymbolValue& symbols) {
  return Parser(formula, symbols).run();
}

}  // namespace ridge::report
