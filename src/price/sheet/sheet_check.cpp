#include "price/sheet/sheet_check.hpp"

#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"

namespace ridge {

namespace {

using TokenPrice = DollarsPerToken<double>;

/// Collects what is wrong, with the name of the price it is about.
class Complaints {
 public:
  template <Dimension D>
  void must_be_positive(const std::string& name, const Quantity<D, double>& quantity, const char* hint) {
    const double value = quantity.value();
    if (std::isfinite(value) && value > 0.0) return;
    const std::string shown = std::isfinite(value) ? show(quantity) : "not a finite number";
    errors.push_back({name,
                      value == 0.0  ? "is missing or zero"
                      : value < 0.0 ? fmt::format("has a minus sign: {}", shown)
                                    : fmt::format("is {}", shown),
                      hint});
  }

  template <Dimension D>
  void must_not_be_negative(const std::string& name, const Quantity<D, double>& quantity) {
    if (std::isfinite(quantity.value()) && quantity.value() >= 0.0) return;
    must_be_positive(name, quantity, "prices are zero or more");
  }

  void price(const std::string& name, const TokenPrice& value) {
    must_be_positive(name, value, "write dollars for a million tokens, e.g. $2/Mtok");
  }

  /// Of what is listed from small to large.
  template <Dimension D>
  void in_order(const std::string& name, const Quantity<D, double>& before, const Quantity<D, double>& now) {
    if (before < now) return;
    errors.push_back({name,
                      before == now ? fmt::format("{} appears twice", show(now))
                                    : fmt::format("{} stands after {}", show(now), show(before)),
                      "list each once, the smallest first"});
  }

  void writes(const std::string& prefix, const std::vector<CacheWrite>& all) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string name = prefix + "write." + show(all[i].keep, 6);
      must_be_positive(name, all[i].keep, "a cache that keeps nothing is none: give the time it keeps");
      price(name, all[i].price);
      if (i > 0) in_order(name, all[i - 1].keep, all[i].keep);
    }
  }

  Errors errors;
};

}  // namespace

bool is_sheet_date(const std::string& date) {
  const auto digits = [&](std::size_t from, std::size_t count) {
    for (std::size_t i = from; i < from + count; ++i) {
      if (date[i] < '0' || date[i] > '9') return -1;
    }
    return std::stoi(date.substr(from, count));
  };
  if (date.size() != 4 && date.size() != 7 && date.size() != 10) return false;
  if (const int year = digits(0, 4); year < 2000 || year > 2100) return false;
  if (date.size() == 4) return true;
  if (const int month = digits(5, 2); date[4] != '-' || month < 1 || month > 12) return false;
  if (date.size() == 7) return true;
  const int day = digits(8, 2);
  return date[7] == '-' && day >= 1 && day <= 31;
}

Errors sheet_errors(const PriceSheet& sheet) {
  Complaints found;
  if (sheet.model.empty()) found.errors.push_back({"model", "is missing", "say what is sold"});
  if (!sheet.date.empty() && !is_sheet_date(sheet.date)) {
    found.errors.push_back(
        {"date", fmt::format("\"{}\" is not a date", shortened(sheet.date)), "write 2026, 2026-03 or 2026-03-31"});
  }
  found.price("input", sheet.input);
  found.price("output", sheet.output);
  if (sheet.cached) found.must_not_be_negative("cached", *sheet.cached);
  found.writes("", sheet.writes);
  if (sheet.hold) found.must_not_be_negative("hold", *sheet.hold);
  for (std::size_t i = 0; i < sheet.tiers.size(); ++i) {
    const PriceBreak& tier = sheet.tiers[i];
    const std::string name = fmt::format("tier.{}", show(tier.above, 7));
    found.must_be_positive(name, tier.above, "a tier begins above some length");
    found.price(name + ".input", tier.input);
    found.price(name + ".output", tier.output);
    if (tier.cached) found.must_not_be_negative(name + ".cached", *tier.cached);
    found.writes(name + ".", tier.writes);
    if (i > 0) found.in_order(name, sheet.tiers[i - 1].above, tier.above);
  }
  std::set<std::string> modes;
  for (const SpeedMode& mode : sheet.modes) {
    const std::string name = "mode." + mode.name;
    if (!modes.insert(mode.name).second) found.errors.push_back({name, "appears twice", "give each mode once"});
    found.price(name + ".input", mode.input);
    found.price(name + ".output", mode.output);
    if (mode.speed) found.must_be_positive(name + ".speed", Ratio<double>(*mode.speed), "1 is the standard speed");
  }
  for (const auto& [name, limit] : {std::pair{"max_input", sheet.max_input}, {"max_output", sheet.max_output}}) {
    if (limit) found.must_be_positive(name, *limit, "leave it out where there is no limit");
  }
  return std::move(found.errors);
}

namespace {

class Findings {
 public:
  explicit Findings(FindingsFor whom) : whom_(whom) {}

  /// Says so where `value` lies on the wrong side of `other`. What is a contradiction as well is left to that.
  void more_expensive(const std::string& what, const TokenPrice& value, const std::string& than,
                      const TokenPrice& other, bool contradicts = false) {
    if (value > other) say(what, value, "more expensive", than, other, contradicts);
  }
  void cheaper(const std::string& what, const TokenPrice& value, const std::string& than, const TokenPrice& other,
               bool contradicts = false) {
    if (value < other) say(what, value, "cheaper", than, other, contradicts);
  }

  /// Of one length of input: `prefix` says which.
  void cache(const std::string& prefix, const TokenPrice& input, const std::optional<TokenPrice>& cached,
             const std::vector<CacheWrite>& writes) {
    const bool shortest = prefix.empty();
    if (cached) more_expensive(prefix + "cached input", *cached, "fresh input", input, shortest);
    for (std::size_t i = 0; i < writes.size(); ++i) {
      const std::string name = prefix + "a write kept " + show(writes[i].keep, 6);
      cheaper(name, writes[i].price, "input that is not kept", input);
      if (i > 0) {
        cheaper(name, writes[i].price, "one kept " + show(writes[i - 1].keep, 6), writes[i - 1].price,
                shortest && writes.size() == 2);
      }
    }
  }

  std::vector<std::string> sentences;

 private:
  void say(const std::string& what, const TokenPrice& value, const char* how, const std::string& than,
           const TokenPrice& other, bool contradicts) {
    if (contradicts && whom_ == FindingsFor::inference) return;
    sentences.push_back(fmt::format("{} ({}) is {} than {} ({})", what, show(value), how, than, show(other)));
  }

  FindingsFor whom_;
};

void tier_findings(Findings& found, const PriceSheet& sheet) {
  TokenPrice input = sheet.input, output = sheet.output;
  std::optional<TokenPrice> cached = sheet.cached;
  for (const PriceBreak& tier : sheet.tiers) {
    const std::string long_name = fmt::format("above {} tokens, ", with_commas(tier.above.value()));
    found.cheaper(long_name + "input", tier.input, "below", input);
    found.cheaper(long_name + "output", tier.output, "below", output, tier.output < sheet.output);
    found.cheaper(long_name + "output", tier.output, "input", tier.input);
    if (tier.cached && cached) found.cheaper(long_name + "cached input", *tier.cached, "below", *cached);
    found.cache(long_name, tier.input, tier.cached, tier.writes);
    if (sheet.max_input && !(tier.above < *sheet.max_input)) {
      found.sentences.push_back(fmt::format("the tier above {} tokens is never reached: input ends at {}",
                                            with_commas(tier.above.value()), with_commas(sheet.max_input->value())));
    }
    input = tier.input;
    output = tier.output;
    cached = tier.cached;
  }
}

}  // namespace

std::vector<std::string> cache_findings(const TokenPrice& input, const std::optional<TokenPrice>& cached,
                                        const std::vector<CacheWrite>& writes) {
  Findings found(FindingsFor::everybody);
  found.cache("", input, cached, writes);
  return std::move(found.sentences);
}

std::vector<std::string> sheet_findings(const PriceSheet& sheet, FindingsFor whom) {
  Findings found(whom);
  found.cheaper("output", sheet.output, "input", sheet.input, true);
  found.cache("", sheet.input, sheet.cached, sheet.writes);
  tier_findings(found, sheet);
  for (const SpeedMode& mode : sheet.modes) {
    const bool later = mode.name == "batch" || mode.name == "flex";
    const bool sooner = mode.name == "priority" || mode.name == "fast";
    if (later) found.more_expensive(mode.name + " input", mode.input, "standard", sheet.input);
    if (later) found.more_expensive(mode.name + " output", mode.output, "standard", sheet.output, mode.name == "batch");
    if (sooner) found.cheaper(mode.name + " input", mode.input, "standard", sheet.input);
    if (sooner) found.cheaper(mode.name + " output", mode.output, "standard", sheet.output, mode.name == "fast");
  }
  return std::move(found.sentences);
}

SheetCheck check_sheet(const PriceSheet& sheet) {
  SheetCheck check{sheet_errors(sheet), {}};
  if (check.errors.empty()) check.findings = sheet_findings(sheet);
  return check;
}

}  // namespace ridge
