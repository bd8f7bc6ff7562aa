#pragma once

namespace CLI {
class App;
}

namespace haptic {

/// `haptic bake RECIPE.toml -o MODEL.h5 [--json]`: the full precompute. Stages go to standard
/// error; with --json one object {"model", "file_length_bytes", "dimension", ..., "seconds":
/// {"<stage>": s}, "notes": [...]} to standard output.
void add_bake_command(CLI::App& app);

}  // namespace haptic
