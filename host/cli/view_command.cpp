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
#include <tuple>
#include <utility>

#include "host/cli/log_warnings.h"
#include "host/cli/view_outputs.h"
#include "host/files/output_path.h"
#include "host/log/telemetry_log.h"
#include "host/view/log_frame.h"
#include "host/view/scene_renderer.h"
#include "rt/worlds/scene.h"
#include "shared/command_line/number_checks.h"
#include "shared/error.h"

namespace haptic {
namespace {

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
  if (options.log.empty()) {
    const TelemetryReader reader(options.name);
    check_drawn_models(describe_daemon(reader).bodies, "daemon " + options.name, options.any_model);
    return frame_of(reader);
  }
  const LogReader log = viewed_log(options);
  if (log.rows() == 0) throw InputError(options.log.string(), "", "no rows", "a log with rows");
  return frame_of(log,
                  options.at_s < 0.0 ? row_of_strongest_contact(log) : row_at(log, options.at_s));
}

}  // namespace

void add_view_command(CLI::App& app) {
  const auto options = std::make_shared<ViewOptions>();
  CLI::App* command = app.add_subcommand(
      "view", "Show a running daemon, a log or a scene in a window, or write pictures of it");
  CLI::Option* png =
      command->add_option("--png", options->picture, "PNG file to write, without a window");
  CLI::Option* log =
      command->add_option("--log", options->log, "render a log instead of the daemon");
  command->add_option("--at", options->at_s, "time in the log [s]; default: the strongest contact")
      ->check(number_in(0.0, kMaxTime_s));
  command
      ->add_option(
          "--scene", options->scene,
          "a scene instead of the daemon: at rest with --png, else run with its hand script")
      ->excludes(log);
  CLI::Option* frames =
      command
          ->add_option("--frames", options->frames,
                       "folder for the images of a film, from --at or the beginning on")
          ->excludes(png);
  CLI::Option* film =
      command
          ->add_option("--film", options->film,
                       "film to write, .mp4 or .webm, by the program ffmpeg; as --frames")
          ->excludes(png)
          ->excludes(frames);
  CLI::Option* glb =
      command
          ->add_option("--glb", options->gltf, "animated glTF 2.0 file to write, .glb; as --frames")
          ->excludes(png)
          ->excludes(frames)
          ->excludes(film);
  command
      ->add_option("--fps", options->frames_per_second,
                   "images of a second of the log: of --frames, --film and --glb")
      ->check(number_in(0.1, 1000.0));
  command->add_option("--name", options->name, "name of the daemon");
  command->add_option("--seconds", options->seconds, "close the window after this time [s]")
      ->check(number_in(0.0, kMaxTime_s));
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
  command->add_flag(
      "--any-model", options->any_model,
      "draw with the models as they are now, also if they were changed since they ran");
  CLI::Option* tree =
      command
          ->add_option("--tree", options->tree.level,
                       "level of the point trees whose spheres are drawn, 1 is the coarsest")
          ->check(CLI::Range(1, 1000))
          ->excludes(glb);
  command->add_option("--tree-body", options->tree.body, "of this body's tree alone")->needs(tree);
  command
      ->add_option_function<std::string>(
          "--slice", [options](const std::string& text) { options->slice = parse_slice(text); },
          "BODY:AXIS=OFFSET [m]: the body's distance field on this plane of its model")
      ->excludes(glb);
  command->callback([options] {
    constexpr double kDegree = std::numbers::pi / 180.0;
    options->settings.azimuth = options->azimuth_deg * kDegree;
    options->settings.elevation = options->elevation_deg * kDegree;
    options->settings.steady = options->picture.empty();
    const bool has_run = !options->log.empty() || !options->scene.empty();
    for (const auto& [key, path, write] : {std::tuple{"--frames", options->frames, &write_frames},
                                           std::tuple{"--film", options->film, &write_film},
                                           std::tuple{"--glb", options->gltf, &write_gltf}}) {
      if (path.empty()) continue;
      if (!has_run)
        throw InputError("", key, "without a run", "--log LOG.h5 or --scene SCENE.toml");
      write(*options);
      return;
    }
    if (options->picture.empty()) {
      show_window(*options);
      return;
    }
    check_picture(options->picture, std::array{options->log, options->scene});
    SceneFrame frame = chosen_frame(*options);
    ContactGeometry geometry;
    SceneRenderer renderer(options->settings);
    write_png(draw_with_geometry(renderer, geometry, std::move(frame), *options), options->picture);
    if (options->settings.colour != SurfaceColour::kBody) {
      std::cout << fmt::format("dark blue is 0, yellow {:.4g}{}\n", renderer.brightest_value(),
                               options->settings.colour == SurfaceColour::kStress ? " Pa" : "");
    }
  });
}

}  // namespace haptic
