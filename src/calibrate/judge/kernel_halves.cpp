#include "calibrate/judge/kernel_halves.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/fingerprint.hpp"
#include "base/threads.hpp"
#include "calibrate/fit/calibrate.hpp"
#include "calibrate/fit/library_kernel.hpp"

namespace ridge {

namespace {

/// What a row is, without its time.
std::string fingerprint_of(const KernelRow& row) {
  Fingerprint print;
  for (const std::string* text :
       {&row.set, &row.chip, &row.kernel, &row.format, &row.kv_format, &row.op, &row.mode, &row.distribution})
    print.add(*text);
  for (const double number :
       {row.m, row.n, row.k, row.batch, row.heads, row.kv_heads, row.head_dim, row.window, row.tokens, row.hidden,
        row.size, row.top, row.experts, row.tp, row.ep, row.slots, row.chips, row.nodes, row.bytes})
    print.add(fmt::format("{:g}", number));
  return print.text();
}

/// The kernel of a library on a chip: "h100-sxm matrix_products.torch_flow-fp8".
std::string library_of(const KernelCase& one) { return one.row.chip + " " + harness_name(one.row); }

/// Every library's rows in the order of their hashes, by turns.
std::vector<std::size_t> halves_of(const std::vector<KernelCase>& cases) {
  std::map<std::string, std::vector<std::pair<std::string, std::size_t>>> libraries;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    libraries[library_of(cases[i])].emplace_back(fingerprint_of(cases[i].row), i);
  }
  std::vector<std::size_t> half(cases.size());
  for (auto& [name, rows] : libraries) {
    std::sort(rows.begin(), rows.end());
    for (std::size_t turn = 0; turn < rows.size(); ++turn) half[rows[turn].second] = turn % 2;
  }
  return half;
}

std::vector<KernelCase> rows_of(const std::vector<KernelCase>& cases, const std::vector<std::size_t>& half,
                                std::size_t wanted) {
  std::vector<KernelCase> rows;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (half[i] == wanted) rows.push_back(cases[i]);
  }
  return rows;
}

/// The shared numbers of a fit as a row's kernel has them.
ChipRates<double> rates_of(const KernelCase& one, const CalibrationSet& set, const Library& library) {
  return {peaks_of(*find_named(library.chips, one.row.chip), library), set.chips.at(one.row.chip), set.kernel};
}

/// What one half says: the shared numbers, and those of each library.
struct HalfFit {
  CalibrationSet set;
  std::map<std::string, LibraryNumbers> libraries;
};

Result<HalfFit> fit_half(const std::vector<KernelCase>& rows, const Library& library, const Priors& priors,
                         unsigned threads) {
  auto shared = fit_kernels(rows, library, priors);
  if (!shared) return fail(shared.error());
  HalfFit out{std::move(shared->set), {}};
  std::map<std::string, std::vector<const KernelCase*>> libraries;
  for (const KernelCase& one : rows) libraries[library_of(one)].push_back(&one);
  const std::vector<std::pair<std::string, std::vector<const KernelCase*>>> each(libraries.begin(), libraries.end());
  std::vector<std::optional<Result<LibraryNumbers>>> fits(each.size());
  for_each_index(each.size(), threads, [&](std::size_t i) {
    std::vector<KernelParts> parts;
    std::vector<double> seconds;
    for (const KernelCase* one : each[i].second) {
      parts.push_back(parts_of(*one, rates_of(*one, out.set, library), out.set.harness.at(harness_name(one->row))));
      seconds.push_back(one->row.seconds);
    }
    fits[i] = fit_library(parts, seconds, priors);
  });
  for (std::size_t i = 0; i < each.size(); ++i) {
    if (!*fits[i]) return fail(fits[i]->error());
    out.libraries[each[i].first] = std::move(**fits[i]);
  }
  return out;
}

}  // namespace

double kernel_goal(std::string_view kernel_class) {
  if (kernel_class == name_of(KernelClass::product)) return 0.09;
  if (kernel_class == name_of(KernelClass::decode_attention)) return 0.11;
  if (kernel_class == name_of(KernelClass::experts)) return 0.15;
  if (kernel_class == name_of(KernelClass::all_reduce)) return 0.09;
  return kernel_class == name_of(KernelClass::latent_decode) ? 0.12 : 0;
}

Result<std::vector<ValidationLine>> judge_kernels_by_halves(const Evidence& evidence, const Library& library,
                                                            unsigned threads) {
  const std::vector<KernelCase> cases = kernel_cases(evidence.kernels, library).cases;
  const std::vector<std::size_t> half = halves_of(cases);
  const std::array<std::vector<KernelCase>, 2> rows = {rows_of(cases, half, 0), rows_of(cases, half, 1)};
  if (rows[0].empty() || rows[1].empty()) return std::vector<ValidationLine>{};
  std::array<std::optional<Result<HalfFit>>, 2> fits;
  const Priors priors = priors_of(library);
  for_each_index(fits.size(), threads,
                 [&](std::size_t i) { fits[i] = fit_half(rows[i], library, priors, std::max(1u, threads / 2)); });
  for (const auto& fit : fits) {
    if (!*fit) return fail(fit->error());
  }
  ErrorsByPart shared, apart;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const HalfFit& other = **fits[1 - half[i]];
    const KernelCase& one = cases[i];
    const std::string kind(name_of(one.row.kind)), name = library_of(one);
    const auto known = other.libraries.find(name);
    if (known == other.libraries.end()) continue;  // a library of one row: nothing of it is left to fit
    const Harness& harness = other.set.harness.at(harness_name(one.row));
    const ChipRates<double> rates = rates_of(one, other.set, library);
    const double usual = predict_kernel(one, rates, harness);
    const double own = predict_library_kernel(parts_of(one, rates, harness), known->second, priors);
    shared.add(kind, name, usual / one.row.seconds - 1);
    apart.add(kind, name, own / one.row.seconds - 1);
  }
  std::vector<ValidationLine> lines = shared.lines(std::string(kHalvesGroup));
  for (ValidationLine& line : apart.lines(std::string(kHalvesByLibrary))) lines.push_back(std::move(line));
  return lines;
}

}  // namespace ridge
