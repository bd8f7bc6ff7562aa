#include "host/log/black_box.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <random>
#include <string>

#include "shared/error.h"
#include "tests/host/log/written_box.h"
#include "tests/shared/ipc/test_name.h"

namespace haptic {
namespace {

class BlackBoxFile : public testing::Test {
 protected:
  void SetUp() override {
    const std::string name = test_name("read-box");
    TelemetryWriter writer(name, description_of_box());
    publish_box(writer);
    bytes_ = box_of(TelemetryReader(name), "rate_hz = 1000\n", "kind = \"falcon\"\n");
  }

  static BlackBox parse(const std::string& bytes) {
    return parse_black_box(std::as_bytes(std::span(bytes)), "a.box");
  }
  /// The line with which `bytes` are refused; empty if they are not.
  static std::string refusal(const std::string& bytes) {
    try {
      parse(bytes);
      return "";
    } catch (const InputError& error) {
      return error.what();
    }
  }
  BlackBoxHeader& header() { return *reinterpret_cast<BlackBoxHeader*>(bytes_.data()); }
  std::size_t end_of_telemetry() { return sizeof(BlackBoxHeader) + header().telemetry.size; }
  void seal() { header().checksum = header_checksum(header()); }

  std::string bytes_;
};

TEST_F(BlackBoxFile, has_what_the_daemon_published) {
  BlackBox box = parse(bytes_);
  EXPECT_EQ(box.scene, "rate_hz = 1000\n");
  EXPECT_EQ(box.manifest, "kind = \"falcon\"\n");
  EXPECT_STREQ(box.header.host, "lab");
  EXPECT_STREQ(box.telemetry.header().device, "falcon");
  std::uint64_t cycle = 44;
  for (TelemetrySample sample; box.telemetry.next(sample); ++cycle) {
    ASSERT_EQ(sample.record.cycle, cycle);
    ASSERT_EQ(sample.state[1], static_cast<double>(cycle));
  }
  EXPECT_EQ(cycle, 300u);
  EXPECT_EQ(box.telemetry.events().size(), 3u);
  DisplaySnapshot display;
  ASSERT_TRUE(box.telemetry.display(display));
  EXPECT_EQ(display.state[5], 5.5f);
}

TEST_F(BlackBoxFile, cut_off_anywhere_is_refused_with_the_section) {
  std::vector<std::size_t> lengths;
  for (std::size_t n = 0; n < sizeof(BlackBoxHeader) + 64; ++n) lengths.push_back(n);
  for (std::size_t n = sizeof(BlackBoxHeader); n < bytes_.size(); n += 997) lengths.push_back(n);
  for (std::size_t n = end_of_telemetry() - 9; n < bytes_.size(); ++n) lengths.push_back(n);
  for (const std::size_t length : lengths) {
    const std::string line = refusal(bytes_.substr(0, length));
    const char* const section = length < sizeof(BlackBoxHeader)                     ? "header"
                                : length < end_of_telemetry()                       ? "telemetry"
                                : length < end_of_telemetry() + header().scene.size ? "scene"
                                                                                    : "manifest";
    ASSERT_TRUE(line.starts_with(std::string("a.box: ") + section + ": found ")) << length << line;
    ASSERT_NE(line.find("cut off"), std::string::npos) << line;
  }
  EXPECT_EQ(refusal(bytes_ + "x"),
            "a.box: manifest: found 1 bytes after it, expected the end of the file");
}

TEST_F(BlackBoxFile, every_turned_bit_is_noticed) {
  std::mt19937_64 random(7);
  const std::size_t bits = 8 * bytes_.size();
  std::vector<std::size_t> places;
  for (std::size_t bit = 0; bit < 8 * sizeof(BlackBoxHeader); ++bit) places.push_back(bit);
  for (int i = 0; i < 300; ++i) places.push_back(random() % bits);
  for (std::size_t bit = 8 * end_of_telemetry(); bit < bits; bit += 5) places.push_back(bit);
  for (const std::size_t bit : places) {
    std::string turned = bytes_;
    turned[bit / 8] = static_cast<char>(turned[bit / 8] ^ (1 << bit % 8));
    const std::string line = refusal(turned);
    ASSERT_TRUE(line.starts_with("a.box: ")) << bit;
    ASSERT_EQ(line.find('\n'), std::string::npos);
  }
}

TEST_F(BlackBoxFile, absurd_sizes_with_a_valid_checksum_are_refused) {
  for (BlackBoxHeader::Part BlackBoxHeader::*part :
       {&BlackBoxHeader::telemetry, &BlackBoxHeader::scene, &BlackBoxHeader::manifest}) {
    const BlackBoxHeader good = header();
    for (const std::uint64_t size :
         {std::uint64_t{0}, (header().*part).size + 1, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
      (header().*part).size = size;
      seal();
      EXPECT_TRUE(refusal(bytes_).starts_with("a.box: ")) << size;
      header() = good;
    }
  }
  EXPECT_EQ(refusal(bytes_), "");
}

TEST_F(BlackBoxFile, of_another_version_is_refused_with_that_version) {
  header().layout_hash += 1;
  seal();
  EXPECT_EQ(refusal(bytes_),
            "a.box: header: found a black box of hapticd 1.2.3 in another layout, expected one of "
            "this version (haptic record --from-box of that version converts it)");
}

TEST_F(BlackBoxFile, the_line_of_a_refusal_has_no_control_characters) {
  std::strcpy(header().daemon_version, "1\n2\x7f\x1b[31m");
  header().layout_hash += 1;
  seal();
  EXPECT_TRUE(refusal(bytes_).starts_with(
      "a.box: header: found a black box of hapticd 1\\x0a2\\x7f\\x1b[31m in"));
}

TEST_F(BlackBoxFile, telemetry_with_a_valid_checksum_is_checked_as_a_segment) {
  auto& telemetry = *reinterpret_cast<TelemetryHeader*>(bytes_.data() + sizeof(BlackBoxHeader));
  telemetry.ring_capacity = 1u << 20;
  header().telemetry.checksum = black_box_checksum(
      std::as_bytes(std::span(bytes_)).subspan(sizeof(BlackBoxHeader), header().telemetry.size));
  seal();
  const std::string line = refusal(bytes_);
  EXPECT_TRUE(line.starts_with("a.box: telemetry: found offsets")) << line;
}

TEST_F(BlackBoxFile, is_recognised_by_its_first_bytes) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / test_name("magic");
  write_file(path, bytes_);
  EXPECT_TRUE(is_black_box(path));
  EXPECT_EQ(read_black_box(path).scene, "rate_hz = 1000\n");
  write_file(path, bytes_.substr(0, 7));
  EXPECT_FALSE(is_black_box(path));
  write_file(path, "\x89HDF\r\n\x1a\n and more");
  EXPECT_FALSE(is_black_box(path));
  std::filesystem::remove(path);
  EXPECT_FALSE(is_black_box(path));
  EXPECT_FALSE(is_black_box(std::filesystem::temp_directory_path()));
}

}  // namespace
}  // namespace haptic
