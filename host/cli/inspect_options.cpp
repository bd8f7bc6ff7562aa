#include "host/cli/inspect_options.h"

#include <CLI/CLI.hpp>
#include <cctype>
#include <string>

namespace haptic {

bool InspectOptions::is_mesh() const {
  std::string extension = file.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension == ".obj" || extension == ".stl" || extension == ".ply";
}

CLI::App* add_inspect_options(CLI::App& app, InspectOptions& options) {
  CLI::App* command = app.add_subcommand(
      "inspect", "List the contents of a model file, or describe a surface mesh");
  command->add_option("FILE", options.file, "model file, or surface mesh (OBJ, STL, PLY)")
      ->required();
  command->add_flag("--json", options.json, "one JSON object on standard output");
  return command;
}

}  // namespace haptic
