// Does every chip have a place, and every expert and layer a chip?

#include "layout/placement.hpp"

#include <set>

#include <doctest/doctest.h>

#include "base/text/field_text.hpp"
#include "catalog_library.hpp"

using namespace ridge;

namespace {

const Model& model(const char* name) { return *find_named(testing::library().models, name); }

Layout spread(double chips, double stages = 1, double redundant_experts = 0) {
  Layout layout;
  layout.attention_data = layout.expert = chips;
  layout.pipeline = stages;
  layout.redundant_experts = redundant_experts;
  return layout;
}

}  // namespace

TEST_CASE("256 experts on 64 chips of a rack are four each, in order, on every stage") {
  const Placement placement = placed(spread(64, 2), model("deepseek-v3"), 72).value();
  CHECK(placement.racks() == 2);
  CHECK(placement.chips_used(0) == 64);
  CHECK(seat_of(placement, 0).experts == Range{0, 4});
  CHECK(seat_of(placement, 63).experts == Range{252, 4});
  CHECK(seat_of(placement, 64).experts == Range{0, 4});
  CHECK(seat_of(placement, 64).rack == 1);
  CHECK(seat_of(placement, 64).slot == 0);
  CHECK(seat_of(placement, 0).layers == Range{0, 31});  // 61 layers: 31 and 30
  CHECK(seat_of(placement, 64).layers == Range{31, 30});
}

TEST_CASE("288 places on 72 chips hold 256 experts once and 32 copies") {
  const Placement placement = placed(spread(72, 1, 32), model("deepseek-v3"), 72).value();
  double copies = 0;
  std::set<double> held;
  for (double chip = 0; chip < 72; ++chip) {
    const Seat seat = seat_of(placement, chip);
    CHECK(seat.experts.count + seat.copies == 4);
    copies += seat.copies;
    for (double one = seat.experts.first; one <= seat.experts.last(); ++one) CHECK(held.insert(one).second);
  }
  CHECK(copies == 32);
  CHECK(held.size() == 256);
}

TEST_CASE("a stage larger than a rack is spread evenly; smaller ones share a rack") {
  const Model& v3 = model("deepseek-v3");
  const Placement wide = placed(spread(128), v3, 72).value();
  CHECK(wide.racks_per_stage == 2);
  CHECK(wide.stage_chips_in_rack() == 64);
  CHECK(seat_of(wide, 64).rack == 1);
  const Placement asked = placed(spread(64), v3, 72, 4).value();
  CHECK(asked.stage_chips_in_rack() == 16);
  Layout tensor;
  tensor.tensor = 4;
  tensor.pipeline = 3;
  const Placement narrow = placed(tensor, model("llama-3.1-70b"), 8).value();
  CHECK(narrow.stages_per_rack == 2);
  CHECK(narrow.racks() == 2);
  CHECK(narrow.chips_used(1) == 4);
  CHECK(seat_of(narrow, 4).slot == 4);
  CHECK(seat_of(narrow, 8).rack == 1);
}

TEST_CASE("every chip of any layout sits somewhere of its own, and the layers are all there once") {
  for (const double chips : {8.0, 64.0, 128.0}) {
    for (const double stages : {1.0, 3.0, 7.0}) {
      const Placement placement = placed(spread(chips, stages), model("deepseek-v3"), 72).value();
      std::set<std::pair<double, double>> seats;
      for (double chip = 0; chip < chips * stages; ++chip) {
        const Seat seat = seat_of(placement, chip);
        CAPTURE(chip);
        CHECK(seat.rack < placement.racks());
        CHECK(seat.slot < 72);
        CHECK(seats.insert({seat.rack, seat.slot}).second);
      }
      double layers = 0;
      for (double stage = 0; stage < stages; ++stage) {
        CHECK(layers_of_stage(placement, stage).first == layers);
        layers += layers_of_stage(placement, stage).count;
      }
      CHECK(layers == 61);
    }
  }
}

TEST_CASE("neighbors share an expert where chips outnumber expert ranks") {
  Layout layout = spread(32);
  layout.expert = 8;
  const Placement placement = placed(layout, model("deepseek-v3"), 72).value();
  CHECK(seat_of(placement, 3).expert_rank == 0);
  CHECK(seat_of(placement, 4).expert_rank == 1);
  CHECK(seat_of(placement, 4).experts == Range{32, 32});
}

TEST_CASE("what does not divide is refused with what does") {
  const auto uneven = placed(spread(72), model("deepseek-v3"), 72);
  REQUIRE_FALSE(uneven);
  CHECK(uneven.error().front().hint == field("ep", "64") + " with " + field("dp", "64") + ", or " +
                                           field("redundant_experts", "32") + " (288 = 4 x 72)");
  const auto racks = placed(spread(64), model("deepseek-v3"), 72, 3);
  REQUIRE_FALSE(racks);
  CHECK(racks.error().front().where == "racks");
  CHECK(racks.error().front().hint == "possible: 1, 2, 4, 8, 16, 32, 64");
  CHECK_FALSE(placed(spread(64, 62), model("deepseek-v3"), 72));
}

TEST_CASE("without degrees a model takes as many chips of a rack as divide it") {
  CHECK(suggested_layout({}, model("deepseek-v3"), 72).expert == 64);
  CHECK(suggested_layout({}, model("deepseek-v3"), 8).expert == 8);
  CHECK(suggested_layout({}, model("llama-3.1-70b"), 8).tensor == 8);
  Layout given;
  given.expert = 32;
  CHECK(suggested_layout(given, model("deepseek-v3"), 72).attention_data == 32);
  given.redundant_experts = 32;
  given.expert = 1;
  CHECK(suggested_layout(given, model("deepseek-v3"), 72).expert == 72);  // 288 places
}
