#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shared/artifact/sections.h"
#include "shared/memory/mapped_file.h"
#include "shared/memory/sealed_memory.h"

namespace haptic {

/// A section of a mapped model file: checked, typed, read-only.
struct Section {
  std::string name;
  ElementType type;
  std::vector<std::uint64_t> shape;  ///< row-major extents
  std::span<const std::byte> bytes;  ///< aligned to 4096 in the file and in memory
  std::uint64_t hash;                ///< XXH3-64 of the bytes
};

/// A model file in memory, read-only (docs/artifact.md), opened without HDF5.
///
/// Reads only the user block and the section bytes; every number is checked before use (magic,
/// version, length, alignment, overlap, overflow, known name and type, hashes, finite numbers,
/// indices). Immovable data: spans stay valid as long as the object.
class ModelFile {
 public:
  enum class Hashes { kCheck, kSkip };
  enum class Memory {
    kMap,     ///< a mapping of the file (MappedFile), which shows later changes of it
    kSealed,  ///< a private copy (SealedMemory), checked after it was made: no later change of
              ///< the file reaches it. What the loop runs on.
  };

  /// @throws InputError (file, section, found, expected) if anything is invalid, a file that
  ///         changes while it is read included; OperationError if the memory cannot be had
  explicit ModelFile(const std::filesystem::path& path, Hashes hashes = Hashes::kCheck,
                     Memory memory = Memory::kMap);

  const std::filesystem::path& path() const { return path_; }
  const std::vector<Section>& sections() const { return sections_; }
  /// Hash over all section names, shapes and data hashes: the identity of the content.
  std::uint64_t content_hash() const { return content_hash_; }

  bool has(std::string_view name) const;
  /// @throws InputError if the file lacks the section
  const Section& section(std::string_view name) const;

  /// Typed views. @throws InputError if absent or of another element type
  std::span<const float> floats(std::string_view name) const;
  std::span<const double> doubles(std::string_view name) const;
  std::span<const std::uint32_t> indices(std::string_view name) const;
  std::span<const std::uint8_t> bytes(std::string_view name) const;

  /// Number of reduced coordinates r; 0 for a rigid body.
  std::uint32_t reduced_dimension() const;
  /// Number of material groups G: 1 where the file names none.
  std::uint32_t material_groups() const;
  /// Bytes of a coefficient of the reduced energy in the loop: 8 or 4 (/reduced/storage).
  /// @throws InputError for any other number
  std::uint32_t coefficient_size() const;

 private:
  std::filesystem::path path_;
  std::vector<Section> sections_;
  std::uint64_t content_hash_ = 0;
  std::unique_ptr<const MappedFile> mapped_;  // null of a sealed copy
  std::optional<SealedMemory> sealed_;
};

}  // namespace haptic
