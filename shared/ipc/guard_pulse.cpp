#include "shared/ipc/guard_pulse.h"

#include <unistd.h>

#include <filesystem>
#include <utility>

#include "shared/error.h"
#include "shared/ipc/run_folder.h"
#include "shared/printable.h"

namespace haptic {
namespace {

std::filesystem::path path_of(const std::string& daemon_name) {
  return find_own_run_file(daemon_name, "guard-pulse", has_live_creator);
}

}  // namespace

GuardPulseWriter::GuardPulseWriter(const std::string& daemon_name, std::uint64_t device)
    : daemon_name_(daemon_name),
      device_(device),
      segment_(SharedSegment::create(own_run_file(daemon_name, "guard-pulse"), sizeof(GuardRecord),
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

bool GuardPulseWriter::keep() {
  if (segment_.can_be_opened()) return false;
  GuardPulseWriter again(daemon_name_, device_);
  std::swap(segment_, again.segment_);
  std::swap(record_, again.record_);
  return true;
}

void GuardPulseWriter::reach(bool reaches, std::string_view proof) {
  if (!reaches) store_word(record_->reaches, 0, std::memory_order_release);
  char text[GuardRecord::kProofLength] = {};
  proof.copy(text, sizeof text - 1);
  const std::uint64_t before = load_word(record_->sequence);
  seqlock_begin(record_->sequence, before + 1);
  store_words(record_->proof, text, sizeof text);
  seqlock_end(record_->sequence, before + 2);
  if (reaches) store_word(record_->reaches, 1, std::memory_order_release);
}

bool GuardPulseReader::is_there(const std::string& daemon_name) {
  return access(path_of(daemon_name).c_str(), F_OK) == 0;
}

GuardPulseReader::GuardPulseReader(const std::string& daemon_name)
    : GuardPulseReader(daemon_name, path_of(daemon_name)) {}

GuardPulseReader::GuardPulseReader(const std::string& daemon_name,
                                   const std::filesystem::path& path)
    : segment_(SharedSegment::open(path)) {
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

std::string GuardPulseReader::proof() const {
  char text[GuardRecord::kProofLength] = {};
  for (int attempt = 0; attempt < 1000; ++attempt) {
    const std::uint64_t before = seqlock_read_begin(shared().sequence);
    load_words(text, shared().proof, sizeof text);
    if (before % 2 == 0 && seqlock_read_holds(shared().sequence, before)) break;
  }
  text[sizeof text - 1] = '\0';
  return printable(text);
}

}  // namespace haptic
