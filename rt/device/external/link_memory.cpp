#include "rt/device/external/link_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "shared/error.h"

namespace haptic {
namespace {

[[noreturn]] void fail(const std::string& name, const char* step, int descriptor) {
  const std::string why = std::strerror(errno);
  if (descriptor >= 0) close(descriptor);
  throw OperationError("memory of link \"" + name + "\": cannot be " + step + ": " + why);
}

}  // namespace

LinkMemory::LinkMemory(const std::string& name, std::int64_t wrench_max_age_ns)
    : wrench_max_age_ns_(wrench_max_age_ns) {
  constexpr std::size_t kSize = sizeof(haptic_link_memory);
  descriptor_ = memfd_create(("hapticd-link-" + name).c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor_ < 0) fail(name, "created", -1);
  // fallocate reserves the pages now: a full memory is an error here and not a SIGBUS in the loop.
  if (ftruncate(descriptor_, kSize) != 0 || fallocate(descriptor_, 0, 0, kSize) != 0) {
    fail(name, "reserved", descriptor_);
  }
  if (fcntl(descriptor_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    fail(name, "sealed", descriptor_);
  }
  void* data =
      mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor_, 0);
  if (data == MAP_FAILED) fail(name, "mapped", descriptor_);
  memory_ = static_cast<haptic_link_memory*>(data);
  identify();
}

void LinkMemory::identify() {
  const auto write = [](auto& word, auto value) {
    __atomic_store_n(&word, value, __ATOMIC_RELEASE);
  };
  write(memory_->version, HAPTIC_LINK_VERSION);
  write(memory_->size, std::uint64_t{sizeof(haptic_link_memory)});
  write(memory_->layout, haptic_link_layout());
  write(memory_->wrench_max_age_ns, wrench_max_age_ns_);
  write(memory_->magic, HAPTIC_LINK_MAGIC);
}

LinkMemory::~LinkMemory() {
  munmap(memory_, sizeof(haptic_link_memory));
  close(descriptor_);
}

}  // namespace haptic
