#include "shared/memory/mapping_guard.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <utility>

#include "shared/memory/fault_signals.h"

namespace haptic {
namespace {

constexpr std::uintptr_t kFree = 0, kBeingMade = 1;

struct Slot {
  std::atomic<std::uintptr_t> begin{kFree};
  std::atomic<std::size_t> size{0};
  std::atomic<const std::string*> line{nullptr};
};
static_assert(std::atomic<std::uintptr_t>::is_always_lock_free);

std::array<Slot, MappingGuard::kMax> slots;
struct sigaction before {};
std::uintptr_t page = 4096;

/// Maps zeros from the page of the address to the end of its mapping, or exits with the mapping's
/// error line. @returns whether the address lies in a guarded mapping
bool replace(std::uintptr_t address) {
  for (const Slot& slot : slots) {
    const std::uintptr_t begin = slot.begin.load(std::memory_order_acquire);
    const std::size_t size = slot.size.load(std::memory_order_acquire);
    if (begin <= kBeingMade || address < begin || address - begin >= size) continue;
    const std::string* const line = slot.line.load(std::memory_order_acquire);
    if (line != nullptr) end_for_bad_input(*line);
    const std::uintptr_t first = address / page * page;
    const int error = errno;
    const void* const zeros =
        mmap(reinterpret_cast<void*>(first), begin + size - first, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    errno = error;
    return zeros != MAP_FAILED;
  }
  return false;
}

void on_bus_error(int number, siginfo_t* info, void* context) {
  const bool by_access = info->si_code == BUS_ADRERR;
  if (by_access && replace(reinterpret_cast<std::uintptr_t>(info->si_addr))) return;
  pass_signal_on(before, number, info, context);
}

void install() {
  page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, &before);
}

}  // namespace

MappingGuard::MappingGuard(void* data, std::size_t size, const std::string* line) {
  [[maybe_unused]] static const bool installed = (install(), true);
  for (int i = 0; i < kMax; ++i) {
    std::uintptr_t expected = kFree;
    Slot& slot = slots[static_cast<std::size_t>(i)];
    if (!slot.begin.compare_exchange_strong(expected, kBeingMade)) continue;
    slot.size.store(size, std::memory_order_release);
    slot.line.store(line, std::memory_order_release);
    slot.begin.store(reinterpret_cast<std::uintptr_t>(data), std::memory_order_release);
    slot_ = i;
    return;
  }
}

MappingGuard::MappingGuard(MappingGuard&& other) noexcept : slot_(std::exchange(other.slot_, -1)) {}

MappingGuard& MappingGuard::operator=(MappingGuard&& other) noexcept {
  std::swap(slot_, other.slot_);
  return *this;
}

MappingGuard::~MappingGuard() {
  if (slot_ < 0) return;
  slots[static_cast<std::size_t>(slot_)].begin.store(kFree, std::memory_order_release);
}

}  // namespace haptic
