#pragma once
// A gated short convolution in place of attention (LFM2): it remembers its last few inputs, and nothing else.

#include <array>
#include <string_view>

#include "model/context.hpp"
#include "model/weight.hpp"

namespace ridge {

struct ShortConvolution {
  static constexpr std::string_view kType = "convolution";
  static constexpr auto kRequired = std::to_array<std::string_view>({"kernel", "channels"});

  double kernel = 0, channels = 0;
  bool bias = false;

  template <class Self, class Visit>
  static void visit_fields(Self& self, Visit&& visit) {
    visit("kernel", self.kernel);
    visit("channels", self.channels);
    visit("bias", self.bias);
  }

  void weights(double hidden, Weights& out) const {
    out.push_back(
        matrix(Part::attention, "conv.in_proj", hidden, 3 * channels, Split::columns));  // two gates and the signal
    out.push_back({Part::attention, "conv.conv", kernel, channels, 1, 1, Use::convolution});
    out.push_back(matrix(Part::attention, "conv.out_proj", channels, hidden, Split::rows));
    if (bias) {
      out.push_back(vector(Part::attention, "conv.in_proj.bias", 3 * channels));
      out.push_back(vector(Part::attention, "conv.conv.bias", channels));
      out.push_back(vector(Part::attention, "conv.out_proj.bias", hidden));
    }
  }

  ContextTerms context() const {
    const double recent = kernel > 1 ? (kernel - 1) * channels : 0;
    return over_heads({{.held = Held::kv, .fixed_stored = recent, .fixed_read = recent + channels}}, channels,
                      channels);
  }
};

}  // namespace ridge
