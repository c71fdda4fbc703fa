#pragma once
// A matrix in counted memory, and the three products that forward and backward passes are made of.

#include <cassert>
#include <cstddef>
#include <span>
#include <vector>

#include "ledger.hpp"

namespace reversible {

/// Rows of numbers. In activations a row is a token, in weights an input.
template <class Element>
class Tensor {
 public:
  Tensor(Ledger& ledger, std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), elements_(rows * columns, Element{}, CountingAllocator<Element>(ledger)) {}

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  Ledger& ledger() const { return elements_.get_allocator().ledger(); }

  std::span<Element> row(std::size_t i) { return {elements_.data() + i * columns_, columns_}; }
  std::span<const Element> row(std::size_t i) const { return {elements_.data() + i * columns_, columns_}; }
  std::span<Element> elements() { return elements_; }
  std::span<const Element> elements() const { return elements_; }

 private:
  std::size_t rows_, columns_;
  std::vector<Element, CountingAllocator<Element>> elements_;
};

template <class Real>
void add_scaled(Real factor, std::span<const Real> from, std::span<Real> to) {
  const std::size_t count = to.size();
  const Real* const source = from.data();
  Real* const sink = to.data();
  for (std::size_t i = 0; i < count; ++i) sink[i] += factor * source[i];
}

/// Sixteen sums side by side: the compiler may keep them in vector registers, and the result does not depend on whether it does.
template <class Real>
Real dot(std::span<const Real> a, std::span<const Real> b) {
  constexpr std::size_t kLanes = 16;
  Real sums[kLanes] = {};
  const Real *const left = a.data(), *const right = b.data();
  const std::size_t count = a.size(), whole = count - count % kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += left[i + lane] * right[i + lane];
  }
  Real total = 0;
  for (const Real sum : sums) total += sum;
  for (std::size_t i = whole; i < count; ++i) total += left[i] * right[i];
  return total;
}

template <class Real>
void add(const Tensor<Real>& from, Tensor<Real>& to) {
  add_scaled<Real>(1, from.elements(), to.elements());
}

/// a b
template <class Real>
Tensor<Real> product(const Tensor<Real>& a, const Tensor<Real>& b) {
  assert(a.columns() == b.rows() && "inner sizes agree");
  Tensor<Real> result(a.ledger(), a.rows(), b.columns());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t k = 0; k < a.columns(); ++k) add_scaled<Real>(a.row(i)[k], b.row(k), result.row(i));
  }
  return result;
}

/// a b^T: how a gradient passes back through a matrix.
template <class Real>
Tensor<Real> product_transposed(const Tensor<Real>& a, const Tensor<Real>& b) {
  assert(a.columns() == b.columns() && "inner sizes agree");
  Tensor<Real> result(a.ledger(), a.rows(), b.rows());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < b.rows(); ++j) result.row(i)[j] = dot<Real>(a.row(i), b.row(j));
  }
  return result;
}

/// gradient += a^T b: what a batch of inputs a and slopes b says about the matrix between them.
template <class Real>
void add_outer_products(const Tensor<Real>& a, const Tensor<Real>& b, Tensor<Real>& gradient) {
  assert(a.rows() == b.rows() && "as many inputs as slopes");
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t k = 0; k < a.columns(); ++k) add_scaled<Real>(a.row(i)[k], b.row(i), gradient.row(k));
  }
}

}  // namespace reversible
