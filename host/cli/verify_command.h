#pragma once

namespace CLI {
class App;
}

namespace haptic {

/// `haptic verify MODEL.h5 [--json]`: each figure with its limit; exit code 1 if one fails. With
/// --json one object {"file", "passes", "figures": [{"name", "value", "limit", "unit", "passes",
/// "what"}]} on standard output.
void add_verify_command(CLI::App& app);

}  // namespace haptic
