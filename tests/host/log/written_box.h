#pragma once

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "shared/ipc/black_box_layout.h"
#include "shared/ipc/record_fields.h"
#include "shared/ipc/telemetry_reader.h"
#include "shared/ipc/telemetry_writer.h"

namespace haptic {

/// What a daemon of a small world has published: 300 cycles in a ring of 256, three events, a
/// display snapshot.
inline TelemetryDescription description_of_box() {
  TelemetryDescription description;
  description.ring_seconds = 0.25;
  description.version = "1.2.3";
  description.device = "falcon";
  description.scene_path = "/scenes/a.toml";
  description.state = StateLayout({{.name = "bodies/pose",
                                    .unit = "m and 1",
                                    .meaning = "poses",
                                    .shape = {1, 7},
                                    .display = StateDisplay::kPose},
                                   {.name = "cloth",
                                    .unit = "m",
                                    .meaning = "vertices",
                                    .shape = {2, 3},
                                    .display = StateDisplay::kVertices,
                                    .rate = StateRate::kDisplay}});
  description.bodies = {make_body_record("spoon", "/models/spoon.h5", 0xabcd, 0, 0, true)};
  description.parameters = {make_parameter_record("coupling.stiffness", 0.0, 1e3, 400.0)};
  return description;
}

inline void publish_box(TelemetryWriter& writer) {
  const std::vector<double> vertices = {0.5, 1.5, 2.5, 3.5, 4.5, 5.5};
  const std::span<const double> blocks[] = {vertices};
  for (std::uint64_t cycle = 0; cycle < 300; ++cycle) {
    SampleRecord sample{};
    sample.cycle = cycle;
    sample.state = cycle < 250 ? ServoState::kEngaged : ServoState::kFault;
    sample.fault = cycle < 250 ? FaultKind::kNone : FaultKind::kSpeedLimit;
    sample.contact_wrench.force_N[1] = 0.125 * static_cast<double>(cycle);
    sample.total_ns = 40'000;
    const double pose[] = {0.0, static_cast<double>(cycle), 0.0, 1.0, 0.0, 0.0, 0.0};
    writer.publish(sample, pose);
    writer.publish_display(cycle, blocks);
  }
  for (const double value : {1.0, 2.0, 3.0}) {
    EventRecord event{};
    event.kind = EventKind::kCommand;
    event.command = CommandKind::kSet;
    event.value = value;
    std::strcpy(event.key, "coupling.stiffness");
    writer.publish_event(event);
  }
}

/// Bytes of a black box of that telemetry.
inline std::string box_of(const TelemetryReader& telemetry, const std::string& scene,
                          const std::string& manifest) {
  const std::vector<std::uint64_t> words = telemetry.copy();
  const auto part = [](std::span<const std::byte> bytes) {
    return BlackBoxHeader::Part{bytes.size(), black_box_checksum(bytes)};
  };
  BlackBoxHeader header{};
  header.magic = BlackBoxHeader::kMagic;
  header.version = BlackBoxHeader::kVersion;
  header.header_size = sizeof header;
  header.layout_hash = kTelemetryLayoutHash;
  std::strcpy(header.daemon_version, "1.2.3");
  std::strcpy(header.host, "lab");
  header.telemetry = part(std::as_bytes(std::span(words)));
  header.scene = part(std::as_bytes(std::span(scene)));
  header.manifest = part(std::as_bytes(std::span(manifest)));
  header.checksum = header_checksum(header);
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes.append(reinterpret_cast<const char*>(words.data()), words.size() * 8);
  return bytes + scene + manifest;
}

inline void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace haptic
