#pragma once
// Where a context can wait between two uses of it: memory of the chip, memory and storage beside it, or nowhere.

#include <optional>
#include <string>
#include <vector>

#include "base/number/units.hpp"
#include "base/provenance.hpp"
#include "machine/machine.hpp"

namespace ridge {

/// One place to keep context. Its numbers are those of one device, bought and run like a chip.
struct Tier {
  enum class Of { chip, device, compute };  // the chip's own memory; a device beside it; nothing kept, all recomputed

  std::string name, title, note;
  Of of = Of::device;
  std::vector<std::string> chips;  // that have it beside them; empty: any
  std::optional<Sourced<Bytes<double>>> capacity;
  std::optional<Sourced<BytesPerSecond<double>>> read, write;  // of a device
  std::optional<Sourced<BytesPerSecond<double>>> reach;        // that one chip can draw from such devices
  std::optional<Sourced<Seconds<double>>> latency;             // of a request: way, protocol and first byte
  std::optional<Sourced<Seconds<double>>> seek;                // before each piece
  std::optional<Sourced<Bytes<double>>> piece;                 // read or written at once
  std::optional<Sourced<Ratio<double>>> utilization;           // share of the time in which a device reads or writes
  std::optional<Sourced<Ratio<double>>> rewrites;              // times the whole device can be written in its life
  std::optional<Sourced<Ratio<double>>> charged;               // of a chip: share of its price that its memory bears
  std::optional<Sourced<Ratio<double>>> mfu;                   // of recomputing
  std::optional<Ownership> owned;
  std::optional<Sourced<Dollars<double>>> server_price;  // of the server around it, its share
  std::optional<Sourced<Watts<double>>> server_power;
};

/// A fact of a tier that is a guess: what it is, in a word or two.
std::vector<std::string> assumed_facts(const Tier& tier);

/// What a device is bought and run with: itself and its share of a server.
Ownership owned_with_server(const Tier& tier);

}  // namespace ridge
