#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "shared/config/toml_reader.h"

namespace haptic {

/// Description of a device in a TOML file (docs/devices.md): the keys common to every kind, and the
/// table from which the kind's reader reads the others.
///
///   kind = "falcon" | "comedi-arm" | "external" | "simulated" | "replay"
///   name = "novint-falcon"            # what scenes, --device and telemetry call it
///   description = "..."               # one line for `haptic devices`
struct DeviceManifest {
  std::filesystem::path file;  ///< absolute
  std::string kind;
  std::string name;         ///< 1 to 48 of a-z 0-9 -, first a letter
  std::string description;  ///< may be empty
  TomlTable table;          ///< the file's root; the kind's reader ends with table.finish()
  std::string text{};       ///< the file as read
};

/// Whether devices of this kind have motors; these can be engaged only with a guard.
bool has_motors(std::string_view kind);

/// Reads a manifest's common keys.
/// @throws InputError if the file cannot be read, is not TOML, or a common key is wrong
DeviceManifest load_manifest(const std::filesystem::path& path);

/// The same for a text. @param source  names the file; relative paths start in its folder
DeviceManifest parse_manifest(std::string text, const std::filesystem::path& source);

/// Where manifests are looked for, in this order: /etc/hapticd/devices (the administrator's),
/// /usr/share/hapticd/firmware-config (the package's), and firmware-config next to or above the
/// running program (a build tree's).
std::vector<std::filesystem::path> manifest_folders();

/// Every `*.toml` in `folders`, sorted by name within a folder; of two with one file name, the
/// first folder's.
std::vector<std::filesystem::path> list_manifests(
    const std::vector<std::filesystem::path>& folders = manifest_folders());

/// The manifest for `name`: the path itself (if it has a '/' or ends in ".toml"), else
/// NAME.toml in the first of `folders` that has it.
/// @throws InputError listing the folders and the nearest name if there is none
std::filesystem::path find_manifest(
    std::string_view name, const std::vector<std::filesystem::path>& folders = manifest_folders());

}  // namespace haptic
