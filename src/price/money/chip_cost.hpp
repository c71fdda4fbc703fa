#pragma once
// A chip's hour: rented or owned, what it is made of, and how much of it is memory.

#include <optional>

#include "base/result.hpp"
#include "cost/money.hpp"
#include "library/chip_price.hpp"
#include "library/library.hpp"
#include "machine/machine.hpp"

namespace ridge {

/// What of an owned chip's price is memory, if so large a share of its capital is.
template <class S>
struct MemoryPrice {
  DollarsPerSecond<S> memory, rest;  // of depreciation and interest; energy is counted in neither
};

template <class S>
MemoryPrice<S> memory_price(const OwnedPrice<S>& owned, const Ratio<S>& share) {
  const DollarsPerSecond<S> capital = named("capital", owned.depreciation + owned.interest);
  return {.memory = named("memory", share * capital),
          .rest = named("rest", (literal<Ratio<S>>(1.0) - share) * capital)};
}

/// How long rent has to be paid until it would have bought the chip, its energy taken off.
template <class S>
Seconds<S> payback(const Dollars<S>& capex, const DollarsPerSecond<S>& rental, const DollarsPerSecond<S>& energy) {
  return named("payback", capex / (rental - energy));
}

/// Everything an owner's price is made of, by the names of the command line; what is not given is the catalog's.
struct OwnershipChanges {
  std::optional<Dollars<double>> capex;
  std::optional<Seconds<double>> life;
  std::optional<Watts<double>> power;
  std::optional<Ratio<double>> pue;
  std::optional<DollarsPerJoule<double>> electricity;
  std::optional<Ratio<double>> cost_of_capital;
};

/// What a chip is rented out for.
struct ContractPrice {
  PriceBasis basis;
  ChipPrice price;
};

struct CostQuestion {
  std::string machine;
  OwnershipChanges changes;
  PriceBasis rental = kUsualBasis;  // the contract that an owner's costs are compared with
  double utilization = 1;
  double memory_utilization = 0.5;
  std::string memory_from;  // who says so
};

/// An error where an hour of a chip is free or less: shares, margins and break-evens then say nothing.
std::optional<Error> free_chip(const DollarsPerSecond<double>& price);

struct ChipCost {
  CostQuestion question;
  const Machine* machine = nullptr;
  const Chip* chip = nullptr;
  std::vector<ContractPrice> contracts;            // those that the catalog lists, and those filled from them
  std::optional<DollarsPerSecond<double>> rental;  // of them, the basis that was asked for
  std::optional<OwnershipCase<double>> numbers;    // none where the catalog has none and not all were given
  OwnedPrice<double> owned;
  MemoryPrice<double> memory;
  std::optional<Seconds<double>> payback;  // none where rent does not even pay for the energy
  std::vector<std::string> assumed;        // inputs of the catalog that are somebody's guess: "capex"
  std::vector<std::string> notes;          // what the word for the machine was taken for
};

/// A machine without ownership in the catalog needs capex, life and power given; the others then have to be, too.
Result<ChipCost> chip_cost(const CostQuestion& question, const Library& library);

}  // namespace ridge
