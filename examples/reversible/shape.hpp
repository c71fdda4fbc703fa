#pragma once

#include <cstddef>

namespace reversible {

/// The sizes of a network and of one batch.
struct Shape {
  std::size_t batch = 4, length = 32, width = 32, heads = 4, depth = 4, vocabulary = 32;

  std::size_t tokens() const { return batch * length; }
  std::size_t head_width() const { return width / heads; }
};

}  // namespace reversible
