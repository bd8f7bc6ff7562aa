#pragma once

namespace CLI {
class App;
}

namespace haptic {

/// `haptic explain WORD [--json]`: what a key of a recipe, a scene, a manifest or a load script
/// means, from the tables that their readers use (key_search.h).
void add_explain_command(CLI::App& app);

}  // namespace haptic
