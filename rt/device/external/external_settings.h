#pragma once

#include <string>

#include "rt/device/device.h"
#include "rt/device/device_manifest.h"

namespace haptic {

/// A device that an adapter process drives, as its manifest (kind "external") describes it.
struct ExternalSettings {
  std::string name;
  std::string source;             ///< the manifest's file, for errors
  std::string link;               ///< name of the socket: device.LINK.link
  std::string adapter_user;       ///< may run the adapter, besides the daemon's user; empty: nobody
  double max_age_s = 0.01;        ///< oldest pose of a driven device
  double zero_after_s = 0.01;     ///< without a beat of the daemon the adapter applies zero
  bool end_hung_adapter = false;  ///< SIGKILL for an adapter that keeps a force and does not answer
  int freedoms = 6;               ///< sensed: 3 or 6
  double max_force = 0.0;         ///< N
  double max_torque = 0.0;        ///< N·m; 0: actuates a force only
  double max_stiffness = 0.0;     ///< N/m at 1 kHz
  double workspace_radius = 0.0;  ///< m
  double resolution = 0.0;        ///< m; 0: not known
  int enable_button = -1;
  DeviceLimits limits;
};

/// @throws InputError for a key that is missing, unknown or out of range
ExternalSettings read_external(const DeviceManifest& manifest);

}  // namespace haptic
