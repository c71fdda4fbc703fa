// ridge tier: where to keep context between two uses of it.

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "cli/defaults.hpp"
#include "cli/prices.hpp"
#include "report/price/tier/tier_text.hpp"

namespace ridge::cli {

namespace {

constexpr const char* kDefaultCurve = "mooncake-conversation";

/// "input=$5/Mtok,hit=$0.50/Mtok,5min=$6.25/Mtok,1h=$10/Mtok"
Result<PublicTariff> tariff_of(const std::string& text) {
  PublicTariff tariff;
  Errors errors;
  bool has_input = false;
  for (const std::string& part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos) {
      errors.push_back({"--tariff", fmt::format("\"{}\" has no =", shortened(part)),
                        "e.g. 'input=$5/Mtok,hit=$0.50/Mtok,5min=$6.25/Mtok,1h=$10/Mtok'"});
      continue;
    }
    const std::string name(trimmed(part.substr(0, equals)));
    if (name == "hold") {
      const auto hold = parse<DollarsPerTokenSecond<double>>(part.substr(equals + 1), "--tariff hold");
      if (!hold) {
        append(errors, hold.error());
      } else if (!(hold->value() > 0 && hold->value() < 1e30)) {
        errors.push_back({"--tariff hold", "must be above zero", "e.g. hold=$4.50/Mtok/h"});
      } else {
        tariff.hold = *hold;
      }
      continue;
    }
    const auto price = parse<DollarsPerToken<double>>(part.substr(equals + 1), "--tariff " + name);
    if (!price) {
      append(errors, price.error());
      continue;
    }
    constexpr double kMost = 1e30;
    if (price->value() < 0 || price->value() > kMost) {
      errors.push_back(
          {"--tariff " + name, "a price is not below zero, nor above 1e30", "leave it out where there is none"});
    } else if (name == "input") {
      if (price->value() == 0) errors.push_back({"--tariff input", "is missing or zero", "e.g. input=$5/Mtok"});
      tariff.input = *price;
      has_input = true;
    } else if (name == "hit") {
      tariff.hit = *price;
    } else {
      const auto keep = parse<Seconds<double>>(name, "--tariff");
      if (!keep) {
        errors.push_back({"--tariff", fmt::format("\"{}\" is neither input, hit, hold nor a time", shortened(name)),
                          "writes are named by the time they are kept: 5min=$6.25/Mtok"});
      } else if (!(keep->value() > 0)) {
        errors.push_back({"--tariff", fmt::format("kept for {}", name), "a write is kept for some time"});
      } else {
        tariff.writes.push_back({*keep, *price});
      }
    }
  }
  std::sort(tariff.writes.begin(), tariff.writes.end(),
            [](const CacheWrite& a, const CacheWrite& b) { return a.keep < b.keep; });
  const auto same = std::adjacent_find(tariff.writes.begin(), tariff.writes.end(),
                                       [](const CacheWrite& a, const CacheWrite& b) { return a.keep == b.keep; });
  if (same != tariff.writes.end())
    errors.push_back({"--tariff", fmt::format("two prices for {}", show(same->keep)), "give each time once"});
  if (!has_input && errors.empty())
    errors.push_back({"--tariff", "the price of fresh input is missing", "add input=$5/Mtok"});
  if (!errors.empty()) return fail(std::move(errors));
  return tariff;
}

/// The same of a sheet in the catalog: "anthropic/claude-opus-5".
Result<PublicTariff> tariff_named(const std::string& name, const Program& program) {
  const auto sheets = price_sheets(program);
  if (!sheets) return fail(sheets.error());
  const auto sheet = find_sheet(*sheets, name, "--tariff");
  if (!sheet) return fail(sheet.error());
  PublicTariff tariff{
      .input = (*sheet)->input, .hit = (*sheet)->cached, .hold = (*sheet)->hold, .writes = (*sheet)->writes};
  if (!tariff.hold && tariff.writes.size() < 2) {
    return fail(
        {"--tariff",
         fmt::format("{} sells no holding: neither two times to live nor a price of storage", sold_name(**sheet)),
         "try anthropic/claude-opus-5 or a model of google"});
  }
  return tariff;
}

struct Asking {
  TierQuestion question;
  std::string chart = "cost";
};

class TierReader {
 public:
  explicit TierReader(const Program& program) : program_(program) {}

  Result<Asking> read(const Options& options) {
    for (const auto& [key, text] : options.serving) take(key, text);
    if (!errors_.empty()) return fail(std::move(errors_));
    return std::move(out_);
  }

 private:
  template <class Q>
  Q number(const std::string& text, const std::string& where, bool may_be_zero) {
    const auto value = parse<Q>(text, where);
    if (!value) {
      append(errors_, value.error());
      return {};
    }
    constexpr double kMost = 1e30;
    if (value->value() > kMost)
      errors_.push_back({where, fmt::format("\"{}\" is above 1e30", shortened(text)), "check the value and its unit"});
    if (value->value() < 0 || (value->value() == 0 && !may_be_zero))
      errors_.push_back({where,
                         fmt::format("\"{}\" must be {}", shortened(text), may_be_zero ? "zero or more" : "above zero"),
                         "check the value"});
    return *value;
  }

  Ratio<double> share(const std::string& text, const std::string& where) {
    const auto value = number<Ratio<double>>(text, where, true);
    if (value.value() > 1)
      errors_.push_back({where, fmt::format("\"{}\" is above 1", shortened(text)), "write a share, e.g. 0.5 or 50 %"});
    return value;
  }

  void take(const std::string& key, const std::string& text) {
    TierQuestion& q = out_.question;
    const std::string flag = "--" + key;
    if (key == "context") q.context = number<Tokens<double>>(text, flag, false);
    if (key == "active") q.active = number<Params<double>>(text, flag, false);
    if (key == "kv-bytes") q.kept_bytes = number<BytesPerToken<double>>(text, flag, false);
    if (key == "chance") q.reuse = share(text, flag);
    if (key == "waiting") q.waiting = share(text, flag);
    if (key == "reuse") q.curve = text;
    if (key == "chart") out_.chart = text;
    if (key == "tiers") {
      for (const std::string& name : split(text, ',')) q.tiers.emplace_back(trimmed(name));
    }
    if (key == "tariff") {
      const auto tariff = text.find('=') == std::string::npos ? tariff_named(text, program_) : tariff_of(text);
      if (tariff) q.tariff = *tariff;
      if (!tariff) append(errors_, tariff.error());
    }
  }

  const Program& program_;
  Asking out_;
  Errors errors_;
};

}  // namespace

int run_tier(const Options& options, Program& program) {
  auto asked = TierReader(program).read(options);
  if (!asked) return report_errors(asked.error(), options);
  TierQuestion& question = asked->question;
  const bool unknown = options.subject.empty() && question.active && question.kept_bytes;
  if (options.subject.empty() && !unknown && (question.active || question.kept_bytes)) {
    return report_errors(
        {{"MODEL", "one of --active and --kv-bytes does not make a model", "give both, or name a model"}}, options);
  }
  Options words = options;
  std::vector<std::string> taken;
  if (options.subject.empty() && !unknown) taken.emplace_back(kDefaultModel);
  if (!was_given(options.settings, "machine")) {
    // first: a machine that comes later would take back what was said of it
    words.settings.insert(words.settings.begin(), {"machine", kDefaultMachine});
    taken.push_back(std::string("--on ") + kDefaultMachine);
  }
  if (!was_given(options.serving, "context")) taken.push_back(fmt::format("--context {:g}", question.context.value()));
  if (!was_given(options.serving, "waiting")) taken.push_back(fmt::format("--waiting {:g}", question.waiting.value()));
  if (!was_given(options.serving, "chance")) taken.push_back(fmt::format("--chance {:g}", question.reuse.value()));
  auto scenario = scenario_of(program, words, options.subject.empty() ? kDefaultModel : options.subject);
  if (!scenario) return report_errors(scenario.error(), options);
  question.scenario = std::move(*scenario);
  if (unknown) question.scenario.model.clear();
  if (question.curve.empty()) {
    question.curve = kDefaultCurve;
    taken.push_back(std::string("--reuse ") + kDefaultCurve);
  }
  auto answer = answer_tiers(question, program.library);
  if (!answer) return report_errors(answer.error(), options);
  note_defaults(answer->notes, taken);
  const auto chart = report::tier_chart(*answer, asked->chart);
  if (!chart) return report_errors(chart.error(), options);
  if (!options.svg_file.empty()) {
    if (const int code = write_svg(options.svg_file, report::to_svg(*chart), options); code != kAnswered) return code;
  }
  if (options.derive) {
    const auto text = report::tier_derivation(*answer, *options.derive, options.depth, program.library, program.style);
    if (!text) return report_errors(text.error(), options);
    if (!options.json) return print(*text);
  }
  return print(options.json ? report::tier_json(*answer) : report::tier_text(*answer, program.style));
}

}  // namespace ridge::cli
