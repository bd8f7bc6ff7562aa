#include "host/export/thrift_compact.h"

namespace haptic {
namespace {

constexpr std::uint8_t kTrue = 1, kFalse = 2, kI8 = 3, kList = 9;

}  // namespace

void ThriftWriter::varint(std::uint64_t value) {
  while (value >= 0x80) {
    bytes_ += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  bytes_ += static_cast<char>(value);
}

void ThriftWriter::zigzag(std::int64_t value) {
  varint((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
}

void ThriftWriter::field(int id, std::uint8_t type) {
  const int step = id - last_ids_.back();
  last_ids_.back() = id;
  if (step >= 1 && step <= 15) {
    bytes_ += static_cast<char>(step << 4 | type);
  } else {
    bytes_ += static_cast<char>(type);
    zigzag(id);
  }
}

void ThriftWriter::i8(int id, std::int8_t value) {
  field(id, kI8);
  bytes_ += static_cast<char>(value);
}

void ThriftWriter::i32(int id, std::int32_t value) {
  field(id, static_cast<std::uint8_t>(Type::kI32));
  zigzag(value);
}

void ThriftWriter::i64(int id, std::int64_t value) {
  field(id, static_cast<std::uint8_t>(Type::kI64));
  zigzag(value);
}

void ThriftWriter::boolean(int id, bool value) {
  field(id, value ? kTrue : kFalse);
}

void ThriftWriter::text(int id, std::string_view value) {
  field(id, static_cast<std::uint8_t>(Type::kBinary));
  element(value);
}

void ThriftWriter::begin_struct(int id) {
  field(id, static_cast<std::uint8_t>(Type::kStruct));
  begin_element();
}

void ThriftWriter::end_struct() {
  bytes_ += '\0';
  last_ids_.pop_back();
}

void ThriftWriter::begin_list(int id, Type of, std::size_t count) {
  field(id, kList);
  const auto type = static_cast<std::uint8_t>(of);
  if (count < 15) {
    bytes_ += static_cast<char>(count << 4 | type);
  } else {
    bytes_ += static_cast<char>(0xF0 | type);
    varint(count);
  }
}

void ThriftWriter::begin_element() {
  last_ids_.push_back(0);
}

void ThriftWriter::element(std::int32_t value) {
  zigzag(value);
}

void ThriftWriter::element(std::string_view value) {
  varint(value.size());
  bytes_ += value;
}

}  // namespace haptic
