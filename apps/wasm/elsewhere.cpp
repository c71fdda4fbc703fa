// What WebAssembly has no library for, refused in words: TOML (toml++), least squares (GSL).

#include "calibrate/least_squares.hpp"
#include "catalog/facts/read_toml.hpp"

namespace ridge {

namespace {

tl::unexpected<Errors> no_toml(std::string_view place) {
  return fail({std::string(place), "TOML is not read here", "the ridge program reads it"});
}

}  // namespace

namespace catalog {

Result<std::vector<Fact>> read_entry(std::string_view, std::string_view, std::string_view, std::string_view place) {
  return no_toml(place);
}
Result<std::vector<Fact>> read_entries(std::string_view, std::string_view, std::string_view place) {
  return no_toml(place);
}
Result<SweepText> read_sweep_text(std::string_view, std::string_view place) { return no_toml(place); }

}  // namespace catalog

Result<FitResult> fit_parameters(const std::vector<FitParameter>&, const std::vector<double>&,
                                 const std::vector<double>&, const Predict&, double, double) {
  return fail({"fit", "nothing is fitted here", "the ridge program fits"});
}

}  // namespace ridge
