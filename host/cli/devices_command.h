#pragma once

#include <nlohmann/json_fwd.hpp>

namespace CLI {
class App;
}

namespace haptic {

struct DeviceList;

/// `haptic devices [--json] [--manifests FOLDER]`: lists the connected devices and the manifests.
void add_devices_command(CLI::App& app);

/// What `devices --json` prints: {"devices": [{"kind", "node", "what", "problem"}],
/// "manifests": [{"name", "kind", "file", "description", "node", "problem"}]}; empty text for none.
nlohmann::json devices_json(const DeviceList& list);

}  // namespace haptic
