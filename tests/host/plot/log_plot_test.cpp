#include "host/plot/log_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "shared/error.h"
#include "tests/host/log/written_log.h"

namespace haptic {
namespace {

using testing::ElementsAre;
using testing::Pair;

class LogPlotTest : public WrittenLogTest {
 protected:
  /// A daemon's log from cycle 5000 on, which lost the cycles 5004 to 5008, with a fault in 5003.
  LogReader log(const std::string& name) const {
    Content content;
    content.description.source = "hapticd";
    content.description.timing = true;
    content.description.session.emplace();
    content.sample = [](std::uint64_t i) {
      SampleRecord record{};
      record.cycle = 5000 + i + (i >= 4 ? 5 : 0);
      record.device_wrench.force_N[0] = 1.0;
      return record;
    };
    EventRecord fault{};
    fault.kind = EventKind::kFault;
    fault.fault = FaultKind::kDeviceValue;
    fault.cycle = 5003;
    EventRecord engage{};
    engage.kind = EventKind::kCommand;
    engage.command = CommandKind::kEngage;
    engage.cycle = 5001;
    EventRecord mark{};
    mark.kind = EventKind::kCommand;
    mark.command = CommandKind::kMark;
    mark.answer = CommandAnswer::kApplied;
    mark.cycle = 5010;
    std::strcpy(mark.text, "trial 3");
    content.events = {engage, fault, mark};
    return written(content, name);
  }
};

TEST_F(LogPlotTest, lost_samples_are_shaded_and_faults_marked) {
  const LogReader reader = log("a.h5");
  const PlotFigure figure = figure_of(std::array{PlottedLog{&reader, "a"}}, {});
  EXPECT_THAT(figure.gaps, ElementsAre(Pair(5.003, 5.009)));
  ASSERT_EQ(figure.marks.size(), 2u);  // and not the command engage
  EXPECT_DOUBLE_EQ(figure.marks[0].x, 5.003);
  EXPECT_EQ(figure.marks[0].text, name(FaultKind::kDeviceValue));
  EXPECT_TRUE(figure.marks[0].fault);
  EXPECT_DOUBLE_EQ(figure.marks[1].x, 5.010);
  EXPECT_EQ(figure.marks[1].text, "trial 3");
  EXPECT_FALSE(figure.marks[1].fault);
  EXPECT_THAT(figure.x_range, Pair(5.0, 5.014));
  EXPECT_EQ(figure.panels[0].label, "hand force [N]");
  EXPECT_TRUE(figure_of(std::array{PlottedLog{&reader, "a"}}, {.marks = false}).marks.empty());
}

TEST_F(LogPlotTest, several_logs_share_panels_and_count_their_time_from_their_first_rows) {
  const LogReader a = log("a.h5"), b = log("b.h5");
  const PlotFigure figure = figure_of(std::array{PlottedLog{&a, "first"}, PlottedLog{&b, "second"}},
                                      {.choice = {.panels = {"force.x", "force"}}});
  ASSERT_EQ(figure.panels.size(), 2u);
  ASSERT_EQ(figure.panels[0].curves.size(), 2u);
  EXPECT_EQ(figure.panels[0].curves[1].title, "second");
  EXPECT_EQ(figure.panels[1].curves[5].title, "second: z");
  EXPECT_EQ(figure.panels[0].curves[1].points.substr(0, 11), "0.000000 1\n");
  EXPECT_EQ(figure.x_label, "time since the first row [s]");
  EXPECT_NEAR(figure.gaps[1].first, 0.003, 1e-12);
}

TEST_F(LogPlotTest, a_position_far_from_the_others_does_not_flatten_the_panel) {
  Content content;
  content.sample = [](std::uint64_t i) {
    SampleRecord record{};
    record.cycle = i;
    record.manipulandum_pose.position_m[0] = 0.4;
    record.manipulandum_pose.position_m[1] = 1e-3 * static_cast<double>(i);
    record.held_pose = record.manipulandum_pose;
    return record;
  };
  const LogReader reader = written(content);
  const PlotFigure figure = figure_of(std::array{PlottedLog{&reader, ""}}, {});
  const PlotPanel& position = figure.panels[2];
  EXPECT_EQ(position.curves[0].title, "x - 400 hand");
  EXPECT_EQ(position.curves[0].points.substr(0, 11), "0.000000 0\n");
  EXPECT_EQ(position.curves[2].title, "y - 5 hand");  // 4.5 mm, rounded
}

class NotFiniteTest : public WrittenLogTest {
 protected:
  static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  /// Ten cycles: all forces and the energy are not finite from the fourth to the sixth, the torque
  /// is never a number.
  LogReader log() const {
    Content content;
    content.description.state =
        StateLayout(std::vector<StateBlock>{{.name = "chain/energy", .unit = "J"}});
    content.sample = [](std::uint64_t i) {
      SampleRecord record{};
      record.cycle = i;
      const bool bad = i >= 3 && i < 6;
      for (int axis = 0; axis < 3; ++axis) {
        record.device_wrench.force_N[axis] = bad ? (i == 4 ? -kInfinity : kNan) : 1.0;
        record.device_wrench.torque_Nm[axis] = kNan;
        record.manipulandum_pose.position_m[axis] = bad ? kInfinity : 0.001 * axis;
      }
      return record;
    };
    content.state = [](std::uint64_t i) {
      return std::vector<double>{i >= 3 && i < 6 ? kNan : 2.0};
    };
    return written(content);
  }

  std::string svg(const LogReader& reader, const PlotSettings& settings) const {
    const auto picture = folder_ / "plot.svg";
    plot_logs(std::array{PlottedLog{&reader, "a"}}, settings, picture);
    std::ifstream file(picture);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

TEST_F(NotFiniteTest, curves_are_interrupted_where_values_are_not_finite) {
  const LogReader reader = log();
  const PlotFigure figure = figure_of(std::array{PlottedLog{&reader, "a"}}, {});
  const std::string parts = "0.000000 1\n0.001000 1\n0.002000 1\n\n\n\n0.006000 1\n";
  EXPECT_EQ(figure.panels[0].curves[0].points.substr(0, parts.size()), parts);
  ASSERT_EQ(figure.panels[2].label, "hand torque [N m]");
  EXPECT_EQ(figure.panels[2].curves[0].points.find_first_not_of('\n'), std::string::npos);
  for (const PlotPanel& panel : figure.panels) {
    for (const PlotCurve& curve : panel.curves) {
      EXPECT_EQ(curve.points.find("nan"), std::string::npos) << panel.label << curve.title;
      EXPECT_EQ(curve.points.find("inf"), std::string::npos) << panel.label << curve.title;
    }
  }
}

TEST_F(NotFiniteTest, the_svg_has_finite_coordinates_only) {
  const LogReader reader = log();
  PlotSettings against{.choice = {.panels = {"energy"}, .against = "force.x"}};
  for (const PlotSettings& settings : {PlotSettings{}, against}) {
    const std::string text = svg(reader, settings);
    EXPECT_NE(text.rfind("</svg>"), std::string::npos);
    // Of paths: "M12.0,34.0 L..."; the words of labels are elsewhere.
    for (std::size_t at = text.find(" d='"); at != std::string::npos; at = text.find(" d='", at)) {
      const std::size_t end = text.find('\'', at + 4);
      const std::string path = text.substr(at + 4, end - at - 4);
      EXPECT_EQ(path.find_first_not_of("MLhvlmzZ0123456789.,- \t\n"), std::string::npos) << path;
      at = end;
    }
  }
}

TEST_F(NotFiniteTest, a_spectrum_of_such_values_is_refused_in_one_line) {
  const LogReader reader = log();
  try {
    svg(reader, {.choice = {.panels = {"torque.x"}, .spectrum = true}});
    FAIL() << "drawn";
  } catch (const InputError& error) {
    const std::string line = error.what();
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_NE(line.find("torque.x"), std::string::npos) << line;
  }
}

TEST_F(LogPlotTest, progress_rises_over_all_logs_and_leaves_the_rest_to_gnuplot) {
  const LogReader a = log("a.h5"), b = log("b.h5");
  for (const std::vector<std::string>& panels :
       {std::vector<std::string>{}, std::vector<std::string>{"force.x", "force"}}) {
    std::vector<double> told;
    figure_of(std::array{PlottedLog{&a, "first"}, PlottedLog{&b, "second"}},
              {.choice = {.panels = panels},
               .progress = [&](double fraction) { told.push_back(fraction); }});
    ASSERT_GE(told.size(), 4u);
    EXPECT_EQ(told.front(), 0.0);
    EXPECT_TRUE(std::ranges::is_sorted(told));
    EXPECT_GE(told.back(), 0.45);  // of the second log
    EXPECT_LT(told.back(), 0.9);
  }
}

TEST_F(LogPlotTest, png_svg_and_pdf_are_written_and_another_ending_is_refused) {
  const LogReader reader = log("a.h5");
  const std::array logs{PlottedLog{&reader, "a"}};
  for (const auto& [ending, magic] :
       {std::pair{".png", "\x89PNG"}, std::pair{".svg", "<?xm"}, std::pair{".pdf", "%PDF"}}) {
    const auto picture = folder_ / (std::string("it's") + ending);
    plot_logs(logs, {.title = "a 'title'\nquit"}, picture);
    std::ifstream file(picture, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    EXPECT_EQ(bytes.substr(0, 4), magic);
  }
  EXPECT_THROW(plot_logs(logs, {}, folder_ / "a.gif"), InputError);
}

}  // namespace
}  // namespace haptic
