#include "rt/hapticd/mailbox_guard.h"

#include <signal.h>
#include <sys/mman.h>

#include <cstdint>

namespace haptic {
namespace {

std::uintptr_t mailbox_begin = 0;
std::uintptr_t mailbox_end = 0;

void heal(int signal, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  if (address >= mailbox_begin && address < mailbox_end) {
    void* page = reinterpret_cast<void*>(address & ~std::uintptr_t{4095});
    if (mmap(page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
        MAP_FAILED) {
      return;
    }
  }
  struct sigaction fallback {};
  fallback.sa_handler = SIG_DFL;
  sigaction(signal, &fallback, nullptr);  // the access is repeated and now takes its course
}

}  // namespace

void guard_mailbox(void* begin, unsigned long length) {
  mailbox_begin = reinterpret_cast<std::uintptr_t>(begin);
  mailbox_end = mailbox_begin + length;
  struct sigaction action {};
  action.sa_sigaction = heal;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace haptic
