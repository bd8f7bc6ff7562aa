#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace haptic {

/// Writer of Thrift's compact protocol, as much of it as the footer of a Parquet file needs.
/// Source: Apache Thrift, "Thrift Compact protocol encoding" (thrift-compact-protocol.md).
class ThriftWriter {
 public:
  enum class Type : std::uint8_t { kI32 = 5, kI64 = 6, kBinary = 8, kStruct = 12 };

  /// Fields of a struct are written in ascending order of their ids.
  void i8(int id, std::int8_t value);
  void i32(int id, std::int32_t value);
  void i64(int id, std::int64_t value);
  void boolean(int id, bool value);
  void text(int id, std::string_view value);
  void begin_struct(int id);
  void end_struct();  ///< of a field, of a list's element, or of the whole

  /// A list field; its elements follow: begin_element ... end_struct, or element.
  void begin_list(int id, Type of, std::size_t count);
  void begin_element();
  void element(std::int32_t value);
  void element(std::string_view value);

  const std::string& bytes() const { return bytes_; }

 private:
  void field(int id, std::uint8_t type);
  void varint(std::uint64_t value);
  void zigzag(std::int64_t value);

  std::string bytes_;
  std::vector<int> last_ids_ = {0};  ///< of the structs that are open
};

}  // namespace haptic
