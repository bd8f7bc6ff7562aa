#include "host/export/thrift_compact.h"

#include <gtest/gtest.h>

#include <string>

namespace haptic {
namespace {

TEST(ThriftCompact, bytes_are_those_of_the_specification) {
  ThriftWriter writer;
  writer.i32(1, -1);         // step 1, type 5; zigzag(-1) = 1
  writer.i64(3, 300);        // step 2, type 6; zigzag = 600 = 0xD8 0x04
  writer.text(4, "ab");      // step 1, type 8; length 2
  writer.boolean(20, true);  // step 16: long form, type 1, zigzag(20) = 40
  writer.begin_struct(21);   // step 1, type 12
  writer.i8(1, 64);          // step 1, type 3
  writer.end_struct();       // 0
  writer.begin_list(22, ThriftWriter::Type::kI32, 2);  // step 1, type 9; 2 of type 5
  writer.element(1);
  writer.element(2);
  writer.end_struct();
  const std::string expected(
      "\x15\x01\x26\xD8\x04\x18\x02"
      "ab\x01\x28\x1C\x13\x40\x00\x19\x25\x02\x04\x00",
      20);
  EXPECT_EQ(writer.bytes(), expected);
}

TEST(ThriftCompact, a_list_of_fifteen_or_more_has_its_length_after_the_type) {
  ThriftWriter writer;
  writer.begin_list(1, ThriftWriter::Type::kStruct, 200);
  EXPECT_EQ(writer.bytes(), std::string("\x19\xFC\xC8\x01"));
}

}  // namespace
}  // namespace haptic
