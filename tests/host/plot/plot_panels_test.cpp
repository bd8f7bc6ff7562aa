#include "host/plot/plot_panels.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "host/log/log_writer.h"
#include "shared/error.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHand = "hand force [N]";
constexpr const char* kTool = "tool force [N]";
constexpr const char* kPosition = "position [mm]";

class PlotPanelsTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("haptic-plot-panels-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// A log of ten cycles at 1 kHz of a world with these blocks, which have these values throughout.
  LogReader log(std::vector<StateBlock> blocks, const std::vector<double>& values) const {
    LogDescription description;
    description.source = "simulate";
    description.state = StateLayout(std::move(blocks));
    LogWriter writer(folder_ / "log.h5", description);
    for (std::uint64_t i = 0; i < 10; ++i) {
      SampleRecord sample{};
      sample.cycle = i;
      writer.append(sample, values);
    }
    writer.finish();
    return LogReader(folder_ / "log.h5");
  }

  static std::vector<PlotPanel> panels_of(const LogReader& log) {
    return plot_panels(log, plot_rows(log, 0.0, 1.0));
  }

  /// Of each panel its label and the titles of its curves, joined: "chain [J]: energy".
  static std::vector<std::string> outline(const LogReader& log) {
    std::vector<std::string> lines;
    for (const PlotPanel& panel : panels_of(log)) {
      lines.push_back(panel.label);
      if (panel.label == kHand || panel.label == kTool || panel.label == kPosition) continue;
      const char* separator = ": ";
      for (const PlotCurve& curve : panel.curves) {
        lines.back() += separator + curve.title;
        separator = ", ";
      }
    }
    return lines;
  }

  fs::path folder_;
};

using Lines = std::vector<std::string>;

TEST_F(PlotPanelsTest, a_world_without_scalar_blocks_has_the_panels_of_hand_and_tool_alone) {
  EXPECT_EQ(outline(log({}, {})), (Lines{kHand, kTool, kPosition}));
}

TEST_F(PlotPanelsTest, scalar_blocks_of_one_folder_and_unit_share_a_panel) {
  const LogReader reader = log({{.name = "contact/points", .unit = "1"},
                                {.name = "contact/visited_nodes", .unit = "nodes"},
                                {.name = "contact/level", .unit = "1"},
                                {.name = "contact/node_budget", .unit = "nodes"},
                                {.name = "chain/visited_nodes", .unit = "nodes"},
                                {.name = "energy", .unit = "J"}},
                               {12.0, 300.0, 3.0, 2500.0, 40.0, 0.5});
  EXPECT_EQ(outline(reader), (Lines{kHand, kTool, kPosition, "contact: points",
                                    "contact [nodes]: visited_nodes, node_budget", "contact: level",
                                    "chain [nodes]: visited_nodes", "energy [J]: energy"}));
  const std::vector<PlotPanel> panels = panels_of(reader);
  EXPECT_EQ(panels[3].curves[0].points.substr(0, 12), "0.000000 12\n");
}

TEST_F(PlotPanelsTest, what_is_always_zero_or_no_scalar_is_left_out) {
  EXPECT_EQ(outline(log(
                {{.name = "contact/points", .unit = "1"},
                 {.name = "contact/node_budget", .unit = "nodes"},
                 {.name = "chain/end", .shape = {7}, .display = StateDisplay::kPose},
                 {.name = "chain/nothing", .unit = "J", .shape = {0}},
                 {.name = "chain/many", .unit = "J", .shape = {5}},
                 {.name = "chain/pair", .unit = "J", .shape = {2}}},
                {3.0, 0.0, 1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 4.0, 5.0})),
            (Lines{kHand, kTool, kPosition, "contact: points", "chain [J]: pair[0], pair[1]"}));
}

TEST_F(PlotPanelsTest, a_panel_has_no_more_than_four_state_curves) {
  const std::vector<double> ones(6, 1.0);
  EXPECT_EQ(outline(log({{.name = "a/x", .unit = "N", .shape = {3}},
                         {.name = "a/y", .unit = "N", .shape = {2}},
                         {.name = "a/z", .unit = "N"}},
                        ones)),
            (Lines{kHand, kTool, kPosition, "a [N]: x[0], x[1], x[2], z", "a [N]: y[0], y[1]"}));
}

TEST_F(PlotPanelsTest, only_hand_and_tool_are_drawn_in_pairs) {
  for (const PlotPanel& panel : panels_of(log({{.name = "a/x", .unit = "N"}}, {1.0}))) {
    EXPECT_EQ(panel.paired, panel.label == kPosition) << panel.label;
  }
}

TEST_F(PlotPanelsTest, a_time_range_without_rows_is_refused) {
  EXPECT_THROW(plot_rows(log({}, {}), 5.0, 6.0), InputError);
}

}  // namespace
}  // namespace haptic
