#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace haptic {

/// The files that describe a machine in /proc, /sys, /dev and /etc, below a root folder: "/" for
/// this machine, the root of a disk image, or a synthetic tree in a test. Read only.
class MachineTree {
 public:
  explicit MachineTree(std::filesystem::path root) : root_(std::move(root)) {}

  /// The place of `path`, e.g. "/proc/version", below the root.
  std::filesystem::path at(std::string_view path) const;
  bool has(std::string_view path) const;
  /// First line without its end; nothing if the file is absent or may not be read.
  std::optional<std::string> line(std::string_view path) const;
  std::vector<std::string> lines(std::string_view path) const;  ///< empty if absent or unreadable
  std::optional<long long> number(std::string_view path) const;
  /// Names in a folder, sorted (numbers by value); empty if it is absent.
  std::vector<std::string> names(std::string_view folder) const;

  /// Number of a group of /etc/group; nothing if there is none of the name.
  std::optional<std::uint32_t> group(std::string_view name) const;

 private:
  std::filesystem::path root_;
};

}  // namespace haptic
