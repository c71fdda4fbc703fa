#pragma once
// A value that is made when somebody first asks for it.

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

namespace ridge {

/// Copies share what was made. Making must be a pure function: threads that ask at once may both make the value, they
/// make the same one, and the first is kept. So there is no lock, and an address once given holds for all.
template <class T>
class Lazy {
 public:
  Lazy() : Lazy(T{}) {}
  explicit Lazy(T value) : state_(std::make_shared<State>()) { state_->made = new T(std::move(value)); }
  explicit Lazy(std::function<T()> make) : state_(std::make_shared<State>()) { state_->make = std::move(make); }

  const T& operator*() const {
    if (const T* known = state_->made.load(std::memory_order_acquire)) return *known;
    auto fresh = std::make_unique<const T>(state_->make());
    const T* first = nullptr;
    if (state_->made.compare_exchange_strong(first, fresh.get(), std::memory_order_acq_rel)) return *fresh.release();
    return *first;
  }
  const T* operator->() const { return &**this; }

 private:
  struct State {
    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() { delete made.load(std::memory_order_acquire); }

    std::function<T()> make;
    std::atomic<const T*> made{nullptr};
  };
  std::shared_ptr<State> state_;
};

}  // namespace ridge
