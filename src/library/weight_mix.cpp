#include "library/weight_mix.hpp"

namespace ridge {

namespace {

constexpr double kFp32 = 4;  // bytes

double width_named(const std::vector<Format>& formats, const std::string& name) {
  const Format* found = find_named(formats, name);
  return found == nullptr ? kFp32 : found->bytes.value.value();
}

bool gets_better(const Weight& weight) { return weight.name.ends_with("v_proj") || weight.name.ends_with("down_proj"); }

}  // namespace

double better_layers(double layers) {
  const int all = static_cast<int>(layers), eighth = all / 8;
  int count = 0;
  for (int i = 0; i < all; ++i) {
    if (i < eighth || i >= 7 * all / 8 || (i - eighth) % 3 == 2) ++count;
  }
  return count;
}

PartBytes mixed_bytes(const Model& model, const WeightMix& mix, const std::vector<Format>& formats) {
  const double rest = width_named(formats, mix.rest), head = width_named(formats, mix.head);
  const double better = mix.better.empty() ? rest : width_named(formats, mix.better);
  const double share = model.layers() > 0 ? better_layers(model.layers()) / model.layers() : 0;
  // a table that is the head as well has the head's format
  const double table = model.tied_embeddings ? head : width_named(formats, mix.embedding);
  PartBytes bytes{};
  visit_weights(model, [&](const Weight& weight, double times) {
    double width = rest;
    if (weight.use == Use::vector || weight.use == Use::convolution || weight.part == Part::router) {
      width = kFp32;
    } else if (weight.part == Part::embedding) {
      width = table;
    } else if (weight.part == Part::head) {
      width = head;
    } else if (weight.part == Part::routed_experts && !mix.experts.empty()) {
      width = width_named(formats, mix.experts);
    } else if (gets_better(weight)) {
      width = rest + (better - rest) * share;
    }
    bytes[static_cast<std::size_t>(weight.part)] += weight.params() * times * width;
  });
  return bytes;
}

}  // namespace ridge
