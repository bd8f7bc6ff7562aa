#include "host/artifact/hdf5_crash.h"

#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "shared/error.h"
#include "shared/memory/signal_chain.h"
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
  const auto part = [](const char* text, std::size_t size) {
    return iovec{const_cast<char*>(text), size};
  };
  const iovec parts[] = {
      part(program_invocation_short_name, std::strlen(program_invocation_short_name)),
      part(": ", 2), part(line->data(), line->size()), part("\n", 1)};
  static_cast<void>(!writev(STDERR_FILENO, parts, std::size(parts)));
  _exit(kExitBadInput);
}

void install() {
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  for (std::size_t i = 0; i < kFaults.size(); ++i) sigaction(kFaults[i], &action, &before[i]);
}

}  // namespace

Hdf5Crash::Hdf5Crash(const std::string& text) {
  [[maybe_unused]] static const bool installed = (install(), true);
  outer_ = std::exchange(line, &text);
}

Hdf5Crash::~Hdf5Crash() {
  line = outer_;
}

std::string line_of_crash(const std::string& path, const std::string& object,
                          const std::string& expected) {
  const InputError error(path, object, "damaged: HDF5 crashed on what the file describes",
                         expected);
  return printable(error.what());
}

}  // namespace haptic
