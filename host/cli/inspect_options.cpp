#include "host/cli/inspect_options.h"

#include <CLI/CLI.hpp>

#include "host/files/mesh_kind.h"

namespace haptic {

bool InspectOptions::is_mesh() const {
  return is_surface_file(file) || is_volume_file(file);
}

CLI::App* add_inspect_options(CLI::App& app, InspectOptions& options) {
  CLI::App* command =
      app.add_subcommand("inspect", "List the contents of a model file, or describe a mesh");
  command
      ->add_option(
          "FILE", options.file,
          "model file, surface mesh (OBJ, STL, PLY) or volume mesh (.msh, .mesh, .ele, .veg)")
      ->required();
  command->add_flag("--json", options.json, "one JSON object on standard output");
  return command;
}

}  // namespace haptic
