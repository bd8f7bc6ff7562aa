#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "shared/artifact/sections.h"

/// The flat index in the HDF5 user block of a model file: what the daemon reads instead of HDF5.
/// docs/artifact.md is the contract; all numbers are little-endian.
namespace haptic {

/// Length of the user block [bytes]: a power of two, at least 512 (HDF5) and a multiple of the
/// section alignment, so that HDF5's own alignment carries over to file offsets.
inline constexpr std::uint64_t kUserBlockSize = 16384;
inline constexpr std::uint64_t kSectionAlignment = 4096;

/// First byte not ASCII and a line end, so that text mode transfers are noticed.
inline constexpr std::array<char, 8> kModelMagic = {'\x89', 'H', 'A', 'P', 'T', 'I', 'C', '\n'};
inline constexpr std::uint32_t kByteOrderMark = 0x01020304;
/// Raised when a reader of the old version would misread the new file.
inline constexpr std::uint32_t kModelFormatVersion = 1;
inline constexpr std::size_t kSectionNameSize = 64;

#pragma pack(push, 1)
/// First 64 bytes of the file.
struct UserBlockHeader {
  std::array<char, 8> magic;
  std::uint32_t byte_order;     ///< kByteOrderMark as the writer's machine stores it
  std::uint32_t version;        ///< kModelFormatVersion
  std::uint64_t file_length;    ///< bytes
  std::uint32_t section_count;  ///< entries of the index
  std::uint32_t entry_size;     ///< sizeof(UserBlockEntry)
  std::uint64_t
      index_offset;  ///< from the start of the file; the index directly follows the header
  std::uint64_t index_length;  ///< section_count * entry_size
  std::uint64_t index_hash;    ///< XXH3-64 of the index
  std::uint64_t header_hash;   ///< XXH3-64 of the 56 bytes before it
};

/// One section of the index.
struct UserBlockEntry {
  std::array<char, kSectionNameSize> name;    ///< path, padded with zeros, at most 63 characters
  std::uint32_t type;                         ///< ElementType
  std::uint32_t rank;                         ///< 1..kMaxRank
  std::array<std::uint64_t, kMaxRank> shape;  ///< extents; zeros beyond the rank
  std::uint64_t offset;                       ///< from the start of the file, multiple of 4096
  std::uint64_t length;                       ///< bytes, product of the shape times element size
  std::uint64_t hash;                         ///< XXH3-64 of the bytes
};
#pragma pack(pop)

static_assert(sizeof(UserBlockHeader) == 64);
static_assert(offsetof(UserBlockHeader, header_hash) == 56);
static_assert(sizeof(UserBlockEntry) == 120);
static_assert(std::is_trivially_copyable_v<UserBlockHeader>);
static_assert(std::is_trivially_copyable_v<UserBlockEntry>);

inline constexpr std::uint64_t kMaxSections =
    (kUserBlockSize - sizeof(UserBlockHeader)) / sizeof(UserBlockEntry);
static_assert(kSections.size() <= kMaxSections);

}  // namespace haptic
