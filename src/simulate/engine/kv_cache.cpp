#include "simulate/engine/kv_cache.hpp"

#include <algorithm>
#include <cassert>

namespace ridge::simulate {

void KvCache::take(std::int64_t count) {
  assert(count <= free() && "whoever takes blocks has asked whether there are any");
  while (blocks_ - own_ - held_ - idle_ < count) evict_first();
  own_ += count;
}

void KvCache::unlink(std::int32_t index) {
  Chunk& chunk = chunks_[static_cast<std::size_t>(index)];
  (chunk.before == kNone ? first_idle_ : chunks_[static_cast<std::size_t>(chunk.before)].after) = chunk.after;
  (chunk.after == kNone ? last_idle_ : chunks_[static_cast<std::size_t>(chunk.after)].before) = chunk.before;
  chunk.before = chunk.after = kNone;
  idle_ -= chunk.blocks;
}

void KvCache::link_last(std::int32_t index) {
  Chunk& chunk = chunks_[static_cast<std::size_t>(index)];
  chunk.before = last_idle_;
  chunk.after = kNone;
  (last_idle_ == kNone ? first_idle_ : chunks_[static_cast<std::size_t>(last_idle_)].after) = index;
  last_idle_ = index;
  idle_ += chunk.blocks;
}

void KvCache::evict_first() {
  const std::int32_t index = first_idle_;
  assert(index != kNone && "blocks that nobody uses are in this list");
  unlink(index);
  const Chunk& chunk = chunks_[static_cast<std::size_t>(index)];
  by_name_.erase(chunk.name);
  if (below_.any()) below_.put(chunk.name, chunk.blocks * block_tokens_);
  spare_.push_back(index);
  ++evicted_;
}

std::int32_t KvCache::found(const SharedChunks& shared, std::int32_t most) const {
  if (!keeps_ || by_name_.empty()) return 0;
  const auto all = std::min(most, static_cast<std::int32_t>(shared.names.size()));
  std::int32_t count = 0;
  while (count < all && by_name_.contains(shared.names[static_cast<std::size_t>(count)])) ++count;
  return count;
}

void KvCache::hold(const SharedChunks& shared, std::int32_t count) {
  for (std::int32_t i = 0; i < count; ++i) {
    const std::int32_t index = by_name_.at(shared.names[static_cast<std::size_t>(i)]);
    Chunk& chunk = chunks_[static_cast<std::size_t>(index)];
    if (chunk.users++ > 0) continue;
    unlink(index);
    held_ += chunk.blocks;
  }
}

void KvCache::release(const SharedChunks& shared, std::int32_t count) {
  // the last one first: the end of a prompt is of use to fewer than its beginning
  for (std::int32_t i = count; i-- > 0;) {
    const std::int32_t index = by_name_.at(shared.names[static_cast<std::size_t>(i)]);
    Chunk& chunk = chunks_[static_cast<std::size_t>(index)];
    if (--chunk.users > 0) continue;
    held_ -= chunk.blocks;
    link_last(index);
  }
}

void KvCache::keep(const SharedChunks& shared, std::int32_t from, std::int32_t to) {
  if (!keeps_) return;
  for (std::int32_t i = from; i < to; ++i) {
    const std::uint64_t name = shared.names[static_cast<std::size_t>(i)];
    const std::int64_t blocks = chunk_blocks(shared);
    own_ -= blocks;
    if (const auto there = by_name_.find(name); there != by_name_.end()) {
      Chunk& chunk = chunks_[static_cast<std::size_t>(there->second)];
      if (chunk.users++ > 0) continue;
      unlink(there->second);
      held_ += chunk.blocks;
      continue;
    }
    std::int32_t index = static_cast<std::int32_t>(chunks_.size());
    if (spare_.empty()) {
      chunks_.emplace_back();
    } else {
      index = spare_.back();
      spare_.pop_back();
    }
    chunks_[static_cast<std::size_t>(index)] = {name, blocks, 1, kNone, kNone};
    if (below_.any()) below_.erase(name);
    by_name_.emplace(name, index);
    held_ += blocks;
  }
}

}  // namespace ridge::simulate
