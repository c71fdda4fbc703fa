#pragma once
// Vision and audio towers of a Hugging Face config, counted tensor by tensor and kept apart from the language model.

#include "catalog/json/config_node.hpp"

namespace ridge::catalog {

struct Towers {
  double vision = 0, audio = 0;  // parameters, projectors into the language model included
  bool uncounted = false;        // there is a tower that this program cannot count; a remark says which
};

/// `root` is the whole config; `hidden` is the language model's width.
Towers count_towers(const ConfigNode& root, double hidden);

}  // namespace ridge::catalog
