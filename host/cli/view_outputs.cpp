#include "host/cli/view_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "host/cli/log_warnings.h"
#include "host/files/output_path.h"
#include "host/log/telemetry_log.h"
#include "host/view/colour_bar.h"
#include "host/view/film_writer.h"
#include "host/view/frame_source.h"
#include "host/view/gltf_export.h"
#include "host/view/log_frame.h"
#include "host/window/live_source.h"
#include "host/window/log_source.h"
#include "host/window/scene_source.h"
#include "host/window/view_window.h"
#include "rt/worlds/scene.h"
#include "shared/command_line/progress_line.h"
#include "shared/error.h"
#include "shared/printable.h"

namespace haptic {
namespace {

/// The file that is drawn, as the user has named it.
std::string path_text(const ViewOptions& options) {
  return (options.scene.empty() ? options.log : options.scene).string();
}

/// The log of --log, or a run of --scene with its hand script.
std::unique_ptr<FrameSource> viewed_run(const ViewOptions& options) {
  if (options.scene.empty()) return std::make_unique<LogFrames>(viewed_log(options));
  return std::make_unique<SceneFrames>(load_scene(options.scene));
}

FrameTimes times_of(const ViewOptions& options) {
  return {std::max(0.0, options.at_s), options.frames_per_second};
}

/// Draws the run from --at or its beginning on, --fps images a second of it.
void draw_film(const ViewOptions& options, FrameSource& run,
               const std::function<void(int, const Image&)>& take) {
  ProgressLine line(stderr, "view " + path_text(options));
  SceneRenderer renderer(options.settings);
  ContactGeometry geometry;
  int i = 0;
  run.frames(
      times_of(options),
      [&](double, SceneFrame frame) {
        take(i++, draw_with_geometry(renderer, geometry, std::move(frame), options));
      },
      line.progress());
}

void check_output_of(const ViewOptions& options, const std::filesystem::path& output) {
  check_output(output, std::array{options.log, options.scene});
}

/// Refuses a daemon whose models were changed since it read them; one that is not there yet has
/// none.
void check_daemon(const ViewOptions& options) {
  try {
    const TelemetryReader reader(options.name);
    check_drawn_models(describe_daemon(reader).bodies, "daemon " + options.name, options.any_model);
  } catch (const OperationError&) {
    // The window waits for it.
  }
}

}  // namespace

LogReader viewed_log(const ViewOptions& options) {
  LogReader log(options.log);
  warn_of_missing_data(log);
  check_drawn_models(log.description().bodies, log.path(), options.any_model);
  return log;
}

Image draw_with_geometry(SceneRenderer& renderer, ContactGeometry& geometry, SceneFrame frame,
                         const ViewOptions& options) {
  geometry.add_spheres(frame, options.tree);
  geometry.add_slice(frame, options.slice);
  Image image = renderer.draw(frame);
  if (frame.slice) draw_distance_bar(image, frame.slice->range, options.slice);
  return image;
}

void write_frames(const ViewOptions& options) {
  if (std::filesystem::exists(options.frames) && !std::filesystem::is_directory(options.frames)) {
    throw InputError("", "--frames", fmt::format("found {}, a file", options.frames.string()),
                     "a folder");
  }
  const std::unique_ptr<FrameSource> run = viewed_run(options);
  const bool is_new = std::filesystem::create_directories(options.frames);
  try {
    draw_film(options, *run, [&](int i, const Image& image) {
      write_png(image, options.frames / fmt::format("{:05}.png", i + 1));
    });
  } catch (...) {
    std::error_code not_empty;
    if (is_new) std::filesystem::remove(options.frames, not_empty);
    throw;
  }
}

void write_film(const ViewOptions& options) {
  check_film(options.film);
  check_output_of(options, options.film);
  FilmWriter film(options.film, options.settings.width, options.settings.height,
                  options.frames_per_second);
  const std::unique_ptr<FrameSource> run = viewed_run(options);
  draw_film(options, *run, [&](int, const Image& image) { film.append(image); });
  film.finish();
}

void write_gltf(const ViewOptions& options) {
  if (options.gltf.extension() != ".glb") {
    throw InputError("", "--glb", fmt::format("found {}", options.gltf.string()),
                     "a name that ends in .glb");
  }
  check_output_of(options, options.gltf);
  const std::unique_ptr<FrameSource> run = viewed_run(options);
  const GltfOutcome outcome = [&] {
    ProgressLine line(stderr, "view " + path_text(options));
    return export_gltf(*run, {times_of(options), line.progress()}, options.gltf);
  }();
  std::cout << fmt::format("{} samples, {:.1f} MB\n", outcome.samples,
                           static_cast<double>(outcome.bytes) * 1e-6);
  for (const SampledBody& body : outcome.sampled) {
    std::cout << fmt::format("{}: {} shapes, within {:.2g} m\n", printable(body.name), body.shapes,
                             body.error);
  }
}

void show_window(const ViewOptions& options) {
  WindowSettings settings;
  settings.render = options.settings;
  settings.tree = options.tree;
  settings.slice = options.slice;
  if (options.seconds >= 0.0) settings.seconds = options.seconds;
  std::unique_ptr<MomentSource> source;
  const auto at_s = options.at_s >= 0.0 ? std::optional(options.at_s) : std::nullopt;
  if (!options.scene.empty()) {
    source = std::make_unique<SceneSource>(options.scene, at_s);
  } else if (options.log.empty()) {
    check_daemon(options);
    source = std::make_unique<LiveSource>(options.name, options.any_model);
  } else {
    const LogReader log = viewed_log(options);
    auto played = std::make_unique<LogSource>(options.log);
    if (at_s) {
      row_at(log, *at_s);  // refuses a time after the end
      played->timeline()->now_s = *at_s;
    }
    source = std::move(played);
  }
  const WindowOutcome outcome = run_view_window(*source, settings);
  std::cout << fmt::format("{} images drawn\n", outcome.images);
}

}  // namespace haptic
