#pragma once
// A price sheet from hardware: the calibrated serving engine says how well the chips are used at a reference load, and
// the sheet's equations do the rest.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers_entry.hpp"
#include "price/long_tier.hpp"
#include "price/sheet.hpp"
#include "serve/serving.hpp"

namespace ridge {

struct PriceQuestion {
  ServingQuestion serving;        // the reference load
  std::vector<GivenInput> given;  // of visit_sheet_inputs, instead of what is measured or believed
  std::optional<double> margin;   // share of the price
  std::optional<double> fast_speed;
  std::vector<Seconds<double>> keeps = {Seconds<double>(300.0), Seconds<double>(3600.0)};  // times to live
  std::vector<DemandBand> demand;                                                          // empty: a log-normal one
};

/// One point of price against speed.
struct SpeedPoint {
  double batch = 0, speed = 0, price = 0;  // sequences at once; tokens a second of a user; dollars a token
};

struct PriceAnswer {
  ServingAnswer serving;
  SheetCase<double> numbers;
  std::array<Provenance, kSheetInputs> from;
  SheetEstimate<double> estimate;
  double margin = 0;
  std::optional<double> fast_speed;  // asked for; none where no batch reaches it
  double fast_asked = 0;
  std::optional<LongStep> step;
  std::string demand;  // in words
  std::vector<SpeedPoint> curve;
  PriceSheet sheet;
};

struct PriceResult {
  std::optional<PriceAnswer> answer;
  std::optional<ServingShortfall> shortfall;
};

/// `terms` is the catalog's entry "sheet" of what a sheet starts from.
Result<PriceResult> answer_price(const PriceQuestion& question, const NumbersEntry& terms, const Library& library);

/// Index of an input of a sheet by key or symbol; an error names the nearest. Only those that are not the model's or
/// the machine's own can be set.
Result<std::size_t> sheet_input(std::string_view word, std::string_view where);
InputInfo sheet_input_info(std::size_t index);
Dimension sheet_input_dimension(std::size_t index);
Result<std::size_t> sheet_output(std::string_view word, std::string_view where);
OutputInfo sheet_output_info(std::size_t index);
Dimension sheet_output_dimension(std::size_t index);

}  // namespace ridge
