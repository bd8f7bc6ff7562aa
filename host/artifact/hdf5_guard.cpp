#include "host/artifact/hdf5_guard.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <utility>

#include "shared/error.h"
#include "shared/memory/fault_signals.h"
#include "shared/memory/file_descriptor.h"
#include "shared/printable.h"

namespace haptic {
namespace {

constexpr std::array kFaults = {SIGSEGV, SIGFPE, SIGABRT};
std::array<struct sigaction, kFaults.size()> before;

/// What the thread says of the file that it reads; null outside of HDF5.
thread_local const std::string* line = nullptr;

void on_fault(int number, siginfo_t* info, void* context) {
  if (line == nullptr) {
    std::size_t i = 0;
    while (kFaults[i] != number) ++i;
    return pass_signal_on(before[i], number, info, context);
  }
  end_for_bad_input(*line);
}

void install() {
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  for (std::size_t i = 0; i < kFaults.size(); ++i) sigaction(kFaults[i], &action, &before[i]);
}

/// Memory of this process that RLIMIT_DATA counts, or slightly more, in bytes; 0 if it is unknown.
/// Source: proc(5)
std::uint64_t data_memory() {
  const FileDescriptor file(::open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
  std::array<char, 128> text{};
  if (file.get() < 0 || ::read(file.get(), text.data(), text.size() - 1) <= 0) return 0;
  std::uint64_t pages = 0;
  const bool is_read = std::sscanf(text.data(), "%*u %*u %*u %*u %*u %" SCNu64, &pages) == 1;
  return is_read ? pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace

Hdf5Guard::Hdf5Guard(const std::string& text) {
  [[maybe_unused]] static const bool installed = (install(), true);
  outer_ = std::exchange(line, &text);
  const std::uint64_t now = outer_ == nullptr ? data_memory() : 0;
  if (now == 0 || getrlimit(RLIMIT_DATA, &before_) != 0) return;
  rlimit bounded = before_;
  bounded.rlim_cur = std::min<rlim_t>(before_.rlim_cur, now + kMemory);
  is_bounded_ = setrlimit(RLIMIT_DATA, &bounded) == 0;
}

Hdf5Guard::~Hdf5Guard() {
  line = outer_;
  if (is_bounded_) setrlimit(RLIMIT_DATA, &before_);
}

std::string line_of_damage(const std::string& path, const std::string& object,
                           const std::string& expected) {
  const InputError error(path, object, "damaged: HDF5 crashed on what the file describes",
                         expected);
  return printable(error.what());
}

}  // namespace haptic
