#include "shared/ipc/pulse.h"

#include <unistd.h>

#include <cmath>

#include "shared/error.h"
#include "shared/ipc/run_folder.h"

namespace haptic {

PulseWriter::PulseWriter(const std::string& daemon_name, std::uint64_t instance, double rate_hz)
    : segment_(
          SharedSegment::create(own_run_file(daemon_name, "pulse"), sizeof(PulseRecord), "haptic")),
      record_(reinterpret_cast<PulseRecord*>(segment_.data())) {
  PulseRecord record{};
  record.version = PulseRecord::kVersion;
  record.instance = instance;
  record.daemon_pid = getpid();
  record.rate_hz = rate_hz;
  store_words(record_, &record, sizeof(record));
  store_word(record_->magic, PulseRecord::kMagic, std::memory_order_release);
}

PulseWriter::~PulseWriter() {
  store_word(record_->closed, 1, std::memory_order_release);
  segment_.unlink();
}

PulseReader::PulseReader(const std::string& daemon_name)
    : segment_([&] {
        try {
          // This user's daemons alone: the reader may come to end the process.
          return SharedSegment::open(find_own_run_file(daemon_name, "pulse", has_live_creator));
        } catch (const OperationError& error) {
          throw OperationError("no hapticd runs under the name \"" + daemon_name + "\" (" +
                               error.what() + ")");
        }
      }()) {
  const std::string name = "the pulse of \"" + daemon_name + "\"";
  if (segment_.size() < sizeof(PulseRecord)) {
    throw InputError(name, "", "found " + std::to_string(segment_.size()) + " bytes",
                     "a daemon's pulse");
  }
  const std::uint64_t magic = load_word(shared().magic, std::memory_order_acquire);
  if (magic == 0) throw OperationError("hapticd \"" + daemon_name + "\" is just starting");
  load_words(&fixed_, &shared(), sizeof(fixed_));
  if (magic != PulseRecord::kMagic || fixed_.version != PulseRecord::kVersion) {
    throw InputError(name, "", "found foreign content or another layout",
                     "hapticd and hapticd-guard of one release");
  }
  if (!(fixed_.rate_hz > 0.0 && std::isfinite(fixed_.rate_hz)) || fixed_.daemon_pid <= 0 ||
      fixed_.daemon_pid > 0x7fffffff) {
    throw InputError(name, "", "found an impossible rate or process", "a daemon's pulse");
  }
}

}  // namespace haptic
