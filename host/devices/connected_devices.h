#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "rt/device/device_manifest.h"

namespace haptic {

/// A device connected to this machine.
struct ConnectedDevice {
  std::string kind;     ///< "falcon" or "comedi"
  std::string node;     ///< "/dev/bus/usb/001/005", "/dev/comedi0"
  std::string what;     ///< description: serial number; or board, driver and channels
  std::string driver;   ///< of a comedi board
  std::string problem;  ///< why this process cannot use it, and what to do; empty: it can
};

/// A manifest and the device that it describes.
struct ListedManifest {
  std::filesystem::path file;
  std::string name, kind, description;
  std::string node;     ///< of its device, or the link of a running daemon; empty: not connected
  std::string problem;  ///< of manifest or device; empty: none
};

struct DeviceList {
  std::vector<ConnectedDevice> devices;
  std::vector<ListedManifest> manifests;
};

/// Falcons on USB (by vendor and product) and boards under /dev/comedi*, whether or not this
/// process may open them. Devices are opened only briefly, to identify them, and never written to.
/// @param dev  replaces /dev
std::vector<ConnectedDevice> find_devices(const std::filesystem::path& dev = "/dev");

/// Every manifest of `files`, checked as when it is opened, with its device.
std::vector<ListedManifest> list_manifests_with(const std::vector<ConnectedDevice>& devices,
                                                const std::vector<std::filesystem::path>& files);

}  // namespace haptic
