// Does a traced number remember the operations that made it?

#include "base/number/traced.hpp"

#include <doctest/doctest.h>

#include "base/number/units.hpp"

using ridge::kByte;
using ridge::kSecond;
using ridge::Operation;
using ridge::Traced;

TEST_CASE("the graph of an expression is the expression") {
  const Traced bytes = Traced::input("V", kByte, 12.0), bandwidth = Traced::input("W", kByte / kSecond, 4.0);
  const Traced time = Traced::named("t", kSecond, bytes / bandwidth);
  const auto& top = *time.node();
  CHECK(top.operation == Operation::named);
  CHECK(top.symbol == "t");
  CHECK(top.dimension == kSecond);
  CHECK(top.value == 3.0);
  REQUIRE(top.operands.size() == 1);
  const auto& quotient = *top.operands[0];
  CHECK(quotient.operation == Operation::divide);
  REQUIRE(quotient.operands.size() == 2);
  CHECK(quotient.operands[0]->symbol == "V");
  CHECK(quotient.operands[1]->symbol == "W");
  CHECK(quotient.operands[1]->operation == Operation::input);
}

TEST_CASE("every operation is recorded under its own name with its operands in order") {
  const Traced a(6.0), b(2.0);
  const std::pair<Traced, Operation> made[] = {
      {a + b, Operation::add},         {a - b, Operation::subtract},
      {a * b, Operation::multiply},    {a / b, Operation::divide},
      {max(a, b), Operation::maximum}, {min(a, b), Operation::minimum},
      {pow(a, b), Operation::power},   {divide_or_unbounded(a, b), Operation::divide_or_unbounded}};
  for (const auto& [traced, operation] : made) {
    CHECK(traced.node()->operation == operation);
    REQUIRE(traced.node()->operands.size() == 2);
    CHECK(traced.node()->operands[0]->value == 6.0);
    CHECK(traced.node()->operands[1]->value == 2.0);
  }
  CHECK(sqrt(a).node()->operation == Operation::square_root);
  CHECK(sqrt(a).node()->operands.size() == 1);
}

TEST_CASE("the value is the double's, to the last bit") {
  const double x = 0.1, y = 0.7;
  const Traced a(x), b(y);
  CHECK((a + b).value() == x + y);
  CHECK((a - b).value() == x - y);
  CHECK((a * b).value() == x * y);
  CHECK((a / b).value() == x / y);
  CHECK(pow(a, b).value() == ridge::pow(x, y));
  CHECK(sqrt(b).value() == ridge::sqrt(y));
  CHECK(divide_or_unbounded(a, b - b).value() == ridge::divide_or_unbounded(x, 0.0));
}

TEST_CASE("a quantity of traced numbers names its lines and its literals") {
  using Time = ridge::Seconds<Traced>;
  const Time two = ridge::literal<Time>(2.0);
  CHECK(two.value().node()->operation == Operation::literal);
  CHECK(two.value().node()->dimension == kSecond);
  const Time line = ridge::named("wait", two + two);
  CHECK(line.value().node()->symbol == "wait");
  CHECK(line.value().value() == 4.0);
}
