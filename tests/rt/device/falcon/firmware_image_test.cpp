#include "rt/device/falcon/firmware_image.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "rt/device/falcon/digest.h"
#include "shared/error.h"

namespace haptic {
namespace {

std::vector<std::uint8_t> bytes_of(const std::string& text) {
  return {text.begin(), text.end()};
}

TEST(Digest, sha256_of_the_standards_examples) {
  // FIPS 180-4's example messages; NIST's list of intermediate values.
  EXPECT_EQ(sha256(bytes_of("")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256(bytes_of("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(bytes_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Digest, md5_of_the_standards_examples) {
  // RFC 1321, A.5.
  EXPECT_EQ(md5(bytes_of("")), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(md5(bytes_of("abc")), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(md5(bytes_of("1234567890123456789012345678901234567890123456789012345678901234567890"
                         "1234567890")),
            "57edf4a22be3c955ac49da2e2107b67a");
}

class FirmwareImage : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("falcon_firmware_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "good.bin", std::ios::binary) << "\xAA\x08 an image";
    std::ofstream(folder_ / "other.bin", std::ios::binary) << "no image....";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string refusal(const std::string& name, std::size_t size, const std::string& hash) {
    try {
      load_firmware({folder_ / name, size, hash});
    } catch (const InputError& error) {
      return error.what();
    }
    return "taken";
  }

  std::filesystem::path folder_;
};

TEST_F(FirmwareImage, the_right_file_is_accepted) {
  const auto image = bytes_of("\xAA\x08 an image");
  EXPECT_EQ(load_firmware({folder_ / "good.bin", 11, "sha256:" + sha256(image)}), image);
  EXPECT_EQ(load_firmware({folder_ / "good.bin", 11, "md5:" + md5(image)}), image);
  EXPECT_FALSE(load_firmware({folder_ / "none.bin", 11, "md5:" + md5(image)}));
}

TEST_F(FirmwareImage, the_wrong_file_is_refused_with_one_line) {
  const std::string zeros(32, '0');
  const std::string good = (folder_ / "good.bin").string();
  EXPECT_EQ(refusal("good.bin", 12, "md5:" + zeros),
            good + ": firmware: found 11 bytes, expected the 12 that the manifest names");
  EXPECT_EQ(refusal("good.bin", 11, "md5:" + zeros),
            good + ": firmware: found md5:" + md5(bytes_of("\xAA\x08 an image")) +
                ", expected md5:" + zeros + " as the manifest names");
  const auto other = bytes_of("no image....");
  EXPECT_EQ(refusal("other.bin", other.size(), "sha256:" + sha256(other)),
            (folder_ / "other.bin").string() +
                ": firmware: found 6E 6F at its beginning, expected the AA 08 of a boot image");
  EXPECT_EQ(refusal("", 11, "md5:" + zeros),
            (folder_ / "").string() + ": found a folder, expected a firmware image");
}

}  // namespace
}  // namespace haptic
