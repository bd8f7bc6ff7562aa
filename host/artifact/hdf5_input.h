#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "host/artifact/hdf5_dataset.h"
#include "host/artifact/hdf5_handle.h"

namespace haptic {

/// An HDF5 file that is read, whoever wrote it. All readers of logs, runs and models go through it:
/// it opens regular files only, follows no link that leaves the file, reads attributes that are one
/// number or one text, and datasets as Hdf5Dataset does. It takes no lock and respects none, so
/// that a file can be read whoever else has it open. Refusals are one line: file, object, found,
/// expected.
class Hdf5Input {
 public:
  static constexpr std::size_t kMaxAttributeLength = std::size_t{1} << 20;  ///< bytes of a text

  using Attribute = std::variant<double, std::string>;

  /// A file that its writer has closed.
  /// @param expected  what the file should be, for messages: "a log (haptic record)"
  /// @throws InputError if it is not a readable HDF5 file
  static Hdf5Input open(const std::filesystem::path& path, std::string expected);
  /// The same, or one that is being written, was cut off or whose writer was killed, in the format
  /// of HDF5's single writer, multiple readers.
  static Hdf5Input open_unfinished(const std::filesystem::path& path, std::string expected);
  /// An open file in memory; `path` is for messages.
  static Hdf5Input in_memory(Hdf5Handle file, const std::filesystem::path& path,
                             std::string expected);

  const std::filesystem::path& path() const { return path_; }
  /// Whether its writer closed it and nothing of it is missing.
  bool is_whole() const { return is_whole_; }
  /// Bytes that it should have and has not: it was cut off.
  std::uint64_t missing_bytes() const { return missing_bytes_; }

  /// Whether it has a group or dataset. @param name  from the root: "/samples/cycle"
  /// @throws InputError if there is a link to somewhere else on the way, or what would tell cannot
  ///         be read
  bool has(const std::string& name) const;
  /// Number of groups and datasets in a group. @throws InputError if it is missing or damaged
  std::uint64_t entries(const std::string& group) const;
  bool has_attribute(const std::string& object, const std::string& name) const;
  /// @throws InputError if the attribute is missing or not one number, one text
  double number(const std::string& object, const std::string& name) const;
  std::string text(const std::string& object, const std::string& name) const;
  /// Those of the named attributes that an object has and that are one number or one text, in the
  /// same order. HDF5 1.10 crashes where it lists the attributes of a damaged object, so the names
  /// must be known. @throws InputError if there is no such object or it is damaged
  std::vector<std::pair<std::string, Attribute>> attributes(
      const std::string& object, std::span<const std::string> names) const;

  /// @throws InputError if it is missing or is not as Hdf5Dataset demands
  const Hdf5Dataset& dataset(const std::string& name) const;

 private:
  Hdf5Input(std::filesystem::path path, std::string expected);
  void open_file(bool unfinished);
  [[noreturn]] void refuse_damaged(const std::string& name) const;
  Hdf5Handle object(const std::string& name) const;
  Attribute attribute(const std::string& object, const std::string& name,
                      std::string_view kind) const;

  std::filesystem::path path_;
  std::string expected_, damage_line_;
  Hdf5Handle file_;
  std::uint64_t size_ = 0;  ///< bytes
  std::uint64_t missing_bytes_ = 0;
  bool is_whole_ = true;
  mutable std::map<std::string, Hdf5Dataset> datasets_;  ///< that were asked for
};

}  // namespace haptic
