#include "rt/device/servo_limits.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/rt/device/limited_arm.h"

namespace haptic {
namespace {

TEST(ServoLimits, a_scene_lowers_the_devices_limits_and_never_raises_them) {
  ServoLimits scene;  // no limit but force and torque
  const ServoLimits of_device = lowered_to(scene, limited_arm());
  EXPECT_EQ(of_device.force, 5.0);
  EXPECT_EQ(of_device.torque, 0.0);  // three motors
  EXPECT_EQ(of_device.slew_N_per_s, 4000.0);
  EXPECT_EQ(of_device.torque_slew_Nm_per_s, 100.0);
  EXPECT_EQ(of_device.power, 3.0);
  EXPECT_EQ(of_device.speed, 2.0);
  EXPECT_EQ(of_device.angular_speed, 20.0);
  EXPECT_EQ(of_device.workspace_radius, 0.2);
  EXPECT_EQ(of_device.impulse, 9.0);
  EXPECT_EQ(of_device.impulse_window_s, 2.0);
  EXPECT_EQ(of_device.ramp_s, scene.ramp_s);
  scene.speed = 1.0;
  scene.power = 100.0;
  scene.impulse = 4.0;
  scene.impulse_window_s = 1.0;  // 4 N in the mean, where the device allows 4.5
  EXPECT_EQ(lowered_to(scene, limited_arm()).speed, 1.0);
  EXPECT_EQ(lowered_to(scene, limited_arm()).power, 3.0);
  EXPECT_EQ(lowered_to(scene, limited_arm()).impulse, 4.0);
  EXPECT_EQ(lowered_to(scene, limited_arm()).impulse_window_s, 2.0);  // either limit holds
  EXPECT_EQ(lowered_to(scene, DeviceCapabilities{}).impulse_window_s, 1.0);
  DeviceCapabilities six = limited_arm();
  six.actuated_freedoms = 6;
  EXPECT_EQ(lowered_to(scene, six).torque, 0.4);
}

TEST(ServoLimits, stiffness_is_rendered_in_proportion_to_the_rate) {
  EXPECT_EQ(renderable_stiffness(limited_arm(), 1000.0).linear, 800.0);
  EXPECT_EQ(renderable_stiffness(limited_arm(), 4000.0).linear, 3200.0);
  EXPECT_EQ(renderable_stiffness(limited_arm(), 1000.0).rotational, ServoLimits::kNone);
  DeviceCapabilities six = limited_arm();
  six.actuated_freedoms = 6;
  EXPECT_NEAR(renderable_stiffness(six, 2000.0).rotational, 1600.0 * 0.05 * 0.05, 1e-12);
}

using Cells = std::vector<std::string>;

/// Rows of the table of docs/real-time.md, "Keys of [limits]": key to its other cells.
std::map<std::string, Cells, std::less<>> documented() {
  std::map<std::string, Cells, std::less<>> rows;
  std::ifstream page(HAPTIC_LIMITS_PAGE);
  bool here = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) here = line == "## Keys of `[limits]`";
    if (!here || !line.starts_with("| `")) continue;
    std::erase(line, '`');
    Cells cells;
    for (std::size_t at = 1; at < line.size();) {
      const std::size_t end = line.find('|', at);
      const std::size_t first = line.find_first_not_of(' ', at);
      const std::size_t last = line.find_last_not_of(' ', end - 1);
      cells.push_back(first < end ? line.substr(first, last - first + 1) : "");
      at = end + 1;
    }
    rows.emplace(cells.front(), Cells(cells.begin() + 1, cells.end()));
  }
  return rows;
}

/// e.g. "> 0", "0 to 31"
std::string range_in_words(const NumberRange& range) {
  if (std::isinf(range.maximum)) {
    return fmt::format("{} {}", range.minimum_excluded ? ">" : "≥", range.minimum);
  }
  return range.minimum_excluded ? fmt::format("> {}, ≤ {}", range.minimum, range.maximum)
                                : fmt::format("{} to {}", range.minimum, range.maximum);
}

TEST(ServoLimits, the_page_lists_every_key_with_unit_default_range_and_meaning) {
  const auto page = documented();
  EXPECT_EQ(page.size(), kServoLimitTable.size());
  for (const ServoLimitRow& row : kServoLimitTable) {
    const auto found = page.find(row.key());
    ASSERT_NE(found, page.end()) << row.key();
    ASSERT_EQ(found->second.size(), 4u) << row.key();
    EXPECT_EQ(found->second[0] == "1" ? "" : found->second[0], row.range.unit) << row.key();
    const std::string range = range_in_words(row.range);
    EXPECT_TRUE(found->second[2].starts_with(range)) << row.key() << ": " << range;
    EXPECT_EQ(found->second[3], row.meaning) << row.key();
    // A default that depends on device or rate is written in words.
    const double number = row.value != nullptr   ? ServoLimits{}.*row.value
                          : row.count != nullptr ? static_cast<double>(ServoLimits{}.*row.count)
                                                 : 0.0;
    if (number > 0.0 && std::isfinite(number)) {
      EXPECT_EQ(found->second[1], fmt::format("{:g}", number)) << row.key();
    }
    if (row.ceiling != nullptr && std::isinf(number)) {
      EXPECT_TRUE(found->second[1].starts_with("device")) << row.key();
    }
  }
}

// A change of the scene waits until the force has ramped out.
TEST(ServoLimits, a_scene_ramps_for_no_longer_than_an_operator_may_ask_for) {
  const auto row = std::ranges::find(kServoLimitTable, "limits.ramp_s", &ServoLimitRow::name);
  ASSERT_NE(row, kServoLimitTable.end());
  EXPECT_EQ(row->range.maximum, row->set->maximum);
  EXPECT_EQ(row->range.maximum, 60.0);
}

TEST(ServoLimits, every_row_has_one_member_and_a_key_of_its_name) {
  for (const ServoLimitRow& row : kServoLimitTable) {
    EXPECT_TRUE(row.name.starts_with(ServoLimitRow::kTable)) << row.name;
    EXPECT_EQ((row.value != nullptr) + (row.count != nullptr) + (row.buttons != nullptr), 1)
        << row.name;
    EXPECT_EQ(std::ranges::count(kServoLimitTable, row.name, &ServoLimitRow::name), 1) << row.name;
  }
}

TEST(ServoLimitTable, every_parameter_has_a_range_a_value_and_a_ceiling) {
  for (const ServoLimitRow& row : kServoParameters) {
    EXPECT_TRUE(row.set) << row.name;
    EXPECT_NE(row.value, nullptr) << row.name;
    EXPECT_NE(row.ceiling, nullptr) << row.name;
  }
}

}  // namespace
}  // namespace haptic
