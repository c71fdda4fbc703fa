// Is the time of one operation what its equation says? A chip with round numbers, everything worked by hand.

#include "cost/operation.hpp"

#include <doctest/doctest.h>

#include "cost/round_chip.hpp"

using namespace ridge;
using doctest::Approx;

namespace {

using Q = Ratio<double>;
constexpr double kMicro = 1e-6, kHand = 1e-4;  // by hand to four digits and more

double in_micro(const Seconds<double>& time) { return time.value() / kMicro; }

}  // namespace

TEST_CASE("two overlapping times take a little more than the larger one, and equal ones a fifth more") {
  const Seconds<double> one(1.0), two(2.0), none(0.0);
  CHECK(overlapped(one, none).value() == 1.0);
  CHECK(overlapped(one, one).value() == Approx(1.189207));  // 2^(1/4)
  CHECK(overlapped(one, two).value() == Approx(2.030543));  // 17^(1/4)
  CHECK(overlapped(two, one).value() == overlapped(one, two).value());
  CHECK(half_overlapped(one, two).value() == Approx(2.236068));  // 5^(1/2)
}

TEST_CASE("a 16-bit product is its start, its depth, and computing and moving that hide by half") {
  // 64 rows, 4096 -> 8192: 4.295 GFLOP at 80 TFLOP/s are 53.69 us; 67.11 MB of weights and 1.57 MB of values at
  // 0.8 TB/s are 85.85 us; together (53.69^2 + 85.85^2)^(1/2) = 101.26 us; 2 us to start and 4.096 times 0.1 us
  const double weights = 4096.0 * 8192 * 2, values = 64 * (4096 * 2 + 8192 * 2);
  const auto time = product_time(round_chip(), Precision::bits16, Flops<double>(2.0 * 64 * 4096 * 8192),
                                 Bytes<double>(weights + values), Bytes<double>(64 * 4096 * 4.0), 4.096);
  CHECK(in_micro(time) == Approx(103.666).epsilon(kHand));
}

TEST_CASE("an 8-bit product pays for making its input narrow, a 16-bit one does not") {
  // the same at 140 TFLOP/s: 30.68 us; 33.55 MB + 64 * (4096 + 16384) B at 0.8 TB/s: 43.58 us; together 53.30.
  // Quantizing 64 * 4096 numbers reads 2 B and writes 1 B of each: 786 kB, 1.5 times over 1 TB/s: 1.18 us.
  // 2 us to start and 4.096 times 0.2 us
  const double moved = 4096.0 * 8192 + 64 * (4096 + 8192 * 2);
  const Flops<double> work(2.0 * 64 * 4096 * 8192);
  const auto time =
      product_time(round_chip(), Precision::bits8, work, Bytes<double>(moved), Bytes<double>(64 * 4096 * 3.0), 4.096);
  CHECK(in_micro(time) == Approx(57.295).epsilon(kHand));
  const auto wide = [&](double narrow) {
    return product_time(round_chip(), Precision::bits16, work, Bytes<double>(moved), Bytes<double>(narrow), 4.096);
  };
  CHECK(wide(0).value() == wide(1e9).value());
}

TEST_CASE("decoding with a long context reads the cache, and with a short one waits for its blocks") {
  // 32 sequences of 4096, 8 kv heads of 128 in 16 bit: 536.9 MB at 0.5 TB/s are 1073.7 us. 32 query heads: 2.147 GFLOP,
  // (1 + 8 / 4) times, at 40 TFLOP/s are 161.1 us. 256 blocks of 10 (1 + 0.5 * 4^(1/2)) ns are 5.12 us. 3 us to start
  const double read = 32.0 * 4096 * 2 * 8 * 128 * 2, work = 32.0 * 4096 * 4 * 32 * 128;
  const auto r = round_chip();
  const auto longer = decode_attention_time<double>(
      r, {Flops<double>(work), Bytes<double>(read), Q(256.0), Q(4.0), Tokens<double>(0.0), 512});
  CHECK(in_micro(longer) == Approx(1076.890).epsilon(kHand / 100));
  // 512 sequences of 16: 67.11 us to read, 10.07 us to compute (67.12 together), 4096 blocks are 81.92 us:
  // (67.12^2 + 81.92^2)^(1/2) = 105.91
  const double few = 512.0 * 16 * 2 * 8 * 128 * 2, little = 512.0 * 16 * 4 * 32 * 128;
  const auto shorter = decode_attention_time<double>(
      r, {Flops<double>(little), Bytes<double>(few), Q(4096.0), Q(4.0), Tokens<double>(0.0), 512});
  CHECK(in_micro(shorter) == Approx(108.907).epsilon(kHand));
  // a score of DeepSeek's latent is 2 * (2 * 512 + 64) = 2176 FLOP, 4.25 heads of 128 wide, and so are its blocks: 348.16 us;
  // (67.12^2 + 348.16^2)^(1/2) = 354.57
  const auto latent = decode_attention_time<double>(
      r, {Flops<double>(little), Bytes<double>(few), Q(4096.0), Q(4.0), Tokens<double>(0.0), 2176});
  CHECK(in_micro(latent) == Approx(357.570).epsilon(kHand));
  // 3 us to start; a context of 3000 with 1000 as the half-way point pays 3/4 of the half that joining costs: 4.125
  const auto joined = [&](double context) {
    return in_micro(decode_attention_time<double>(
        r, {Flops<double>(0.0), Bytes<double>(0.0), Q(0.0), Q(4.0), Tokens<double>(context), 512}));
  };
  CHECK(joined(0) == Approx(3).epsilon(kHand));
  CHECK(joined(3000) == Approx(3 * (1 + 0.5 * 0.75)).epsilon(kHand));
}

TEST_CASE("a decode block grows with the root of its query rows, and with the width of a head") {
  // nothing to read: 3 us, and 1000 blocks of 10 ns (1 + 0.5 * rows^(1/2)), for heads of 256 twice that
  const auto blocks = [](double rows, double width) {
    return in_micro(decode_attention_time<double>(
        round_chip(), {Flops<double>(0.0), Bytes<double>(0.0), Q(1000.0), Q(rows), Tokens<double>(0.0), width}));
  };
  CHECK(blocks(1, 512) == Approx(3 + 15));
  CHECK(blocks(16, 512) == Approx(3 + 30));
  CHECK(blocks(16, 1024) == Approx(3 + 60));
}

TEST_CASE("a prompt through a state reads and computes at once, beside its blocks") {
  // 3 GFLOP (1 + 12 / 4) times at 40 TFLOP/s: 300 us; 100 MB at 0.5 TB/s: 200 us; (300^4 + 200^4)^(1/4) = 313.83. 40,000
  // blocks of 5 ns: 200 us; (313.83^2 + 200^2)^(1/2) = 372.14. 5 us to start
  const auto time =
      prefill_state_time<double>(round_chip(), Flops<double>(3e9), Bytes<double>(100e6), Q(4.0), Q(40000.0));
  CHECK(in_micro(time) == Approx(377.14).epsilon(1e-4));
}

TEST_CASE("a gather sends to every chip, with the short start of an all-reduce") {
  const auto r = round_chip();
  const double link = r.peak.scale_up.value() * r.chip.link.value();
  const auto start = r.chip.reduce_time.value() + 6 * r.kernel.reduce_per_chip.value();
  // 8 chips: 7 copies of 1 MB
  CHECK(gather_time(r, Bytes<double>(1e6), 8.0).value() == Approx(start + 7e6 / link).epsilon(kHand));
}

TEST_CASE("a prompt's attention is its products with its exponentials beside them, and its values moved") {
  // 2 prompts of 1024, 16 heads of 128: 2 * 16 * 1024^2 / 2 = 16.78 M scores and 16 for each of 32768 rows: 17.30 M.
  // 512 FLOP each at 40 TFLOP/s: 221.46 us; at 1e12 exponentials a second 17.30 us; (221.46^2 + 17.30^2)^(1/2) = 222.13.
  // Queries and results of 16 heads, keys and values of 4 read and written: 25.17 MB twice over 1 TB/s: 50.33 us.
  // 32 blocks of 5 ns: 0.16 us. 5 us to start
  const double values = 2 * 1024 * 128 * (2 * 16 * 2 + 2 * 4 * (2 + 2.0));
  const auto time = prefill_attention_time(round_chip(), Q(2.0 * 16 * 1024 * 1024 / 2), Q(2.0 * 16 * 1024), 512,
                                           Bytes<double>(values), Q(32.0));
  CHECK(in_micro(time) == Approx(277.626).epsilon(kHand));
}

TEST_CASE("narrow heads wait for exponentials, wide ones for products") {
  // at 40 TFLOP/s and 1e12 exponentials a second the two are equal for scores of 40 FLOP
  auto r = round_chip();
  r.kernel.prefill_rows = 0.0;
  const auto time = [&](double width) {
    return in_micro(prefill_attention_time(r, Q(1e9), Q(0.0), width, Bytes<double>(0.0), Q(0.0))) - 5;
  };
  CHECK(time(40) == Approx(1000 * std::sqrt(2.0)));
  CHECK(time(4) == Approx(1005).epsilon(0.001));      // 1000 (1 + 0.1^2)^(1/2)
  CHECK(time(400) == Approx(10050).epsilon(0.0001));  // 10000 (1 + 0.1^2)^(1/2)
}

TEST_CASE("an expert layer computes padded rows while it reads the touched experts") {
  // 64 tokens with 4 experts each: 256 rows over 100 touched experts that pad 32 rows each: 3456 rows of
  // 2 * 3 * 2048 * 1024 FLOP at 200e12 * 0.7 * 0.5: 621.2 us. 100 experts of 6.29 MB at 0.72 TB/s: 873.8 us. Together
  // 925.0. Values: (2 * 2048 + 3 * 1024) * 2 B * 256 rows, twice over 1 TB/s: 7.34 us. Sorting 64 tokens: 0.64 us. 20 us
  const double weights = 3.0 * 2048 * 1024 * 100, values = (2 * 2048 + 3 * 1024) * 2.0 * 256;
  const auto time = [&](const GroupedKernel& kernel, double width) {
    return in_micro(experts_time(round_chip(), kernel, Q(64.0), Q(256.0), Q(100.0),
                                 Flops<double>(2.0 * 3 * 2048 * 1024), Bytes<double>(weights * width),
                                 Bytes<double>(values)));
  };
  CHECK(time({Precision::bits8, false, false}, 1) == Approx(952.936).epsilon(kHand));
  CHECK(time({Precision::bits8, true, false}, 1) == Approx(1014.366).epsilon(kHand));  // at 0.8 of the rate: 776.5 us
}

TEST_CASE("experts whose weights alone are narrow are unpacked into 16-bit products of small tiles") {
  // 256 rows over 100 experts that pad 8 rows each: 1056 rows of 12.58 MFLOP at 100e12 * 0.8 * 0.25: 664.4 us. 100
  // experts of 3.146 MB at 0.72 TB/s: 436.9 us. Together (664.4^4 + 436.9^4)^(1/4) = 693.47 us; 27.98 us beside it as above
  const double weights = 0.5 * 3.0 * 2048 * 1024 * 100, values = (2 * 2048 + 3 * 1024) * 2.0 * 256;
  const double time =
      in_micro(experts_time(round_chip(), {Precision::bits16, false, true}, Q(64.0), Q(256.0), Q(100.0),
                            Flops<double>(2.0 * 3 * 2048 * 1024), Bytes<double>(weights), Bytes<double>(values)));
  CHECK(time == Approx(721.45).epsilon(1e-4));
}

TEST_CASE("an indexer's two kernels start before the attention that reads what they chose") {
  // 3 us each
  const DecodeAttention<double> plain{
      Flops<double>(0.0), Bytes<double>(1e6), Q(1.0), Q(8.0), Tokens<double>(1000.0), 512};
  DecodeAttention<double> chosen = plain;
  chosen.before = 2;
  CHECK(in_micro(decode_attention_time<double>(round_chip(), chosen)) ==
        Approx(in_micro(decode_attention_time<double>(round_chip(), plain)) + 6));
}

TEST_CASE("small kernels cost their starts and what they move") {
  // 10 of 1 us, and 8 MB over 0.8 TB/s: 10 us
  CHECK(in_micro(small_kernels_time(round_chip(), Q(10.0), Bytes<double>(8e6))) == Approx(20));
}

TEST_CASE("a small all-reduce takes one shot, a large one two") {
  // 8 chips at 50 GB/s; to start: 4 + 6 * 0.5 = 7 us. One shot sends 7 V; two send 2 * 7 / 8 V and start again for 3 us
  // more: equal at 28.6 kB
  const auto time = [](double bytes) { return in_micro(all_reduce_time(round_chip(), Bytes<double>(bytes), 8.0)); };
  CHECK(time(16e3) == Approx(7 + 2.24));      // 112 kB over 50 GB/s
  CHECK(time(64e3) == Approx(7 + 3 + 2.24));  // again 112 kB
  CHECK(time(1e6) == Approx(7 + 3 + 35));
  const double even = 3 * kMicro * 50e9 / (7 - 1.75);
  CHECK(time(even * 0.999) == Approx(7 + even * 0.999 * 7 / 50e9 / kMicro));
  CHECK(time(even * 1.001) == Approx(10 + even * 1.001 * 1.75 / 50e9 / kMicro));
}

TEST_CASE("between two chips both shots send the same, so one is enough") {
  // V over 50 GB/s after 4 us
  CHECK(in_micro(all_reduce_time(round_chip(), Bytes<double>(1e6), 2.0)) == Approx(24));
  CHECK(in_micro(all_reduce_time(round_chip(), Bytes<double>(1e9), 2.0)) == Approx(20004));
}

TEST_CASE("an all-reduce over domains adds up inside, then sends the shares across") {
  // 8 chips in each of 2 domains, 1 MB: inside 45 us; across 1/8 MB times 2 * 1/2 at 5 GB/s: 25 us, after 15 us
  CHECK(in_micro(all_reduce_time(round_chip(), Bytes<double>(1e6), Span{8, 2, true, true})) == Approx(85));
  CHECK(all_reduce_time(round_chip(), Bytes<double>(1e6), Span{8, 1, true, false}) ==
        all_reduce_time(round_chip(), Bytes<double>(1e6), 8.0));
  // a chip a domain: nothing inside; 1 MB times 2 * 3/4 at 5 GB/s: 300 us
  CHECK(in_micro(all_reduce_time(round_chip(), Bytes<double>(1e6), Span{1, 4, false, true})) == Approx(315));
}

TEST_CASE("tokens leave for near and far experts at the same time") {
  // 1 MB at 50 GB/s: 20 us; 50 kB at 5 GB/s: 10 us, hidden; 500 kB: 100 us. 15 us to start
  const auto time = [](double inside, double outside) {
    return in_micro(all_to_all_time(round_chip(), Bytes<double>(inside), Bytes<double>(outside)));
  };
  CHECK(time(1e6, 0) == Approx(35));
  CHECK(time(1e6, 50e3) == Approx(35));
  CHECK(time(1e6, 500e3) == Approx(115));
}

TEST_CASE("one stage hands its results to the next over the link that is there") {
  CHECK(in_micro(hop_time(round_chip(), Bytes<double>(1e6), true)) == Approx(24));    // 4 + 20 us
  CHECK(in_micro(hop_time(round_chip(), Bytes<double>(1e6), false)) == Approx(204));  // 4 + 200 us
}

TEST_CASE("the expected largest of n normal numbers is that of the tables") {
  // Harter, Biometrika 48 (1961), table 1
  for (const auto& [count, largest] :
       {std::pair{2.0, 0.5642}, {3.0, 0.8463}, {4.0, 1.0294}, {8.0, 1.4236}, {16.0, 1.7660}, {64.0, 2.3437}}) {
    CAPTURE(count);
    CHECK(expected_largest(count) == Approx(largest).epsilon(0.03).scale(0));
  }
  CHECK(expected_largest(1) == 0);
  CHECK(expected_largest(72) > expected_largest(64));
}

TEST_CASE("the busiest chip is so many standard deviations above the mean, and one chip alone is the mean") {
  CHECK(busiest(Q(100.0), Q(25.0), 2.0).value() == 110);
  CHECK(busiest(Q(100.0), Q(25.0), 0.0).value() == 100);
}

TEST_CASE("experts touched under uniform routing are those of the settled question") {
  // DeepSeek-V3: 256 (1 - (1 - 8/256)^128) = 251.6; 32 tokens touch 163; one token its 8, all of Mixtral's 2 of 8
  CHECK(touched_experts(Q(128.0), 256.0, 8.0 / 256).value() == Approx(251.6).epsilon(kHand));
  CHECK(touched_experts(Q(32.0), 256.0, 8.0 / 256).value() == Approx(163.3).epsilon(1e-3));
  CHECK(touched_experts(Q(1.0), 256.0, 8.0 / 256).value() == Approx(8));
  CHECK(touched_experts(Q(1.0), 8.0, 0.25).value() == Approx(2));
  CHECK(touched_experts(Q(1e9), 32.0, 8.0 / 256).value() == Approx(32));
}

TEST_CASE("without a spread of popularity the touched experts are those of uniform routing") {
  for (const double share : {8.0 / 256, 4.0 / 128, 2.0 / 8}) {
    for (const double tokens : {1.0, 2.0, 8.0, 128.0, 4096.0}) {
      CAPTURE(share);
      CAPTURE(tokens);
      const double uniform = touched_experts(Q(tokens), 64.0, share).value();
      CHECK(touched_experts(Q(tokens), 64.0, share, Q(1e-6)).value() == Approx(uniform).epsilon(1e-4));
    }
  }
}

TEST_CASE("one token touches its k experts, however popular they are") {
  for (const double spread : {0.01, 0.3, 1.0, 4.0}) {
    CAPTURE(spread);
    CHECK(touched_experts(Q(1.0), 256.0, 8.0 / 256, Q(spread)).value() == Approx(8));
    CHECK(touched_experts(Q(1.0), 8.0, 2.0 / 8, Q(spread)).value() == Approx(2));
  }
}

TEST_CASE("the more popularity is spread, the fewer experts are touched") {
  double before = 256;
  for (const double spread : {0.01, 0.1, 0.5, 1.0, 2.0}) {
    CAPTURE(spread);
    const double touched = touched_experts(Q(128.0), 256.0, 8.0 / 256, Q(spread)).value();
    CHECK(touched < before);
    CHECK(touched > 8);
    before = touched;
  }
}
