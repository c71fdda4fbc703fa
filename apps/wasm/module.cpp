// The door of a browser or Node: the host writes a request into memory from ridge_allocate, calls ridge_ask, and reads
// ridge_result_size bytes from the returned address before it asks again. web/src/engine.ts does that.

#include <cstddef>
#include <cstdlib>
#include <string>

#include "door/ask.hpp"

namespace {

std::string& last_result() {
  static std::string result;
  return result;
}

}  // namespace

extern "C" {

[[clang::export_name("ridge_allocate")]] void* ridge_allocate(std::size_t size) { return std::malloc(size); }
[[clang::export_name("ridge_free")]] void ridge_free(void* memory) { std::free(memory); }

[[clang::export_name("ridge_ask")]] const char* ridge_ask(const char* request, std::size_t size) {
  last_result() = ridge::door::ask({request, size});
  return last_result().data();
}
[[clang::export_name("ridge_result_size")]] std::size_t ridge_result_size() { return last_result().size(); }
[[clang::export_name("ridge_version")]] const char* ridge_version() { return RIDGE_VERSION; }

// Debian's wasi-libc was built without the stack protector that its headers assume.
[[maybe_unused]] unsigned long __stack_chk_guard = 0x52494447;
[[noreturn]] void __stack_chk_fail() { __builtin_trap(); }
}
