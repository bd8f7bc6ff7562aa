#include "host/plot/log_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "host/plot/gnuplot.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::size_t kMaxPoints = 4000;  // more than pixels across; extremes are kept

constexpr std::size_t kMostScalars = 4;  // curves of a state block in a panel

struct Curve {
  std::string title;
  std::string values;  ///< inline data block, "t v" lines
};

struct Panel {
  std::string label;
  std::vector<Curve> curves;
  bool logarithmic = false;
};

class PlotData {
 public:
  PlotData(const LogReader& log, const PlotSettings& settings)
      : log_(log), time_(log.column("/samples/time_s")) {
    begin_ = static_cast<std::size_t>(
        std::lower_bound(time_.begin(), time_.end(), settings.from_s) - time_.begin());
    end_ = static_cast<std::size_t>(std::upper_bound(time_.begin(), time_.end(), settings.until_s) -
                                    time_.begin());
    if (begin_ >= end_) {
      throw InputError(
          "plot", "time range",
          fmt::format("no row between {} s and {} s", settings.from_s, settings.until_s),
          time_.empty() ? "a log with rows"
                        : fmt::format("some of {} s to {} s", time_.front(), time_.back()));
    }
  }

  Curve component(const std::string& column, std::size_t index, std::string title,
                  double factor = 1.0) const {
    const std::size_t width = log_.width(column);
    const std::vector<double> values = log_.column(column);
    return curve(std::move(title),
                 [&](std::size_t row) { return factor * values[row * width + index]; });
  }

  Curve norm(const std::string& column, std::string title) const {
    const std::size_t width = log_.width(column);
    const std::vector<double> values = log_.column(column);
    return curve(std::move(title), [&](std::size_t row) {
      double sum = 0.0;
      for (std::size_t i = 0; i < width; ++i)
        sum += values[row * width + i] * values[row * width + i];
      return std::sqrt(sum);
    });
  }

 private:
  template <typename Value>
  Curve curve(std::string title, Value value) const {
    // Of each bin the smallest and the largest value, in their order of time: no peak is lost.
    const std::size_t rows = end_ - begin_;
    const std::size_t bins = std::min(rows, kMaxPoints / 2);
    std::string text;
    for (std::size_t bin = 0; bin < bins; ++bin) {
      const std::size_t first = begin_ + bin * rows / bins;
      const std::size_t last = begin_ + (bin + 1) * rows / bins;
      std::size_t low = first;
      std::size_t high = first;
      for (std::size_t row = first; row < last; ++row) {
        if (value(row) < value(low)) low = row;
        if (value(row) > value(high)) high = row;
      }
      for (const std::size_t row : {std::min(low, high), std::max(low, high)}) {
        text += fmt::format("{:.6f} {:.9g}\n", time_[row], value(row));
        if (low == high) break;
      }
    }
    return {std::move(title), std::move(text)};
  }

  const LogReader& log_;
  std::vector<double> time_;
  std::size_t begin_ = 0, end_ = 0;
};

bool is_used(const LogReader& log, const std::string& column) {
  if (!log.has(column)) return false;
  const std::vector<double> values = log.column(column);
  return std::any_of(values.begin(), values.end(), [](double v) { return v != 0.0; });
}

std::vector<Panel> panels_of(const LogReader& log, const PlotSettings& settings) {
  const PlotData data(log, settings);
  std::vector<Panel> panels;
  Panel force{"force on the hand [N]", {}, false};
  Panel contact{"contact force [N]", {}, false};
  Panel position{"hand, tool (dashed) [mm]", {}, false};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const char letter = "xyz"[axis];
    force.curves.push_back(data.component("/samples/device_force_N", axis, std::string(1, letter)));
    contact.curves.push_back(
        data.component("/samples/contact_force_N", axis, std::string(1, letter)));
    position.curves.push_back(data.component("/samples/manipulandum_position_m", axis,
                                             fmt::format("{} hand", letter), 1e3));
    position.curves.push_back(
        data.component("/samples/held_position_m", axis, fmt::format("{} tool", letter), 1e3));
  }
  force.curves.push_back(data.norm("/samples/device_force_N", "norm"));
  panels.push_back(std::move(force));
  panels.push_back(std::move(contact));
  panels.push_back(std::move(position));
  panels.push_back(
      {"points in contact", {data.component("/samples/contacts", 0, "contacts")}, false});
  if (is_used(log, "/samples/node_budget")) {
    panels.push_back({"contact, to level",
                      {data.component("/samples/visited_nodes", 0, "nodes / 1000", 1e-3),
                       data.component("/samples/node_budget", 0, "budget / 1000", 1e-3),
                       data.component("/samples/level", 0, "level")},
                      false});
  }
  if (is_used(log, "/samples/port_damping_N_s_m")) {
    panels.push_back({"device port",
                      {data.component("/samples/port_energy_J", 0, "energy [mJ]", 1e3),
                       data.component("/samples/port_damping_N_s_m", 0, "damping [N s/m]")},
                      false});
  }
  for (const StateBlock& block : log.description().state.blocks()) {
    if (block.display != StateDisplay::kScalar || block.rate != StateRate::kCycle) continue;
    if (block.size() == 0 || block.size() > kMostScalars) continue;
    Panel panel{fmt::format("{} [{}]", block.name, block.unit), {}, false};
    for (std::uint64_t i = 0; i < block.size(); ++i) {
      panel.curves.push_back(data.component("/state/" + block.name, i, value_name(block, i)));
    }
    panels.push_back(std::move(panel));
  }
  if (log.description().timing) {
    panels.push_back({"time [us]",
                      {data.component("/timing/total_ns", 0, "compute", 1e-3),
                       data.component("/timing/wake_ns", 0, "wake-up", 1e-3)},
                      true});
  }
  return panels;
}

/// For gnuplot's single quotes, inside which only the quote itself is special.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result.append(c == '\'' ? "''" : std::string(1, c));
  return result + "'";
}

std::string script_of(const std::vector<Panel>& panels, const PlotSettings& settings,
                      const std::filesystem::path& picture) {
  static constexpr const char* kColors[] = {"#0072b2", "#d55e00", "#009e73", "#333333"};
  std::string script = fmt::format(
      "set terminal pngcairo size {},{} font 'Sans,11' noenhanced\nset output {}\n"
      "set multiplot layout {},1 margins 0.09,0.87,0.06,0.98 spacing 0,0.025\n"
      "set grid lc rgb '#dddddd'\nset key outside right center samplen 1.5\nset border lc rgb "
      "'#555555'\n",
      settings.width, settings.height, quoted(picture.string()), panels.size());
  for (std::size_t p = 0; p < panels.size(); ++p) {
    for (std::size_t c = 0; c < panels[p].curves.size(); ++c) {
      script += fmt::format("$d{}_{} << EOD\n{}EOD\n", p, c, panels[p].curves[c].values);
    }
  }
  for (std::size_t p = 0; p < panels.size(); ++p) {
    const Panel& panel = panels[p];
    const bool last = p + 1 == panels.size();
    script += fmt::format("{}\n{}\nset ylabel \"{}\" offset 1,0\n{}\nplot ",
                          last ? "set xlabel 'time [s]'" : "unset xlabel",
                          last ? "set format x '%g'" : "set format x ''", panel.label,
                          panel.logarithmic ? "set logscale y" : "unset logscale y");
    const bool paired = panel.curves.size() == 6;  // hand and tool of each axis share a colour
    for (std::size_t c = 0; c < panel.curves.size(); ++c) {
      script += fmt::format("{}$d{}_{} using 1:2 with lines lw 1.4 dt {} lc rgb '{}' title '{}'",
                            c == 0 ? "" : ", ", p, c, paired && c % 2 == 1 ? 2 : 1,
                            kColors[(paired ? c / 2 : c) % 4], panel.curves[c].title);
    }
    script += "\n";
  }
  return script + "unset multiplot\n";
}

}  // namespace

void plot_log(const LogReader& log, const PlotSettings& settings,
              const std::filesystem::path& picture) {
  draw_with_gnuplot(picture, [&](const std::filesystem::path& output) {
    return script_of(panels_of(log, settings), settings, output);
  });
}

}  // namespace haptic
