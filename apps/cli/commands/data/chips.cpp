// ridge chips: FLOP a byte, memory sweep, scale-up domain and prices of every chip and rack.

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/options/option_reader.hpp"
#include "cli/program.hpp"
#include "cli/question/defaults.hpp"
#include "library/names.hpp"
#include "report/roofline/chips_text.hpp"

namespace ridge::cli {

namespace {

/// Those of one vendor, by any case of its name; all where none is asked for.
Result<std::vector<ChipNumbers>> of_vendor(std::vector<ChipNumbers> all, const std::string& vendor) {
  if (vendor.empty()) return all;
  std::set<std::string> known;
  for (const ChipNumbers& one : all) known.insert(one.chip->vendor);
  std::erase_if(all, [&](const ChipNumbers& one) { return lower_case(one.chip->vendor) != lower_case(vendor); });
  if (!all.empty()) return all;
  return fail({"vendor", fmt::format("the catalog has no chip of \"{}\"", shortened(vendor)),
               joined(std::vector<std::string>(known.begin(), known.end()), ", ")});
}

/// By vendor and year, or by a number from the largest down; what has none comes last.
Result<int> sort_numbers(std::vector<ChipNumbers>& all, const std::string& by, double sparsity) {
  if (by == "vendor") {
    std::sort(all.begin(), all.end(), [](const ChipNumbers& a, const ChipNumbers& b) {
      return std::tie(a.chip->vendor, a.chip->year, a.name) < std::tie(b.chip->vendor, b.chip->year, b.name);
    });
    return kAnswered;
  }
  std::vector<std::string> known = {"vendor"};
  for (const report::ChipsKey& key : report::chips_keys()) {
    known.emplace_back(key.key);
    if (key.key != by) continue;
    std::sort(all.begin(), all.end(), [&](const ChipNumbers& a, const ChipNumbers& b) {
      const double one = key.value(a, sparsity), other = key.value(b, sparsity);
      return one != other ? one > other : a.name < b.name;
    });
    return kAnswered;
  }
  return fail({"sort", fmt::format("\"{}\" is no number of a chip", shortened(by)), suggestion(by, known)});
}

Result<int> run_chips(const Arguments& arguments, Program& program) {
  OptionReader reader(arguments);
  report::ChipsReport report;
  const double sparsity = reader.number("sparsity", 0, {.least = 1, .most = 1e6});
  std::optional<PriceBasis> basis;
  if (arguments.has("price_basis"))
    basis = reader.take(parse_price_basis(arguments.text("price_basis"), "price_basis"));
  if (!reader.errors().empty()) return fail(reader.errors());
  if (const auto named = svg_named(arguments.text("svg")); !named) return named;
  const auto model = model_named(program, arguments.text("model", kDefaultModel), arguments);
  if (!model) return fail(model.error());
  const auto named = ridge::model_named(program.library, *model);
  if (!named) return fail(named.error());
  const Model* of = named->entry;
  report.sparsity = sparsity > 0 ? sparsity : 1 / routed_share(*of);
  report.sparsity_from =
      sparsity > 0 ? "as given" : fmt::format("routed experts of {} over those of a token", of->title);
  report.basis = basis ? std::string(name_of(*basis))
                       : fmt::format("{}, or owned where nobody rents it out", name_of(kUsualBasis));
  auto numbers = of_vendor(chip_numbers(program.library, basis), arguments.text("vendor"));
  if (!numbers) return fail(numbers.error());
  report.sorted_by = arguments.text("sort", "vendor");
  if (const auto sorted = sort_numbers(*numbers, report.sorted_by, report.sparsity); !sorted) return sorted;
  report.numbers = std::move(*numbers);
  report.generations = generations_of(report.numbers);
  if (arguments.has("svg")) {
    const auto wrote = write_svg(arguments.text("svg"), report::chips_svg(report));
    if (!wrote || *wrote != kAnswered) return wrote;
  }
  return print(with_assumptions(
      arguments.json() ? report::chips_json(report) : report::chips_text(report, program.style), arguments, program));
}

}  // namespace

Command chips_command() {
  return {
      .name = "chips",
      .purpose = Purpose::data,
      .place = 1,
      .summary = "the numbers that decide, of every chip and rack",
      .groups = {{kUsual,
                  {{"--vendor", "vendor", "NAME", "of one vendor alone"},
                   {"--sort", "sort", "KEY",
                    "vendor, year, bf16, fp8, fp4, sweep, chips, network, batch, flops, memory, bandwidth, params, "
                    "pflop-hour or tbs-hour; a chart is of it, too",
                    "vendor"},
                   {"--sparsity", "sparsity", "N", "total over active parameters that ridge batches are multiplied by",
                    "routed experts of --model over those of a token", Reads::command, false, false, 1, 1e6},
                   {"--model", "model", "MODEL", "the model whose sparsity is taken", kDefaultModel},
                   kPriceBasis}},
                 output_options({kSvg.saying("write a chart by year: FLOP a byte, or what --sort names")}),
                 rare_options({kAssume})},
      .examples = {"ridge chips", "ridge chips --vendor nvidia", "ridge chips --sort sweep",
                   "ridge chips --sort params "
                   "--svg chips.svg",
                   "ridge chips --sparsity 8 --json"},
      .run = run_chips};
}

}  // namespace ridge::cli
