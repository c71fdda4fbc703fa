// The functions of ridgeline.h. No exception crosses them.

#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>

#include "door/answer_json.hpp"
#include "door/ask.hpp"
#include "door/batch.hpp"
#include "door/ridgeline.h"

namespace {

/// For a caller that knows no C++: to be freed by it.
char* copied(const std::string& text) {
  char* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy != nullptr) std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

/// What `work` returns; a bug of ours is an answer, too. Null: no memory.
template <class Work>
char* guarded(const Work& work) {
  try {
    try {
      return work();
    } catch (const std::bad_alloc&) {
      return nullptr;
    } catch (const std::exception& error) {
      return copied(ridge::door::refusal_json(1, {{"ridge", error.what(), "this is a bug: please report it"}}));
    }
  } catch (...) {
    return nullptr;
  }
}

}  // namespace

extern "C" {

const char* ridge_version(void) { return RIDGE_VERSION; }

char* ridge_ask(const char* request) {
  return guarded([&] { return copied(ridge::door::ask(request == nullptr ? "" : request)); });
}

int ridge_ask_many(const char* request, size_t cases, size_t inputs, const char* const* input_keys,
                   const double* const* input_values, size_t figures, const char* const* figure_keys,
                   double* const* figure_values, char** errors) {
  int exit = 1;
  char* refusal = guarded([&]() -> char* {
    std::vector<ridge::door::InputColumn> in;
    for (size_t i = 0; i < inputs; ++i) in.push_back({input_keys[i], input_values[i]});
    std::vector<ridge::door::FigureColumn> out;
    for (size_t i = 0; i < figures; ++i) out.push_back({figure_keys[i], figure_values[i]});
    const auto done = ridge::door::ask_many(request == nullptr ? "" : request, in, out, cases);
    exit = done ? 0 : 3;
    return done ? nullptr : copied(ridge::door::refusal_json(exit, done.error()));
  });
  if (errors != nullptr)
    *errors = refusal;
  else
    std::free(refusal);
  return exit;
}

void ridge_free(char* answer) { std::free(answer); }
}
