#include "rt/servo/black_box.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "rt/servo/black_box_files.h"
#include "shared/ipc/black_box_layout.h"
#include "shared/ipc/record_fields.h"

namespace haptic {
namespace {

template <std::size_t N>
void copy_text(char (&field)[N], std::string_view text) {
  text.copy(field, N - 1);
}

/// Sets kind, first cycle and date of the newest fault in the ring.
void find_fault(BlackBoxHeader& header, TelemetryReader& telemetry) {
  const TelemetryHeader& from = telemetry.header();
  telemetry.rewind_to_oldest();
  FaultKind before = FaultKind::kNone;
  for (TelemetrySample sample; telemetry.next(sample);) {
    const SampleRecord& record = sample.record;
    if (record.fault != FaultKind::kNone && before == FaultKind::kNone) {
      header.fault = record.fault;
      header.fault_cycle = record.cycle;
      header.date_ns = from.start_realtime_ns + record.time_ns - from.start_monotonic_ns;
    }
    before = record.fault;
  }
}

BlackBoxHeader::Part part_of(std::span<const std::byte> bytes) {
  return {bytes.size(), black_box_checksum(bytes)};
}

}  // namespace

std::filesystem::path write_black_box(const std::filesystem::path& folder,
                                      const std::string& daemon_name, TelemetryReader& telemetry,
                                      const BlackBoxTexts& texts) {
  BlackBoxHeader header{};
  header.magic = BlackBoxHeader::kMagic;
  header.version = BlackBoxHeader::kVersion;
  header.header_size = sizeof header;
  header.layout_hash = kTelemetryLayoutHash;
  copy_text(header.daemon_version, telemetry.header().daemon_version);
  header.date_ns = telemetry.header().start_realtime_ns;
  find_fault(header, telemetry);
  utsname machine{};
  if (uname(&machine) == 0) {
    copy_text(header.host, machine.nodename);
    copy_text(header.kernel,
              fmt::format("{} {} {}", machine.sysname, machine.release, machine.version));
  }
  const std::vector<std::uint64_t> copied = telemetry.copy();
  const std::span<const std::byte> parts[] = {std::as_bytes(std::span(copied)),
                                              std::as_bytes(std::span(texts.scene)),
                                              std::as_bytes(std::span(texts.manifest))};
  header.telemetry = part_of(parts[0]);
  header.scene = part_of(parts[1]);
  header.manifest = part_of(parts[2]);
  header.number = next_black_box_number(folder, daemon_name);
  header.checksum = header_checksum(header);
  const std::string fault = fmt::format("{}-cycle{}", name(header.fault), header.fault_cycle);
  return keep_black_box(folder, daemon_name, fault,
                        {std::as_bytes(std::span(&header, 1)), parts[0], parts[1], parts[2]});
}

}  // namespace haptic
