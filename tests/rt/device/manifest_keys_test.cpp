// The descriptions of the keys of manifests and calibration files against their readers.
#include "rt/device/manifest_keys.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "rt/device/comedi/arm_calibration.h"
#include "rt/device/comedi/calibration_keys.h"
#include "rt/device/comedi/open_comedi_arm.h"
#include "rt/device/device_keys.h"
#include "rt/device/external/external_settings.h"
#include "rt/device/falcon/falcon_settings.h"
#include "rt/device/open_device.h"
#include "rt/device/replay_device.h"
#include "shared/error.h"
#include "tests/support/described_keys.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;

std::string manifest_text(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(fs::path(HAPTIC_FIRMWARE_CONFIG) / name).rdbuf();
  return text.str();
}

/// Reads a manifest as open_device does, without its hardware. @returns its kind
std::string read_manifest(const std::string& text) {
  const DeviceManifest manifest = parse_manifest(text, "m.toml");
  if (manifest.kind == "falcon") {
    read_falcon(manifest);
  } else if (manifest.kind == "comedi-arm") {
    read_comedi_arm(manifest);
  } else if (manifest.kind == "external") {
    read_external(manifest);
  } else if (manifest.kind == "replay") {
    read_replay(manifest.table);
  } else {
    open_device(manifest, 1000.0);
  }
  return manifest.kind;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// A hand script of one row.
fs::path script_file() {
  return fs::temp_directory_path() / ("manifest_keys." + std::to_string(getpid()) + ".csv");
}

/// An arm of six axes, the last three a wrist with motors.
std::string arm_of_six() {
  std::string text = manifest_text("woodenhaptics.toml");
  text = replaced(text, "tool = [0.0, 0.0, -0.245]", "motors = 6\ntool = [0.0, 0.0, -0.05]");
  text = replaced(text, "outputs = [0, 1, 2]", "outputs = [0, 1, 2, 3, 4, 5]");
  text = replaced(text, "counters = [0, 1, 2]", "counters = [0, 1, 2, 3, 4, 5]");
  text = replaced(text, "coupling = [0.0, -1.0, -1.0]", "coupling = [0, -1, -1, 0, 0, 0]");
  text = replaced(text, "force = 3.3", "torque = 0.001\nforce = 0.001");
  text = replaced(text, "[limits]", "[limits]\nangular_speed = 9\ntorque_slew_Nm_per_s = 9");
  text = replaced(text, "pose = [0.0, 0.0, 1.5707963267948966]",
                  "pose = [0.0, 0.0, 1.5707963267948966, 0.3, 0.3, 0.3]");
  std::string joints, axes;
  for (const char* direction : {"[0, 0, 1]", "[0, 1, 0]", "[1, 0, 0]"}) {
    joints += std::string("[[joint]]\naxis = ") + direction + "\noffset = [0, 0, -0.08]\n";
    axes +=
        "[[axis]]\ncounts_per_turn = 500\ngear_ratio = 12\ntorque_constant = 0.0259\n"
        "amperes_per_volt = 0.3\nmax_torque = 0.0777\n";
  }
  text = replaced(text, "[[axis]]", joints + "[[axis]]");
  return replaced(text, "# Upper arm upright", axes + "# Upper arm upright");
}

/// The manifests of the repository, and what they do not have.
std::vector<std::string> manifests() {
  std::vector<std::string> all;
  for (const fs::path& file : fs::directory_iterator(HAPTIC_FIRMWARE_CONFIG)) {
    if (file.extension() == ".toml") all.push_back(manifest_text(file.filename()));
  }
  EXPECT_GE(all.size(), 8u);
  all.push_back(
      "kind = \"simulated\"\nname = \"a\"\nscript = \"" + script_file().string() +
      "\"\nhand = \"free\"\npush = [0, 0, 0]\n[limits]\nspeed = 1\n"
      "[[faults]]\nkind = \"jump\"\nat = 1\nsize = 1\n[[faults]]\nkind = \"late\"\nat = 1\nsize = "
      "1\n");
  all.push_back("kind = \"replay\"\nname = \"a\"\nrecording = \"a.csv\"\n");
  all.push_back(arm_of_six());
  const std::string arm = manifest_text("woodenhaptics.toml");
  all.push_back(replaced(replaced(arm, "tool =", "enable_button = 0\ntool ="),
                         "method = \"at-start\"", "method = \"file\"\nfile = \"a.toml\""));
  all.push_back(replaced(
      replaced(replaced(arm, "counter_setup = \"preload\"",
                        "counter_setup = \"ni-gpct\"\nencoder_lines = [0, 1, 2, 3, 4, 5, 6, 7, 8]\n"
                        "counter_subdevices = [4]\nmonitor = [0, 1, 2]"),
               "outputs = [0, 1, 2]\n", ""),
      "# In every direction",
      "[[board.output]]\nchannel = 0\nrange = [-5, 5]\n[[board.output]]\nchannel = 1\n"
      "[[board.output]]\nchannel = 2\n#"));
  all.push_back(replaced(arm, "max_slew = 80.0",
                         "max_slew = 80.0\nresistance = 1\nthermal_resistance = 1\n"
                         "thermal_time_s = 1\nmax_C = 90\nstuck_s = 1\nstuck_torque = 0.01"));
  return all;
}

TEST(ManifestKeys, read_what_they_describe) {
  std::ofstream(script_file()) << "time_s,x_m,y_m,z_m,qw,qx,qy,qz\n0,0,0,0,1,0,0,0\n";
  std::set<std::string> kinds;
  for (const std::string& text : manifests()) {
    try {
      kinds.insert(read_manifest(text));
    } catch (const InputError& error) {
      ADD_FAILURE() << error.what() << "\n" << text;
    }
  }
  fs::remove(script_file());
  EXPECT_EQ(kinds,
            (std::set<std::string>{"comedi-arm", "external", "falcon", "replay", "simulated"}));
}

TEST(ManifestKeys, are_described_in_sentences) {
  for (const char* const kind : {"comedi-arm", "external", "falcon", "replay", "simulated"}) {
    std::vector<KeyGroup> groups;
    for (const KeyGroup& group : manifest_keys()) {
      if (group.value.empty() || group.value == kind) groups.push_back(group);
    }
    expect_described(groups);
  }
  for (const DocumentKey& key : calibration_keys().described()) expect_well_formed(key, key.path);
}

TEST(ManifestKeys, of_a_calibration_file_are_read) {
  const fs::path file =
      fs::temp_directory_path() / ("calibration_keys." + std::to_string(getpid()) + ".toml");
  std::ofstream(file) << "device = \"a\"\nwritten = \"b\"\nboot_id = \"c\"\ndriver = \"d\"\n"
                         "board = \"e\"\nfile = \"f\"\ncounter_bits = 24\ncounters = [0]\n"
                         "pose = [0]\ncounts = [1]\n";
  EXPECT_EQ(read_calibration(file).counts, (std::vector<std::uint32_t>{1}));
  fs::remove(file);
}

TEST(ManifestKeys, an_unknown_key_names_the_nearest_described_one) {
  const auto refusal = [](const std::string& text) -> std::string {
    try {
      read_manifest(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(refusal(replaced(manifest_text("woodenhaptics.toml"), "max_slew = 80.0",
                             "thermal_tme_s = 1")),
            "m.toml:76: axis[0].thermal_tme_s: unknown key (did you mean \"thermal_time_s\"?)");
  EXPECT_EQ(
      refusal(
          replaced(manifest_text("woodenhaptics.toml"), "max_slew = 80.0", "thermal_time_s = 1")),
      "m.toml:76: axis[0].thermal_time_s: this key has no effect with the other keys of its table");
}

}  // namespace
}  // namespace haptic
