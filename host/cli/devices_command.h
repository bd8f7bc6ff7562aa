#pragma once

#include <nlohmann/json_fwd.hpp>

namespace CLI {
class App;
}

namespace haptic {

struct DeviceList;

/// `haptic devices [--json] [--manifests FOLDER]`: what is connected, and which manifests there
/// are.
void add_devices_command(CLI::App& app);

/// What `devices --json` prints: {"devices": [{"kind", "node", "what", "problem"}],
/// "manifests": [{"name", "kind", "file", "description", "node", "problem"}]}; empty text for none.
nlohmann::json devices_json(const DeviceList& list);

}  // namespace haptic
