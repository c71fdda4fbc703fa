#pragma once
// A price sheet from hardware: the calibrated serving engine says what tokens cost at every length and load, and the
// sheet's equations make prices of it.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers_entry.hpp"
#include "price/make/load_curve.hpp"
#include "price/make/price_break.hpp"
#include "price/make/step_costs.hpp"
#include "price/sheet/sheet.hpp"
#include "serve/cheapest_load.hpp"
#include "serve/slo/bought_replica.hpp"

namespace ridge {

struct PriceQuestion {
  ServingQuestion serving;                          // requests of the mean lengths
  bool prompt_given = false, answer_given = false;  // else the lengths are those of the terms
  std::vector<GivenInput> given;                    // of visit_sheet_inputs, instead of what is measured or believed
  std::optional<double> margin;                     // share of the price
  std::optional<double> fast_speed;
  std::vector<Seconds<double>> keeps = {Seconds<double>(300.0), Seconds<double>(3600.0)};  // times to live
  std::vector<DemandBand> demand;  // empty: log-normal around the mean prompt
  std::optional<BoughtFleet>
      fleet;  // that the tokens are sold from: its bill over its rate says how busy its chips are
};

struct PriceAnswer {
  ServingAnswer serving;                        // the usual request: of mean length among those below the step
  StepCosts<double> output_parts, input_parts;  // of its output, and of its input
  SheetCase<double> numbers;
  std::array<Provenance, kSheetInputs> from;
  SheetEstimate<double> estimate;
  double margin = 0;
  double fast_asked = 0;                 // speed over the usual
  std::optional<LoadPoint> fast;         // none where no batch reaches it
  LoadPoint fastest, cheapest;           // nobody is served faster with fewer; where a token is cheapest
  std::vector<LoadPoint> curve;          // price of output is theirs times the usual
  DemandSide usual;                      // those requests that pay the usual price
  std::optional<PriceBreakChoice> step;  // the best there is
  bool step_written = false;             // it keeps enough money in place to stand on the sheet
  double step_least = 0;                 // how much that would be, of all money
  std::string demand;                    // in words
  std::string left_out;                  // of the demand, what does not fit on the layout; empty: nothing
  PriceSheet sheet;
};

struct PriceResult {
  std::optional<PriceAnswer> answer;
  std::optional<ServingShortfall> shortfall;
};

/// The request that a sheet is for: of mean lengths, as the question or the terms have them, within what the model reads.
/// `terms` is the catalog's entry "sheet" of what a sheet starts from.
Result<ServingQuestion> mean_request(const PriceQuestion& question, const NumbersEntry& terms, const Library& library);

/// `deployed` serves the mean request.
Result<PriceResult> answer_price(const PriceQuestion& question, const NumbersEntry& terms, const Deployed& deployed,
                                 const Library& library);

/// Index of an input of a sheet by key or symbol; an error names the nearest. Only those that are not the model's or
/// the machine's own can be set.
Result<std::size_t> sheet_input(std::string_view word, std::string_view where);
InputInfo sheet_input_info(std::size_t index);
Dimension sheet_input_dimension(std::size_t index);
Result<std::size_t> sheet_output(std::string_view word, std::string_view where);
OutputInfo sheet_output_info(std::size_t index);
Dimension sheet_output_dimension(std::size_t index);

}  // namespace ridge
