#include "host/report/report_pictures.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "host/log/logged_models.h"
#include "host/plot/gnuplot.h"
#include "host/plot/log_plot.h"
#include "host/report/html.h"
#include "host/view/log_frame.h"
#include "host/view/scene_renderer.h"
#include "shared/error.h"
#include "shared/files/regular_file.h"

namespace haptic {
namespace {

constexpr std::size_t kMaxPictures = 3;

/// A folder for pictures on their way into the page.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code error;  // TMPDIR may name a folder that does not exist
    const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
    std::string name = ((error ? "/tmp" : parent) / "haptic-report-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw OperationError(fmt::format("{}: cannot be made: {}", name, std::strerror(errno)));
    }
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path file(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

std::string bytes_of(const std::filesystem::path& path) {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{256} << 20;  // a vector graphic of 10^6 points
  return read_regular_file(path, "a picture", kMaxBytes);
}

std::string figure_html(const PlotFigure& figure, const char* alternative) {
  const TemporaryFolder folder;
  const std::filesystem::path picture = folder.file("plot.svg");
  draw_with_gnuplot(picture, [&](const std::filesystem::path& output) {
    return figure_script(figure, {}, gnuplot_terminal(picture), output);
  });
  return html_image("image/svg+xml", bytes_of(picture), alternative);
}

}  // namespace

std::string plots_html(const LogReader& log) {
  const std::array logs{PlottedLog{&log, {}}};
  return figure_html(figure_of(logs, {}), "plots against time");
}

std::string histograms_html(const std::vector<CycleTimes>& times) {
  PlotFigure figure{.x_label = "time [us]", .x_logarithmic = true};
  for (const CycleTimes& of : times) {
    PlotCurve curve{.title = of.name, .points = {}, .bars = true};
    for (std::size_t i = 0; i < of.bins.size(); ++i) {
      if (of.counts[i] > 0) curve.points += fmt::format("{:.6g} {}\n", of.bins[i], of.counts[i]);
    }
    figure.panels.push_back({of.name + " [cycles]", {std::move(curve)}, true});
  }
  // One axis for all panels, as only the last has its numbers.
  for (const CycleTimes& of : times) {
    if (of.bins.empty()) continue;
    const bool first = figure.x_range.second <= 0.0;
    const double low = of.bins.front(), high = of.bins.back();
    figure.x_range = {first ? low : std::min(figure.x_range.first, low),
                      first ? high : std::max(figure.x_range.second, high)};
  }
  if (figure.x_range.second > 0.0) {  // room for the bars at the ends
    figure.x_range = {0.8 * figure.x_range.first, 1.25 * figure.x_range.second};
  }
  return figure_html(figure, "histograms of the cycle's times");
}

std::string scene_pictures_html(const LogReader& log, const Progress& progress) {
  std::string html;
  try {
    expect_models_that_ran(log.description().bodies, log.path());
    const TemporaryFolder folder;
    SceneRenderer renderer({.width = 960, .height = 720});
    const std::vector<double> time = log.times();
    const std::vector<std::uint64_t> rows = rows_of_strongest_contact(log, kMaxPictures);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::uint64_t row = rows[i];
      if (progress) progress(static_cast<double>(i) / static_cast<double>(rows.size()));
      const SceneFrame frame = frame_of(log, row);
      write_png(renderer.draw(frame), folder.file("scene.png"));
      const double force = frame.force ? frame.force->norm() : 0.0;
      const std::string caption =
          fmt::format("{:.3f} s, contact force {:.3f} N on the held body", time[row], force);
      html += fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n",
                          html_image("image/png", bytes_of(folder.file("scene.png")), caption),
                          html_text(caption));
      if (!(force > 0.0)) break;  // the rest have no contact either
    }
  } catch (const std::runtime_error& error) {
    html += fmt::format("<p class=\"missing\">No picture: {}</p>\n", html_text(error.what()));
  }
  return html;
}

}  // namespace haptic
