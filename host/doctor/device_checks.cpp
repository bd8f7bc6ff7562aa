#include <fmt/format.h>
#include <sys/stat.h>

#include <string>

#include "host/doctor/checks.h"

namespace haptic {
namespace {

constexpr std::string_view kFalconVendor = "0403", kFalconProduct = "cb48";

struct UsbDevice {
  std::string folder;  ///< of /sys
  std::string node;    ///< of /dev
};

std::vector<UsbDevice> falcons(const MachineTree& machine) {
  std::vector<UsbDevice> found;
  for (const std::string& entry : machine.names("/sys/bus/usb/devices")) {
    const std::string folder = "/sys/bus/usb/devices/" + entry;
    if (machine.line(folder + "/idVendor") != kFalconVendor ||
        machine.line(folder + "/idProduct") != kFalconProduct) {
      continue;
    }
    found.push_back({folder, fmt::format("/dev/bus/usb/{:03}/{:03}",
                                         machine.number(folder + "/busnum").value_or(0),
                                         machine.number(folder + "/devnum").value_or(0))});
  }
  return found;
}

std::vector<std::string> comedi_boards(const MachineTree& machine) {
  std::vector<std::string> nodes;
  for (const std::string& entry : machine.names("/dev")) {
    if (entry.starts_with("comedi")) nodes.push_back("/dev/" + entry);
  }
  return nodes;
}

Finding autosuspend(const MachineTree& machine) {
  constexpr std::string_view kCheck = "USB autosuspend";
  for (const UsbDevice& device : falcons(machine)) {
    if (machine.line(device.folder + "/power/control").value_or("on") == "on") continue;
    return {
        kCheck, Verdict::kUnfit, "the Falcon may be suspended between two exchanges",
        fmt::format("echo on > {}/power/control (the package's udev rule does)", device.folder)};
  }
  const auto delay = machine.number("/sys/module/usbcore/parameters/autosuspend");
  if (falcons(machine).empty() && delay && *delay >= 0 &&
      !machine.has("/usr/lib/udev/rules.d/60-hapticd.rules")) {
    return {kCheck, Verdict::kAdvice,
            fmt::format("idle USB devices are suspended after {} s", *delay),
            "install the package's udev rule, or boot with usbcore.autosuspend=-1"};
  }
  return {kCheck, Verdict::kGood, "no haptic device is suspended", ""};
}

/// What is wrong with the permissions of `node`; empty if nothing.
std::string wrong_access(const MachineTree& machine, const std::string& node,
                         std::string_view group) {
  struct stat status {};
  if (stat(machine.at(node).c_str(), &status) != 0) return node + " is not there";
  if ((status.st_mode & S_IRWXO) != 0) {
    return fmt::format("{} is open to everybody (mode {:o})", node,
                       static_cast<unsigned>(status.st_mode & 0777));
  }
  const auto id = machine.group(group);
  if (!id || status.st_gid != *id || (status.st_mode & 0060) != 0060) {
    return fmt::format("group {} may not use {} (mode {:o})", group, node,
                       static_cast<unsigned>(status.st_mode & 0777));
  }
  return "";
}

Finding access(const MachineTree& machine) {
  constexpr std::string_view kCheck = "device access";
  std::string wrong, nodes;
  const auto look = [&](const std::string& node, std::string_view group) {
    nodes += (nodes.empty() ? "" : ", ") + node;
    const std::string what = wrong_access(machine, node, group);
    if (!what.empty()) wrong += (wrong.empty() ? "" : "; ") + what;
  };
  for (const UsbDevice& device : falcons(machine)) look(device.node, "haptic-operator");
  for (const std::string& node : comedi_boards(machine)) look(node, "iocard");
  if (nodes.empty()) return {kCheck, Verdict::kGood, "no haptic hardware is connected", ""};
  if (wrong.empty()) return {kCheck, Verdict::kGood, nodes + ": open to their groups only", ""};
  return {kCheck, Verdict::kUnfit, wrong,
          "install the package's udev rules, remove older ones with MODE=\"0666\", then udevadm "
          "trigger"};
}

// hapticd.service allows devices by driver, and systemd looks the drivers up once, at the start.
Finding drivers(const MachineTree& machine) {
  constexpr std::string_view kCheck = "drivers";
  std::string missing;
  bool characters = false, usb = false, comedi = false;
  for (const std::string& entry : machine.lines("/proc/devices")) {
    if (entry == "Character devices:") characters = true;
    if (entry == "Block devices:") characters = false;
    usb = usb || (characters && entry.ends_with(" usb_device"));
    comedi = comedi || (characters && entry.ends_with(" comedi"));
  }
  if (!usb) missing = "usb_device";
  if (!comedi) missing += missing.empty() ? "comedi" : " and comedi";
  if (missing.empty()) return {kCheck, Verdict::kGood, "usb_device and comedi are known", ""};
  return {
      kCheck, Verdict::kAdvice,
      fmt::format("the kernel does not know {}: a service that is started now gets no access to "
                  "such a device until it is restarted",
                  missing),
      "modprobe usbcore; modprobe comedi; systemctl restart hapticd (the package's "
      "modules-load.d file does at boot)"};
}

}  // namespace

void check_devices(const MachineTree& machine, std::vector<Finding>& findings) {
  for (const auto check : {autosuspend, access, drivers}) findings.push_back(check(machine));
}

}  // namespace haptic
