#include "host/plot/plot_panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "host/log/time_range.h"
#include "shared/error.h"
#include "shared/math/length.h"

namespace haptic {
namespace {

constexpr std::size_t kMaxScalars = 4;  // curves of state blocks in a panel

bool is_drawn(const StateBlock& block) {
  return block.display == StateDisplay::kScalar && block.rate == StateRate::kCycle &&
         block.size() > 0 && block.size() <= kMaxScalars;
}

/// Most readings of a column that all panels take.
std::size_t readings_of(const LogReader& log) {
  std::size_t readings = 7 + 4 + 8 + 3 + 2;  // forces, torque, positions, port, times
  for (const StateBlock& block : log.description().state.blocks()) {
    if (is_drawn(block)) readings += 1 + block.size();
  }
  return readings;
}

class PlotData {
 public:
  PlotData(const LogReader& log, const PlotRows& rows, const Progress& progress)
      : log_(log), rows_(rows), progress_(progress), readings_(readings_of(log)) {}

  /// Row-major, as wide as the column.
  std::vector<double> column(const std::string& name) const {
    if (progress_) progress_(static_cast<double>(done_++) / static_cast<double>(readings_));
    return log_.rows_of(name, log_.width(name), rows_.first, rows_.time.size());
  }

  PlotCurve component(const std::string& name, std::size_t index, std::string title,
                      double factor = 1.0, double offset = 0.0) const {
    const std::size_t width = log_.width(name);
    const std::vector<double> values = column(name);
    std::vector<double> curve(rows_.time.size());
    for (std::size_t row = 0; row < curve.size(); ++row) {
      curve[row] = factor * (values[row * width + index] - offset);
    }
    return {std::move(title), time_curve(rows_, curve)};
  }

  PlotCurve norm(const std::string& name, std::string title) const {
    const std::vector<double> values = column(name);
    std::vector<double> curve(rows_.time.size());
    for (std::size_t row = 0; row < curve.size(); ++row) {
      curve[row] = length(values[3 * row], values[3 * row + 1], values[3 * row + 2]);
    }
    return {std::move(title), time_curve(rows_, curve)};
  }

  bool is_used(const std::string& name) const {
    if (!log_.has(name)) return false;
    const std::vector<double> values = column(name);
    return std::any_of(values.begin(), values.end(), [](double v) { return v != 0.0; });
  }

 private:
  const LogReader& log_;
  const PlotRows& rows_;
  const Progress& progress_;
  std::size_t readings_;
  mutable std::size_t done_ = 0;
};

constexpr const char* kHand = "/samples/manipulandum_position_m";
constexpr const char* kTool = "/samples/held_position_m";

/// What is subtracted from each axis of hand and tool [m]: whole millimetres near the middle of the
/// hand's range, where the three axes are so far apart that their motion would look flat; else 0.
std::array<double, 3> position_offsets(const PlotData& data) {
  std::array<double, 3> low, high;
  low.fill(INFINITY);
  high.fill(-INFINITY);
  for (const std::vector<double>& values : {data.column(kHand), data.column(kTool)}) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      low[i % 3] = std::min(low[i % 3], values[i]);
      high[i % 3] = std::max(high[i % 3], values[i]);
    }
  }
  double largest = 0.0;
  for (std::size_t axis = 0; axis < 3; ++axis) largest = std::max(largest, high[axis] - low[axis]);
  const double together = *std::ranges::max_element(high) - *std::ranges::min_element(low);
  std::array<double, 3> offsets = {};
  if (!std::isfinite(together) || together <= 2.0 * largest || largest == 0.0) return offsets;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    offsets[axis] = std::round(500.0 * (low[axis] + high[axis])) * 1e-3;
  }
  return offsets;
}

PlotPanel position_panel(const PlotData& data) {
  const std::array<double, 3> offsets = position_offsets(data);
  PlotPanel panel{.label = "position [mm]", .paired = true};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double offset_mm = std::round(1e3 * offsets[axis]);
    std::string letter(1, "xyz"[axis]);
    if (offset_mm != 0.0) {
      letter += fmt::format(" {} {:.0f}", offset_mm < 0.0 ? "+" : "-", std::abs(offset_mm));
    }
    panel.curves.push_back(data.component(kHand, axis, letter + " hand", 1e3, offsets[axis]));
    panel.curves.push_back(data.component(kTool, axis, letter + " tool", 1e3, offsets[axis]));
  }
  return panel;
}

PlotPanel vector_panel(const PlotData& data, std::string label, const std::string& column) {
  PlotPanel panel{.label = std::move(label)};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    panel.curves.push_back(data.component(column, axis, std::string(1, "xyz"[axis])));
  }
  return panel;
}

/// Of "chain/energy" the folder "chain"; a name without a folder is returned unchanged.
std::string folder_of(const std::string& name) {
  return name.substr(0, name.rfind('/'));
}

/// The scalar blocks of the world's state.
std::vector<PlotPanel> state_panels(const LogReader& log, const PlotData& data) {
  std::vector<PlotPanel> panels;
  for (const StateBlock& block : log.description().state.blocks()) {
    if (!is_drawn(block)) continue;
    const std::string column = "/state/" + block.name;
    if (!data.is_used(column)) continue;
    const std::string folder = folder_of(block.name);
    const std::string label = axis_label(folder, block.unit);
    // Numbers without a unit, such as counts of different things, have no common scale.
    auto panel = std::ranges::find_if(panels, [&](const PlotPanel& other) {
      return block.unit != "1" && other.label == label &&
             other.curves.size() + block.size() <= kMaxScalars;
    });
    if (panel == panels.end()) panel = panels.insert(panel, {.label = label});
    const std::size_t own_name = folder == block.name ? 0 : folder.size() + 1;
    for (std::uint64_t i = 0; i < block.size(); ++i) {
      panel->curves.push_back(data.component(column, i, value_name(block, i).substr(own_name)));
    }
  }
  return panels;
}

}  // namespace

PlotRows plot_rows(const LogReader& log, double from_s, double until_s, bool from_start) {
  std::vector<double> time = log.times();
  const std::vector<double> cycle = log.column("/samples/cycle");
  if (from_start && !time.empty()) {
    const double start = time.front();
    for (double& t : time) t -= start;
  }
  const auto [begin, end] = rows_between(log.path(), time, from_s, until_s);
  const auto place_of = [&](std::size_t row) {
    return time.begin() + static_cast<std::ptrdiff_t>(row);
  };
  PlotRows rows{begin, {place_of(begin), place_of(end)}, {}};
  for (std::size_t row = 1; row < rows.time.size(); ++row) {
    const std::size_t at = rows.first + row;
    if (cycle[at] > cycle[at - 1] + 1.0) rows.gaps.push_back(row);
  }
  return rows;
}

std::vector<PlotPanel> plot_panels(const LogReader& log, const PlotRows& rows,
                                   const Progress& progress) {
  const PlotData data(log, rows, progress);
  std::vector<PlotPanel> panels = {
      vector_panel(data, "hand force [N]", "/samples/device_force_N"),
      vector_panel(data, "tool force [N]", "/samples/contact_force_N")};
  panels[0].curves.push_back(data.norm("/samples/device_force_N", "norm"));
  if (data.is_used("/samples/device_torque_Nm")) {
    panels.push_back(vector_panel(data, "hand torque [N m]", "/samples/device_torque_Nm"));
  }
  panels.push_back(position_panel(data));
  if (data.is_used("/samples/port_damping_N_s_m")) {
    panels.push_back(
        {.label = "device port",
         .curves = {data.component("/samples/port_energy_J", 0, "energy [mJ]", 1e3),
                    data.component("/samples/port_damping_N_s_m", 0, "damping [N s/m]")}});
  }
  std::ranges::move(state_panels(log, data), std::back_inserter(panels));
  if (log.description().timing) {
    panels.push_back({.label = "time [us]",
                      .curves = {data.component("/timing/total_ns", 0, "compute", 1e-3),
                                 data.component("/timing/wake_ns", 0, "wake-up", 1e-3)},
                      .logarithmic = true});
  }
  return panels;
}

}  // namespace haptic
