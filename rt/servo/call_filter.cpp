#include "rt/servo/call_filter.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "rt/servo/loop_watch.h"

namespace haptic {
namespace {

constexpr std::array kAllowed{
    AllowedCall{SYS_clock_nanosleep, "clock_nanosleep", "the wait for the next slot"},
    AllowedCall{SYS_restart_syscall, "restart_syscall", "the same wait after SIGSTOP and SIGCONT"},
    AllowedCall{SYS_clock_gettime, "clock_gettime", "time stamps where the vDSO has no clock"},
    AllowedCall{SYS_ioctl, "ioctl", "a comedi board's exchange"},
    AllowedCall{SYS_getrusage, "getrusage", "page faults and preemptions, eight times a second"},
    AllowedCall{SYS_futex, "futex", "the start and the end of the thread"},
    AllowedCall{SYS_rt_sigreturn, "rt_sigreturn", "return from a signal handler"},
    AllowedCall{SYS_rt_sigprocmask, "rt_sigprocmask", "the end of the thread"},
    AllowedCall{SYS_madvise, "madvise", "the end of the thread: its stack"},
    AllowedCall{SYS_munmap, "munmap", "the end of the thread: its stack"},
    AllowedCall{SYS_exit, "exit", "the end of the thread"},
    AllowedCall{SYS_exit_group, "exit_group", "the end of the process"},
    AllowedCall{SYS_mmap, "mmap", "zeros in the place of shared memory that was cut, only"},
};
// The last one, with these flags only (shared/memory/mapping_guard.cpp).
constexpr std::size_t kFree = kAllowed.size() - 1;
constexpr unsigned kReplacing = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;

void note(int, siginfo_t* info, void* context) {
  constexpr int kBySeccomp = 1;             // SYS_SECCOMP of <asm/siginfo.h>
  if (info->si_code != kBySeccomp) return;  // sent by another process: there was no call
  LoopWatch::note_forbidden_call(info->si_syscall);
  static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RAX] = -EPERM;
}

// The calls of a build's instrumentation are not known, so such builds have no filter.
#if defined(HAPTIC_CALL_FILTER)
std::array<sock_filter, 8 + kFree> program() {
  std::array<sock_filter, 8 + kFree> code{};
  std::size_t at = 0;
  const auto statement = [&](unsigned operation, unsigned value) {
    code[at++] = BPF_STMT(static_cast<unsigned short>(operation), value);
  };
  const auto skip_unless_equal = [&](unsigned value, std::size_t steps) {
    code[at++] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, static_cast<unsigned char>(steps));
  };
  statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
  skip_unless_equal(AUDIT_ARCH_X86_64, kFree + 4);  // to the trap: numbers mean nothing elsewhere
  statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
  for (std::size_t i = 0; i < kFree; ++i) {
    // If equal, jump over what remains and the trap to the instruction that allows the call.
    code[at++] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(kAllowed[i].number),
                          static_cast<unsigned char>(kFree - i + 3), 0);
  }
  skip_unless_equal(static_cast<unsigned>(kAllowed[kFree].number), 2);
  constexpr std::size_t kFlags = offsetof(seccomp_data, args) + 3 * sizeof(std::uint64_t);
  statement(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(kFlags));
  code[at++] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kReplacing, 1, 0);
  statement(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
  statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  return code;
}
#endif

}  // namespace

std::span<const AllowedCall> allowed_calls() {
  return kAllowed;
}

std::string call_name(int number) {
  for (const AllowedCall& call : kAllowed) {
    if (call.number == number) return std::string(call.name);
  }
  return "system call " + std::to_string(number);
}

void handle_forbidden_calls() {
  struct sigaction action {};
  action.sa_sigaction = note;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSYS, &action, nullptr);
}

std::string filter_calls() {
#if defined(HAPTIC_CALL_FILTER)
  // The first allocation of a thread maps its heap. Do it now, before the filter, and not when the
  // thread frees memory at its end.
  void* volatile heap = std::malloc(1);
  std::free(heap);
  auto code = program();
  const sock_fprog filter{static_cast<unsigned short>(code.size()), code.data()};
  // prctl and not seccomp(2), which the filter of the systemd service refuses. Neither needs a
  // privilege: the thread gives up rights that it cannot regain.
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    return std::strerror(errno);
  }
  return {};
#else
  return "a sanitizer's build";
#endif
}

}  // namespace haptic
