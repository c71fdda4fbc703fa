// Is the arithmetic of keeping context right, and does it obey what must be true of it?

#include "price/tier/tier.hpp"

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "base/number/dual.hpp"
#include "base/number/interval.hpp"
#include "catalog_library.hpp"
#include "price/make/prefill_work.hpp"
#include "price/money/host.hpp"
#include "price/tier/cache_tariff.hpp"
#include "price/tier/tier_answer.hpp"

namespace tier_test {

namespace {

using doctest::Approx;
using namespace ridge;
using testing::library;

constexpr double kMtok = 1e6, kHour = 3600;

TierQuestion question(const std::string& model = "deepseek-v3", const std::string& machine = "hgx-h100") {
  TierQuestion q;
  q.scenario.model = model;
  q.scenario.machine = machine;
  q.curve = "mooncake-conversation";
  return q;
}

const TierRow& row(const TierAnswer& answer, const std::string& name) {
  for (const TierRow& one : answer.rows) {
    if (one.facts.name == name) return one;
  }
  FAIL("no tier ", name);
  return answer.rows.front();
}

TierDevice<double> round_device() {
  TierDevice<double> device;
  device.capacity = Bytes<double>(1e12);
  device.read = BytesPerSecond<double>(1e10);
  device.write = BytesPerSecond<double>(5e9);
  device.reach = BytesPerSecond<double>(2e10);
  device.price = DollarsPerSecond<double>(1e-4);
  device.wear = DollarsPerByte<double>(1e-13);
  device.wears = true;
  return device;
}

}  // namespace

TEST_CASE("two times to live give the premium of a write and the price of holding") {
  const auto mtok = [](double dollars) { return DollarsPerToken<double>(dollars / kMtok); };
  const auto parts = two_ttls<double>(mtok(5), {Seconds<double>(300), mtok(6.25)}, {Seconds<double>(3600), mtok(10)});
  // by hand: (10 - 6.25) / 55 min = 4.0909 an hour; 6.25 - 5 - 4.0909 / 12 = 0.90909
  CHECK(parts.hold.value() * kMtok * kHour == Approx(4.0909).epsilon(1e-4));
  CHECK(parts.premium.value() * kMtok == Approx(0.90909).epsilon(1e-4));
  for (const auto& [seconds, dollars] : {std::pair(300.0, 6.25), std::pair(3600.0, 10.0)})
    CHECK(write_price(parts, mtok(5), Seconds<double>(seconds)).value() * kMtok == Approx(dollars));
}

TEST_CASE("ranges of prices give ranges of the two parts that contain every pair within") {
  const auto mtok = [](double low, double high) {
    return DollarsPerToken<Interval>(Interval(low / kMtok, high / kMtok));
  };
  const auto time = [](double seconds) { return Seconds<Interval>(Interval(seconds)); };
  const auto parts = two_ttls<Interval>(mtok(5, 5), {time(300), mtok(6, 6.5)}, {time(3600), mtok(9.5, 10.5)});
  CHECK(parts.hold.value().low * kMtok * kHour == Approx((9.5 - 6.5) * 12 / 11));
  CHECK(parts.hold.value().high * kMtok * kHour == Approx((10.5 - 6) * 12 / 11));
  CHECK(parts.premium.value().low < parts.premium.value().high);
}

TEST_CASE("costs on a device are its capacity, its time and its wear, in proportion to the bytes") {
  const KeptContext<double> kept{BytesPerToken<double>(1e5), DollarsPerSecond<double>(1e-3),
                                 Ratio<double>(0.5),         Tokens<double>(1000),
                                 Ratio<double>(1.0),         true};
  const TierCost<double> cost = cost_on(round_device(), kept);
  // by hand: 1e5 B / 1e12 B x $1e-4/s = 1e-11; 1e5 / 5e9 x 1e-4 + 1e5 x 1e-13 = 2e-9 + 1e-8;
  // 1e5 / 1e10 x 1e-4 + half of 1e5 / 1e10 x 1e-3 = 1e-9 + 5e-9: one device gives half of what the chip could draw
  CHECK(cost.hold.value() == Approx(1e-11));
  CHECK(cost.write.value() == Approx(1.2e-8));
  CHECK(cost.fetch.value() == Approx(6e-9));
  TierDevice<double> disk = round_device();
  disk.seeks = disk.in_pieces = true;
  disk.piece = Bytes<double>(1e6);
  disk.seek = Seconds<double>(1e-4);  // as long as reading the piece: it doubles the device's part
  // drawn from many: 1e8 B / 2e10 = 5 ms, more than one piece of 0.2 ms takes; half of it x $1e-3 / 1000 tokens = 2.5e-9
  CHECK(cost_on(disk, kept).fetch.value() == Approx(2e-9 + 2.5e-9));
  CHECK(bytes_for(DollarsPerToken<double>(2e-9), disk).value() == Approx(1e5));
  CHECK(drain_time(round_device()).value() == Approx(100));
  // holding for as long as it drains costs as much as reading it: the rule of the natural tier
  CHECK((cost.hold * drain_time(round_device())).value() == Approx(1e-9));
  CHECK(bytes_for(cost.hold, round_device()).value() == Approx(1e5));
}

TEST_CASE("chips that wait for a disk pay for its seek and its queue, all of them") {
  TierDevice<double> disk = round_device();
  disk.read = BytesPerSecond<double>(2e8);
  disk.reach = BytesPerSecond<double>(5e10);
  disk.lags = disk.seeks = disk.in_pieces = disk.queues = true;
  disk.latency = Seconds<double>(1e-3);
  disk.seek = Seconds<double>(8e-3);
  disk.piece = Bytes<double>(1e7);
  disk.utilization = Ratio<double>(0.6);
  const KeptContext<double> kept{BytesPerToken<double>(2e3), DollarsPerSecond<double>(1e-3),
                                 Ratio<double>(1.0),         Tokens<double>(1e4),
                                 Ratio<double>(72.0),        true};
  // by hand: 20 MB in pieces of 10 MB: 8 ms + 10 MB / 200 MB/s = 58 ms on one disk; it is busy for 0.6 of the time, so a
  // request waits 0.6 / (2 x 0.4) = 0.75 of that, 43.5 ms; 1 ms of way: 102.5 ms. Drawing is quicker: 20 MB / 3.6 TB/s
  CHECK(fetch_time(disk, kept).value() == Approx(102.5e-3));
  // the disk: 2 kB (1 / 200 MB/s + 8 ms / 10 MB) = 11.6 us, at $1e-4 / 0.6; the chips: 102.5 ms x 72 x $1e-3 / 10,000
  CHECK(cost_on(disk, kept).fetch.value() == Approx(11.6e-6 * 1e-4 / 0.6 + 0.1025 * 72 * 1e-3 / 1e4));
  KeptContext<double> overlapped = kept;
  overlapped.waits = false;
  CHECK(cost_on(disk, overlapped).fetch.value() == Approx(11.6e-6 * 1e-4 / 0.6));
  double last = 0;
  for (const double busy : {0.1, 0.5, 0.9, 0.99}) {  // a busier disk is cheaper by the byte and slower to answer
    disk.utilization = Ratio<double>(busy);
    CHECK(fetch_time(disk, kept).value() > last);
    last = fetch_time(disk, kept).value();
  }
}

TEST_CASE("what a tier leans on is said, fact by fact") {
  const TierAnswer answer = answer_tiers(question(), library()).value();
  const auto says = [&](const char* tier, const char* fact) {
    const auto& facts = row(answer, tier).assumed;
    return std::find(facts.begin(), facts.end(), fact) != facts.end();
  };
  for (const char* tier : {"disk", "dram"}) {
    CAPTURE(tier);
    for (const char* fact : {"life", "power", "PUE", "utilization"}) CHECK(says(tier, fact));
    CHECK_FALSE(says(tier, "price"));
  }
  CHECK(says("flash", "price"));
  CHECK(says("flash", "latency"));
  CHECK_FALSE(says("flash-dense", "latency"));  // published
}

TEST_CASE("computing again costs where it is served what the input of such requests costs there") {
  TierQuestion q = question("deepseek-v3", "hgx-h200");
  ServingQuestion serving;
  serving.scenario = q.scenario;
  for (const double context : {1024.0, 8192.0}) {
    CAPTURE(context);
    q.context = Tokens<double>(context);
    serving.isl = context;
    HostQuestion host;
    host.deployed = deployed(serving, {}, library()).value();
    const HostAnswer hosted_answer = answer_host(host, {}, library()).value().answer.value();
    q.served = hosted(host.deployed, library()).value().answer;
    const TierRow again = row(answer_tiers(q, library()).value(), "recompute");
    CHECK(again.cost.fetch.value() == hosted_answer.fresh.value());
    REQUIRE(again.computed);
    // one prompt arrives in a step, and it is no longer than the token budget: all of it is in flight
    CHECK(again.computed->at_once.value() == context);
    CHECK(again.computed->token_budget.value() == 8192);
    CHECK(again.assumed.empty());
  }
  q.served.reset();
  CHECK(row(answer_tiers(q, library()).value(), "recompute").assumed == std::vector<std::string>{"MFU"});
}

TEST_CASE("holding in memory against computing again has no dollars in it") {
  // claim C48: 2 x 37e9 / (1.979e15 x 0.4) x 80e9 / 70272 = 106.4 s
  const SecondsPerToken<double> work(2 * 37e9 / 1.979e15);
  const BytesPerToken<double> kept(70272);
  const Bytes<double> memory(80e9);
  CHECK(recompute_break_even(work, Ratio<double>(0.4), kept, memory).value() == Approx(106.4).epsilon(1e-3));
  for (const double price : {1e-4, 1e-3, 1.0}) {
    const KeptContext<double> context{.bytes = kept, .chip_price = DollarsPerSecond<double>(price)};
    const auto at = break_even(cost_on_chip(context, memory, Ratio<double>(1.0)),
                               cost_of_recomputing(work, Ratio<double>(0.4), context.chip_price), Ratio<double>(1.0));
    CHECK(at.value() == Approx(106.4).epsilon(1e-3));
  }
}

TEST_CASE("the time of break-even moves with capacity one to one, and against bytes") {
  const auto at = [](Dual bytes, Dual capacity) {
    return recompute_break_even(SecondsPerToken<Dual>(Dual(1e-4)), Ratio<Dual>(Dual(0.4)), BytesPerToken<Dual>(bytes),
                                Bytes<Dual>(capacity))
        .value();
  };
  const Dual by_capacity = at(Dual(7e4), Dual(8e10, 1.0)), by_bytes = at(Dual(7e4, 1.0), Dual(8e10));
  CHECK(by_capacity.slope * 8e10 / by_capacity.value == Approx(1));
  CHECK(by_bytes.slope * 7e4 / by_bytes.value == Approx(-1));
}

TEST_CASE("at the time of break-even two places cost the same, and which is cheaper changes there") {
  for (const double chance : {1.0, 0.3, 0.01}) {
    TierQuestion q = question();
    q.reuse = Ratio<double>(chance);
    const TierAnswer answer = answer_tiers(q, library()).value();
    CHECK(answer.pairs.size() == answer.rows.size() * (answer.rows.size() - 1) / 2);
    for (const TierPair& pair : answer.pairs) {
      if (!(pair.at.value() > 0) || !std::isfinite(pair.at.value())) continue;
      const auto cost = [&](std::size_t tier, double times) {
        return cost_of_keeping(answer.rows[tier].cost, times * pair.at, q.reuse).value();
      };
      CHECK(cost(pair.first, 1) == Approx(cost(pair.second, 1)));
      CHECK(cost(pair.first, 0.5) < cost(pair.second, 0.5));
      CHECK(cost(pair.first, 2) > cost(pair.second, 2));
    }
  }
}

TEST_CASE("with a larger chance of use the best place is never more expensive to fetch from") {
  const TierAnswer answer = answer_tiers(question(), library()).value();
  for (double time = 0.01; time < 1e8; time *= 3) {
    double last = 0;
    for (double chance = 1; chance > 1e-4; chance /= 1.5) {
      const TierCost<double>& best =
          answer.rows[best_tier(answer.rows, Seconds<double>(time), Ratio<double>(chance))].cost;
      CHECK(best.fetch.value() >= last);
      last = best.fetch.value();
    }
  }
}

TEST_CASE("DeepSeek-V3's context costs in the memory of an H100 what its share of the chip costs") {
  const TierAnswer answer = answer_tiers(question(), library()).value();
  CHECK(answer.kept_bytes.value() == Approx(70272));
  const DecodeCase<double>& c = answer.resolved.numbers;
  CHECK(row(answer, "hbm").cost.hold.value() == Approx(70272 * c.price.value() / c.hbm_capacity.value()));
  // weights: 2 x (dense + 8/256 of the experts) at fp8's peak; attention: 61 layers x 2 x 128 x 320 FLOP, 4,096 tokens
  // back on average, at bf16's
  const double weights = 2 * (c.params_dense.value() + c.params_routed.value() / 32) / 1979e12;
  const double attention = 61 * 2 * 128 * 320 * 4096.0 / 989e12;
  CHECK(row(answer, "recompute").cost.fetch.value() ==
        Approx((weights + attention) / 0.4 * c.price.value()).epsilon(1e-6));
}

TEST_CASE("a window keeps less of a long context, and computing it again grows less than the context") {
  const auto kept = [](double context) {
    TierQuestion q = question("gpt-oss-120b");
    q.context = Tokens<double>(context);
    return answer_tiers(q, library()).value();
  };
  CHECK(kept(1e6).kept_bytes < 0.6 * kept(100).kept_bytes);
  const Model& model = *find_named(library().models, "gpt-oss-120b");
  const double near = prefill_attention(model, Tokens<double>(1e3)).value();
  const double far = prefill_attention(model, Tokens<double>(1e6)).value();
  CHECK(far > 100 * near);
  CHECK(far < 1000 * near);
}

TEST_CASE("what is held on average is the area over the curve of re-use") {
  ReuseCurve curve;
  curve.points = {{Seconds<double>(10), Ratio<double>(0.5)}, {Seconds<double>(30), Ratio<double>(0.7)}};
  CHECK(reused_within(curve, Seconds<double>(5)).value() == Approx(0.25));
  CHECK(reused_within(curve, Seconds<double>(20)).value() == Approx(0.6));
  CHECK(reused_within(curve, Seconds<double>(99)).value() == Approx(0.7));
  // by hand: 10 s x 0.75, 20 s x 0.4, 10 s x 0.3
  CHECK(mean_held(curve, Seconds<double>(10)).value() == Approx(7.5));
  CHECK(mean_held(curve, Seconds<double>(30)).value() == Approx(15.5));
  CHECK(mean_held(curve, Seconds<double>(40)).value() == Approx(18.5));
}

TEST_CASE("no time to live between the points of a curve beats the best one at a point") {
  const TierAnswer answer = answer_tiers(question(), library()).value();
  const TierCost<double>& fresh = row(answer, "recompute").cost;
  for (const FleetChoice& choice : answer.fleet) {
    const TierRow& tier = answer.rows[choice.tier];
    if (tier.facts.of == Tier::Of::compute) continue;
    for (double time = 0.5; time <= answer.curve.points.back().within.value(); time *= 1.07) {
      const Seconds<double> keep(time);
      const auto cost = fleet_cost(tier.cost, fresh, reused_within(answer.curve, keep), mean_held(answer.curve, keep));
      CHECK(choice.cost.value() <= cost.value() * (1 + 1e-12));
    }
  }
}

TEST_CASE("a tariff leaves every tier possible that its prices cover, and names all of them") {
  TierQuestion q = question();
  const auto mtok = [](double dollars) { return DollarsPerToken<double>(dollars / kMtok); };
  q.tariff = PublicTariff{.input = mtok(5),
                          .hit = mtok(0.5),
                          .hold = {},
                          .writes = {{Seconds<double>(300), mtok(6.25)}, {Seconds<double>(3600), mtok(10)}}};
  const TierAnswer answer = answer_tiers(q, library()).value();
  REQUIRE(answer.reading);
  int paying = 0;
  for (const TariffRow& one : answer.reading->rows) {
    paying += one.pays ? 1 : 0;
    // the most bytes that the price pays for, over those of the model, is the margin
    CHECK((one.bytes_by_hold / answer.kept_bytes).value() == Approx(one.hold_margin.value()));
    if (answer.rows[one.tier].facts.name == "flash") CHECK(one.natural == std::vector<bool>{true, false});
    if (answer.rows[one.tier].facts.name == "flash-dense") CHECK(one.natural == std::vector<bool>{false, true});
  }
  CHECK(paying == static_cast<int>(answer.reading->rows.size()));
  q.scenario.model = "llama-2-7b";  // 524 kB a token: more than the price pays for in the chip's memory
  const TierAnswer large = answer_tiers(q, library()).value();
  for (const TariffRow& one : large.reading->rows) CHECK(one.pays == (large.rows[one.tier].facts.of != Tier::Of::chip));
}

TEST_CASE("a model nobody knows is two numbers, and what is missing is an error with a way out") {
  TierQuestion q = question("");
  CHECK_FALSE(answer_tiers(q, library()));
  q.active = Params<double>(100e9);
  q.kept_bytes = BytesPerToken<double>(2000);
  const TierAnswer answer = answer_tiers(q, library()).value();
  // 2 x 100e9 / 1979e12 / 0.4 x price
  CHECK(row(answer, "recompute").cost.fetch.value() == Approx(2 * 100e9 / 1979e12 / 0.4 * answer.chip_price.value()));
  q.tiers = {"flsh"};
  const auto wrong = answer_tiers(q, library());
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().front().hint.find("flash") != std::string::npos);
}

}  // namespace tier_test
