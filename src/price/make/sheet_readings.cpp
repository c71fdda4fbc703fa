#include "price/make/sheet_readings.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"

namespace ridge {

namespace {

bool charged(const DollarsPerToken<double>& price) { return price.value() > 0; }

std::string times(double ratio) { return significant(ratio, 3) + "x"; }

template <Dimension D>
SheetReading reading(const char* key, std::string meaning, const char* formula, const Quantity<D, double>& value) {
  return {key, std::move(meaning), formula, value.value(), D};
}

void read_cache(const PriceSheet& sheet, std::vector<SheetReading>& out) {
  if (sheet.cached && charged(sheet.input)) {
    out.push_back(reading("cached_over_input", "cached over fresh input: fetching KV cache over prefill",
                          "cached / input = e_p (1/f + 1/e_d) / S*", *sheet.cached / sheet.input));
  }
  if (sheet.writes.size() >= 2) {
    const CacheWrite &first = sheet.writes.front(), &last = sheet.writes.back();
    const auto tariff = two_ttls<double>(sheet.input, {first.keep, first.price}, {last.keep, last.price});
    out.push_back(reading("write_premium", "premium of a cache write over fresh input", "write(t1) - input - hold t1",
                          tariff.premium));
    out.push_back(
        reading("hold", "asked for keeping a token, by time", "(write(t2) - write(t1)) / (t2 - t1)", tariff.hold));
  }
}

void read_tiers(const PriceSheet& sheet, std::vector<SheetReading>& out) {
  if (sheet.tiers.empty()) return;
  const PriceBreak& tier = sheet.tiers.front();
  out.push_back(reading("kv_share_ridge", "KV bytes/token over active weight bytes, times the chip's ridge and z",
                        "z I kv / (Na b_w) = 1 / step", Ratio<double>(1.0) / tier.above));
  if (charged(sheet.output) && charged(tier.output)) {
    const Ratio<double> step = tier.output / sheet.output;
    out.push_back(reading("step_output", "output above the step over below", "long output / output", step));
    if (step.value() > 1)
      out.push_back(reading("longest",
                            "longest context served, if lengths above the price break are even and cost is linear",
                            "step (2 long/short - 1)", longest_of_step(tier.above, step)));
  }
  if (charged(sheet.input) && charged(tier.input))
    out.push_back(
        reading("step_input", "input above the step over below", "long input / input", tier.input / sheet.input));
}

}  // namespace

const SpeedMode* mode_named(const PriceSheet& sheet, std::string_view name) {
  for (const SpeedMode& mode : sheet.modes) {
    if (mode.name == name) return &mode;
  }
  return nullptr;
}

std::optional<FastMode> fast_mode_of(const PriceSheet& sheet, const std::optional<double>& fast_speed) {
  const SpeedMode* mode = mode_named(sheet, "fast");
  if (mode == nullptr || !charged(sheet.output) || !charged(mode->output)) return {};
  const std::optional<double> speed = fast_speed ? fast_speed : mode->speed;
  const double price = (mode->output / sheet.output).value();
  if (!speed || !(*speed > 1) || !(price > 1)) return {};
  return FastMode{.load = 1 / (price * *speed), .speed = *speed};
}

std::vector<SheetReading> sheet_readings(const PriceSheet& sheet, const std::optional<FastMode>& fast) {
  std::vector<SheetReading> out;
  if (charged(sheet.input)) {
    out.push_back(reading("active_cost", "active parameters times what a FLOP brings in",
                          "Na phi k_p / (u e_p) = input / 2, but for writing the KV cache",
                          sheet.input / literal<FlopsPerParam<double>>(2.0)));
  }
  if (charged(sheet.input) && charged(sheet.output)) {
    out.push_back(reading("output_over_input", "decode over prefill, in chip time of a token",
                          "output / input = (e_p/e_d) max(1, I x touched / B + S / S*)", sheet.output / sheet.input));
  }
  read_tiers(sheet, out);
  if (fast) {
    const auto read = read_fast<double>(1 / (fast->load * fast->speed), fast->speed);
    out.push_back(reading("batch_ratio", "standard batch over the fast mode's", "B / B_fast = p s", read.batch_ratio));
    out.push_back(reading("weight_share_read",
                          "share of the standard step that reads weights, if all are read at any batch",
                          "w = 1 - (1 - 1/s) / (1 - 1/(p s))", read.weight_share));
    out.push_back(reading("fast_ceiling", "speed that no price buys", "1 / w", read.ceiling));
  }
  read_cache(sheet, out);
  if (const SpeedMode* batch = mode_named(sheet, "batch"); batch != nullptr && charged(sheet.output)) {
    out.push_back(reading("batch_price", "batch over standard output: larger batches and fewer idle chips together",
                          "(u / u_b) t_out(B_b) / t_out(B)", batch->output / sheet.output));
  }
  return out;
}

std::vector<std::string> sheet_contradictions(const PriceSheet& sheet, const std::optional<double>& fast_speed) {
  std::vector<std::string> out;
  const auto say = [&](std::string text) { out.push_back(std::move(text)); };
  if (!charged(sheet.input) && !charged(sheet.output))
    say("nothing is charged: a price of zero says nothing of the cost");
  if (charged(sheet.input) && charged(sheet.output) && sheet.output < sheet.input)
    say(
        fmt::format("output is {} of input: a token decoded would cost less than one read, which no batch does if both "
                    "use the chip equally well",
                    times((sheet.output / sheet.input).value())));
  if (sheet.cached && charged(sheet.input) && *sheet.cached > sheet.input)
    say("cached input is more expensive than fresh input: nobody would fetch what is cheaper to compute");
  for (const PriceBreak& tier : sheet.tiers) {
    if (!charged(sheet.input) || !charged(sheet.output)) continue;
    const double on_input = (tier.input / sheet.input).value(), on_output = (tier.output / sheet.output).value();
    const std::string where = with_commas(tier.above.value());
    constexpr double kAlike = 0.05;
    if (std::fabs(on_input - on_output) > kAlike * on_output)
      say(fmt::format(
          "above {} tokens input costs {} and output {}: one cost of context would give one ratio. Output "
          "reads the KV cache for every token, input computes attention over it; only output's ratio is used",
          where, times(on_input), times(on_output)));
    if (on_output < 1) say(fmt::format("above {} tokens output gets cheaper ({})", where, times(on_output)));
  }
  if (sheet.tiers.size() > 1)
    say(fmt::format("{} price breaks: the model has one balance context; the first is read as it", sheet.tiers.size()));
  if (const SpeedMode* fast = mode_named(sheet, "fast"); fast != nullptr && charged(sheet.output)) {
    const double price = (fast->output / sheet.output).value();
    const std::optional<double> speed = fast_speed ? fast_speed : fast->speed;
    if (speed && price * *speed <= 1)
      say(fmt::format("the fast mode has p s = {} x {} <= 1: it would need a larger batch than standard",
                      significant(price, 3), significant(*speed, 3)));
    else if (price <= 1)
      say(fmt::format("the fast mode costs {} of standard: a smaller batch is never cheaper", times(price)));
    else if (speed && *speed <= 1)
      say(fmt::format("the fast mode is {} as fast as standard", times(*speed)));
    if (charged(sheet.input) && fast->input > sheet.input)
      say(fmt::format("the fast mode asks {} for input too: prefill does not depend on the decode batch",
                      times((fast->input / sheet.input).value())));
  }
  if (sheet.writes.size() >= 2) {
    const CacheWrite &first = sheet.writes.front(), &last = sheet.writes.back();
    const auto tariff = two_ttls<double>(sheet.input, {first.keep, first.price}, {last.keep, last.price});
    if (tariff.hold.value() < 0) say("a longer time in the cache is cheaper: the price of holding would be negative");
    if (tariff.premium.value() < 0) say("the two writes leave a negative premium: short holds are given away");
  }
  if (const SpeedMode* batch = mode_named(sheet, "batch"); batch != nullptr && batch->output > sheet.output)
    say("the batch mode is more expensive than standard: waiting cannot cost more");
  return out;
}

}  // namespace ridge
