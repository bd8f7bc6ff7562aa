#include "rt/device/device_manifest.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "rt/device/comedi/open_comedi_arm.h"
#include "rt/device/open_device.h"
#include "shared/error.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;

std::string refusal(const std::string& text) {
  try {
    const DeviceManifest manifest = parse_manifest(text, "m.toml");
    open_device(manifest, 1000.0);
  } catch (const InputError& error) {
    return error.what();
  }
  return "not refused";
}

TEST(DeviceManifest, reads_the_keys_common_to_all_kinds) {
  const DeviceManifest m = parse_manifest(
      "kind = \"simulated\"\nname = \"desk-2\"\ndescription = \"on the desk\"\n", "m.toml");
  EXPECT_EQ(m.kind, "simulated");
  EXPECT_EQ(m.name, "desk-2");
  EXPECT_EQ(m.description, "on the desk");
  EXPECT_TRUE(m.file.is_absolute());
}

TEST(DeviceManifest, refuses_an_invalid_manifest) {
  EXPECT_NE(refusal("name = \"a\"\n").find("kind: missing"), std::string::npos);
  EXPECT_NE(refusal("kind = \"falcn\"\nname = \"a\"\n").find("did you mean \"falcon\""),
            std::string::npos);
  for (const char* kind : {"falcon", "comedi-arm"}) {
    for (const char* name : {"simulated", "replay"}) {
      EXPECT_NE(refusal(std::string("kind = \"") + kind + "\"\nname = \"" + name + "\"\n")
                    .find("is the name of a device without motors"),
                std::string::npos);
    }
  }
  EXPECT_NE(refusal("kind = \"simulated\"\nname = \"a/b\"\n").find("name: found \"a/b\""),
            std::string::npos);
  EXPECT_NE(refusal("kind = \"simulated\"\nname = \"../x\"\n").find("name: found"),
            std::string::npos);
  EXPECT_NE(refusal("kind = \"simulated\"\nname = \"a\"\nmas = 1.0\n").find("mas"),
            std::string::npos);
  EXPECT_NE(refusal("kind = \"comedi-arm\"\nname = \"a\"\n").find("rating: missing"),
            std::string::npos);
}

TEST(DeviceManifest, opens_a_simulated_device_as_the_manifest_says) {
  const DeviceManifest m = parse_manifest(
      "kind = \"simulated\"\nname = \"a\"\nhand = \"free\"\npush = [0.3, 0, 0]\nmass = 0.3\n"
      "damping = 0.0\n",
      "m.toml");
  const auto device = open_device(m, 1000.0);
  DeviceState state;
  for (int k = 0; k <= 1000; ++k) ASSERT_EQ(device->sense(state), DeviceStatus::kOk);
  // 0.3 N on 0.3 kg for 1 s; 1e-9: a thousand sums.
  EXPECT_NEAR(state.pose.position.x(), 0.5, 1e-9);
}

TEST(DeviceManifest, replays_a_recording_row_by_row_and_refuses_another_rate) {
  const fs::path file = fs::temp_directory_path() / fmt::format("recording-{}.csv", getpid());
  std::ofstream(file) << "time_s,x_m,y_m,z_m,qw,qx,qy,qz\n"
                      << "7.000,0.001,0,0,1,0,0,0\n7.001,0.003,0,0,1,0,0,0\n"
                      << "7.002,0.002,0,0,1,0,0,0\n";
  const DeviceManifest m = parse_manifest(
      fmt::format("kind = \"replay\"\nname = \"a\"\nrecording = \"{}\"\n", file.string()),
      "m.toml");
  const auto device = open_device(m, 1000.0);
  EXPECT_EQ(device->capabilities().name, "replay");
  DeviceState state;
  for (const double x : {0.001, 0.003, 0.002}) {
    ASSERT_EQ(device->sense(state), DeviceStatus::kOk);
    EXPECT_EQ(state.pose.position.x(), x);
  }
  EXPECT_EQ(device->sense(state), DeviceStatus::kEndOfScript);
  try {
    open_device(m, 500.0);
    ADD_FAILURE() << "rows of 1 ms are no 500 Hz";
  } catch (const InputError& error) {
    EXPECT_NE(
        std::string(error.what()).find("row 3: found time 7.002 s, expected a row every 0.002 s"),
        std::string::npos)
        << error.what();
  }
  fs::remove(file);
}

class ManifestFolders : public ::testing::Test {
 protected:
  ManifestFolders() {
    std::string name = fs::temp_directory_path() / "manifests-XXXXXX";
    root_ = mkdtemp(name.data());
    fs::create_directories(root_ / "first");
    fs::create_directories(root_ / "second");
  }
  ~ManifestFolders() override { fs::remove_all(root_); }
  void write(const fs::path& file) { std::ofstream(root_ / file) << "kind = \"simulated\"\n"; }
  std::vector<fs::path> folders() const {
    return {root_ / "missing", root_ / "first", root_ / "second"};
  }
  fs::path root_;
};

TEST_F(ManifestFolders, the_first_folder_wins) {
  write("second/arm.toml");
  write("second/other.toml");
  EXPECT_EQ(find_manifest("arm", folders()), root_ / "second/arm.toml");
  write("first/arm.toml");
  EXPECT_EQ(find_manifest("arm", folders()), root_ / "first/arm.toml");
  const std::vector<fs::path> expected{root_ / "first/arm.toml", root_ / "second/other.toml"};
  EXPECT_EQ(list_manifests(folders()), expected);
  EXPECT_EQ(find_manifest("./arm.toml", folders()), "./arm.toml");
}

TEST_F(ManifestFolders, an_unknown_name_is_refused_with_the_nearest_known_one) {
  write("first/woodenhaptics.toml");
  try {
    find_manifest("woodenhaptic", folders());
    FAIL();
  } catch (const InputError& error) {
    const std::string line = error.what();
    EXPECT_NE(line.find("perhaps \"woodenhaptics\""), std::string::npos) << line;
    EXPECT_NE(line.find((root_ / "second").string()), std::string::npos) << line;
  }
}

TEST(ShippedManifests, a_build_tree_finds_its_manifests) {
  const std::vector<fs::path> folders = manifest_folders();
  ASSERT_EQ(folders.size(), 3u);
  EXPECT_EQ(folders[0], "/etc/hapticd/devices");
  EXPECT_TRUE(fs::equivalent(folders[2], HAPTIC_FIRMWARE_CONFIG));
}

TEST(ShippedManifests, all_load_and_are_named_like_their_files) {
  std::size_t arms = 0;
  const std::vector<fs::path> files = list_manifests({HAPTIC_FIRMWARE_CONFIG});
  EXPECT_GE(files.size(), 4u);
  for (const fs::path& file : files) {
    SCOPED_TRACE(file);
    const DeviceManifest manifest = load_manifest(file);
    EXPECT_EQ(manifest.name, file.stem());
    EXPECT_FALSE(manifest.description.empty());
    if (manifest.kind == "comedi-arm") {
      const ComediArm read = read_comedi_arm(manifest);
      EXPECT_TRUE(read.board.enable_channel.has_value());  // no arm of ours without one
      EXPECT_TRUE(read.board.stop_channel.has_value());
      ++arms;
    }
    if (manifest.kind == "simulated") {
      EXPECT_NE(open_device(manifest, 1000.0), nullptr);
    }
  }
  EXPECT_EQ(arms, 3u);
}

TEST(ShippedManifests, every_key_of_an_arm_is_documented) {
  std::ifstream page(HAPTIC_FIRMWARE_CONFIG "/../docs/devices.md");
  const std::string docs((std::istreambuf_iterator<char>(page)), std::istreambuf_iterator<char>());
  std::size_t keys = 0;
  for (const fs::path& file : list_manifests({HAPTIC_FIRMWARE_CONFIG})) {
    if (load_manifest(file).kind != "comedi-arm") continue;
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t equals = line.find(" = ");
      if (line.starts_with("#") || equals == line.npos) continue;
      EXPECT_NE(docs.find('`' + line.substr(0, equals) + '`'), docs.npos) << file << ": " << line;
      ++keys;
    }
  }
  EXPECT_GT(keys, 100u);
}

}  // namespace
}  // namespace haptic
