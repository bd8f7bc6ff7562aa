#include "host/plot/log_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/plot/gnuplot.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// Of the time of a plot; the rest is gnuplot's.
constexpr double kReadingShare = 0.9;

/// The choice with the columns that are drawn if the user names none.
ColumnChoice completed(ColumnChoice choice) {
  if (choice.panels.empty() && choice.spectrum) choice.panels = {"device_force"};
  if (choice.panels.empty() && !choice.against.empty()) choice.panels = {"device_force.norm"};
  return choice;
}

/// Adds the panels of another log to the figure: to the panel with the same label, if there is one.
void merge_panels(std::vector<PlotPanel>& into, std::vector<PlotPanel> panels,
                  const std::string& label) {
  std::vector<bool> taken(into.size(), false);
  for (PlotPanel& panel : panels) {
    for (PlotCurve& curve : panel.curves) {
      curve.title = panel.curves.size() == 1 ? label : fmt::format("{}: {}", label, curve.title);
    }
    panel.paired = false;
    std::size_t same = 0;
    while (same < taken.size() && (taken[same] || into[same].label != panel.label)) ++same;
    if (same == taken.size()) {
      into.push_back(std::move(panel));
      continue;
    }
    taken[same] = true;
    std::ranges::move(panel.curves, std::back_inserter(into[same].curves));
  }
}

}  // namespace

std::vector<PlotMark> plot_marks(const LogReader& log, const PlotRows& rows) {
  std::vector<PlotMark> marks;
  if (rows.time.empty()) return marks;
  // Rows count their times from another start where the user asked for it.
  const double rate_hz = log.description().rate_hz;
  const double first_cycle = log.rows_of("/samples/cycle", 1, rows.first, 1)[0];
  for (const EventRecord& event : log.events()) {
    const bool fault = event.kind == EventKind::kFault;
    const bool mark = event.kind == EventKind::kCommand && event.command == CommandKind::kMark &&
                      event.answer == CommandAnswer::kApplied;
    if (!fault && !mark) continue;
    const double x = rows.time.front() + (static_cast<double>(event.cycle) - first_cycle) / rate_hz;
    if (x < rows.time.front() || x > rows.time.back()) continue;
    marks.push_back({x, fault ? std::string(name(event.fault)) : std::string(event.text), fault});
  }
  return marks;
}

PlotFigure figure_of(std::span<const PlottedLog> logs, const PlotSettings& settings) {
  const ColumnChoice choice = completed(settings.choice);
  const bool over_time = choice.against.empty() && !choice.spectrum;
  const bool from_start = settings.from_start || logs.size() > 1;
  PlotFigure figure{.title = settings.title,
                    .x_label = x_axis_label(*logs.front().log, choice),
                    .x_logarithmic = choice.spectrum};
  if (over_time && from_start) figure.x_label = "time since the first row [s]";
  for (std::size_t i = 0; i < logs.size(); ++i) {
    const PlottedLog& plotted = logs[i];
    const LogReader& log = *plotted.log;
    const auto share = [&](std::size_t count) {
      return kReadingShare * static_cast<double>(count) / static_cast<double>(logs.size());
    };
    const Progress progress = part_of(settings.progress, share(i), share(i + 1));
    const PlotRows rows = plot_rows(log, settings.from_s, settings.until_s, from_start);
    std::vector<PlotPanel> panels = choice.panels.empty()
                                        ? plot_panels(log, rows, progress)
                                        : column_panels(log, rows, choice, progress);
    if (logs.size() > 1) {
      merge_panels(figure.panels, std::move(panels), plotted.label);
    } else {
      figure.panels = std::move(panels);
    }
    if (!over_time) continue;
    const bool first = i == 0;
    figure.x_range = {first ? rows.time.front() : std::min(figure.x_range.first, rows.time.front()),
                      first ? rows.time.back() : std::max(figure.x_range.second, rows.time.back())};
    for (const std::size_t gap : rows.gaps) {
      figure.gaps.emplace_back(rows.time[gap - 1], rows.time[gap]);
    }
    if (settings.marks) std::ranges::move(plot_marks(log, rows), std::back_inserter(figure.marks));
  }
  return figure;
}

void plot_logs(std::span<const PlottedLog> logs, const PlotSettings& settings,
               const std::filesystem::path& picture) {
  const std::string_view terminal = gnuplot_terminal(picture);
  if (terminal.empty()) {
    throw InputError(picture.string(), "", "found another ending", ".png, .svg or .pdf");
  }
  const PlotFigure figure = figure_of(logs, settings);
  if (settings.progress) settings.progress(kReadingShare);
  draw_with_gnuplot(picture, [&](const std::filesystem::path& output) {
    return figure_script(figure, settings.size, terminal, output);
  });
}

}  // namespace haptic
