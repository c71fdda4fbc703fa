#include "report/price_sheet_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/unit_text.hpp"

namespace ridge::report {

namespace {

std::string price_dollars(const DollarsPerToken<double>& price) { return "$" + significant(price.value() * 1e6, 3); }
std::string times(double ratio) { return significant(ratio, 3) + "x"; }

std::string keep_text(const Seconds<double>& keep) {
  const double minutes = keep.value() / 60;
  if (minutes == std::floor(minutes) && minutes < 60) return fmt::format("{:g} min", minutes);
  return minutes / 60 == std::floor(minutes / 60) ? fmt::format("{:g} h", minutes / 60) : show(keep);
}

class Screen {
 public:
  Screen(const PriceAnswer& answer, const Style& style) : a_(answer), e_(answer.estimate), style_(style) {}

  std::string text() {
    heading();
    prices();
    why();
    notes();
    return std::move(out_);
  }

 private:
  void line(const std::string& text, int indent = 2) {
    out_ += wrapped(std::string(static_cast<std::size_t>(indent), ' ') + text, style_.columns, indent + 2) + "\n";
  }

  void heading() {
    const ServingAnswer& s = a_.serving;
    const SheetCase<double>& c = a_.numbers;
    out_ += bold(style_, fmt::format("{} on {}, {}: a price sheet at a margin of {}", s.model_title, s.machine_title,
                                     short_name(s.layout), percent(a_.margin))) +
            "\n";
    line(fmt::format(
             "reference load: {:g} in, {:g} out, {:.0f} sequences at once on {:g} chips at {} each; in use {} of "
             "the paid time",
             s.question.isl, s.question.osl, c.decode.batch.value(), c.decode.chips.value(), show(c.decode.price),
             percent(c.decode.utilisation.value())),
         0);
    line(fmt::format(
             "from the calibrated engine ({}): prompts reach {} of the FLOP/s, decoding {} of the bandwidth, and "
             "{} of the FLOP/s where compute binds",
             s.question.engine, percent(c.mfu_prefill.value()), percent(c.share_memory.value()),
             percent(c.share_compute.value())),
         0);
    out_ += "\n";
  }

  void row(std::string_view name, const DollarsPerToken<double>& price, const std::string& cost,
           const std::string& made_of) {
    const std::string head =
        fmt::format("  {}{}{}  ", padded(name, 24), padded(price_dollars(price), 9, true), padded(cost, 9, true));
    out_ += wrapped(head + made_of, style_.columns, 44) + "\n";
  }

  void prices() {
    const SheetCase<double>& c = a_.numbers;
    out_ += dim(style_, fmt::format("  {}{}{}  made of", padded("$/Mtok", 24), padded("price", 9, true),
                                    padded("cost", 9, true))) +
            "\n";
    row("input", e_.input, price_dollars(e_.input_cost),
        fmt::format("{} of a chip: computing {}, writing the context {}", show(e_.input_time), show(e_.input_compute),
                    show(e_.input_write)));
    row("output", e_.output, price_dollars(e_.output_cost),
        fmt::format("{} of a chip: a step of {} for {:.0f} sequences, {} of it weights", show(e_.output_time),
                    show(e_.step), c.decode.batch.value(), percent(e_.weight_share.value())));
    row("cached input", e_.cached, price_dollars(e_.cached_cost),
        fmt::format("{} of fresh: fetched in {}, read once more in {}", percent(e_.cached_over_input.value()),
                    show(e_.fetch_time), show(e_.first_time)));
    for (const CacheWrite& write : a_.sheet.writes) {
      row(fmt::format("write, kept {}", keep_text(write.keep)), write.price, "",
          fmt::format("input, {} for the write, {} for holding", price_dollars(e_.tariff.premium),
                      price_dollars(e_.tariff.hold * write.keep)));
    }
    if (a_.step && !a_.sheet.tiers.empty()) {
      const LongTier& tier = a_.sheet.tiers.front();
      const std::string above = with_commas(std::round(tier.above.value()));
      row("input above " + above, tier.input, "",
          fmt::format("{}: attention over longer prompts", times(a_.step->input)));
      row("output above " + above, tier.output, "",
          fmt::format("{}: more context read for each token", times(a_.step->output)));
    }
    row("batch input", e_.batch_input, "", fmt::format("{}: fewer idle chips", times(e_.batch_idle.value())));
    row("batch output", e_.batch_output, "",
        fmt::format("{} for {} times the sequences, {} for fewer idle chips", times(e_.batch_larger.value()),
                    significant(c.batch_load.value(), 3), times(e_.batch_idle.value())));
    if (a_.fast_speed)
      row(fmt::format("fast output, {} speed", times(*a_.fast_speed)), e_.fast_output, "",
          fmt::format("{}: {} of the usual batch", times(e_.fast_price.value()), percent(c.fast_load.value())));
    out_ += "\n";
  }

  void why() {
    const SheetCase<double>& c = a_.numbers;
    out_ += "why\n";
    line(fmt::format("output over input {}: {} of a chip against {}", times(e_.output_over_input.value()),
                     show(e_.output_time), show(e_.input_time)));
    if (a_.fast_speed) {
      line(fmt::format(
          "fast: p s = {} times fewer sequences; {} of the step reads weights, which a smaller batch does not "
          "shorten; alone in the machine a user is {} as fast, and no price buys more",
          significant(e_.fast_price.value() * *a_.fast_speed, 3), percent(e_.weight_share.value()),
          times(e_.fast_ceiling.value())));
    } else {
      line(fmt::format("fast: no batch is {} as fast; alone in the machine a user is {} as fast", times(a_.fast_asked),
                       times(e_.fast_ceiling.value())));
    }
    line(fmt::format(
        "slow: as many sequences as fit save {} of output, ever larger batches at most {}: the curve is flat "
        "where compute or context binds. The rest of a batch price is idle time ({} in use instead of {})",
        percent(1 - e_.batch_larger.value()), percent(e_.slow_saving.value()), percent(c.batch_utilisation.value()),
        percent(c.decode.utilisation.value())));
    if (a_.step)
      line(fmt::format(
          "long: demand {}; one step at {} tokens leaves a deviation of {} of the mean cost (least mean "
          "square, tokens equal), one price {}; reading a context takes as long as computing from {} tokens",
          a_.demand, with_commas(std::round(a_.step->above.value())), percent(a_.step->deviation),
          percent(a_.step->without), show(e_.balance_context.value(), kNone)));
    line(fmt::format("cache: holding a token costs as much as computing it again after {}",
                     significant((e_.input / e_.tariff.hold).value() / 3600, 3) + " h"));
    out_ += "\n";
  }

  void notes() {
    for (const std::string& note : a_.serving.notes) line("note: " + note, 0);
    std::vector<std::string> assumed;
    for (std::size_t i = 0; i < kSheetInputs; ++i) {
      if (a_.from[i].kind == Kind::assumed) assumed.emplace_back(sheet_input_info(i).key);
    }
    if (!assumed.empty()) line("assumed: " + joined(assumed, ", ") + " (--set KEY=VALUE, --margin, --utilisation)", 0);
  }

  const PriceAnswer& a_;
  const SheetEstimate<double>& e_;
  const Style& style_;
  std::string out_;
};

}  // namespace

std::string price_sheet_text(const PriceAnswer& answer, const Style& style) {
  std::string out = Screen(answer, style).text();
  return out + "\n" + to_text(price_chart(answer), std::min(style.columns, 100), 14, style.unicode);
}

Chart price_chart(const PriceAnswer& answer) {
  Chart chart;
  Series along{.label = "along the batch", .bold = true};
  for (const SpeedPoint& point : answer.curve) {
    along.x.push_back(point.speed);
    along.y.push_back(point.price * 1e6);
  }
  const SheetEstimate<double>& e = answer.estimate;
  chart.title = "Price of output against speed";
  chart.subtitle = fmt::format("{} on {}, {} at a margin of {}", answer.serving.model_title,
                               answer.serving.machine_title, short_name(answer.serving.layout), percent(answer.margin));
  chart.footer = "batch from 1 to as many sequences as fit; step time by the decode equations at the calibrated shares";
  chart.x = {.label = "tokens a second for each user", .unit = "", .scale = Scale::logarithmic};
  chart.y = {.label = "price of a million output tokens", .unit = "$", .scale = Scale::logarithmic};
  const double rate = e.user_rate.value();
  chart.markers = {{.x = rate, .y = e.output.value() * 1e6, .label = "usual"}};
  if (answer.fast_speed)
    chart.markers.push_back({.x = rate * *answer.fast_speed, .y = e.fast_output.value() * 1e6, .label = "fast"});
  chart.lines = {{.vertical = true, .at = rate * e.fast_ceiling.value(), .label = "no batch is faster"}};
  chart.series = {std::move(along)};
  return chart;
}

std::vector<DerivationInput> derivation_inputs(const PriceAnswer& answer) {
  return derivation_inputs(answer.numbers, answer.from);
}

}  // namespace ridge::report
