#pragma once

namespace CLI {
class App;
}

namespace haptic {

/// `haptic bake RECIPE.toml -o MODEL.h5 [--cache DIR | --no-cache] [--json]`: the full precompute.
/// Results of stages stay in the folder MODEL.bake (or DIR), so that a bake goes on where an
/// earlier one stopped and redoes only what depends on a change; the folder may be deleted at any
/// time. Stages go to standard output; with --json one object {"model", "file_length_bytes",
/// "dimension",
/// ..., "seconds": {"<stage>": s}, "peak_bytes": {...}, "kept": ["<stage>", ...], "notes": [...]}.
/// `mpirun -n N haptic bake ...` spreads the stages that grow with the mesh over N processes.
void add_bake_command(CLI::App& app);

}  // namespace haptic
