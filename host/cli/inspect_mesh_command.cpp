#include "host/cli/inspect_mesh_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "host/bake/surface_inspection.h"
#include "host/cli/inspect_options.h"
#include "host/files/json_text.h"
#include "shared/printable.h"

namespace haptic {
namespace {

std::string text_of(const Vector3& v) {
  return fmt::format("({:.6g}, {:.6g}, {:.6g})", v.x(), v.y(), v.z());
}

nlohmann::json json_of(const Vector3& v) {
  return {v.x(), v.y(), v.z()};
}

void print_text(const std::filesystem::path& path, const SurfaceInspection& surface) {
  const MeshReport& report = surface.report;
  const Vector3 size = surface.box.size();
  const auto line = [](std::string_view name, const std::string& text) {
    std::cout << fmt::format("  {:<15} {}\n", name, text);
  };
  std::cout << printable(path.string()) << ": " << report.summary() << "\n";
  line("box",
       fmt::format("{:.6g} x {:.6g} x {:.6g} from {} to {}, in the unit of the file", size.x(),
                   size.y(), size.z(), text_of(surface.box.lower), text_of(surface.box.upper)));
  if (const auto& volume = surface.volume) {
    line("elements", fmt::format("{} {}, {} vertices", volume->elements,
                                 volume->cubes ? "cubes" : "tetrahedra", volume->vertices));
    if (volume->repeated > 0) line("repeated", fmt::format("{} elements", volume->repeated));
    if (volume->left_out > 0) line("left out", fmt::format("{} unused nodes", volume->left_out));
    for (const NamedGroup& group : volume->groups) {
      line("group", fmt::format("\"{}\", {} vertices, {} elements", printable(group.name),
                                group.vertices.size(), group.tetrahedra.size()));
    }
  }
  line("area", fmt::format("{:.6g}", report.area));
  if (report.closed_manifold()) line("volume", fmt::format("{:.6g}", report.volume));
  for (std::size_t c = 0; c < report.parts.size(); ++c) {
    line(fmt::format("component {}", c + 1), report.parts[c].summary());
  }
  const auto print_holes = [&](std::string_view name, const std::vector<HoleReport>& holes) {
    for (const HoleReport& hole : holes) {
      line(name, fmt::format("{:.3g} at {}", hole.size, text_of(hole.centre)));
    }
  };
  print_holes("hole closed", report.closed_holes);
  print_holes("hole", report.open_holes);
  if (const auto& crossings = surface.crossings; crossings.between > 0) {
    line("overlap", fmt::format("{} pairs of triangles of two components cross, e.g. at {}",
                                crossings.between, text_of(crossings.place)));
  }
  if (const auto& crossings = surface.crossings; crossings.within > 0) {
    line("crosses itself", fmt::format("{} pairs of triangles, e.g. at {}", crossings.within,
                                       text_of(crossings.place)));
  }
  if (surface.thinnest) {
    line("thinnest wall", fmt::format("{:.4g} at {}", surface.thinnest->thickness,
                                      text_of(surface.thinnest->place)));
  }
  std::cout << "\n# A recipe that bakes it; guesses are to be checked.\n"
            << recipe_for(path, surface);
}

nlohmann::json json_of(const std::vector<HoleReport>& holes) {
  nlohmann::json list = nlohmann::json::array();
  for (const HoleReport& hole : holes) {
    list.push_back({{"centre", json_of(hole.centre)}, {"size", hole.size}});
  }
  return list;
}

nlohmann::json json_of(const std::filesystem::path& path, const SurfaceInspection& surface) {
  const MeshReport& report = surface.report;
  nlohmann::json parts = nlohmann::json::array();
  for (const ComponentReport& part : report.parts) {
    parts.push_back({{"triangles", part.triangles},
                     {"lower", json_of(part.box.lower)},
                     {"upper", json_of(part.box.upper)},
                     {"closed", part.closed},
                     {"volume", part.volume}});
  }
  nlohmann::json result = {{"file", path.string()},
                           {"summary", report.summary()},
                           {"vertices", report.vertices},
                           {"triangles", report.triangles},
                           {"closed", report.closed_manifold()},
                           {"lower", json_of(surface.box.lower)},
                           {"upper", json_of(surface.box.upper)},
                           {"area", report.area},
                           {"components", std::move(parts)},
                           {"closed_holes", json_of(report.closed_holes)},
                           {"open_holes", json_of(report.open_holes)},
                           {"duplicates", report.duplicates_dropped},
                           {"crossings_within", surface.crossings.within},
                           {"crossings_between", surface.crossings.between},
                           {"recipe", recipe_for(path, surface)}};
  if (report.closed_manifold()) result["volume"] = report.volume;
  if (const auto& volume = surface.volume) {
    result["mesh_vertices"] = volume->vertices;
    result["mesh_elements"] = volume->elements;
    result["groups"] = nlohmann::json::array();
    for (const NamedGroup& group : volume->groups) {
      result["groups"].push_back({{"name", group.name},
                                  {"vertices", group.vertices.size()},
                                  {"elements", group.tetrahedra.size()}});
    }
  }
  if (surface.thinnest) {
    result["thinnest_wall"] = {{"thickness", surface.thinnest->thickness},
                               {"place", json_of(surface.thinnest->place)}};
  }
  return result;
}

}  // namespace

void add_inspect_mesh_command(CLI::App& app) {
  const auto options = std::make_shared<InspectOptions>();
  CLI::App* command = add_inspect_options(app, *options);
  command->callback([options] {
    const SurfaceInspection surface = inspect_surface(options->file);
    if (options->json) {
      std::cout << json_text(json_of(options->file, surface), 2) << "\n";
    } else {
      print_text(options->file, surface);
    }
  });
}

}  // namespace haptic
