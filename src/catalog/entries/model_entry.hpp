#pragma once
// A model of the catalog: from the facts of its entry, and back to TOML.

#include <string>

#include "catalog/facts/entry.hpp"
#include "model/model.hpp"

namespace ridge::catalog {

Model read_model(Entry& entry);

/// Where an imported model comes from; `id` names it within the entry.
struct ImportedFrom {
  std::string id, title, date;
};

/// The entry as TOML that read_model reads back to the same model; its source stands in the same file.
std::string model_toml(const Model& model, const ImportedFrom& from);

}  // namespace ridge::catalog
