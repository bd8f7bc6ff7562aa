#include "host/plot/plot_figure.h"

#include <gtest/gtest.h>

#include <string>

namespace haptic {
namespace {

TEST(PlotFigure, no_text_leaves_its_quotes) {
  PlotFigure figure{.title = "it's\nsystem 'rm'"};
  figure.panels = {{.label = "a\r'b", .curves = {{"c'\n!ls", "0 1\n"}}}};
  figure.marks = {{0.5, "trial '3'\nexit", false}};
  const std::string script = figure_script(figure, {}, "svg", "/tmp/o'ut.svg");
  EXPECT_NE(script.find("title 'it''s\\x0asystem ''rm'''"), std::string::npos);
  EXPECT_NE(script.find("set ylabel 'a\\x0d''b'"), std::string::npos);
  EXPECT_NE(script.find("title 'c''\\x0a!ls'"), std::string::npos);
  EXPECT_NE(script.find("set label 'trial ''3''\\x0aexit'"), std::string::npos);
  EXPECT_NE(script.find("set output '/tmp/o''ut.svg'"), std::string::npos);
  EXPECT_EQ(script.find("\nexit"), std::string::npos);
  EXPECT_EQ(script.find("\n!ls"), std::string::npos);
}

TEST(PlotFigure, a_long_mark_is_cut_between_characters) {
  PlotFigure figure;
  figure.panels = {{.label = "a", .curves = {{"c", "0 1\n"}}}};
  std::string text;
  for (int i = 0; i < 60; ++i) text += "é";
  figure.marks = {{0.5, text, false}};
  EXPECT_NE(figure_script(figure, {}, "svg", "o").find("'" + text.substr(0, 96) + "...'"),
            std::string::npos);
}

TEST(PlotFigure, the_height_follows_the_number_of_panels_unless_given) {
  PlotFigure figure;
  figure.panels.resize(2, {.label = "a", .curves = {{"c", "0 1\n"}}});
  EXPECT_NE(figure_script(figure, {}, "svg", "o").find("size 1200,720 "), std::string::npos);
  EXPECT_NE(figure_script(figure, {300, 200}, "svg", "o").find("size 300,200 "), std::string::npos);
  figure.panels.resize(10, figure.panels[0]);
  EXPECT_NE(figure_script(figure, {}, "svg", "o").find("size 1200,1500 "), std::string::npos);
}

TEST(PlotFigure, a_panel_without_a_value_that_can_be_drawn_has_axes_all_the_same) {
  PlotFigure figure;
  figure.panels = {{.label = "a", .curves = {{"c", "0 0\n\n1 -2\n"}}, .logarithmic = true},
                   {.label = "b", .curves = {{"c", "\n"}}},
                   {.label = "c", .curves = {{"c", "0 0\n\n1 3\n"}}, .logarithmic = true}};
  const std::string script = figure_script(figure, {}, "svg", "o");
  EXPECT_NE(script.find("'a'\nunset logscale y\nset yrange [0:1]\nset xrange"), std::string::npos);
  EXPECT_NE(script.find("'b'\nunset logscale y\nset yrange [0:1]"), std::string::npos);
  EXPECT_NE(script.find("'c'\nset yrange [*:*]\nset logscale y"), std::string::npos);
}

}  // namespace
}  // namespace haptic
