#include "host/devices/connected_devices.h"

#include <comedilib.h>
#include <fmt/format.h>
#include <libusb-1.0/libusb.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>

#include "rt/device/comedi/open_comedi_arm.h"
#include "rt/device/external/external_settings.h"
#include "rt/device/falcon/falcon_settings.h"
#include "rt/device/node_access.h"
#include "rt/device/replay_device.h"
#include "rt/device/simulated_settings.h"
#include "shared/error.h"
#include "shared/ipc/run_folder.h"

namespace haptic {

namespace {

namespace fs = std::filesystem;

constexpr std::uint16_t kFalconVendor = 0x0403, kFalconProduct = 0xcb48;

std::string serial_number(libusb_device* device, const libusb_device_descriptor& descriptor) {
  libusb_device_handle* handle = nullptr;
  if (descriptor.iSerialNumber == 0 || libusb_open(device, &handle) != 0) return {};
  std::array<unsigned char, 64> text{};
  const int length = libusb_get_string_descriptor_ascii(handle, descriptor.iSerialNumber,
                                                        text.data(), text.size());
  libusb_close(handle);
  return length > 0 ? std::string(text.begin(), text.begin() + length) : std::string();
}

void find_falcons(const fs::path& dev, std::vector<ConnectedDevice>& found) {
  libusb_context* context = nullptr;
  if (libusb_init(&context) != 0) return;  // no USB on this machine
  const std::unique_ptr<libusb_context, void (*)(libusb_context*)> open(context, libusb_exit);
  libusb_device** list = nullptr;
  const ssize_t count = libusb_get_device_list(context, &list);
  for (ssize_t i = 0; i < count; ++i) {
    libusb_device_descriptor descriptor{};
    if (libusb_get_device_descriptor(list[i], &descriptor) != 0) continue;
    if (descriptor.idVendor != kFalconVendor || descriptor.idProduct != kFalconProduct) continue;
    ConnectedDevice device;
    device.kind = "falcon";
    device.node = (dev / fmt::format("bus/usb/{:03d}/{:03d}", libusb_get_bus_number(list[i]),
                                     libusb_get_device_address(list[i])))
                      .string();
    device.problem = node_problem(device.node);
    const std::string serial =
        device.problem.empty() ? serial_number(list[i], descriptor) : std::string();
    device.what = serial.empty() ? "Novint Falcon" : "Novint Falcon, serial " + serial;
    found.push_back(device);
  }
  if (count >= 0) libusb_free_device_list(list, 1);
}

// "/dev/comedi0", not its subdevices' nodes.
bool is_board(const std::string& name) {
  constexpr std::string_view kPrefix = "comedi";
  return name.starts_with(kPrefix) && name.size() > kPrefix.size() &&
         std::all_of(name.begin() + kPrefix.size(), name.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

int channels(comedi_t* board, int type) {
  int sum = 0;
  for (int i = 0; i < comedi_get_n_subdevices(board); ++i) {
    const auto subdevice = static_cast<unsigned>(i);
    if (comedi_get_subdevice_type(board, subdevice) == type) {
      sum += std::max(0, comedi_get_n_channels(board, subdevice));
    }
  }
  return sum;
}

void ask_board(ConnectedDevice& device) {
  const std::unique_ptr<comedi_t, int (*)(comedi_t*)> board(comedi_open(device.node.c_str()),
                                                            comedi_close);
  if (!board) {
    const int reason = errno;
    device.what = "comedi board";
    // Minors without a driver have nodes, too.
    device.problem = reason == ENODEV || reason == ENXIO
                         ? "no board is configured there"
                         : fmt::format("cannot be opened: {}", std::strerror(reason));
    return;
  }
  device.driver = comedi_get_driver_name(board.get());
  device.what =
      fmt::format("{}, driver {}: {} analog outputs, {} counters, {} digital lines",
                  comedi_get_board_name(board.get()), device.driver,
                  channels(board.get(), COMEDI_SUBD_AO), channels(board.get(), COMEDI_SUBD_COUNTER),
                  channels(board.get(), COMEDI_SUBD_DIO) + channels(board.get(), COMEDI_SUBD_DO) +
                      channels(board.get(), COMEDI_SUBD_DI));
}

void find_boards(const fs::path& dev, std::vector<ConnectedDevice>& found) {
  std::vector<fs::path> nodes;
  std::error_code error;
  for (fs::directory_iterator entry(dev, error), end; !error && entry != end;
       entry.increment(error)) {
    if (is_board(entry->path().filename().string())) nodes.push_back(entry->path());
  }
  std::sort(nodes.begin(), nodes.end());
  for (const fs::path& node : nodes) {
    ConnectedDevice device;
    device.kind = "comedi";
    device.node = node.string();
    device.problem = node_problem(node);
    if (device.problem.empty()) {
      ask_board(device);
    } else {
      device.what = "comedi board";
    }
    found.push_back(device);
  }
}

const ConnectedDevice* device_of(const std::vector<ConnectedDevice>& devices,
                                 const DeviceManifest& manifest, const ComediArm* arm) {
  for (const ConnectedDevice& device : devices) {
    if (manifest.kind == "falcon" && device.kind == "falcon") return &device;
    if (arm != nullptr && device.kind == "comedi" && device.node == arm->board.file) return &device;
  }
  return nullptr;
}

// The socket of a daemon that runs on this link; its adapter is not asked.
std::string link_socket(const DeviceManifest& manifest) {
  const std::string file = "device." + read_external(manifest).link + ".link";
  for (const fs::path& folder : run_folders()) {
    std::error_code error;
    if (fs::is_socket(folder / file, error)) return (folder / file).string();
  }
  return {};
}

ListedManifest listed(const std::vector<ConnectedDevice>& devices, const fs::path& file) {
  ListedManifest entry;
  entry.file = file;
  try {
    const DeviceManifest manifest = load_manifest(file);
    entry.name = manifest.name;
    entry.kind = manifest.kind;
    entry.description = manifest.description;
    ComediArm arm;
    const bool is_arm = manifest.kind == "comedi-arm";
    if (is_arm) arm = read_comedi_arm(manifest);
    if (manifest.kind == "falcon") read_falcon(manifest);
    if (manifest.kind == "external") {
      entry.node = link_socket(manifest);
      return entry;
    }
    if (manifest.kind == "simulated") read_simulated_manifest(manifest.table);
    if (manifest.kind == "replay") read_replay(manifest.table);
    const ConnectedDevice* device = device_of(devices, manifest, is_arm ? &arm : nullptr);
    if (device == nullptr) return entry;
    if (is_arm && !arm.board.driver.empty() && device->problem.empty() &&
        arm.board.driver != device->driver) {
      return entry;  // the node is another board's
    }
    entry.node = device->node;
    entry.problem = device->problem;
  } catch (const std::exception& error) {
    entry.problem = error.what();
  }
  return entry;
}

}  // namespace

std::vector<ConnectedDevice> find_devices(const fs::path& dev) {
  std::vector<ConnectedDevice> found;
  find_falcons(dev, found);
  find_boards(dev, found);
  return found;
}

std::vector<ListedManifest> list_manifests_with(const std::vector<ConnectedDevice>& devices,
                                                const std::vector<fs::path>& files) {
  std::vector<ListedManifest> list;
  for (const fs::path& file : files) list.push_back(listed(devices, file));
  return list;
}

}  // namespace haptic
