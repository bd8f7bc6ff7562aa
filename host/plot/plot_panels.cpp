#include "host/plot/plot_panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::size_t kMaxPoints = 4000;  // more than pixels across; extremes are kept

constexpr std::size_t kMostScalars = 4;  // curves of state blocks in a panel

class PlotData {
 public:
  PlotData(const LogReader& log, double from_s, double until_s)
      : log_(log), time_(log.column("/samples/time_s")) {
    begin_ = static_cast<std::size_t>(std::lower_bound(time_.begin(), time_.end(), from_s) -
                                      time_.begin());
    end_ = static_cast<std::size_t>(std::upper_bound(time_.begin(), time_.end(), until_s) -
                                    time_.begin());
    if (begin_ >= end_) {
      throw InputError(
          "plot", "time range", fmt::format("no row between {} s and {} s", from_s, until_s),
          time_.empty() ? "a log with rows"
                        : fmt::format("some of {} s to {} s", time_.front(), time_.back()));
    }
  }

  PlotCurve component(const std::string& column, std::size_t index, std::string title,
                      double factor = 1.0) const {
    const std::size_t width = log_.width(column);
    const std::vector<double> values = log_.column(column);
    return curve(std::move(title),
                 [&](std::size_t row) { return factor * values[row * width + index]; });
  }

  PlotCurve norm(const std::string& column, std::string title) const {
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
  PlotCurve curve(std::string title, Value value) const {
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

/// Of "chain/energy" the folder "chain"; a name without a folder is returned unchanged.
std::string folder_of(const std::string& name) {
  return name.substr(0, name.rfind('/'));
}

/// The scalar blocks of the world's state.
std::vector<PlotPanel> state_panels(const LogReader& log, const PlotData& data) {
  std::vector<PlotPanel> panels;
  for (const StateBlock& block : log.description().state.blocks()) {
    if (block.display != StateDisplay::kScalar || block.rate != StateRate::kCycle) continue;
    if (block.size() == 0 || block.size() > kMostScalars) continue;
    const std::string column = "/state/" + block.name;
    if (!is_used(log, column)) continue;
    const std::string folder = folder_of(block.name);
    const std::string label = axis_label(folder, block.unit);
    // Numbers without a unit, such as counts of different things, have no common scale.
    auto panel = std::ranges::find_if(panels, [&](const PlotPanel& other) {
      return block.unit != "1" && other.label == label &&
             other.curves.size() + block.size() <= kMostScalars;
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

std::vector<PlotPanel> plot_panels(const LogReader& log, double from_s, double until_s) {
  const PlotData data(log, from_s, until_s);
  PlotPanel hand{.label = "hand force [N]"};
  PlotPanel tool{.label = "tool force [N]"};
  PlotPanel position{.label = "position [mm]", .paired = true};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::string letter(1, "xyz"[axis]);
    hand.curves.push_back(data.component("/samples/device_force_N", axis, letter));
    tool.curves.push_back(data.component("/samples/contact_force_N", axis, letter));
    position.curves.push_back(
        data.component("/samples/manipulandum_position_m", axis, letter + " hand", 1e3));
    position.curves.push_back(
        data.component("/samples/held_position_m", axis, letter + " tool", 1e3));
  }
  hand.curves.push_back(data.norm("/samples/device_force_N", "norm"));
  std::vector<PlotPanel> panels = {std::move(hand), std::move(tool), std::move(position)};
  if (is_used(log, "/samples/port_damping_N_s_m")) {
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
