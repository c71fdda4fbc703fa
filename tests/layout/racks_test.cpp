// Are the equations of racks right, and the same in all five readings?

#include "layout/racks.hpp"

#include <doctest/doctest.h>

#include "base/number/dual.hpp"
#include "base/number/interval.hpp"
#include "base/number/lanes.hpp"
#include "base/number/traced.hpp"

using namespace ridge;
using doctest::Approx;

namespace {

Rack<double> rack(double up, double out, double chips = 64) {
  return {Ratio<double>(chips), Bytes<double>(186e9), BytesPerSecond<double>(8e12), BytesPerSecond<double>(up),
          BytesPerSecond<double>(out)};
}

Ratio<double> ratio(double x) { return Ratio<double>(x); }

}  // namespace

TEST_CASE("DeepSeek's own estimate of an exchange: 121 us a layer over InfiniBand, 67 tokens a second") {
  // arXiv:2505.09343 section 2.3: (1 + 2) B x 32 tokens x 9 experts x 7,000 over 50 GB/s = 120.96 us; twice that in each
  // of 61 layers 14.76 ms; over 900 GB/s 0.82 ms
  const Sent<double> sent{Bytes<double>(0), Bytes<double>(3.0 * 32 * 9 * 7000)};
  const Seconds<double> slow = all_to_all_over(rack(900e9, 50e9), sent).total();
  CHECK(slow.value() == Approx(120.96e-6).epsilon(1e-9));
  CHECK(2 * 61 * slow.value() == Approx(14.76e-3).epsilon(1e-3));
  CHECK(1 / (2 * 61 * slow.value()) == Approx(67).epsilon(0.02));
  const Sent<double> near{sent.outside, Bytes<double>(0)};
  CHECK(2 * 61 * all_to_all_over(rack(900e9, 50e9), near).total().value() == Approx(0.82e-3).epsilon(0.01));
}

TEST_CASE("measured exchanges over InfiniBand are slower than the bound, by less than a third") {
  // deepseek-ai/DeepEP@3528514 docs/legacy.md, low-latency kernels on H800, all by InfiniBand at 50 GB/s: 128 tokens,
  // 7,168 wide, 8 experts; fp8 with a scale of 4 B for 128 numbers out, 2 B back. Each chip is a rack of its own.
  struct Row {
    double chips, dispatch, combine;
  };
  for (const Row& row : {Row{64, 173e-6, 314e-6}, Row{128, 192e-6, 369e-6}, Row{256, 194e-6, 360e-6}}) {
    CAPTURE(row.chips);
    const auto time = [&](double bytes) {
      const Bytes<double> payload(128 * 8 * 7168 * bytes);
      return all_to_all_over(rack(160e9, 50e9), uniform_all_to_all(payload, ratio(1), ratio(row.chips)))
          .total()
          .value();
    };
    // by hand at 64: 128 x 8 x 7,168 x 1.03125 x 63/64/50e9 = 149 us; combine 289 us
    CHECK(time(1 + 4.0 / 128) < row.dispatch);
    CHECK(time(1 + 4.0 / 128) > row.dispatch / 1.33);
    CHECK(time(2) < row.combine);
    CHECK(time(2) > row.combine / 1.33);
  }
}

TEST_CASE("an all-to-all over two nodes of H100 takes 4.5 times as long as inside one") {
  // scaling book, gpus.md: (B/(2 x 400e9))/(B/(8 x 450e9)) = 4.5
  CHECK(span_slow_down(ratio(450.0 / 50), ratio(2)).value() == Approx(4.5).epsilon(1e-12));
  // the same from bytes: half of what each chip sends leaves the node; inside, 7/8 of it moved before, so 4.5 x 8/7
  const Bytes<double> payload(1e6);
  const auto time = [&](double racks) {
    return all_to_all_over(rack(450e9, 50e9), uniform_all_to_all(payload, ratio(8), ratio(racks))).total();
  };
  CHECK((time(2) / time(1)).value() == Approx(4.5 * 8 / 7).epsilon(1e-12));
}

TEST_CASE("what leaves a chip is all of the payload but what stays on it") {
  for (const double racks : {1.0, 2.0, 4.0, 9.0}) {
    const Sent<double> sent = uniform_all_to_all(Bytes<double>(72), ratio(8), ratio(racks));
    CAPTURE(racks);
    CHECK((sent.inside + sent.outside).value() == Approx(72 * (1 - 1 / (8 * racks))));
  }
}

TEST_CASE("merged copies never cross more often than single ones, nor than there are other racks") {
  for (const double racks : {2.0, 4.0, 8.0}) {
    for (const double copies : {1.0, 2.0, 8.0, 32.0}) {
      const double far = merged_all_to_all(Bytes<double>(1), ratio(copies), ratio(8), ratio(racks)).outside.value();
      CAPTURE(racks);
      CAPTURE(copies);
      CHECK(far <= copies * (racks - 1) / racks * (1 + 1e-12));
      CHECK(far <= racks - 1);
    }
  }
  // one copy: nothing to merge
  CHECK(merged_all_to_all(Bytes<double>(1), ratio(1), ratio(8), ratio(2)).outside.value() == Approx(0.5));
  // top 8 over 2 racks: 2 (1 - 2^-8)/2 = 255/256
  CHECK(merged_all_to_all(Bytes<double>(1), ratio(8), ratio(64), ratio(2)).outside.value() == Approx(255.0 / 256));
}

TEST_CASE("the largest layer in time does not depend on capacity, and the one by capacity not on time") {
  // 72 x 8 TB/s x 20 ms/61 = 188.9 GB; 72 x 186 GB = 13.39 TB, /61 = 219.5 GB
  const Rack<double> r = rack(900e9, 50e9, 72);
  const LargestLayer<double> most = largest_layer(r, ratio(61), Seconds<double>(0.02));
  CHECK(most.in_time.value() == Approx(188.85e9).epsilon(1e-3));
  CHECK(most.alone.value() == Approx(13.392e12).epsilon(1e-12));
  CHECK(most.all_here.value() == Approx(219.5e9).epsilon(1e-3));
  CHECK(most.bounded() == most.in_time);
  CHECK(largest_layer(r, ratio(61), Seconds<double>(0.04)).in_time.value() == Approx(2 * most.in_time.value()));
  CHECK(sweep_time(r).value() == Approx(186.0 / 8000));
  CHECK(time_to_read(r, Bytes<double>(671e9)).value() == Approx(1.165e-3).epsilon(1e-3));
}

TEST_CASE("a hop is hidden exactly when a stage has the layers to hide it") {
  CHECK(hop_hidden(ratio(8), ratio(8), ratio(1)).value() == Approx(2));
  CHECK(hop_hidden(ratio(8), ratio(32), ratio(2)).value() == Approx(16));
  for (const double network : {4.0, 8.0, 18.0}) {
    CHECK(hop_hidden(ratio(network), ratio(8), layers_to_hide(ratio(network), ratio(8))).value() == Approx(1));
  }
}

TEST_CASE("pipelining divides weights, keeps context, adds hops and leaves the rate of a chip alone") {
  // 671 GB over 72 chips and 4 stages: 2.330 GB; 4 x 2,048 sequences x 288 MB over the same: 8.19 GB as with one stage
  const Bytes<double> weights(671e9), sequence(288e6);
  const auto at = [&](double stages) {
    return pipeline_memory(weights, sequence, ratio(2048 * stages), ratio(72), ratio(stages));
  };
  CHECK(at(4).weights.value() == Approx(2.330e9).epsilon(1e-3));
  CHECK(at(4).context.value() == Approx(at(1).context.value()).epsilon(1e-12));
  CHECK(at(4).total() < at(1).total());
  const Seconds<double> step(0.02);
  CHECK(pipelined_step(step, ratio(4), Seconds<double>(0.0025)).value() == Approx(0.03));
  CHECK(pipelined_rate(Tokens<double>(2048), step, ratio(72), ratio(4)).value() ==
        Approx(pipelined_rate(Tokens<double>(2048), step, ratio(72), ratio(1)).value()));
}

TEST_CASE("a full NVL72 has 5,184 cables, which is what its maker says") {
  // 72 chips, one link into each of 18 switches, 4 pairs a link; "over 5,000 cables"
  CHECK(rack_cables(ratio(72), ratio(1), ratio(18), ratio(4)).value() == 5184);
  CHECK(chips_within(ratio(5184), ratio(72)).value() == 72);
  CHECK(rack_power(ratio(72), Watts<double>(1200)).value() == Approx(86.4e3));
}

namespace {

template <class S>
S everything() {
  const auto number = [](double x) { return Ratio<S>(S(x)); };
  const Rack<S> r{number(72), Bytes<S>(S(186e9)), BytesPerSecond<S>(S(8e12)), BytesPerSecond<S>(S(9e11)),
                  BytesPerSecond<S>(S(5e10))};
  const Bytes<S> payload(S(1e6));
  const Seconds<S> exchanged = all_to_all_over(r, uniform_all_to_all(payload, number(36), number(2))).total() +
                               all_to_all_over(r, merged_all_to_all(payload, number(8), number(36), number(2))).total();
  const Seconds<S> read = time_to_read(r, largest_layer(r, number(61), Seconds<S>(S(0.02))).bounded());
  const Ratio<S> counts =
      span_slow_down(number(18), number(2)) + hop_hidden(number(18), number(8), number(2)) +
      tensor_ways(number(2048), number(3), Bytes<S>(S(2)), r.scale_up, FlopsPerSecond<S>(S(2.5e15)));
  const Bytes<S> held =
      pipeline_memory(Bytes<S>(S(671e9)), Bytes<S>(S(288e6)), number(2048), number(72), number(4)).total();
  return (exchanged / read + counts + held / payload).value();
}

double number(const Dual& x) { return x.value; }
double number(const Traced& x) { return x.value(); }
double number(const Lanes& x) {
  double all[Lanes::size()];
  x.store(all);
  return all[0];
}

}  // namespace

TEST_CASE("the equations of racks are the same number in all five readings") {
  const double expected = everything<double>();
  CHECK(number(everything<Dual>()) == expected);
  CHECK(number(everything<Traced>()) == expected);
  CHECK(number(everything<Lanes>()) == expected);
  CHECK(everything<Interval>().contains(expected));
}
