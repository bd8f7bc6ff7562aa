#pragma once

namespace CLI {
class App;
}

namespace haptic {

/// `haptic bake RECIPE.toml -o MODEL.h5 [--cache DIR | --no-cache] [--json]`: the full precompute.
/// Results of stages are stored in the folder MODEL.bake (or DIR): a bake continues an interrupted
/// one, and after a change it repeats only the stages that depend on it. The folder may be deleted
/// at any time. Stages go to standard output; with --json one object {"model", "file_length_bytes",
/// "dimension", ..., "seconds": {"<stage>": s}, "peak_bytes": {...}, "kept": ["<stage>", ...],
/// "notes": [...]}. `mpirun -n N haptic bake ...` spreads the stages that grow with the mesh over N
/// processes.
void add_bake_command(CLI::App& app);

}  // namespace haptic
