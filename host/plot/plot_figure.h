#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/plot/plot_panels.h"

namespace haptic {

/// An instant that is drawn as a vertical line with a label.
struct PlotMark {
  double x = 0.0;
  std::string text;
  bool fault = false;
};

/// Panels above each other with one axis x.
struct PlotFigure {
  std::string title{};
  std::string x_label = "time [s]";
  bool x_logarithmic = false;
  std::pair<double, double> x_range{};  ///< equal: chosen by the curves
  std::vector<PlotPanel> panels{};
  std::vector<PlotMark> marks{};
  std::vector<std::pair<double, double>> gaps{};  ///< shaded: lost samples
};

struct FigureSize {
  int width = 1200;  ///< pixels
  int height = 0;    ///< pixels; 0: of the number of panels
};

/// gnuplot's terminal for the ending of a file: .png, .svg or .pdf; empty for any other.
std::string_view gnuplot_terminal(const std::filesystem::path& picture);

/// The script that draws a figure into `output`. No text of the figure is interpreted by gnuplot.
/// @param terminal as of gnuplot_terminal
std::string figure_script(const PlotFigure& figure, const FigureSize& size,
                          std::string_view terminal, const std::filesystem::path& output);

}  // namespace haptic
