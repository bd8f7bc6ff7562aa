// A black box as every reader of logs opens it: a good one with numbers changed in its header, its
// telemetry and its texts, cut off, with the checksums of before or with matching ones. It is
// refused in one line, or everything in it can be read.
//
// Input: [how][edits of 14 bytes: where, how, offset (4), value (8)]...[length, if cut off]; bits
// of the first byte: 1 matching checksums, 2 cut off.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "host/log/black_box.h"
#include "shared/error.h"
#include "shared/ipc/telemetry_plan.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/host/log/written_box.h"

namespace haptic {
namespace {

const std::string& good_box() {
  static const std::string bytes = [] {
    const std::string name = "fuzz-box-" + std::to_string(getpid());
    TelemetryWriter writer(name, description_of_box());
    publish_box(writer);
    return box_of(TelemetryReader(name), "rate_hz = 1000\n", "kind = \"falcon\"\n");
  }();
  return bytes;
}

struct Region {
  std::size_t begin, size;
};

std::vector<Region> regions() {
  BlackBoxHeader header;
  std::memcpy(&header, good_box().data(), sizeof header);
  TelemetryHeader telemetry;
  const std::size_t at = sizeof header;
  std::memcpy(&telemetry, good_box().data() + at, sizeof telemetry);
  return {{0, sizeof header},
          {offsetof(BlackBoxHeader, telemetry), 3 * sizeof(BlackBoxHeader::Part)},
          {at, sizeof telemetry},
          {at + offsetof(TelemetryHeader, body_count), 128},
          {at + telemetry.bodies_offset, sizeof(BodyRecord)},
          {at + telemetry.blocks_offset, 2 * sizeof(BlockRecord)},
          {at + telemetry.parameters_offset, sizeof(ParameterRecord)},
          {at + telemetry.events_offset, 8 + 3 * (8 + sizeof(EventRecord))},
          {at + telemetry.ring_offset, 4 * telemetry.ring_stride},
          {at + telemetry.display_offset, 64 + telemetry.display_stride},
          {at + header.telemetry.size, header.scene.size + header.manifest.size},
          {0, good_box().size()}};
}

/// A number in place: set, added to, or one bit of it turned.
void apply(const std::uint8_t* edit, std::string& box) {
  static const std::vector<Region> all = regions();
  std::uint32_t offset = 0;
  std::uint64_t value = 0, number = 0;
  std::memcpy(&offset, edit + 2, 4);
  std::memcpy(&value, edit + 6, 8);
  const Region region = all[edit[0] % all.size()];
  const std::size_t width = std::size_t{1} << (edit[1] & 3);
  const std::size_t at = region.begin + offset % region.size / width * width;
  if (at + width > box.size()) return;
  std::memcpy(&number, box.data() + at, width);
  const unsigned how = edit[1] >> 2 & 3;
  if (how == 0) number = value;
  if (how == 1) number += value;
  if (how > 1) number ^= std::uint64_t{1} << (value & 63);
  std::memcpy(box.data() + at, &number, width);
}

/// Gives every part that lies in the file its checksum.
void seal(std::string& box) {
  if (box.size() < sizeof(BlackBoxHeader)) return;
  BlackBoxHeader header;
  std::memcpy(&header, box.data(), sizeof header);
  std::span<const std::byte> rest = std::as_bytes(std::span(box)).subspan(sizeof header);
  for (BlackBoxHeader::Part* part : {&header.telemetry, &header.scene, &header.manifest}) {
    const auto bytes = rest.first(std::min<std::uint64_t>(part->size, rest.size()));
    part->checksum = black_box_checksum(bytes);
    rest = rest.subspan(bytes.size());
  }
  header.checksum = header_checksum(header);
  std::memcpy(box.data(), &header, sizeof header);
}

void walk(BlackBox& box) {
  TelemetryReader& telemetry = box.telemetry;
  std::uint64_t samples = 0;
  for (TelemetrySample sample; telemetry.next(sample); ++samples) {
    demand(sample.state.size() == telemetry.state().cycle_values(), "a sample has every value");
  }
  demand(samples <= kMaxRingCapacity, "a ring is bounded");
  demand(telemetry.events().size() <= kEventCapacity, "events are bounded");
  DisplaySnapshot display;
  if (telemetry.display(display)) {
    demand(display.state.size() == telemetry.state().display_values(), "a snapshot is whole");
  }
  demand(telemetry.parameters().size() <= kMaxParameters, "parameters are bounded");
  demand(telemetry.life() == DaemonLife::kClosed, "a copy's daemon has ended");
  static_cast<void>(telemetry.statistics());
  static_cast<void>(telemetry.holder());
}

}  // namespace
}  // namespace haptic

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace haptic;
  constexpr std::size_t kEdit = 14;
  if (size < 1) return 0;
  std::string bytes = good_box();
  std::size_t at = 1;
  for (; at + kEdit <= size; at += kEdit) apply(data + at, bytes);
  if ((data[0] & 2) != 0 && at < size) bytes.resize(bytes.size() * data[at] / 256);
  if ((data[0] & 1) != 0) seal(bytes);
  try {
    // On the heap without room behind it: the sanitizer notices a read beyond the end.
    const std::vector<std::byte> exact(std::as_bytes(std::span(bytes)).begin(),
                                       std::as_bytes(std::span(bytes)).end());
    BlackBox box = parse_black_box(exact, "box");
    walk(box);
  } catch (const InputError& error) {
    const std::string_view line = error.what();
    demand(line.starts_with("box: "), "a refusal names the file");
    demand(line.find('\n') == std::string_view::npos, "a refusal is one line");
  }
  return 0;
}
