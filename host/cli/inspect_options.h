#pragma once

#include <filesystem>
#include <memory>

namespace CLI {
class App;
}

namespace haptic {

/// What `haptic inspect` describes: a model, or with the helper (helper_commands.h) a mesh.
struct InspectOptions {
  std::filesystem::path file;
  bool json = false;

  bool is_mesh() const;  ///< by the extension: a surface or a volume mesh
};

/// Adds the command with its options, in the same words to both programs.
CLI::App* add_inspect_options(CLI::App& app, InspectOptions& options);

}  // namespace haptic
