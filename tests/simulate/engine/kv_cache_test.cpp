#include "simulate/engine/kv_cache.hpp"

#include <doctest/doctest.h>

namespace ridge::simulate::kv_cache_test {

TEST_CASE("blocks are taken and given back") {
  KvCache cache(10, 16, true);
  CHECK(cache.blocks_for(17) == 2);
  cache.take(7);
  CHECK(cache.free() == 3);
  cache.give(7);
  CHECK(cache.free() == 10);
}

TEST_CASE("a chunk that nobody uses counts as free, and goes when its room is needed, the longest unused first") {
  KvCache cache(4, 16, true);
  const SharedChunks one{{1, 2}, 16}, other{{3}, 16};
  cache.take(2);
  cache.keep(one, 0, 2);
  cache.release(one, 2);
  cache.take(1);
  cache.keep(other, 0, 1);
  cache.release(other, 1);
  CHECK(cache.free() == 4);
  CHECK(cache.found(one, 2) == 2);
  cache.take(2);  // one block is nobody's; for the other, the end of the first prompt goes before its beginning
  CHECK(cache.found(one, 2) == 1);
  CHECK(cache.found(other, 1) == 1);
  CHECK(cache.evicted() == 1);
}

TEST_CASE("a chunk in use stays, and is held once for all its users") {
  KvCache cache(3, 16, true);
  const SharedChunks one{{1}, 16};
  cache.take(1);
  cache.keep(one, 0, 1);
  cache.hold(one, 1);
  CHECK(cache.used() == 1);
  cache.release(one, 1);
  CHECK(cache.used() == 1);
  cache.release(one, 1);
  CHECK(cache.used() == 0);
  CHECK(cache.found(one, 1) == 1);
}

TEST_CASE("whoever computes what is there already gives the blocks back") {
  KvCache cache(3, 16, true);
  const SharedChunks one{{1}, 16};
  cache.take(1);
  cache.keep(one, 0, 1);
  cache.take(1);
  cache.keep(one, 0, 1);
  CHECK(cache.used() == 1);
  cache.release(one, 1);
  cache.release(one, 1);
  CHECK(cache.free() == 3);
}

TEST_CASE("without a prefix cache nothing is found") {
  KvCache cache(3, 16, false);
  const SharedChunks one{{1}, 16};
  cache.take(1);
  cache.keep(one, 0, 1);
  CHECK(cache.used() == 1);  // still the request's own
  CHECK(cache.found(one, 1) == 0);
}

}  // namespace ridge::simulate::kv_cache_test
