#include "calibrate/fit/kernels.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <vector>

#include "model/activation.hpp"
#include "serve/step/step_formats.hpp"

namespace ridge {

namespace {

using Q = Ratio<double>;

// Latent attention was timed in DeepSeek-V3's shape: latent and rotary widths, and those of expanded heads.
constexpr double kLatent = 512, kRotary = 64, kKey = 192, kValue = 128;

double product(const KernelCase& c, const ChipRates<double>& r) {
  const KernelRow& row = c.row;
  const double moved = row.n * row.k * c.width + row.m * (row.k * c.input_width + row.n * kActivationBytes);
  return product_time(r, c.precision, Flops<double>(2 * row.m * row.n * row.k), Bytes<double>(moved),
                      Bytes<double>(row.m * row.k * (kActivationBytes + c.input_width)), row.k / 1000)
      .value();
}

double decode_attention(const KernelCase& c, const ChipRates<double>& r) {
  const KernelRow& row = c.row;
  const double seen = row.window > 0 ? std::min(row.window, row.tokens) : row.tokens;
  const double read = 2 * row.batch * row.kv_heads * row.head_dim * seen * c.kv_width;
  const double work = 4 * row.batch * row.heads * row.head_dim * seen;
  return decode_attention_time<double>(r, {Flops<double>(work), Bytes<double>(read), Q(row.batch * row.kv_heads),
                                           Q(row.heads / row.kv_heads), Tokens<double>(seen), 4 * row.head_dim})
      .value();
}

double prefill_attention(const KernelCase& c, const ChipRates<double>& r) {
  const KernelRow& row = c.row;
  const double s = row.tokens, w = row.window > 0 && row.window < s ? row.window : s;
  const double scores = row.batch * row.heads * (w * w / 2 + (s - w) * w);
  const double values = row.batch * s * row.head_dim *
                        (2 * row.heads * kActivationBytes + 2 * row.kv_heads * (kActivationBytes + c.kv_width));
  return prefill_attention_time(r, Q(scores), Q(row.batch * row.heads * s), 4 * row.head_dim, Bytes<double>(values),
                                Q(row.batch * row.heads))
      .value();
}

double latent_decode(const KernelCase& c, const ChipRates<double>& r) {
  const KernelRow& row = c.row;
  const double seen = row.batch * row.tokens;
  constexpr double kScore = 2 * (2 * kLatent + kRotary);
  const double work = seen * row.heads * kScore;
  const Bytes<double> read(seen * (kLatent + kRotary) * c.kv_width);
  return decode_attention_time<double>(
             r, {Flops<double>(work), read, Q(row.batch), Q(row.heads), Tokens<double>(row.tokens), kScore})
      .value();
}

double latent_prefill(const KernelCase& c, const ChipRates<double>& r) {
  const KernelRow& row = c.row;
  const double s = row.tokens, scores = row.batch * row.heads * s * s / 2;
  const double values = row.batch * s * row.heads * 2 * (kKey + kValue) * kActivationBytes;
  return prefill_attention_time(r, Q(scores), Q(row.batch * row.heads * s), 2 * (kKey + kValue), Bytes<double>(values),
                                Q(row.batch * row.heads))
      .value();
}

double expert_layer(const KernelCase& c, const ChipRates<double>& r) {
  const KernelRow& row = c.row;
  const double matrices = row.kernel.find("nongated") == std::string::npos ? 3 : 2;
  const double size = row.size / row.tp, width = row.hidden;
  return experts_time(r, grouped_kernel(c.precision, c.block_scaled, c.width), Q(row.tokens), Q(c.rows), Q(c.touched),
                      Flops<double>(2 * matrices * width * size),
                      Bytes<double>(matrices * width * size * c.width * c.touched),
                      Bytes<double>((2 * width + matrices * size) * kActivationBytes * c.rows))
      .value();
}

/// Loads of all experts under a power law, in the order of a fixed shuffle: quantiles of the law instead of draws.
std::vector<double> power_law_loads(const KernelRow& row, double exponent) {
  const double total = row.tokens * row.top;
  const bool many = total > row.experts;
  const double low = many ? 1 : 0.01, high = many ? std::max(2.0, 0.8 * row.tokens) : 2;
  const auto count = static_cast<std::size_t>(row.experts);
  std::vector<double> loads(count);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double quantile = (static_cast<double>(i) + 0.5) / row.experts, power = 1 - exponent;
    loads[i] = std::pow((std::pow(high, power) - std::pow(low, power)) * quantile + std::pow(low, power), 1 / power);
    sum += loads[i];
  }
  for (double& load : loads) load = std::min(load / sum * total, row.tokens);
  std::uint64_t state = 0x9e3779b97f4a7c15u;  // any fixed shuffle will do
  for (std::size_t i = count; i > 1; --i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    std::swap(loads[i - 1], loads[(state >> 33) % i]);
  }
  return loads;
}

double of_class(const KernelCase& c, const ChipRates<double>& r) {
  switch (c.row.kind) {
    case KernelClass::product:
      return product(c, r);
    case KernelClass::decode_attention:
      return decode_attention(c, r);
    case KernelClass::prefill_attention:
      return prefill_attention(c, r);
    case KernelClass::latent_decode:
      return latent_decode(c, r);
    case KernelClass::latent_prefill:
      return latent_prefill(c, r);
    case KernelClass::experts:
      return expert_layer(c, r);
    case KernelClass::all_reduce:
      return all_reduce_time(r, Bytes<double>(c.row.bytes), c.row.chips).value();
    default:
      return 0;
  }
}

/// What a program's own slope counts: thousands of inner dimensions or query rows, millions
/// of inputs to quantize, tens of decode blocks.
double slope_measure(const KernelCase& kernel) {
  const KernelRow& row = kernel.row;
  constexpr double kRow = 2048;  // values: what starting a row of a quantizer costs, in values of it
  if (row.kind == KernelClass::product) {
    return kernel.precision == Precision::bits16 ? row.k / 1000 : row.m * (row.k + kRow) / 1e6;
  }
  if (row.kind == KernelClass::decode_attention) return row.batch * row.kv_heads / 10;
  if (row.kind == KernelClass::prefill_attention || row.kind == KernelClass::latent_prefill) {
    return row.batch * row.heads * row.tokens / 1000;
  }
  return row.kind == KernelClass::experts ? row.tokens / 1000 : 0;
}

/// The chip's and the shared numbers as this library's kernel has them.
ChipRates<double> rates_of_library(const KernelRow& row, ChipRates<double> r, const KernelRatios& own) {
  const auto scale = [](auto& number, double by) { number = number * by; };
  switch (row.kind) {
    case KernelClass::product:
      scale(r.chip.product_time, own.start);
      for (auto* share : {&r.chip.matrix_16bit, &r.chip.matrix_8bit, &r.chip.matrix_4bit}) scale(*share, own.rate);
      scale(r.chip.memory, own.reading);
      for (auto* depth : {&r.kernel.depth_16bit, &r.kernel.depth_8bit, &r.kernel.depth_4bit})
        scale(*depth, own.padding);
      break;
    case KernelClass::decode_attention:
    case KernelClass::latent_decode:
      scale(r.chip.attention_time, own.start);
      scale(r.chip.attention_matrix, own.rate);
      scale(r.chip.attention_memory, own.reading);
      scale(r.chip.block_time, own.padding);
      break;
    case KernelClass::prefill_attention:
    case KernelClass::latent_prefill:
      scale(r.chip.prefill_time, own.start);
      scale(r.chip.attention_matrix, own.rate);
      scale(r.chip.softmax_rate, own.rate);
      scale(r.kernel.prefill_passes, 1 / own.reading);
      scale(r.kernel.prefill_block_time, own.padding);
      break;
    case KernelClass::experts:
      scale(r.chip.experts_time, own.start);
      for (auto* share : {&r.kernel.expert_matrix, &r.kernel.unpack_matrix}) scale(*share, own.rate);
      scale(r.kernel.expert_memory, own.reading);
      for (auto* rows : {&r.kernel.expert_rows, &r.kernel.unpack_rows}) scale(*rows, own.padding);
      break;
    case KernelClass::all_reduce:
      scale(r.chip.reduce_time, own.start);
      scale(r.chip.link, own.reading);
      scale(r.kernel.reduce_phase, own.padding);
      break;
    default:
      break;
  }
  return r;
}

}  // namespace

std::string harness_name(const KernelRow& row) {
  std::string name = row.kernel + (row.format.empty() ? "" : "-" + row.format) +
                     (row.kind == KernelClass::decode_attention ? "-kv-" + row.kv_format : "");
  for (char& c : name) {  // so that it may be a key in a file
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') c = '-';
  }
  std::string kind(name_of(row.kind));
  std::replace(kind.begin(), kind.end(), ' ', '_');
  return kind + "." + name;
}

void route_tokens(KernelCase& kernel) {
  const KernelRow& row = kernel.row;
  const double slots = row.slots > 0 ? row.slots : row.experts, local = slots / row.ep;
  kernel.rows = row.tokens * row.top / row.ep;
  kernel.touched = std::min(local, kernel.rows);
  constexpr std::string_view kLaw = "power_law_";
  if (!row.distribution.starts_with(kLaw) || row.distribution.ends_with("_eplb")) return;
  const std::vector<double> loads = power_law_loads(row, std::stod(row.distribution.substr(kLaw.size())));
  const auto chips = static_cast<std::size_t>(row.ep), each = std::max<std::size_t>(1, loads.size() / chips);
  kernel.rows = 0;
  for (std::size_t chip = 0; chip < chips; ++chip) {  // the busiest
    double rows = 0, touched = 0;
    for (std::size_t i = chip * each; i < std::min(loads.size(), (chip + 1) * each); ++i) {
      rows += loads[i];
      touched += std::min(1.0, loads[i]);
    }
    if (rows > kernel.rows) {
      kernel.rows = rows;
      kernel.touched = touched;
    }
  }
}

bool may_quantize(const KernelCase& kernel) {
  return kernel.row.kind == KernelClass::product && kernel.precision != Precision::bits16;
}

double predict_kernel(const KernelCase& kernel, const ChipRates<double>& rates, const Harness& harness,
                      const KernelRatios& own) {
  const Seconds<double> whole(of_class(kernel, rates_of_library(kernel.row, rates, own)) + harness.extra +
                              harness.slope * slope_measure(kernel) +
                              (may_quantize(kernel) ? harness.walk * kernel.row.k / 1000 : 0));
  return harness.launch > 0 ? overlapped(whole, Seconds<double>(harness.launch)).value() : whole.value();
}

}  // namespace ridge
