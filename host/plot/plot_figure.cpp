#include "host/plot/plot_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "shared/printable.h"

namespace haptic {
namespace {

/// For gnuplot's single quotes, inside which only the quote itself is special.
std::string gnuplot_text(std::string_view text) {
  std::string result = "'";
  for (const char c : printable(text)) {
    if (c == '\'') result += '\'';
    result += c;
  }
  return result + "'";
}

/// Characters, not bytes, of UTF-8.
std::size_t length_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// The first 48 characters.
std::string shortened(const std::string& text) {
  constexpr std::size_t kMax = 48;
  if (length_of(text) <= kMax) return text;
  std::size_t end = 0;
  for (std::size_t characters = 0; characters < kMax; ++characters) {
    do {
      ++end;
    } while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80);
  }
  return text.substr(0, end) + "...";
}

// Okabe and Ito's colours, which colour-blind readers distinguish.
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#333333",
                                    "#cc79a7", "#e69f00", "#56b4e9", "#999999"};

int height_of(const FigureSize& size, std::size_t panels) {
  if (size.height > 0) return size.height;
  const int n = static_cast<int>(panels);
  return std::clamp(150 * n, std::min(1000, 120 + 300 * n), 8000);
}

/// Pixels right of the panels, for the longest title of a curve.
int legend_width(const PlotFigure& figure, int width) {
  std::size_t longest = 4;
  for (const PlotPanel& panel : figure.panels) {
    for (const PlotCurve& curve : panel.curves) longest = std::max(longest, length_of(curve.title));
  }
  return std::min(60 + 8 * static_cast<int>(longest), width / 2);
}

std::string head_of(const PlotFigure& figure, const FigureSize& size, std::string_view terminal,
                    const std::filesystem::path& output) {
  const int height = height_of(size, figure.panels.size());
  const double w = size.width, h = height;
  std::string script = "set encoding utf8\n";
  if (terminal == "pdfcairo") {
    // Inches; 100 pixels are one.
    script += fmt::format("set terminal pdfcairo size {}in,{}in font 'Sans,8' noenhanced\n",
                          w / 100.0, h / 100.0);
  } else {
    script += fmt::format("set terminal {} size {},{} font 'Sans,11' noenhanced{}\n", terminal,
                          size.width, height, terminal == "svg" ? " background rgb 'white'" : "");
  }
  script += fmt::format(
      "set output {}\nset multiplot layout {},1{} margins {:.4f},{:.4f},{:.4f},{:.4f} "
      "spacing 0,{:.4f}\n",
      gnuplot_text(output.string()), figure.panels.size(),
      figure.title.empty() ? std::string() : " title " + gnuplot_text(figure.title), 110.0 / w,
      1.0 - legend_width(figure, size.width) / w, 56.0 / h,
      1.0 - (figure.title.empty() ? 18.0 : 48.0) / h, 24.0 / h);
  script +=
      "set grid lc rgb '#dddddd'\nset key outside right center samplen 1.5\nset border lc rgb "
      "'#555555'\n";
  if (figure.x_logarithmic) script += "set logscale x\n";
  if (figure.x_range.first < figure.x_range.second) {
    script +=
        fmt::format("set xrange [{:.9g}:{:.9g}]\n", figure.x_range.first, figure.x_range.second);
  }
  for (const auto& [from, to] : figure.gaps) {
    script += fmt::format(
        "set object rectangle from first {:.9g}, graph 0 to first {:.9g}, graph 1 fc rgb '#eeeeee' "
        "fs solid noborder behind\n",
        from, to);
  }
  for (const PlotMark& mark : figure.marks) {
    script += fmt::format(
        "set arrow from first {0:.9g}, graph 0 to first {0:.9g}, graph 1 nohead lw 1.2 dt 3 lc rgb "
        "'{1}'\nset label {2} at first {0:.9g}, graph 0.97 rotate by 90 right offset 0.7,0 font "
        "',9' tc rgb '{1}' front\n",
        mark.x, mark.fault ? "#c00000" : "#555555", gnuplot_text(shortened(mark.text)));
  }
  return script;
}

/// Whether a value of the panel can be drawn on its axis y.
bool has_points(const PlotPanel& panel) {
  for (const PlotCurve& curve : panel.curves) {
    const char* line = curve.points.c_str();
    while (*line != '\0') {
      char* end = nullptr;
      std::strtod(line, &end);
      if (end != line) {
        const char* const y = end;
        const double value = std::strtod(y, &end);
        if (end != y && (!panel.logarithmic || value > 0.0)) return true;
      }
      line += std::strcspn(line, "\n");
      line += std::strspn(line, "\n");
    }
  }
  return false;
}

/// Ranges and scale of the axis y; without a value gnuplot would refuse to scale the axes.
std::string axes_script(const PlotPanel& panel, bool x_is_given) {
  if (has_points(panel)) {
    // A bar of one cycle would have no height on a logarithmic axis that begins with 1.
    return fmt::format("set yrange [{}:*]\n{} logscale y", panel.curves.front().bars ? "0.5" : "*",
                       panel.logarithmic ? "set" : "unset");
  }
  return std::string("unset logscale y\nset yrange [0:1]") +
         (x_is_given ? "" : "\nset xrange [0.1:1]");
}

std::string curve_script(const PlotPanel& panel, std::size_t p, std::size_t c) {
  const std::size_t colour = panel.paired ? c / 2 : c;
  const std::size_t dash = panel.paired ? c % 2 + 1 : colour / std::size(kColours) + 1;
  const PlotCurve& curve = panel.curves[c];
  // A curve without a point is named in the legend all the same.
  if (curve.points.find_first_not_of('\n') == std::string::npos) {
    return fmt::format("NaN with lines lw 1.4 lc rgb '{}' title {}",
                       kColours[colour % std::size(kColours)], gnuplot_text(curve.title));
  }
  return fmt::format("$d{}_{} using 1:2 with {} lw 1.4 dt {} lc rgb '{}' title {}", p, c,
                     curve.bars ? "impulses" : "lines", dash,
                     kColours[colour % std::size(kColours)], gnuplot_text(curve.title));
}

}  // namespace

std::string_view gnuplot_terminal(const std::filesystem::path& picture) {
  const std::string ending = picture.extension().string();
  if (ending == ".png") return "pngcairo";
  if (ending == ".svg") return "svg";
  if (ending == ".pdf") return "pdfcairo";
  return {};
}

std::string figure_script(const PlotFigure& figure, const FigureSize& size,
                          std::string_view terminal, const std::filesystem::path& output) {
  std::string script = head_of(figure, size, terminal, output);
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    for (std::size_t c = 0; c < figure.panels[p].curves.size(); ++c) {
      script += fmt::format("$d{}_{} << EOD\n{}EOD\n", p, c, figure.panels[p].curves[c].points);
    }
  }
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    const PlotPanel& panel = figure.panels[p];
    const bool last = p + 1 == figure.panels.size();
    script += fmt::format("{}\n{}\nset ylabel {}\n{}\nplot ",
                          last ? "set xlabel " + gnuplot_text(figure.x_label) : "unset xlabel",
                          last ? "set format x '%g'" : "set format x ''", gnuplot_text(panel.label),
                          axes_script(panel, figure.x_range.first < figure.x_range.second));
    for (std::size_t c = 0; c < panel.curves.size(); ++c) {
      script += (c == 0 ? "" : ", ") + curve_script(panel, p, c);
    }
    script += "\nunset label\n";
  }
  return script + "unset multiplot\n";
}

}  // namespace haptic
