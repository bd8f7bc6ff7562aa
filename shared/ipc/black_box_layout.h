#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "shared/ipc/telemetry_layout.h"

/// The file of a black box (docs/logs.md, "Black boxes"). In this order, without gaps:
///
///   BlackBoxHeader | copy of the telemetry segment (TelemetryReader::copy) | text of the scene
///   | text of the device's manifest
namespace haptic {

struct BlackBoxHeader {
  static constexpr std::uint64_t kMagic = 0x31584F425041487F;  // "\x7fHAPBOX1"
  static constexpr std::uint32_t kVersion = 1;

  /// One of the parts after the header.
  struct Part {
    std::uint64_t size;      ///< bytes
    std::uint64_t checksum;  ///< black_box_checksum of them
  };

  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t header_size;
  std::uint64_t layout_hash;  ///< kTelemetryLayoutHash of the writer
  char daemon_version[32];    ///< of the writer, zero-terminated
  Part telemetry, scene, manifest;
  std::int64_t date_ns;  ///< CLOCK_REALTIME of the fault's first cycle
  std::uint64_t fault_cycle;
  FaultKind fault;
  std::uint32_t number;        ///< larger than that of the earlier ones (next_black_box_number)
  char host[72], kernel[256];  ///< zero-terminated
  std::uint64_t checksum;      ///< black_box_checksum of the header before it
};

static_assert(SharedPlain<BlackBoxHeader>);
static_assert(offsetof(BlackBoxHeader, checksum) + 8 == sizeof(BlackBoxHeader));

/// FNV-1a of 64-bit words, the last one filled with zeros: a changed word changes it.
inline std::uint64_t black_box_checksum(std::span<const std::byte> bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, at + 8 <= bytes.size() ? 8 : bytes.size() - at);
    hash = (hash ^ word) * 0x100000001b3;
  }
  return hash;
}

/// Of a header whose other fields are set.
inline std::uint64_t header_checksum(const BlackBoxHeader& header) {
  return black_box_checksum(
      std::as_bytes(std::span(&header, 1)).first(offsetof(BlackBoxHeader, checksum)));
}

}  // namespace haptic
