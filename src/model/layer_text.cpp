#include "model/layer_text.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge {

namespace {

/// Writes the fields of `kind` that differ from a default one.
template <class Kind>
void push_fields(const Kind& kind, const std::string& prefix, FieldTexts& out) {
  FieldTexts own, defaults;
  const auto write = [&](FieldTexts& to) {
    return [&](const char* key, const auto& value) {
      if constexpr (std::is_same_v<std::decay_t<decltype(value)>, bool>) {
        to.emplace_back(prefix + key, value ? "true" : "false");
      } else {
        to.emplace_back(prefix + key, std::isinf(value) ? "unlimited" : fmt::format("{}", value));
      }
    };
  };
  const Kind plain;
  Kind::visit_fields(kind, write(own));
  Kind::visit_fields(plain, write(defaults));
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (own[i].second != defaults[i].second) out.push_back(own[i]);
  }
}

}  // namespace

std::string_view name_of(Use use) {
  switch (use) {
    case Use::matrix:
      return "matrix";
    case Use::vector:
      return "vector";
    case Use::convolution:
      return "convolution";
    case Use::table:
      return "table";
  }
  return "?";
}

namespace {

/// Runs of equal neighbors.
struct Run {
  std::size_t kind, count;
  bool operator==(const Run&) const = default;
};

std::vector<Run> runs_of(const std::vector<std::size_t>& order) {
  std::vector<Run> runs;
  for (const std::size_t kind : order) {
    if (runs.empty() || runs.back().kind != kind) runs.push_back({kind, 0});
    ++runs.back().count;
  }
  return runs;
}

}  // namespace

FieldTexts fields_of(const Layer& layer) {
  FieldTexts out;
  out.emplace_back("attention.type", std::string(type_of(layer.mixer)));
  std::visit([&](const auto& kind) { push_fields(kind, "attention.", out); }, layer.mixer);
  if (layer.dense) push_fields(*layer.dense, "feed_forward.", out);
  if (layer.experts) push_fields(*layer.experts, "experts.", out);
  if (layer.norms != Layer{}.norms) out.emplace_back("norms", fmt::format("{}", layer.norms));
  if (layer.norm_bias) out.emplace_back("norm_bias", "true");
  for (const Weight& weight : layer.extra) {
    out.emplace_back("extra." + weight.name,
                     fmt::format("{} {} {} x {} x {}, {} used", name_of(weight.part), name_of(weight.use), weight.in,
                                 weight.out, weight.count, weight.used));
  }
  return out;
}

bool alike(const Layer& a, const Layer& b) { return fields_of(a) == fields_of(b); }

std::string order_text(const Model& model, const std::vector<std::size_t>& order) {
  const std::vector<Run> runs = runs_of(order);
  const auto shown = [&](const Run& run) {
    const std::string& name = model.kinds[run.kind].name;
    return run.count == 1 ? name : fmt::format("{} {}", run.count, name);
  };
  std::string out;
  for (std::size_t i = 0; i < runs.size();) {
    // the group of runs that repeats most from here on
    std::size_t best_length = 1, best_times = 1;
    for (std::size_t length = 2; length <= 8 && i + 2 * length <= runs.size(); ++length) {
      std::size_t times = 1;
      while (i + (times + 1) * length <= runs.size() &&
             std::equal(runs.begin() + static_cast<std::ptrdiff_t>(i),
                        runs.begin() + static_cast<std::ptrdiff_t>(i + length),
                        runs.begin() + static_cast<std::ptrdiff_t>(i + times * length))) {
        ++times;
      }
      if (times > 1 && times * length > best_times * best_length) {
        best_length = length;
        best_times = times;
      }
    }
    std::string group;
    for (std::size_t j = 0; j < best_length; ++j) group += (j == 0 ? "" : ", ") + shown(runs[i + j]);
    out += (out.empty() ? "" : ", ") + (best_times > 1 ? fmt::format("{} ({})", best_times, group) : group);
    i += best_length * best_times;
  }
  return out;
}

namespace {

constexpr std::size_t kMostLayers = 10'000;

/// list = item { "," item };  item = [ number ] ( name | "(" list ")" );  groups do not nest.
class OrderParser {
 public:
  OrderParser(std::string_view text, const std::vector<Layer>& kinds, std::string_view where)
      : text_(text), kinds_(kinds), where_(where) {}

  Result<std::vector<std::size_t>> run() {
    std::vector<std::size_t> order = list(false);
    if (error_.empty() && at_ < text_.size()) error_ = fmt::format("\"{}\" is not expected", text_[at_]);
    if (error_.empty()) return order;
    return fail({std::string(where_), error_,
                 "write e.g. \"3 dense, 58 expert\" or \"15 (3 linear, full)\", with names of [layer.NAME]"});
  }

 private:
  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::vector<std::size_t> list(bool inside) {
    std::vector<std::size_t> order;
    do {
      const std::size_t times = number();
      std::vector<std::size_t> item;
      if (!inside && take('(')) {
        item = list(true);
        if (error_.empty() && !take(')')) error_ = "a group is not closed";
      } else {
        item = {kind()};
      }
      if (error_.empty() && order.size() + times * item.size() > kMostLayers) error_ = "more than 10,000 layers";
      if (!error_.empty()) return {};
      for (std::size_t i = 0; i < times; ++i) order.insert(order.end(), item.begin(), item.end());
    } while (take(','));
    return order;
  }

  /// How often; 1 where nothing is said.
  std::size_t number() {
    skip_spaces();
    std::size_t value = 0, digits = 0;
    for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) && digits < 6; ++at_, ++digits) {
      value = value * 10 + static_cast<std::size_t>(text_[at_] - '0');
    }
    if (digits > 0 && (value == 0 || value > kMostLayers)) error_ = "a kind repeats between 1 and 10,000 times";
    return digits == 0 ? 1 : value;
  }

  std::size_t kind() {
    skip_spaces();
    const std::size_t start = at_;
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != ')' && text_[at_] != '(' && text_[at_] != ' ')
      ++at_;
    const std::string_view name = text_.substr(start, at_ - start);
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      if (kinds_[i].name == name) return i;
    }
    if (error_.empty()) error_ = fmt::format("no layer is called \"{}\"", shortened(name));
    return 0;
  }

  std::string_view text_;
  const std::vector<Layer>& kinds_;
  std::string_view where_;
  std::size_t at_ = 0;
  std::string error_;
};

}  // namespace

Result<std::vector<std::size_t>> parse_order(std::string_view text, const std::vector<Layer>& kinds,
                                             std::string_view where) {
  return OrderParser(text, kinds, where).run();
}

}  // namespace ridge
