#include "rt/session/realtime_setup.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "rt/servo/call_filter.h"
#include "shared/ipc/telemetry_layout.h"

namespace haptic {
namespace {

constexpr std::size_t kStackBytes = 256 * 1024;  // touched in advance by a loop and the main thread
constexpr std::size_t kHeapBytes = 2 * 1024 * 1024;
constexpr std::size_t kThreadStackBytes = 2 * 1024 * 1024;

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

bool is_realtime_kernel() {
  if (first_line("/sys/kernel/realtime") == "1") return true;
  utsname name{};
  return uname(&name) == 0 && std::strstr(name.version, "PREEMPT_RT") != nullptr;
}

std::string why(int error) {
  return std::strerror(error);
}

[[gnu::noinline]] void touch_stack() {
  char stack[kStackBytes];
  std::memset(stack, 0, sizeof(stack));
  asm volatile("" : : "r"(stack) : "memory");  // the compiler must not remove the unused array
}

/// Memory that the process keeps, so that commands and messages need no more of it at the limit.
void reserve_heap() {
  void* volatile heap = std::malloc(kHeapBytes);
  std::free(heap);
}

void lock_memory(RealtimeReport& report) {
  // The hard limit may be too low. Raising it can fail with EPERM even for root; mlockall still
  // works with CAP_IPC_LOCK.
  const rlimit unlimited{RLIM_INFINITY, RLIM_INFINITY};
  setrlimit(RLIMIT_MEMLOCK, &unlimited);
  mallopt(M_TRIM_THRESHOLD, -1);
  mallopt(M_MMAP_MAX, 0);
  // At the limit of locked memory the kernel lets neither the heap nor this thread's stack grow; a
  // stack that cannot grow ends the process. The stacks of other threads have a fixed size.
  reserve_heap();
  touch_stack();
  // Not M_ARENA_MAX, although every thread's own heap reserves 64 MiB that count as locked: libusb
  // allocates in the Falcon's I/O thread, which must not wait for a thread that loads a scene.
  if (mlockall(MCL_CURRENT | MCL_FUTURE) == 0) {
    report.grants |= kGrantMemoryLocked;
  } else {
    report.missing.push_back(fmt::format(
        "memory is not locked: {} (LimitMEMLOCK=infinity or CAP_IPC_LOCK)", why(errno)));
  }
}

void hold_dma_latency(RealtimeReport& report) {
  // Deliberately kept open: closing it would let the CPUs sleep deeply again.
  const int file = open("/dev/cpu_dma_latency", O_RDWR | O_CLOEXEC);
  const std::int32_t microseconds = 0;
  if (file >= 0 && write(file, &microseconds, sizeof(microseconds)) == sizeof(microseconds)) {
    report.grants |= kGrantDmaLatency;
    return;
  }
  report.missing.push_back(fmt::format("/dev/cpu_dma_latency cannot be kept at 0: {}", why(errno)));
  if (file >= 0) close(file);
}

}  // namespace

bool RealtimeReport::is_complete() const {
  constexpr std::uint32_t needed = kGrantRealtimeKernel | kGrantFifo | kGrantMemoryLocked;
  return (grants & needed) == needed;
}

void prepare_threads(int loop_cpu) {
  pthread_attr_t attributes;
  if (pthread_getattr_default_np(&attributes) == 0) {
    pthread_attr_setstacksize(&attributes, kThreadStackBytes);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
  }
  cpu_set_t allowed;
  if (loop_cpu < 0 || sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return;
  CPU_CLR(static_cast<std::size_t>(loop_cpu), &allowed);
  if (CPU_COUNT(&allowed) > 0) sched_setaffinity(0, sizeof(allowed), &allowed);
}

void prepare_process(RealtimeReport& report) {
  if (is_realtime_kernel()) {
    report.grants |= kGrantRealtimeKernel;
  } else {
    report.missing.emplace_back("the kernel is not PREEMPT_RT (linux-image-rt-amd64)");
  }
  lock_memory(report);
  hold_dma_latency(report);
}

void prepare_loop_thread(int cpu, int priority, RealtimeReport& report) {
  touch_stack();
  report.thread = gettid();
  prctl(PR_SET_TIMERSLACK, 1UL);
  if (cpu >= 0) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(cpu), &set);
    const int error = pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
    if (error == 0) {
      report.grants |= kGrantPinned;
    } else {
      report.missing.push_back(
          fmt::format("the loop is not pinned to CPU {}: {}", cpu, why(error)));
    }
  }
  if (priority > 0) {
    sched_param parameters{};
    parameters.sched_priority = priority;
    const int error = pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters);
    if (error == 0) {
      report.grants |= kGrantFifo;
    } else {
      report.missing.push_back(fmt::format(
          "the loop does not run under SCHED_FIFO {}: {} (LimitRTPRIO or CAP_SYS_NICE; in a v1 cpu "
          "cgroup also cpu.rt_runtime_us)",
          priority, why(error)));
    }
  }
}

std::uint32_t scheduling_grants(pid_t thread, int cpu) {
  std::uint32_t grants = 0;
  const int policy = sched_getscheduler(thread);
  if (policy >= 0 && (policy & ~SCHED_RESET_ON_FORK) == SCHED_FIFO) grants |= kGrantFifo;
  cpu_set_t set;
  if (cpu >= 0 && sched_getaffinity(thread, sizeof(set), &set) == 0 && CPU_COUNT(&set) == 1 &&
      CPU_ISSET(static_cast<std::size_t>(cpu), &set)) {
    grants |= kGrantPinned;
  }
  return grants;
}

void filter_loop_thread(bool wanted, RealtimeReport& report) {
  const std::string why_not = wanted ? filter_calls() : "--no-call-filter";
  if (why_not.empty()) {
    report.grants |= kGrantCallsFiltered;
  } else {
    report.missing.push_back("the loop's system calls are not filtered: " + why_not);
  }
}

}  // namespace haptic
