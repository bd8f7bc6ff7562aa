#include "host/plot/log_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
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
