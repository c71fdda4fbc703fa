#pragma once
// Which chip of which rack has what: the stage, the experts and the share of a laid-out model. Chips are counted through
// replicas, stages, attention groups, context and tensor ranks, the last one fastest: those that talk most are
// neighbors.

#include "layout/layout.hpp"

namespace ridge {

/// Numbers from `first` on, `count` of them.
struct Range {
  double first = 0, count = 0;
  double last() const { return first + count - 1; }
  bool operator==(const Range&) const = default;
};

/// How a replica lies on racks. Stages that fit share a rack; one that does not is spread evenly over several.
struct Placement {
  Layout layout;
  double layers = 0, experts = 0;  // of the model; experts 0 for a dense one
  double rack_chips = 1;           // there
  double racks_per_stage = 1;      // more than 1: a layer spans racks
  double stages_per_rack = 1;      // more than 1: stages share a rack

  double racks() const;                  // of one replica
  double stage_chips_in_rack() const;    // chips of one stage in each of its racks
  double chips_used(double rack) const;  // of a rack, counted from 0
  bool spans_racks() const { return racks_per_stage > 1; }
};

/// One chip's place and work.
struct Seat {
  double rack = 0, slot = 0;  // in the replica's racks, and in the rack
  double stage = 0, data = 0, context = 0, tensor = 0;
  double expert_rank = 0;
  Range layers, experts;
  double copies = 0;  // slots for experts held twice
};

/// `racks`: over how many to spread each stage at least; as few as it takes where it is 0.
Result<Placement> placed(const Layout& layout, const Model& model, double rack_chips, double racks = 0);

/// The layers of a stage: as even as they divide, the first ones one more.
Range layers_of_stage(const Placement& placement, double stage);

/// The experts of one of `layout.expert` ranks: each has as many places; what experts do not fill holds copies.
Range experts_of_rank(const Placement& placement, double rank);
double copies_of_rank(const Placement& placement, double rank);

/// A chip of one replica, 0 to chips_per_stage x pipeline - 1.
Seat seat_of(const Placement& placement, double chip);
/// The racks, counted from 0, that a stage lies on.
Range racks_of_stage(const Placement& placement, double stage);

/// Where nobody says how: experts over as many chips of a rack as divide them, each with sequences of its own; a dense
/// model over as many as its heads divide over. What is given stays.
Layout suggested_layout(const Layout& given, const Model& model, double rack_chips);

}  // namespace ridge
