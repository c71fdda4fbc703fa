#include "train/laws.hpp"

#include <fmt/format.h>

#include "base/numbers_reader.hpp"
#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "roofline/scenario.hpp"

namespace ridge {

namespace {

/// A law's constants are plain numbers.
struct LawNumbers {
  NumbersReader reader;

  explicit LawNumbers(const NumbersEntry& entry) : reader(entry, "scaling law") {}
  Ratio<double> operator[](std::string_view name) { return reader.get<Ratio<double>>(name); }
  Ratio<double> positive(std::string_view name) { return within(name, "a factor of the law", Domain::positive); }
  /// Fitted powers are 0.05 to 0.6; of much smaller ones an optimum is a number without end.
  Ratio<double> power(std::string_view name) { return within(name, "a power of the law", Domain::power); }

 private:
  /// The same domains as inputs have.
  Ratio<double> within(std::string_view name, std::string_view meaning, Domain domain) {
    const Ratio<double> value = (*this)[name];
    const std::string key = fmt::format("number.{}", name);
    const auto checked = checked_value({key, "", meaning, domain}, kNone, value.value(), reader.where());
    if (!checked) reader.take(checked.error());
    return value;
  }
};

}  // namespace

Result<const NumbersEntry*> find_law(const Library& library, std::string_view name, std::string_view form,
                                     std::string_view where) {
  std::vector<std::string> known;
  for (const NumbersEntry& entry : library.scaling_laws) {
    if (entry.form == form) known.push_back(entry.name);
  }
  const NumbersEntry* found = find_named(library.scaling_laws, name);
  if (found != nullptr && found->form == form) return found;
  const std::string what = found == nullptr ? fmt::format("unknown scaling law \"{}\"", shortened(name))
                                            : fmt::format("{} is a law of another form ({})", found->name, found->form);
  return fail({std::string(where), what, fmt::format("one of: {} (ridge list laws)", joined(known, ", "))});
}

namespace {

/// The law that the first lifecycle of the catalog names so.
Result<const NumbersEntry*> law_in_use(const Library& library, const char* word, std::string_view form,
                                       std::string_view where) {
  for (const NumbersEntry& entry : library.lifecycles) {
    const auto found = entry.words.find(word);
    if (found != entry.words.end()) return find_law(library, found->second, form, where);
  }
  return fail({std::string(where), fmt::format("no lifecycle of the catalog names a law of the form {}", form),
               fmt::format("add use.{} to one", word)});
}

}  // namespace

Result<const NumbersEntry*> usual_expert_law(const Library& library, std::string_view where) {
  return law_in_use(library, "expert_law", "experts", where);
}

Result<const NumbersEntry*> usual_loss_law(const Library& library, std::string_view where) {
  return law_in_use(library, "law", "chinchilla", where);
}

Result<LossLaw<double>> loss_law(const NumbersEntry& entry) {
  LawNumbers n(entry);
  const LossLaw<double> law{n["E"], n.positive("A"), n.power("alpha"), n.positive("B"), n.power("beta")};
  return n.reader.made(law);
}

Result<ExpertLaw<double>> expert_law(const NumbersEntry& entry) {
  LawNumbers n(entry);
  const ExpertLaw<double> law{n["a"], n["b"], n["c"], n["d"], n.positive("E_start"), n.positive("E_max")};
  if (law.first.value() >= law.most.value())
    n.reader.complain("number.E_start is not below number.E_max", "experts saturate from the one to the other");
  if (law.size.value() == 0)
    n.reader.complain("number.a is 0", "a loss that size does not change has no dense multiple");
  return n.reader.made(law);
}

Result<GranularLaw<double>> granular_law(const NumbersEntry& entry) {
  LawNumbers n(entry);
  const LossLaw<double> coarse{n["E"], n.positive("A"), n.power("alpha"), n.positive("B"), n.power("beta")};
  const GranularLaw<double> law{coarse, n.positive("g"), n.power("gamma")};
  return n.reader.made(law);
}

Result<PrecisionLaw<double>> precision_law(const NumbersEntry& entry) {
  LawNumbers n(entry);
  const PrecisionLaw<double> law{n.positive("gamma_w"), n.positive("gamma_a"), n.positive("gamma_kv")};
  return n.reader.made(law);
}

Result<TokenLaw<double>> token_law(const NumbersEntry& entry) {
  LawNumbers n(entry);
  const TokenLaw<double> law{n.positive("factor"), n.power("power")};
  return n.reader.made(law);
}

Result<Ratio<double>> dense_multiple(const ExpertLaw<double>& law, Params<double> params, double experts,
                                     double per_token, std::string_view where) {
  if (!(per_token > 0.0) || !(experts >= 1.0)) {
    return fail({std::string(where), fmt::format("{:g} of {:g} experts", per_token, experts),
                 "at least one expert, and at least one of them used"});
  }
  if (per_token > experts) {
    return fail({std::string(where), fmt::format("a token cannot use {:g} of {:g} experts", per_token, experts),
                 fmt::format("at most {:g} are active, where all of them are", experts)});
  }
  return dense_equivalent(law, params, Ratio<double>(experts / per_token)) / params;
}

}  // namespace ridge
