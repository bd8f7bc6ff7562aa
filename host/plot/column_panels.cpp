#include "host/plot/column_panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "host/plot/power_spectrum.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::size_t kMaxCurves = 32;  // in a panel, as its legend has room for

/// Component `c` of rows x width numbers.
std::vector<double> strided(const std::vector<double>& values, std::size_t width, std::size_t c) {
  std::vector<double> result;
  for (std::size_t i = c; i < values.size(); i += width) result.push_back(values[i]);
  return result;
}

std::vector<LogQuantity> quantities_of(const LogReader& log, const std::string& panel) {
  std::vector<LogQuantity> quantities;
  std::size_t begin = 0;
  do {
    const std::size_t end = std::min(panel.find('+', begin), panel.size());
    quantities.push_back(find_quantity(log, panel.substr(begin, end - begin)));
    begin = end + 1;
  } while (begin <= panel.size());
  std::size_t curves = 0;
  for (const LogQuantity& quantity : quantities) curves += quantity.components.size();
  if (curves > kMaxCurves) {
    throw InputError("column", panel, fmt::format("found {} curves in one panel", curves),
                     fmt::format("at most {}: choose some by index, as NAME[0]", kMaxCurves));
  }
  return quantities;
}

/// "device_force [N]"; of several quantities, which the legend names, their units alone: "[N],
/// [m]".
std::string label_of(const std::vector<LogQuantity>& quantities, bool spectrum) {
  std::string units;
  std::vector<std::string> seen;
  for (const LogQuantity& quantity : quantities) {
    const std::string& unit = quantity.components[0].unit;
    if (std::ranges::find(seen, unit) != seen.end()) continue;
    seen.push_back(unit);
    if (!spectrum && quantities.size() == 1 && unit == "1") continue;
    units += (units.empty() ? "[" : ", [") + unit + (spectrum ? "/sqrt(Hz)]" : "]");
  }
  if (quantities.size() > 1) return units;
  return quantities[0].name + (units.empty() ? "" : " " + units);
}

std::string spectrum_curve(const std::string& name, const PlotRows& rows,
                           const std::vector<double>& values, double rate_hz, double segment_s) {
  std::vector<std::span<const double>> runs;
  std::size_t begin = 0, longest = 0;
  const auto add = [&](std::size_t end) {
    runs.push_back(std::span(values).subspan(begin, end - begin));
    longest = std::max(longest, end - begin);
    begin = end;
  };
  for (const std::size_t gap : rows.gaps) add(gap);
  add(values.size());
  const std::size_t length = segment_s > 0.0
                                 ? static_cast<std::size_t>(std::lround(segment_s * rate_hz))
                                 : segment_length(longest);
  if (length < 4) {
    throw InputError("--segment", "", fmt::format("found {} s, {} samples", segment_s, length),
                     "at least 4 samples");
  }
  const AmplitudeSpectrum spectrum = welch_spectrum(runs, rate_hz, length);
  if (spectrum.segments == 0) {
    throw InputError("spectrum", name,
                     fmt::format("found at most {} finite samples without a gap", longest),
                     fmt::format("at least {}", length));
  }
  return plain_curve(spectrum.frequency, spectrum.density);
}

}  // namespace

std::vector<PlotPanel> column_panels(const LogReader& log, const PlotRows& rows,
                                     const ColumnChoice& choice, const Progress& progress) {
  std::vector<double> x;
  const std::uint64_t count = rows.time.size();
  if (!choice.against.empty()) {
    const LogQuantity quantity = find_quantity(log, choice.against);
    if (quantity.components.size() != 1) {
      throw InputError("--against", choice.against,
                       fmt::format("found {} numbers", quantity.components.size()),
                       "one, as NAME.x, NAME.norm or NAME[0]");
    }
    x = read_quantity(log, quantity, rows.first, count);
  }
  std::vector<PlotPanel> panels;
  for (const std::string& names : choice.panels) {
    if (progress) {
      progress(static_cast<double>(panels.size()) / static_cast<double>(choice.panels.size()));
    }
    const std::vector<LogQuantity> quantities = quantities_of(log, names);
    PlotPanel panel{.label = label_of(quantities, choice.spectrum), .logarithmic = choice.spectrum};
    for (const LogQuantity& quantity : quantities) {
      const std::vector<double> values = read_quantity(log, quantity, rows.first, count);
      const std::size_t width = quantity.components.size();
      for (std::size_t c = 0; c < width; ++c) {
        const std::vector<double> y = strided(values, width, c);
        std::string title = quantity.title(c);
        if (quantities.size() == 1 && width > 1) title.erase(0, quantity.name.size());
        if (title.starts_with('.')) title.erase(0, 1);
        panel.curves.push_back(
            {std::move(title),
             choice.spectrum
                 ? spectrum_curve(names, rows, y, log.description().rate_hz, choice.segment_s)
             : x.empty() ? time_curve(rows, y)
                         : phase_curve(rows, x, y)});
      }
    }
    panels.push_back(std::move(panel));
  }
  return panels;
}

std::string x_axis_label(const LogReader& log, const ColumnChoice& choice) {
  if (choice.spectrum) return "frequency [Hz]";
  if (choice.against.empty()) return "time [s]";
  const LogQuantity quantity = find_quantity(log, choice.against);
  return axis_label(quantity.title(0), quantity.components[0].unit);
}

}  // namespace haptic
