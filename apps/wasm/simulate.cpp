// A simulation for a browser or Node: the rows that `ridge simulate --csv` writes, for one seed.

#include <cstddef>
#include <cstdint>
#include <string>

#include "catalog/entries/library.hpp"
#include "catalog/facts/fact.hpp"
#include "report/simulate/request_csv.hpp"
#include "simulate/setup.hpp"

namespace {

/// Llama 3.1 8B on one H100, so many requests a second of 512 and 64 tokens; 200 of them.
std::string simulated_rows(double rate, double seed) {
  using namespace ridge;
  const Library library = catalog::checked_library(catalog::embedded_entries());
  simulate::SimulationQuestion question;
  question.serving.scenario.model = "llama-3.1-8b";
  question.serving.scenario.machine = "hgx-h100";
  question.serving.tensor = 1;
  question.client.arrivals = simulate::OpenLoop{.rate = rate};
  question.client.prompt = {512, 512};
  question.client.output = {64, 64};
  question.client.requests = 200;
  question.seed = static_cast<std::uint64_t>(seed);
  const auto made = simulate::resolve(question, library);
  if (!made) return made.error().front().what;
  std::string rows = report::request_heading();
  report::RowsInOrder in_order;
  simulate::Onlookers look;
  look.finished = [&](const simulate::RequestOutcome& one) { rows += in_order.add(one); };
  simulate::simulate(made->setup, {}, look);
  return rows + in_order.rest();
}

std::string& last_rows() {
  static std::string rows;
  return rows;
}

}  // namespace

extern "C" {

[[clang::export_name("ridge_simulate")]] const char* ridge_simulate(double rate, double seed) {
  last_rows() = simulated_rows(rate, seed);
  return last_rows().data();
}
[[clang::export_name("ridge_rows_size")]] std::size_t ridge_rows_size() { return last_rows().size(); }

}  // extern "C"
