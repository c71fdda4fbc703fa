#pragma once

namespace ridge {

/// Bytes of one number of an activation, between kernels and on the wire, where no narrower format is chosen: all
/// engines and all training recipes that are counted here keep bf16.
inline constexpr double kActivationBytes = 2;

}  // namespace ridge
