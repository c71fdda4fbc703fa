#pragma once
// Mamba-2 (Nemotron-H, Nemotron 3, Granite 4): a selective state space; a state of state_size for every channel.
// Source: Dao and Gu, arXiv:2405.21060.

#include <array>
#include <string_view>

#include "model/context.hpp"
#include "model/weight.hpp"

namespace ridge {

struct Mamba {
  static constexpr std::string_view kType = "mamba2";
  static constexpr auto kRequired =
      std::to_array<std::string_view>({"heads", "head_dim", "state_size", "groups", "kernel"});

  double heads = 0, head_dim = 0, state_size = 0, groups = 0, kernel = 0;
  bool convolution_bias = true, projection_bias = false;
  bool output_norm = true;  // a gated norm before the output projection

  template <class Self, class Visit>
  static void visit_fields(Self& self, Visit&& visit) {
    visit("heads", self.heads);
    visit("head_dim", self.head_dim);
    visit("state_size", self.state_size);
    visit("groups", self.groups);
    visit("kernel", self.kernel);
    visit("convolution_bias", self.convolution_bias);
    visit("projection_bias", self.projection_bias);
    visit("output_norm", self.output_norm);
  }

  double inner() const { return heads * head_dim; }
  double channels() const { return inner() + 2 * groups * state_size; }  // of the convolution: x, B and C

  void weights(double hidden, Weights& out) const {
    const double projected = inner() + channels() + heads;  // gate; x, B, C; time steps
    out.push_back(matrix(Part::attention, "mixer.in_proj", hidden, projected, Split::columns, groups));
    if (projection_bias) out.push_back(vector(Part::attention, "mixer.in_proj.bias", projected));
    out.push_back({Part::attention, "mixer.conv1d", kernel, channels(), 1, 1, Use::convolution});
    if (convolution_bias) out.push_back(vector(Part::attention, "mixer.conv1d.bias", channels()));
    for (const char* name : {"mixer.A_log", "mixer.D", "mixer.dt_bias"})
      out.push_back(vector(Part::attention, name, heads));
    if (output_norm) out.push_back(vector(Part::attention, "mixer.norm", inner()));
    out.push_back(matrix(Part::attention, "mixer.out_proj", inner(), hidden, Split::rows, groups));
    if (projection_bias) out.push_back(vector(Part::attention, "mixer.out_proj.bias", hidden));
  }

  /// An outer product into the state, and the state read with C: two multiply-adds an element.
  ContextTerms context() const {
    const double state = inner() * state_size;
    const double recent = kernel > 1 ? (kernel - 1) * channels() : 0;
    return over_heads(
        {state_term(state, 4 * state), {.held = Held::kv, .fixed_stored = recent, .fixed_read = recent + channels()}},
        groups, groups);
  }
};

}  // namespace ridge
