#include "lab/experiments/figure.h"

#include <fmt/format.h>

#include "host/plot/gnuplot.h"

namespace haptic {
namespace {

// Black for the reference (first curve), then colour-blind-safe ones.
constexpr const char* kColors[] = {"#222222", "#0072b2", "#d55e00", "#009e73",
                                   "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31"};

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result.append(c == '\'' ? "''" : std::string(1, c));
  return result + "'";
}

std::string script_of(const Figure& figure, const std::filesystem::path& picture) {
  std::string script = fmt::format(
      "set terminal pngcairo size {},{} font 'Sans,11' noenhanced\nset output {}\n"
      "set grid lc rgb '#dddddd'\nset border lc rgb '#555555'\nset key {} samplen 2\n"
      "set xlabel {}\nset ylabel {}\n{}{}",
      figure.width, figure.height, quoted(picture.string()),
      figure.key_outside ? "outside right top" : "top left", quoted(figure.x_label),
      quoted(figure.y_label), figure.logarithmic_x ? "set logscale x\n" : "",
      figure.logarithmic_y ? "set logscale y\nset format y '%g'\n" : "");
  for (std::size_t c = 0; c < figure.curves.size(); ++c) {
    script += fmt::format("$d{} << EOD\n", c);
    const FigureCurve& curve = figure.curves[c];
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      script += fmt::format("{:.7g} {:.7g}\n", curve.x[i], curve.y[i]);
    }
    script += "EOD\n";
  }
  script += "plot ";
  for (std::size_t c = 0; c < figure.curves.size(); ++c) {
    const FigureCurve& curve = figure.curves[c];
    script +=
        fmt::format("{}$d{} using 1:2 with {} lw 1.6 dt {} lc rgb '{}' title {}",
                    c == 0 ? "" : ", ", c, curve.points ? "linespoints pt 7 ps 0.8" : "lines",
                    curve.dashed ? 2 : 1, kColors[c % std::size(kColors)], quoted(curve.title));
  }
  return script + "\n";
}

}  // namespace

void draw_figure(const Figure& figure, const std::filesystem::path& picture) {
  draw_with_gnuplot(picture,
                    [&](const std::filesystem::path& output) { return script_of(figure, output); });
}

}  // namespace haptic
