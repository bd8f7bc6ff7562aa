#include "host/cli/devices_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "host/devices/connected_devices.h"
#include "host/files/json_text.h"
#include "shared/printable.h"

namespace haptic {
namespace {

void print_table(const DeviceList& list) {
  if (list.devices.empty()) fmt::print("No Falcon on USB and no comedi board is connected.\n");
  for (const ConnectedDevice& device : list.devices) {
    fmt::print("{:<26} {}{}{}\n", printable(device.node), printable(device.what),
               device.problem.empty() ? "" : ": ", printable(device.problem));
  }
  fmt::print("\n{:<22} {:<11} {:<20} {}\n", "manifest", "kind", "connected", "");
  for (const ListedManifest& manifest : list.manifests) {
    const std::string name =
        manifest.name.empty() ? manifest.file.filename().string() : manifest.name;
    const std::string where = !has_motors(manifest.kind) ? "no hardware needed"
                              : manifest.node.empty()    ? "no"
                                                         : manifest.node;
    fmt::print("{:<22} {:<11} {:<20} {}\n", printable(name), manifest.kind, where,
               printable(manifest.problem.empty() ? manifest.description : manifest.problem));
  }
}

}  // namespace

nlohmann::json devices_json(const DeviceList& list) {
  nlohmann::json result{{"devices", nlohmann::json::array()},
                        {"manifests", nlohmann::json::array()}};
  for (const ConnectedDevice& d : list.devices) {
    result["devices"].push_back(
        {{"kind", d.kind}, {"node", d.node}, {"what", d.what}, {"problem", d.problem}});
  }
  for (const ListedManifest& m : list.manifests) {
    result["manifests"].push_back({{"name", m.name},
                                   {"kind", m.kind},
                                   {"file", m.file.string()},
                                   {"description", m.description},
                                   {"node", m.node},
                                   {"problem", m.problem}});
  }
  return result;
}

void add_devices_command(CLI::App& app) {
  struct Options {
    std::filesystem::path manifests;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("devices", "List the connected haptic devices and their manifests");
  command->add_option("--manifests", options->manifests,
                      "folder of manifests instead of the default folders");
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->callback([options] {
    DeviceList list;
    list.devices = find_devices();
    list.manifests = list_manifests_with(list.devices, options->manifests.empty()
                                                           ? list_manifests()
                                                           : list_manifests({options->manifests}));
    if (options->json) {
      std::cout << json_text(devices_json(list)) << "\n";
    } else {
      print_table(list);
    }
  });
}

}  // namespace haptic
