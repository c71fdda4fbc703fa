#pragma once
// A model on racks: where everything is, what each chip holds and sends, and what the boundary of a rack means for it.

#include <optional>
#include <string>
#include <vector>

#include "layout/placement.hpp"
#include "layout/racks.hpp"
#include "machine/rack.hpp"
#include "serve/step/step_formats.hpp"

namespace ridge {

struct LayoutQuestion {
  std::string model, machine;
  Layout layout;
  double racks = 0;  // over how many to spread a stage; 0: as few as it takes
  double batch = 2048;
  double context = 8192;
  Seconds<double> latency{0.02};  // of a step, for the largest layer
  FormatChoice formats;
  std::optional<Seconds<double>> hop;  // between racks; else the catalog's
  std::optional<Watts<double>> power_limit;
  std::optional<double> cable_limit;
};

/// Bytes on one chip of a stage.
struct Holding {
  Range layers;
  double attention = 0, networks = 0, experts = 0, embedding = 0, head = 0;
  double sequence = 0;  // of context, for one sequence of its group
  double weights() const { return attention + networks + experts + embedding + head; }
};

/// Bytes that a chip sends for each token of its group.
struct Traffic {
  std::string what;
  double inside = 0, outside = 0;  // of the rack, each time
  double times = 1;                // on a token's way through all layers; a stage has its share of them
};

/// An expert layer over so many racks.
struct SpanRow {
  double racks = 1;
  double plain = 1;   // slow-down where every copy crosses by itself
  double merged = 1;  // where a token crosses once to each rack and is handed on there
};

/// The same model and micro-batch over more stages, one rack (or more) each.
struct StageRow {
  double stages = 1, layers = 0;   // of the fullest stage
  double in_flight = 0;            // sequences, at one micro-batch a stage
  Bytes<double> weights, context;  // on a chip
  Ratio<double> hidden;            // network time inside a stage over that of a hop
  Seconds<double> hops;            // added to a token
};

struct RackBudget {
  Watts<double> chips;                 // their own power
  std::optional<Watts<double>> drawn;  // with host, switches and fans
  bool at_meter = false;               // drawn is what the building pays for, not what a catalog says of the rack
  std::optional<Watts<double>> power_limit;
  std::optional<double> cables, cable_limit;
  std::optional<Ratio<double>> chips_by_power, chips_by_cables;
};

struct LayoutAnswer {
  LayoutQuestion question;
  const Model* model = nullptr;
  const Machine* machine = nullptr;
  const Chip* chip = nullptr;
  Placement placement;
  Rack<double> rack;
  std::optional<Ratio<double>> network_ratio;  // scale-up over scale-out; none where a machine has no way out
  std::vector<Holding> stages;
  std::size_t fullest = 0;
  double sequences = 0;    // kept by each attention group
  double micro_batch = 0;  // of them computed together
  double usable = 0;       // bytes of a chip
  double needed = 0;       // on the fullest chip
  std::vector<Traffic> traffic;
  Seconds<double> network;  // of a micro-batch through all layers, at datasheet speed
  std::vector<SpanRow> spans;
  std::optional<LargestLayer<double>> largest;  // of experts
  double expert_layer = 0;                      // bytes of this model's, all copies
  std::vector<StageRow> pipeline;
  Seconds<double> hop;  // from a chip of one rack to one of the next, without the transfer
  RackBudget budget;
  std::vector<std::string> notes;

  bool fits() const { return needed <= usable; }
};

Result<LayoutAnswer> lay_out(const LayoutQuestion& question, const Library& library,
                             const std::vector<RackFacts>& racks);

/// One scale-up domain beside others, for one model.
struct RackColumn {
  const Machine* machine = nullptr;
  const Chip* chip = nullptr;
  Rack<double> rack;
  Bytes<double> weights;     // of the model, as held here
  double racks_to_hold = 1;  // one layer after another, in a pipeline
  Seconds<double> read;      // all weights once, every chip its share
  double used = 1;           // chips that a layer divides over
  Seconds<double> read_used;
  std::optional<Ratio<double>> network_ratio;
  Watts<double> chip_power;  // of all chips; 0: not known
};

/// The model on each of the machines named.
Result<std::vector<RackColumn>> compare_racks(const std::string& model, const std::vector<std::string>& machines,
                                              const Library& library);

}  // namespace ridge
