#include "simulate/engine/chunk_store.hpp"

namespace ridge::simulate {

void ChunkStore::put(std::uint64_t name, std::int64_t tokens) {
  erase(name);
  std::list<Chunk> falling;
  falling.push_back({name, tokens});
  for (Tier& tier : tiers_) {
    for (const Chunk& one : falling) {
      tier.by_name[one.name] = tier.by_use.insert(tier.by_use.end(), one);
      tier.held += one.tokens;
    }
    falling.clear();
    while (tier.held > tier.capacity) {
      const Chunk first = tier.by_use.front();
      tier.by_name.erase(first.name);
      tier.by_use.pop_front();
      tier.held -= first.tokens;
      falling.push_back(first);
    }
  }
}

int ChunkStore::tier_of(std::uint64_t name) const {
  for (std::size_t i = 0; i < tiers_.size(); ++i) {
    if (tiers_[i].by_name.contains(name)) return static_cast<int>(i);
  }
  return -1;
}

void ChunkStore::erase(std::uint64_t name) {
  for (Tier& tier : tiers_) {
    const auto found = tier.by_name.find(name);
    if (found == tier.by_name.end()) continue;
    tier.held -= found->second->tokens;
    tier.by_use.erase(found->second);
    tier.by_name.erase(found);
  }
}

}  // namespace ridge::simulate
