#include "report/price/make/price_sheet_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "report/base/counts.hpp"
#include "report/price/make/cost_parts.hpp"
#include "report/roofline/why_text.hpp"
#include "report/search/fleet_text.hpp"
#include "report/serve/interval_text.hpp"
#include "report/serve/serving_text.hpp"
#include "serve/question/serving_inputs.hpp"

namespace ridge::report {

namespace {

std::string price_dollars(const DollarsPerToken<double>& price) { return money(price.value() * 1e6); }
std::string times(double ratio) { return significant(ratio, 3) + "x"; }

std::string tokens_text(double tokens) { return with_commas(std::round(tokens)); }

std::string keep_text(const Seconds<double>& keep) {
  const double minutes = keep.value() / 60;
  if (minutes == std::floor(minutes) && minutes < 60) return fmt::format("{:g} min", minutes);
  return minutes / 60 == std::floor(minutes / 60) ? fmt::format("{:g} h", minutes / 60) : show(keep);
}

class PriceScreen {
 public:
  PriceScreen(const PriceAnswer& answer, const Style& style, const FleetAnswer* fleet)
      : a_(answer), e_(answer.estimate), style_(style), fleet_(fleet) {}

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
    out_ +=
        bold(style_, wrapped(fmt::format("Price sheet of {} on {}, {} margin", s.ground().model->title,
                                         fleet_ != nullptr ? bought_text(*fleet_) : laid_out_on(s), percent(a_.margin)),
                             style_.columns, 2)) +
        "\n";
    out_ += bold(style_, fmt::format("input {}/Mtok, output {}/Mtok, cached input {}/Mtok", price_dollars(e_.input),
                                     price_dollars(e_.output), price_dollars(e_.cached))) +
            "\n";
    if (!a_.left_out.empty()) out_ += warn(style_, wrapped(a_.left_out, style_.columns, 2)) + "\n";
    if (fleet_ != nullptr) out_ += bought_lines(*fleet_, style_);
    line(fmt::format("standard requests: ISL {}, OSL {}, batch {:.0f}; {} per {}{}, {} utilization",
                     tokens_text(s.question.isl), tokens_text(s.question.osl), s.estimate.times.batch.value(),
                     show(c.decode.price), chip_word(s.ground().machine->title),
                     price_basis(s.ground().from[serving_input_index("price")]), percent(c.decode.utilization.value())),
         0);
    const bool given = std::any_of(a_.from.begin() + kDecodeInputs, a_.from.end(),
                                   [](const Provenance& from) { return from.source.starts_with("--set"); });
    line(fmt::format("calibrated ({}){}: prefill at {} MFU, decode at {} of the roofline", s.question.engine,
                     given ? ", but for what was given" : "", percent(c.mfu_prefill.value()),
                     percent(c.share_decode.value())),
         0);
    if (s.errors.known)
      line(fmt::format("as throughput is off: input {}; output {}",
                       money_interval_text(s.errors, e_.input.value() * 1e6),
                       money_interval_text(s.errors, e_.output.value() * 1e6)),
           0);
    const std::string unmeasured = fleet_ != nullptr ? "" : situation_text(s.errors);  // said of the fleet already
    if (!unmeasured.empty()) line(unmeasured, 0);
    out_ += "\n";
  }

  void row(std::string_view name, const DollarsPerToken<double>& price, const std::string& cost,
           const std::string& made_of) {
    const std::string head =
        fmt::format("  {}{}{}  ", padded(name, 22), padded(price_dollars(price), 8, true), padded(cost, 10, true));
    out_ += wrapped(head + made_of, style_.columns, 44) + "\n";
  }

  void prices() {
    const SheetCase<double>& c = a_.numbers;
    out_ += dim(style_, fmt::format("  {}{}{}  made of", padded("$/Mtok", 22), padded("price", 8, true),
                                    padded("cost", 10, true))) +
            "\n";
    row("input", e_.input, price_dollars(e_.input_cost),
        fmt::format("{} of a chip: compute {}, KV cache writes {}", show(e_.input_time), show(e_.input_compute),
                    show(e_.input_write)));
    row("output", e_.output, price_dollars(e_.output_cost),
        fmt::format("{} of a chip: steps of {} at batch {:.0f}", show(e_.output_time),
                    show(a_.serving.estimate.times.decode_step), a_.serving.estimate.times.batch.value()));
    row("cached input", e_.cached, price_dollars(e_.cached_cost),
        fmt::format("{} of fresh: fetched in {}, read once more in {}", percent(e_.cached_over_input.value()),
                    show(e_.fetch_time), show(e_.first_time)));
    for (const CacheWrite& write : a_.sheet.writes) {
      row(fmt::format("cache write, {}", keep_text(write.keep)), write.price, "",
          fmt::format("input + {} for the write + {} for holding", price_dollars(e_.tariff.premium),
                      price_dollars(e_.tariff.hold * write.keep)));
    }
    if (!a_.sheet.tiers.empty()) {
      const PriceBreak& tier = a_.sheet.tiers.front();
      const std::string above = with_commas(std::round(tier.above.value()));
      row("input above " + above, tier.input, "", times(a_.step->input()) + ": attention over longer inputs");
      row("output above " + above, tier.output, "",
          times(a_.step->output()) + ": more KV cache read per token, smaller batches");
    }
    row("batch input", e_.batch_input, "",
        fmt::format("{} beside larger batches, {} for fewer idle chips", times(c.batch_input.value()),
                    times(e_.batch_idle.value())));
    row("batch output", e_.batch_output, "",
        fmt::format("{} for {}x the batch, {} for fewer idle chips", times(c.batch_output.value()),
                    significant(a_.cheapest.batch / a_.serving.estimate.times.batch.value(), 3),
                    times(e_.batch_idle.value())));
    if (a_.fast)
      row(fmt::format("fast output, {}", times(a_.fast->speed)), e_.fast_output, "",
          fmt::format("{}: {} of the standard batch", times(c.fast_output.value()),
                      percent(a_.fast->batch / a_.serving.estimate.times.batch.value())));
    out_ += "\n";
  }

  void why() {
    out_ += "why\n";
    line(fmt::format("output over input {}: {} of a chip against {}", times(e_.output_over_input.value()),
                     show(e_.output_time), show(e_.input_time)));
    line("input: " + parts_text(a_.input_parts));
    line("output: " + parts_text(a_.output_parts));
    why_fast();
    why_slow();
    why_long();
    if (e_.tariff.hold.value() > 0)
      line(fmt::format("cache: holding a token costs as much as recomputing it after {}",
                       significant((e_.input / e_.tariff.hold).value() / 3600, 3) + " h"));
    out_ += "\n";
  }

  void why_fast() {
    const std::string most =
        fmt::format("at a concurrency of {} a user is {} as fast at {} the price",
                    significant(a_.fastest.concurrency, 2), times(a_.fastest.speed), times(a_.fastest.output));
    if (a_.fast) {
      line(fmt::format("fast: price x speed = {}; {}, and no load on this layout is faster",
                       significant(a_.numbers.fast_output.value() * a_.fast->speed, 3), most));
    } else {
      line(fmt::format("fast: no load on this layout is {} as fast; {} (--tp, --dp: another layout)",
                       times(a_.fast_asked), most));
    }
  }

  void why_slow() {
    const SheetCase<double>& c = a_.numbers;
    const bool busier = c.batch_utilization.value() > c.decode.utilization.value();
    const std::string idle =
        busier ? fmt::format(" The rest of a batch discount is idle time ({} utilization instead of {})",
                             percent(c.batch_utilization.value()), percent(c.decode.utilization.value()))
               : "";
    if (a_.cheapest.concurrency > a_.serving.load.concurrency)
      line(fmt::format(
          "slow: a batch of {:.0f} saves {} of output; ever larger batches at the chips' peaks could not save "
          "more than {}.{}",
          a_.cheapest.batch, percent(1 - c.batch_output.value()), percent(e_.slow_saving.value()), idle));
    else
      line(fmt::format("slow: no larger batch that fits makes a token cheaper.{}", idle));
  }

  void why_long() {
    if (!a_.step) {
      line(fmt::format("long context: {}: no price break", a_.demand));
      return;
    }
    const std::string balance = fmt::format("KV reads take as long as compute from {} tokens",
                                            with_commas(std::round(e_.balance_context.value())));
    line(fmt::format(
        "long context: {}; at one price {} of revenue is cross-subsidy, with a price break at {} tokens {} ({} "
        "of requests are above){}; {}",
        a_.demand, percent(a_.step->moved_without), with_commas(std::round(a_.step->above.value())),
        percent(a_.step->moved), percent(a_.step->over.requests),
        a_.step_written ? "" : fmt::format(": less than {} saved, so there is none", percent(a_.step_least)), balance));
  }

  void notes() {
    for (const std::string& note : a_.serving.notes) {
      if (note != a_.left_out) line("note: " + note, 0);  // said in the first lines
    }
    std::vector<std::string> assumed;
    for (std::size_t i = 0; i < kSheetInputs; ++i) {
      if (a_.from[i].kind == Kind::assumed) assumed.emplace_back(sheet_input_info(i).key);
    }
    if (!assumed.empty()) line("assumed: " + joined(assumed, ", ") + " (--set KEY=VALUE, --margin, --utilization)", 0);
  }

  const PriceAnswer& a_;
  const SheetEstimate<double>& e_;
  const Style& style_;
  const FleetAnswer* fleet_;  // none: of one deployment
  std::string out_;
};

}  // namespace

std::string price_sheet_text(const PriceAnswer& answer, const Style& style, const FleetAnswer* fleet) {
  std::string out = PriceScreen(answer, style, fleet).text();
  return plain_text(style, out + "\n" + to_text(price_chart(answer), std::min(style.columns, 100), 14, style.unicode));
}

Chart price_chart(const PriceAnswer& answer) {
  Chart chart;
  Series along{.bold = true};
  const double usual = answer.estimate.output.value() * 1e6, rate = answer.serving.estimate.user_rate.value();
  for (const LoadPoint& point : answer.curve) {
    along.x.push_back(point.user_rate);
    along.y.push_back(point.output * usual);
  }
  chart.title = fmt::format("{}: {}/Mtok output at {} tok/s/user; nothing is faster than {}",
                            answer.serving.ground().model->title, money(usual), significant(rate, 3),
                            significant(answer.fastest.user_rate, 3));
  chart.subtitle = fmt::format("on {}, {}, {} margin", answer.serving.ground().machine->title,
                               short_name(answer.serving.layout()), percent(answer.margin));
  chart.footer = "the line: every load, from one request at a time to as many as fit; calibrated";
  chart.x = {.label = "output tok/s/user", .unit = "", .scale = Scale::logarithmic};
  chart.y = {.label = "price of output, $/Mtok", .unit = "$", .scale = Scale::logarithmic};
  chart.markers = {{.x = rate, .y = usual, .label = "standard, " + money(usual)}};
  if (answer.fast)
    chart.markers.push_back({.x = answer.fast->user_rate,
                             .y = answer.estimate.fast_output.value() * 1e6,
                             .label = "fast, " + money(answer.estimate.fast_output.value() * 1e6)});
  chart.lines = {{.vertical = true, .at = answer.fastest.user_rate, .label = "fastest, a batch of one"}};
  chart.series = {std::move(along)};
  return chart;
}

std::vector<DerivationInput> derivation_inputs(const PriceAnswer& answer) {
  return derivation_inputs(answer.numbers, answer.from);
}

}  // namespace ridge::report
