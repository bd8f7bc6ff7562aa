#include "host/plot/column_panels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "shared/error.h"
#include "tests/host/log/written_log.h"

namespace haptic {
namespace {

class ColumnPanelsTest : public WrittenLogTest {
 protected:
  /// 2000 rows at 1 kHz: force (1, i, 0) N, gap (0, 0, i) mm, "world/many" of 40 numbers.
  LogReader log() const {
    Content content;
    content.rows = 2000;
    content.description.state = StateLayout({{.name = "world/energy", .unit = "J"},
                                             {.name = "world/many", .unit = "1", .shape = {40}}});
    content.sample = [](std::uint64_t i) {
      SampleRecord record{};
      record.cycle = i;
      record.device_wrench.force_N[0] = 1.0;
      record.device_wrench.force_N[1] = static_cast<double>(i);
      record.manipulandum_pose.position_m[2] = 1e-3 * static_cast<double>(i);
      return record;
    };
    content.state = [](std::uint64_t) { return std::vector<double>(41, 2.0); };
    return written(content);
  }
  static std::vector<PlotPanel> panels(const LogReader& log, const ColumnChoice& choice) {
    return column_panels(log, plot_rows(log, 0.0, 0.0025), choice);
  }
};

TEST_F(ColumnPanelsTest, a_comma_begins_a_panel_and_a_plus_joins_curves) {
  const auto drawn = panels(log(), {.panels = {"force", "force.y+depth", "energy"}});
  ASSERT_EQ(drawn.size(), 3u);
  EXPECT_EQ(drawn[0].label, "device_force [N]");
  EXPECT_EQ(drawn[0].curves[1].title, "y");
  EXPECT_EQ(drawn[0].curves[1].points, "0.000000 0\n0.001000 1\n0.002000 2\n");
  EXPECT_EQ(drawn[1].label, "[N], [m]");
  EXPECT_EQ(drawn[1].curves[0].title, "device_force.y");
  EXPECT_EQ(drawn[1].curves[1].title, "gap.norm");
  EXPECT_EQ(drawn[2].label, "world/energy [J]");
}

TEST_F(ColumnPanelsTest, a_column_is_drawn_against_another_one) {
  const LogReader reader = log();
  const ColumnChoice choice{.panels = {"force.y"}, .against = "depth"};
  EXPECT_EQ(panels(reader, choice)[0].curves[0].points, "0 0\n0.001 1\n0.002 2\n");
  EXPECT_EQ(x_axis_label(reader, choice), "gap.norm [m]");
  EXPECT_THROW(panels(reader, {.panels = {"force.y"}, .against = "force"}), InputError);
}

TEST_F(ColumnPanelsTest, a_spectrum_has_its_unit_and_refuses_short_runs) {
  const LogReader reader = log();
  const ColumnChoice choice{.panels = {"force.y"}, .spectrum = true, .segment_s = 0.256};
  const auto drawn = column_panels(reader, plot_rows(reader, 0.0, 10.0), choice);
  EXPECT_EQ(drawn[0].label, "device_force.y [N/sqrt(Hz)]");
  EXPECT_EQ(drawn[0].curves[0].points.substr(0, 8), "3.90625 ");  // 1000 / 256
  EXPECT_EQ(x_axis_label(reader, choice), "frequency [Hz]");
  EXPECT_THROW(panels(reader, choice), InputError);  // three rows
}

TEST_F(ColumnPanelsTest, more_curves_than_a_legend_has_room_for_are_refused) {
  EXPECT_THROW(panels(log(), {.panels = {"world/many"}}), InputError);
  EXPECT_EQ(panels(log(), {.panels = {"world/many[39]"}})[0].curves.size(), 1u);
}

}  // namespace
}  // namespace haptic
