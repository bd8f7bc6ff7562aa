#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "rt/device/device_manifest.h"

namespace haptic {

/// A device that this machine shows.
struct ConnectedDevice {
  std::string kind;     ///< "falcon" or "comedi"
  std::string node;     ///< "/dev/bus/usb/001/005", "/dev/comedi0"
  std::string what;     ///< what it says of itself: serial number; board, driver and channels
  std::string driver;   ///< of a comedi board
  std::string problem;  ///< why this process may not use it, and what to do; empty: it may
};

/// A manifest and what became of it here.
struct ListedManifest {
  std::filesystem::path file;
  std::string name, kind, description;
  std::string node;     ///< of the device that it means; empty: not connected
  std::string problem;  ///< of manifest or device; empty: none
};

struct DeviceList {
  std::vector<ConnectedDevice> devices;
  std::vector<ListedManifest> manifests;
};

/// Falcons on USB (by vendor and product) and boards under /dev/comedi*, whether or not this
/// process may open them. Opens none for longer than to read what it is; writes to none.
/// @param dev  stands for /dev
std::vector<ConnectedDevice> find_devices(const std::filesystem::path& dev = "/dev");

/// Every manifest of `files`, checked as opening it would, beside the device that it means.
std::vector<ListedManifest> list_manifests_with(const std::vector<ConnectedDevice>& devices,
                                                const std::vector<std::filesystem::path>& files);

}  // namespace haptic
