// The calendar of requests that decode: when they end, and when they need another block.

#include "simulate/engine/decodes.hpp"

#include <doctest/doctest.h>

namespace ridge::simulate::decodes_test {

/// A prompt of 6 tokens, computed, and 6 tokens of output, of which prefill gave the first.
Slot prefilled(LiveRequests& live) {
  Request request;
  request.prompt = request.output = 6;
  return live.add(request);
}

/// Blocks that each step needs, until the last request has ended.
std::vector<std::int64_t> needs(Decodes& decodes, std::vector<Slot>& ended) {
  std::vector<std::int64_t> blocks;
  while (decodes.count() > 0) {
    blocks.push_back(decodes.blocks());
    decodes.advance(ended);
  }
  return blocks;
}

TEST_CASE("a request needs its next block with the first token that its blocks do not hold") {
  LiveRequests live;
  Decodes decodes(live, 6, 4);
  const Slot slot = prefilled(live);
  decodes.join(slot, 5);
  CHECK(decodes.context() == 6);
  std::vector<Slot> ended;
  // two blocks of 4 hold the tokens 7 and 8; the 9th, of the third step, needs one more, which holds the 11th and last
  CHECK(needs(decodes, ended) == std::vector<std::int64_t>{0, 0, 1, 0, 0});
  CHECK(ended == std::vector<Slot>{slot});
  CHECK(decodes.context() == 0);
}

TEST_CASE("blocks of one token: each that decodes needs one in every step") {
  LiveRequests live;
  Decodes decodes(live, 6, 1);
  const Slot first = prefilled(live), second = prefilled(live);
  std::vector<Slot> ended;
  decodes.join(first, 5);
  decodes.advance(ended);
  decodes.join(second, 5);
  CHECK(needs(decodes, ended) == std::vector<std::int64_t>{2, 2, 2, 2, 1});
  CHECK(ended == std::vector<Slot>{first, second});
}

TEST_CASE("who leaves early takes its needs along, and has the tokens of its steps") {
  LiveRequests live;
  Decodes decodes(live, 6, 4);
  const Slot stays = prefilled(live), leaves = prefilled(live);
  decodes.join(stays, 5);
  decodes.join(leaves, 5);
  std::vector<Slot> ended;
  decodes.advance(ended);
  decodes.advance(ended);
  CHECK(decodes.blocks() == 2);
  CHECK(decodes.context() == 16);  // 8 each
  CHECK(decodes.leave(leaves) == 2);
  CHECK(decodes.blocks() == 1);
  CHECK(decodes.context() == 8);
}

}  // namespace ridge::simulate::decodes_test
