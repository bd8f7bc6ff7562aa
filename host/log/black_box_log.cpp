#include "host/log/black_box_log.h"

#include "host/log/log_writer.h"

namespace haptic {
namespace {

LogDescription describe(const BlackBox& box) {
  LogDescription description = describe_daemon(box.telemetry);
  description.session = session_of(box);
  return description;
}

void append(BlackBox& box, LogWriter& writer) {
  TelemetryReader& telemetry = box.telemetry;
  telemetry.rewind_to_oldest();
  TelemetrySample sample;
  while (telemetry.next(sample)) writer.append(sample.record, sample.state);
  for (const EventRecord& event : telemetry.events()) writer.append_event(event);
  // A snapshot newer than the last row is left out.
  DisplaySnapshot display;
  if (telemetry.display(display) && sample.record.cycle >= display.last_cycle) {
    writer.append_display(display);
  }
  writer.add_lost(telemetry.lost());
}

}  // namespace

RecordedFile record_black_box(const std::filesystem::path& box, const std::filesystem::path& path,
                              ExistingLog existing) {
  BlackBox read = read_black_box(box);
  const OutputClaim claim = claim_log(path, existing);
  LogWriter writer(claim, describe(read), LogWriter::Readable::kWhenFinished);
  append(read, writer);
  RecordedFile file;
  file.path = claim.target();
  file.rows = writer.rows();
  file.lost = read.telemetry.lost();
  writer.finish();
  return file;
}

Hdf5Handle log_of(BlackBox& box, const std::filesystem::path& path) {
  LogWriter writer(path, describe(box), LogWriter::Readable::kInMemory);
  append(box, writer);
  return writer.finish_in_memory();
}

Hdf5Handle open_black_box(const std::filesystem::path& box) {
  BlackBox read = read_black_box(box);
  return log_of(read, box);
}

}  // namespace haptic
