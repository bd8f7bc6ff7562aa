#include "shared/ipc/guard_pulse.h"

#include <unistd.h>

#include <filesystem>

#include "shared/error.h"
#include "shared/ipc/run_folder.h"

namespace haptic {
namespace {

std::filesystem::path path_of(const std::string& daemon_name) {
  return find_own_run_file(daemon_name, "guard-pulse", has_live_creator);
}

}  // namespace

GuardPulseWriter::GuardPulseWriter(const std::string& daemon_name, std::uint64_t device)
    : segment_(SharedSegment::create(own_run_file(daemon_name, "guard-pulse"), sizeof(GuardRecord),
                                     "haptic")),
      record_(reinterpret_cast<GuardRecord*>(segment_.data())) {
  GuardRecord record{};
  record.version = GuardRecord::kVersion;
  record.guard_pid = getpid();
  record.device = device;
  store_words(record_, &record, sizeof record);
  store_word(record_->magic, GuardRecord::kMagic, std::memory_order_release);
}

GuardPulseWriter::~GuardPulseWriter() {
  segment_.unlink();
}

bool GuardPulseReader::is_there(const std::string& daemon_name) {
  return access(path_of(daemon_name).c_str(), F_OK) == 0;
}

GuardPulseReader::GuardPulseReader(const std::string& daemon_name)
    : segment_(SharedSegment::open(path_of(daemon_name))) {
  if (segment_.size() < sizeof(GuardRecord)) {
    throw InputError("the guard's pulse", "", "found " + std::to_string(segment_.size()) + " bytes",
                     "a guard's pulse");
  }
  const std::uint64_t magic = load_word(shared().magic, std::memory_order_acquire);
  if (magic == 0) throw OperationError("the guard of \"" + daemon_name + "\" is just starting");
  load_words(&fixed_, &shared(), sizeof fixed_);
  if (magic != GuardRecord::kMagic || fixed_.version != GuardRecord::kVersion) {
    throw InputError("the guard's pulse", "", "found foreign content or another layout",
                     "hapticd and hapticd-guard of one release");
  }
}

}  // namespace haptic
