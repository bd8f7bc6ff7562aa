#include "host/log/log_quantity.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "shared/error.h"
#include "tests/host/log/written_log.h"

namespace haptic {
namespace {

class LogQuantityTest : public WrittenLogTest {
 protected:
  /// Two bodies, "cow" with two coordinates and "tool"; row i has values that depend on i.
  LogReader log() const {
    Content content;
    content.description.source = "hapticd";
    content.description.timing = true;
    content.description.session.emplace();
    content.description.bodies = {{"cow", "/cow.h5", 1, 0, 2, false},
                                  {"tool", "/tool.h5", 2, 2, 0, true}};
    content.description.state = StateLayout(
        {{.name = "bodies/pose", .unit = "m", .shape = {2, 7}, .display = StateDisplay::kPose},
         {.name = "bodies/coordinates",
          .unit = "m kg^1/2",
          .shape = {2},
          .display = StateDisplay::kReducedCoordinates},
         {.name = "contact/points", .unit = "1"},
         {.name = "chain/energy", .unit = "J"},
         {.name = "body/energy", .unit = "J"}});
    content.sample = [](std::uint64_t i) {
      SampleRecord record{};
      record.cycle = i;
      record.device_wrench.force_N[0] = 3.0 * static_cast<double>(i);
      record.device_wrench.force_N[1] = 4.0 * static_cast<double>(i);
      record.manipulandum_pose.position_m[2] = 0.5;
      record.held_pose.position_m[2] = 0.25;
      record.port_damping_Nm_s = 7.0;
      record.total_ns = 123;
      return record;
    };
    content.state = [](std::uint64_t i) {
      std::vector<double> state(19, 0.0);
      for (std::size_t k = 0; k < 16; ++k) state[k] = static_cast<double>(100 * i + k);
      state[16] = 5.0;
      return state;
    };
    return written(content);
  }

  static std::vector<double> values(const LogReader& log, std::string_view name,
                                    std::uint64_t row) {
    return read_quantity(log, find_quantity(log, name), row, 1);
  }
  static std::string refusal(const LogReader& log, std::string_view name) {
    try {
      find_quantity(log, name);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }
};

using Values = std::vector<double>;

TEST_F(LogQuantityTest, a_dataset_is_named_without_its_group_and_unit) {
  const LogReader reader = log();
  EXPECT_EQ(values(reader, "device_force", 2), (Values{6.0, 8.0, 0.0}));
  EXPECT_EQ(values(reader, "force.y", 2), (Values{8.0}));
  EXPECT_EQ(values(reader, "force.norm", 2), (Values{10.0}));  // 6, 8, 10
  EXPECT_EQ(values(reader, "/samples/device_force_N", 1), (Values{3.0, 4.0, 0.0}));
  EXPECT_EQ(values(reader, "port_damping_Nm_s", 0), (Values{7.0}));
  EXPECT_EQ(values(reader, "port_damping", 0), (Values{0.0}));
  EXPECT_EQ(values(reader, "timing/total", 9), (Values{123.0}));
  EXPECT_EQ(find_quantity(reader, "force.norm").name, "device_force.norm");
  EXPECT_EQ(find_quantity(reader, "force.norm").components[0].unit, "N");
}

TEST_F(LogQuantityTest, bodies_are_chosen_by_number_or_name) {
  const LogReader reader = log();
  EXPECT_EQ(values(reader, "bodies/pose[tool].x", 1), (Values{107.0}));
  EXPECT_EQ(values(reader, "bodies/pose[1].qz", 1), (Values{113.0}));
  EXPECT_EQ(find_quantity(reader, "bodies/pose[tool].qz").components[0].unit, "1");
  EXPECT_EQ(values(reader, "bodies/pose", 0).size(), 14u);
  EXPECT_EQ(values(reader, "bodies/coordinates[1]", 3), (Values{315.0}));
  EXPECT_EQ(values(reader, "coordinates[cow]", 3), (Values{314.0, 315.0}));
}

TEST_F(LogQuantityTest, the_gap_is_hand_minus_tool_and_depth_its_length) {
  const LogReader reader = log();
  EXPECT_EQ(values(reader, "gap", 0), (Values{0.0, 0.0, 0.25}));
  EXPECT_EQ(values(reader, "gap.z", 0), (Values{0.25}));
  EXPECT_EQ(values(reader, "depth", 0), (Values{0.25}));
}

TEST_F(LogQuantityTest, the_last_word_of_a_block_suffices_where_it_is_unique) {
  const LogReader reader = log();
  EXPECT_EQ(values(reader, "points", 0), (Values{5.0}));
  EXPECT_EQ(refusal(reader, "energy"),
            "column: energy: found several columns with this last word, expected chain/energy or "
            "body/energy");
}

TEST_F(LogQuantityTest, a_wrong_name_is_refused_with_the_nearest_one) {
  const LogReader reader = log();
  EXPECT_EQ(refusal(reader, "forse"),
            "column: forse: found no such column, expected one of `--list`; did you mean force?");
  EXPECT_EQ(refusal(reader, "force.w"), "column: force.w: found '.w', expected .x, .y, .z");
  EXPECT_EQ(refusal(reader, "bodies/pose[2].x"),
            "column: bodies/pose[2].x: found no part [2], expected an index of `--list`");
  EXPECT_EQ(refusal(reader, "bodies/pose[0"),
            "column: bodies/pose[0: found '[' alone, expected NAME[INDEX]");
  EXPECT_NE(refusal(reader, "coordinates[tool]").find("rigid"), std::string::npos);
  EXPECT_NE(refusal(reader, "bodies/pose[0].norm").find("no vector"), std::string::npos);
  EXPECT_NE(refusal(reader, ""), "accepted");
}

TEST_F(LogQuantityTest, every_listed_column_is_found_by_its_name_and_can_be_read) {
  const LogReader reader = log();
  std::size_t numbers = 0;
  for (const LogQuantity& quantity : log_quantities(reader)) {
    const LogQuantity found = find_quantity(reader, quantity.name);
    EXPECT_EQ(found.dataset, quantity.dataset) << quantity.name;
    EXPECT_EQ(read_quantity(reader, found, 0, reader.rows()).size(),
              reader.rows() * quantity.components.size());
    for (std::size_t c = 0; c < quantity.components.size(); ++c) {
      EXPECT_EQ(find_quantity(reader, quantity.title(c)).components.size(), 1u);
      ++numbers;
    }
  }
  EXPECT_GT(numbers, 60u);
}

TEST_F(LogQuantityTest, rows_that_the_log_does_not_have_are_refused) {
  const LogReader reader = log();
  EXPECT_THROW(read_quantity(reader, find_quantity(reader, "force"), 5, 6), InputError);
}

}  // namespace
}  // namespace haptic
