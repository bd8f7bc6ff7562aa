#include "host/plot/log_plot.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "host/plot/gnuplot.h"
#include "host/plot/plot_panels.h"

namespace haptic {
namespace {

/// For gnuplot's single quotes, inside which only the quote itself is special.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result.append(c == '\'' ? "''" : std::string(1, c));
  return result + "'";
}

std::string script_of(const std::vector<PlotPanel>& panels, const PlotSettings& settings,
                      const std::filesystem::path& picture) {
  static constexpr const char* kColors[] = {"#0072b2", "#d55e00", "#009e73", "#333333"};
  std::string script = fmt::format(
      "set terminal pngcairo size {},{} font 'Sans,11' noenhanced\nset output {}\n"
      "set multiplot layout {},1 margins 0.1,0.87,0.06,0.98 spacing 0,0.025\n"
      "set grid lc rgb '#dddddd'\nset key outside right center samplen 1.5\nset border lc rgb "
      "'#555555'\n",
      settings.width, settings.height, quoted(picture.string()), panels.size());
  for (std::size_t p = 0; p < panels.size(); ++p) {
    for (std::size_t c = 0; c < panels[p].curves.size(); ++c) {
      script += fmt::format("$d{}_{} << EOD\n{}EOD\n", p, c, panels[p].curves[c].points);
    }
  }
  for (std::size_t p = 0; p < panels.size(); ++p) {
    const PlotPanel& panel = panels[p];
    const bool last = p + 1 == panels.size();
    script += fmt::format("{}\n{}\nset ylabel {}\n{}\nplot ",
                          last ? "set xlabel 'time [s]'" : "unset xlabel",
                          last ? "set format x '%g'" : "set format x ''", quoted(panel.label),
                          panel.logarithmic ? "set logscale y" : "unset logscale y");
    for (std::size_t c = 0; c < panel.curves.size(); ++c) {
      script += fmt::format("{}$d{}_{} using 1:2 with lines lw 1.4 dt {} lc rgb '{}' title {}",
                            c == 0 ? "" : ", ", p, c, panel.paired && c % 2 == 1 ? 2 : 1,
                            kColors[(panel.paired ? c / 2 : c) % 4], quoted(panel.curves[c].title));
    }
    script += "\n";
  }
  return script + "unset multiplot\n";
}

}  // namespace

void plot_log(const LogReader& log, const PlotSettings& settings,
              const std::filesystem::path& picture) {
  draw_with_gnuplot(picture, [&](const std::filesystem::path& output) {
    return script_of(plot_panels(log, settings.from_s, settings.until_s), settings, output);
  });
}

}  // namespace haptic
