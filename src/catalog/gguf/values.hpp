#pragma once
// The values of a GGUF file's metadata: numbers, texts and arrays of them, of which what is too large is only counted.

#include "catalog/gguf/bytes.hpp"
#include "catalog/json/json_value.hpp"

namespace ridge::catalog {

class GgufValues {
 public:
  explicit GgufValues(GgufBytes& bytes) : bytes_(bytes), cursor_(bytes.cursor) {}

  /// The next value, of a type by its number in the file; false after an error.
  bool read(std::uint32_t type, JsonValue& value) { return read_value(type, value, 0); }

 private:
  bool read_value(std::uint32_t type, JsonValue& value, int depth);
  bool read_number(std::uint32_t type, JsonValue& value);
  double read_whole(std::uint32_t type);
  bool read_text(JsonValue& value);
  bool read_array(JsonValue& value, int depth);
  bool read_elements(std::uint32_t type, std::uint64_t length, JsonValue& value);
  bool skip_texts(std::uint64_t length);
  bool skip_arrays(std::uint64_t length, int depth);

  template <class Stored, class Meant = Stored>
  double whole() {
    return static_cast<double>(static_cast<Meant>(cursor_.number<Stored>()));
  }
  bool good() { return bytes_.good("the metadata"); }

  GgufBytes& bytes_;
  ByteCursor& cursor_;
  std::uint64_t kept_values_ = 0, kept_text_ = 0;
};

}  // namespace ridge::catalog
