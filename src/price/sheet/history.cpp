#include "price/sheet/history.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "price/sheet/model_class.hpp"
#include "price/sheet/sheet_check.hpp"

namespace ridge {

namespace {

/// "opus" is a word of "claude-opus-4"; "gpt-5" is not one of "gpt-5.1", but "qwen3" begins "qwen3.5".
bool has_words(const std::vector<std::string>& name, const std::vector<std::string>& wanted) {
  auto next = wanted.begin();
  for (const std::string& word : name) {
    if (next != wanted.end() && word == *next) ++next;
  }
  return next == wanted.end();
}

/// Who is asked about, and the words.
struct Family {
  std::string provider;
  std::vector<std::string> words;
};

Family family_of(std::string_view text) {
  const std::size_t slash = text.find('/');
  const bool named = slash != std::string_view::npos;
  return {named ? lower_case(text.substr(0, slash)) : "", words_of(named ? text.substr(slash + 1) : text)};
}

/// What people may have meant: all pairs of a name's words that are no number, and providers.
std::vector<std::string> known_families(const std::vector<PriceSheet>& sheets) {
  std::set<std::string> known;
  for (const PriceSheet& sheet : sheets) {
    std::vector<std::string> plain;
    for (const std::string& word : words_of(sheet.model)) {
      const bool is_word =
          !word.empty() && std::none_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
      if (is_word) plain.push_back(word);
    }
    if (plain.empty()) continue;
    known.insert(plain[0]);
    for (std::size_t i = 1; i < std::min<std::size_t>(plain.size(), 3); ++i) known.insert(plain[0] + "-" + plain[i]);
  }
  return {known.begin(), known.end()};
}

bool same_prices(const PriceSheet& a, const PriceSheet& b) {
  return a.input == b.input && a.output == b.output && (a.cached == b.cached || !a.cached || !b.cached);
}

std::optional<double> ratio(const std::optional<DollarsPerToken<double>>& now,
                            const std::optional<DollarsPerToken<double>>& before) {
  if (!now || !before || !(before->value() > 0.0)) return {};
  return (*now / *before).value();
}

/// What is less than half of a thousandth is the same price, rounded otherwise.
bool has_moved(const std::optional<double>& factor) { return factor && std::fabs(*factor - 1) >= 5e-4; }

/// Changes of a class's price. A name that follows to where another of its class is already moves nothing.
PriceMoves moves_of(const std::vector<PriceChange>& changes, std::optional<double> PriceChange::*factor,
                    DollarsPerToken<double> PriceSheet::*price) {
  PriceMoves moves;
  std::map<std::string, std::map<std::string, double>> of_class;  // prices that hold, by name
  for (const PriceChange& one : changes) {
    const double now = (one.sheet->*price).value();
    auto& known = of_class[one.kind];
    const bool follows = std::any_of(known.begin(), known.end(), [&](const auto& other) {
      return other.first != one.names.front() && !has_moved(now / other.second);
    });
    for (const std::string& name : one.names) known[name] = now;
    if (follows || !has_moved(one.*factor)) continue;
    moves.sheets.push_back(one.sheet);
    moves.factors.push_back(*(one.*factor));
  }
  return moves;
}

/// What several models did on one day is one change.
bool makes_a_rate(const PriceMoves& moves, double years) {
  std::set<std::string> dates;
  for (const PriceSheet* sheet : moves.sheets) dates.insert(sheet->date);
  return static_cast<int>(dates.size()) >= kChangesOfRate && years >= kYearsOfRate;
}

std::optional<PriceTrend> trend_of(const std::vector<PriceChange>& changes,
                                   DollarsPerToken<double> PriceSheet::*price) {
  struct Sums {
    double n = 0, t = 0, y = 0;
  };
  std::map<std::string, Sums> by_class;
  for (const PriceChange& one : changes) {
    Sums& sums = by_class[one.kind];
    sums.n += 1;
    sums.t += years_of(one.sheet->date);
    sums.y += std::log((one.sheet->*price).value());
  }
  double spread = 0, together = 0;
  for (const PriceChange& one : changes) {
    const Sums& sums = by_class[one.kind];
    const double t = years_of(one.sheet->date) - sums.t / sums.n;
    spread += t * t;
    together += t * (std::log((one.sheet->*price).value()) - sums.y / sums.n);
  }
  if (!(spread > 0.0)) return {};
  const double slope = together / spread;
  PriceTrend trend{std::exp(slope), {}, {}};
  constexpr double kFlat = 1e-9;
  if (slope < -kFlat) trend.halving = std::log(2.0) / -slope;
  if (slope > kFlat) trend.doubling = std::log(2.0) / slope;
  return trend;
}

}  // namespace

double years_of(const std::string& date) {
  if (!is_sheet_date(date)) return 0.0;
  const auto number = [&](std::size_t from, std::size_t count) { return std::stod(date.substr(from, count)); };
  const double year = number(0, 4) - 2000;
  if (date.size() == 4) return year + 0.5;
  const double month = number(5, 2) - 1;
  if (date.size() == 7) return year + (month + 0.5) / 12;
  return year + (month + (number(8, 2) - 1) / 31) / 12;
}

Result<PriceHistory> price_history(const std::vector<PriceSheet>& sheets, std::string_view text,
                                   std::string_view where) {
  const Family family = family_of(text);
  std::vector<const PriceSheet*> found;
  for (const PriceSheet& sheet : sheets) {
    const bool of_provider = family.provider.empty() || lower_case(sheet.provider) == family.provider;
    if (of_provider && !sheet.date.empty() && has_words(words_of(sheet.model), family.words)) found.push_back(&sheet);
  }
  const bool makers = std::any_of(found.begin(), found.end(), [](const PriceSheet* sheet) { return !sheet->hosted; });
  if (makers) std::erase_if(found, [](const PriceSheet* sheet) { return sheet->hosted; });
  if (found.empty()) {
    return fail({std::string(where), fmt::format("no sheet is of a family \"{}\"", shortened(text)),
                 suggestion(lower_case(text), known_families(sheets)) +
                     "; a family is words of a model's name, e.g. claude-opus, gemini-pro, deepseek or groq/llama"});
  }
  PriceHistory history;
  history.family = text;
  history.hosted = !makers;
  const auto undated = [](const PriceSheet* sheet) { return !sheet->since_known; };
  // where nothing else is known of a family, when it was seen is
  if (!std::all_of(found.begin(), found.end(), undated))
    history.undated = static_cast<int>(std::erase_if(found, undated));
  std::stable_sort(found.begin(), found.end(), [](const PriceSheet* a, const PriceSheet* b) {
    return std::pair(years_of(a->date), a->model) < std::pair(years_of(b->date), b->model);
  });

  std::map<std::string, const PriceSheet*> before;  // the sheet of each model that held so far
  for (const PriceSheet* sheet : found) {
    const PriceSheet*& own = before[sold_name(*sheet)];
    if (own != nullptr && same_prices(*own, *sheet)) {
      if (!own->cached) own = sheet;  // the same prices, and one more is known
      continue;
    }
    // hosts differ by more than the model
    const std::string kind = history.hosted && family.provider.empty()
                                 ? fmt::format("{}/{}", sheet->provider, class_of(sheet->model, family.words))
                                 : class_of(sheet->model, family.words);
    // one model under several names
    const auto twin = std::find_if(history.changes.begin(), history.changes.end(), [&](const PriceChange& one) {
      return one.sheet->date == sheet->date && one.is_new == (own == nullptr) && one.kind == kind &&
             same_prices(*one.sheet, *sheet);
    });
    if (twin != history.changes.end()) {
      twin->names.push_back(sold_name(*sheet));
      own = sheet;
      continue;
    }
    const PriceSheet* than = own;
    if (than == nullptr) {
      const auto like = std::find_if(history.changes.rbegin(), history.changes.rend(), [&](const PriceChange& one) {
        return one.kind == kind && one.sheet->date != sheet->date;
      });
      if (like != history.changes.rend()) than = like->sheet;
    }
    PriceChange change{.sheet = sheet,
                       .names = {sold_name(*sheet)},
                       .kind = kind,
                       .is_new = own == nullptr,
                       .than = than,
                       .input = {},
                       .output = {},
                       .cached = {},
                       .findings = sheet_findings(*sheet)};
    if (than != nullptr) {
      change.input = (sheet->input / than->input).value();
      change.output = (sheet->output / than->output).value();
      change.cached = ratio(sheet->cached, than->cached);
    }
    history.changes.push_back(std::move(change));
    own = sheet;
  }
  history.years = years_of(history.changes.back().sheet->date) - years_of(history.changes.front().sheet->date);
  history.input_moves = moves_of(history.changes, &PriceChange::input, &PriceSheet::input);
  history.output_moves = moves_of(history.changes, &PriceChange::output, &PriceSheet::output);
  if (makes_a_rate(history.input_moves, history.years)) history.input = trend_of(history.changes, &PriceSheet::input);
  if (makes_a_rate(history.output_moves, history.years))
    history.output = trend_of(history.changes, &PriceSheet::output);
  return history;
}

}  // namespace ridge
