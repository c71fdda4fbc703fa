#include "calibrate/judge/kernel_halves.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/fingerprint.hpp"
#include "base/threads.hpp"

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

/// A row as a fit of the shared numbers has it, and as the ratios of its library move that.
double predicted(const KernelCase& one, const CalibrationSet& set, const Library& library, const KernelRatios& own) {
  const ChipPeaks<double> peaks = peaks_of(*find_named(library.chips, one.row.chip), library);
  return predict_kernel(one, {peaks, set.chips.at(one.row.chip), set.kernel}, set.harness.at(harness_name(one.row)),
                        own);
}

/// The ratios of one library's kernel, all shared numbers as they are.
Result<KernelRatios> fit_ratios(const std::vector<const KernelCase*>& rows, const CalibrationSet& set,
                                const Library& library) {
  const auto with = [](const std::vector<double>& values) {
    KernelRatios own;
    std::size_t at = 0;
    for (const auto& [field, member, spread] : kKernelRatios) own.*member = values[at++];
    return own;
  };
  std::vector<FitParameter> parameters;
  for (const auto& [field, member, spread] : kKernelRatios) parameters.push_back({field, 1, spread});
  std::vector<double> measured;
  for (const KernelCase* one : rows) measured.push_back(one->row.seconds);
  const auto fit = fit_parameters(parameters, measured, std::vector<double>(measured.size(), 1),
                                  [&](const std::vector<double>& values, std::vector<double>& out) {
                                    const KernelRatios own = with(values);
                                    for (std::size_t i = 0; i < rows.size(); ++i)
                                      out[i] = predicted(*rows[i], set, library, own);
                                  });
  if (!fit) return fail(fit.error());
  std::vector<double> values;
  for (const FittedParameter& one : fit->parameters) values.push_back(one.value);
  return with(values);
}

/// What one half says: the shared numbers, and the ratios of each library.
struct HalfFit {
  CalibrationSet set;
  std::map<std::string, KernelRatios> libraries;
};

Result<HalfFit> fit_half(const std::vector<KernelCase>& rows, const Library& library) {
  auto shared = fit_kernels(rows, library, priors_of(library));
  if (!shared) return fail(shared.error());
  HalfFit out{std::move(shared->set), {}};
  std::map<std::string, std::vector<const KernelCase*>> libraries;
  for (const KernelCase& one : rows) libraries[library_of(one)].push_back(&one);
  for (const auto& [name, own] : libraries) {
    const auto ratios = fit_ratios(own, out.set, library);
    if (!ratios) return fail(ratios.error());
    out.libraries[name] = *ratios;
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
  for_each_index(fits.size(), threads, [&](std::size_t i) { fits[i] = fit_half(rows[i], library); });
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
    shared.add(kind, name, predicted(one, other.set, library, {}) / one.row.seconds - 1);
    apart.add(kind, name, predicted(one, other.set, library, known->second) / one.row.seconds - 1);
  }
  std::vector<ValidationLine> lines = shared.lines(std::string(kHalvesGroup));
  for (ValidationLine& line : apart.lines(std::string(kHalvesByLibrary))) lines.push_back(std::move(line));
  return lines;
}

}  // namespace ridge
