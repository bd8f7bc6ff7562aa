#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace haptic {

struct FigureCurve {
  std::string title;
  std::vector<double> x = {}, y = {};  ///< as many
  bool dashed = false;
  bool points = false;  ///< marks at the values
};

/// Curves over common axes, by gnuplot.
struct Figure {
  std::string x_label, y_label;
  std::vector<FigureCurve> curves;
  bool logarithmic_x = false, logarithmic_y = false;
  bool key_outside = true;
  int width = 900, height = 480;  ///< pixels
};

/// @throws OperationError if gnuplot is missing or fails
void draw_figure(const Figure& figure, const std::filesystem::path& picture);

}  // namespace haptic
