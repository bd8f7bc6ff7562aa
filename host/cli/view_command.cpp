#include "host/cli/view_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <numbers>
#include <optional>

#include "host/cli/number_checks.h"
#include "host/files/output_path.h"
#include "host/view/log_frame.h"
#include "host/view/scene_renderer.h"
#include "rt/worlds/scene.h"
#include "shared/error.h"

namespace haptic {
namespace {

struct ViewOptions {
  std::filesystem::path picture, frames, log, scene;
  std::string name = "hapticd";
  double at_s = -1.0;
  double frames_a_second = 25.0;
  double azimuth_deg = 35.0, elevation_deg = 22.0;
  RenderSettings settings;
};

SceneFrame rest_frame(const std::filesystem::path& path) {
  const Scene scene = load_scene(path);
  SceneFrame frame;
  for (const SceneBody& body : scene.bodies) {
    const auto* const model = std::get_if<std::filesystem::path>(&body.model);
    const std::uint32_t r = model ? ModelFile(*model).reduced_dimension() : 0;
    frame.bodies.push_back({body.name, body.model, body.pose, std::vector<double>(r, 0.0)});
  }
  return frame;
}

SceneFrame chosen_frame(const ViewOptions& options) {
  if (!options.scene.empty()) return rest_frame(options.scene);
  if (options.log.empty()) return frame_of(TelemetryReader(options.name));
  const LogReader log(options.log);
  if (log.rows() == 0) throw InputError(options.log.string(), "", "no rows", "a log with rows");
  return frame_of(log,
                  options.at_s < 0.0 ? row_of_strongest_contact(log) : row_at(log, options.at_s));
}

/// Writes an image of the log for every frame of a film: DIR/00001.png, ...
void write_frames(const ViewOptions& options) {
  const LogReader log(options.log);
  if (log.rows() == 0) throw InputError(options.log.string(), "", "no rows", "a log with rows");
  if (std::filesystem::exists(options.frames) && !std::filesystem::is_directory(options.frames)) {
    throw InputError("", "--frames", fmt::format("found {}, a file", options.frames.string()),
                     "a folder");
  }
  std::filesystem::create_directories(options.frames);
  SceneRenderer renderer(options.settings);
  const double first = std::max(0.0, options.at_s);
  const double last = log.sample(log.rows() - 1).time_s;
  for (int i = 0;; ++i) {
    const double time = first + i / options.frames_a_second;
    if (time > last) break;
    write_png(renderer.draw(frame_of(log, row_at(log, time))),
              options.frames / fmt::format("{:05}.png", i + 1));
  }
}

}  // namespace

void add_view_command(CLI::App& app) {
  const auto options = std::make_shared<ViewOptions>();
  CLI::App* command = app.add_subcommand(
      "view", "Render a running daemon's scene, a log or a scene at rest to a PNG");
  CLI::Option* png = command->add_option("--png", options->picture, "PNG file to write");
  CLI::Option* log =
      command->add_option("--log", options->log, "render a log instead of the daemon");
  command->add_option("--at", options->at_s, "time in the log [s]; default: the strongest contact")
      ->check(number_in(0.0, kLongestTime_s))
      ->needs(log);
  CLI::Option* frames =
      command
          ->add_option("--frames", options->frames,
                       "folder for the images of a film of the log, from --at or its beginning on")
          ->needs(log)
          ->excludes(png);
  command->add_option("--fps", options->frames_a_second, "images of a second of the log")
      ->check(number_in(0.1, 1000.0))
      ->needs(frames);
  command->add_option("--scene", options->scene, "render a scene at rest instead of the daemon")
      ->excludes(log);
  command->add_option("--name", options->name, "name of the daemon");
  command->add_option("--width", options->settings.width, "pixels");
  command->add_option("--height", options->settings.height, "pixels");
  command
      ->add_option("--azimuth", options->azimuth_deg,
                   "angle of the camera about the vertical [deg]")
      ->check(number_in(-360.0, 360.0));
  command
      ->add_option("--elevation", options->elevation_deg,
                   "angle of the camera above the horizon [deg]")
      ->check(number_in(-89.0, 89.0));
  CLI::Option* on_cpu =
      command->add_flag("--cpu", options->settings.deform_on_cpu,
                        "deform surfaces on the CPU instead of in the vertex shader");
  command
      ->add_flag_callback(
          "--half", [options] { options->settings.precision = DisplayPrecision::kHalf; },
          "16-bit basis in the vertex shader")
      ->excludes(on_cpu);
  command
      ->add_option("--colour", options->settings.colour,
                   "strain | stress: colour deformables by the largest eigenvalue")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, SurfaceColour>{{"body", SurfaceColour::kBody},
                                               {"strain", SurfaceColour::kStrain},
                                               {"stress", SurfaceColour::kStress}}));
  command->callback([options] {
    constexpr double kDegree = std::numbers::pi / 180.0;
    options->settings.azimuth = options->azimuth_deg * kDegree;
    options->settings.elevation = options->elevation_deg * kDegree;
    if (!options->frames.empty()) {
      options->settings.steady = true;
      write_frames(*options);
      return;
    }
    if (options->picture.empty()) {
      throw InputError("", "--png", "not given", "--png FILE, or --frames DIR");
    }
    check_picture(options->picture, std::array{options->log, options->scene});
    const SceneFrame frame = chosen_frame(*options);
    SceneRenderer renderer(options->settings);
    write_png(renderer.draw(frame), options->picture);
    if (options->settings.colour != SurfaceColour::kBody) {
      std::cout << fmt::format("dark blue is 0, yellow {:.4g}{}\n", renderer.brightest_value(),
                               options->settings.colour == SurfaceColour::kStress ? " Pa" : "");
    }
  });
}

}  // namespace haptic
