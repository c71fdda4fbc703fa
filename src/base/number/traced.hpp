#pragma once
// A number that remembers how it was made. Running an equation on Traced gives its value and, as a graph, the equation
// itself; report/derive/derivation.cpp prints it. The formula shown is therefore the code that ran.

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/number/dimension.hpp"
#include "base/number/scalar.hpp"

namespace ridge {

enum class Operation {
  literal,  // a number in the formula itself, such as the 2 of a multiply-add
  input,    // a number of the case; `symbol` is its name
  named,    // a line of the derivation: `symbol` stands for the one operand
  add,
  subtract,
  multiply,
  divide,
  divide_or_unbounded,
  maximum,
  minimum,
  square_root,
  power,
  logarithm,
  balance,  // the x with x (1 + m x)^q = c
};

struct TraceNode {
  Operation operation = Operation::literal;
  double value = 0.0;
  std::vector<std::shared_ptr<const TraceNode>> operands;
  std::string symbol;   // of inputs and named lines
  Dimension dimension;  // of literals, inputs and named lines
};

class Traced {
 public:
  Traced() : Traced(0.0) {}
  explicit Traced(double literal) : Traced(make(Operation::literal, literal, {})) {}

  static Traced literal(double value, Dimension dimension) {
    return Traced(std::make_shared<TraceNode>(TraceNode{Operation::literal, value, {}, {}, dimension}));
  }
  static Traced input(std::string_view symbol, Dimension dimension, double value) {
    return Traced(std::make_shared<TraceNode>(TraceNode{Operation::input, value, {}, std::string(symbol), dimension}));
  }
  static Traced named(std::string_view symbol, Dimension dimension, const Traced& of) {
    return Traced(std::make_shared<TraceNode>(
        TraceNode{Operation::named, of.value(), {of.node_}, std::string(symbol), dimension}));
  }

  double value() const { return node_->value; }
  const std::shared_ptr<const TraceNode>& node() const { return node_; }

  friend Traced operator+(const Traced& a, const Traced& b) {
    return make(Operation::add, a.value() + b.value(), {a.node_, b.node_});
  }
  friend Traced operator-(const Traced& a, const Traced& b) {
    return make(Operation::subtract, a.value() - b.value(), {a.node_, b.node_});
  }
  friend Traced operator*(const Traced& a, const Traced& b) {
    return make(Operation::multiply, a.value() * b.value(), {a.node_, b.node_});
  }
  friend Traced operator/(const Traced& a, const Traced& b) {
    return make(Operation::divide, a.value() / b.value(), {a.node_, b.node_});
  }
  friend Traced max(const Traced& a, const Traced& b) {
    return make(Operation::maximum, ridge::max(a.value(), b.value()), {a.node_, b.node_});
  }
  friend Traced min(const Traced& a, const Traced& b) {
    return make(Operation::minimum, ridge::min(a.value(), b.value()), {a.node_, b.node_});
  }
  friend Traced sqrt(const Traced& a) { return make(Operation::square_root, ridge::sqrt(a.value()), {a.node_}); }
  friend Traced pow(const Traced& a, const Traced& b) {
    return make(Operation::power, ridge::pow(a.value(), b.value()), {a.node_, b.node_});
  }
  friend Traced log(const Traced& a) { return make(Operation::logarithm, ridge::log(a.value()), {a.node_}); }
  friend Traced balance(const Traced& c, const Traced& m, const Traced& q) {
    return make(Operation::balance, ridge::balance(c.value(), m.value(), q.value()), {c.node_, m.node_, q.node_});
  }
  friend Traced divide_or_unbounded(const Traced& a, const Traced& b) {
    return make(Operation::divide_or_unbounded, ridge::divide_or_unbounded(a.value(), b.value()), {a.node_, b.node_});
  }

 private:
  explicit Traced(std::shared_ptr<const TraceNode> node) : node_(std::move(node)) {}
  static Traced make(Operation operation, double value, std::vector<std::shared_ptr<const TraceNode>> operands) {
    return Traced(std::make_shared<TraceNode>(TraceNode{operation, value, std::move(operands), {}, {}}));
  }

  std::shared_ptr<const TraceNode> node_;
};

static_assert(Scalar<Traced>);

template <>
inline constexpr bool remembers_names<Traced> = true;

inline Traced name_scalar(std::string_view symbol, Dimension dimension, const Traced& scalar) {
  return Traced::named(symbol, dimension, scalar);
}
inline Traced literal_scalar(const Traced*, double value, Dimension dimension) {
  return Traced::literal(value, dimension);
}

}  // namespace ridge
