#include <fmt/format.h>

#include <string>

#include "host/doctor/checks.h"

namespace haptic {
namespace {

Finding preemption(const MachineTree& machine) {
  constexpr std::string_view kCheck = "kernel";
  const std::string version = machine.line("/proc/version").value_or("");
  if (machine.line("/sys/kernel/realtime") == "1" ||
      version.find("PREEMPT_RT") != std::string::npos) {
    return {kCheck, Verdict::kGood, "PREEMPT_RT", ""};
  }
  return {kCheck, Verdict::kUnfit, "not a PREEMPT_RT kernel",
          "apt install linux-image-rt-amd64, then boot it"};
}

Finding throttling(const MachineTree& machine) {
  constexpr std::string_view kCheck = "throttling";
  const auto runtime = machine.number("/proc/sys/kernel/sched_rt_runtime_us");
  const auto period = machine.number("/proc/sys/kernel/sched_rt_period_us");
  if (!runtime || !period) {
    return {kCheck, Verdict::kGood, "no limit on real-time threads in this kernel", ""};
  }
  const std::string fix = "sysctl -w kernel.sched_rt_runtime_us=950000 (and in /etc/sysctl.d)";
  if (*runtime == 0) {
    return {kCheck, Verdict::kUnfit, "real-time threads may not run at all", fix};
  }
  if (*runtime < 0) {
    return {kCheck, Verdict::kAdvice,
            "real-time threads may use a CPU without limit: one that hangs also hangs the machine",
            fix};
  }
  const double percent = 100.0 * static_cast<double>(*runtime) / static_cast<double>(*period);
  if (percent < 90.0) {
    return {kCheck, Verdict::kUnfit,
            fmt::format("real-time threads get {:.0f} % of a CPU, then wait", percent), fix};
  }
  return {kCheck, Verdict::kGood, fmt::format("real-time threads get {:.0f} % of a CPU", percent),
          ""};
}

// With RT_GROUP_SCHED each control group has a real-time budget, which is zero by default.
// SCHED_FIFO is then refused to every user but root, whatever the limits say.
Finding group_scheduling(const MachineTree& machine) {
  constexpr std::string_view kCheck = "group scheduling";
  const std::string release = machine.line("/proc/sys/kernel/osrelease").value_or("");
  const std::string config = "/boot/config-" + release;
  bool compiled = false;
  for (const std::string& option : machine.lines(config)) {
    compiled = compiled || option == "CONFIG_RT_GROUP_SCHED=y";
  }
  for (const char* file : {"/sys/fs/cgroup/cpu/system.slice/cpu.rt_runtime_us",
                           "/sys/fs/cgroup/cpu,cpuacct/system.slice/cpu.rt_runtime_us"}) {
    if (const auto runtime = machine.number(file); runtime && *runtime <= 0) {
      return {kCheck, Verdict::kUnfit, "services have no real-time budget",
              fmt::format("echo 900000 > {}", file)};
    }
  }
  if (compiled) {
    return {kCheck, Verdict::kUnfit,
            "kernel built with RT_GROUP_SCHED: only root may use SCHED_FIFO",
            "boot with rt_group_sched=0 or a kernel without it (Debian's have none)"};
  }
  return {kCheck, Verdict::kGood, "control groups have no real-time budgets", ""};
}

Finding compaction(const MachineTree& machine) {
  constexpr std::string_view kCheck = "compaction";
  const auto allowed = machine.number("/proc/sys/vm/compact_unevictable_allowed");
  if (!allowed || *allowed == 0) {
    return {kCheck, Verdict::kGood, "the kernel does not move locked pages", ""};
  }
  return {kCheck, Verdict::kUnfit,
          "the kernel may move locked pages: page faults in the loop in spite of mlockall",
          "sysctl -w vm.compact_unevictable_allowed=0 (and in /etc/sysctl.d)"};
}

/// The setting in brackets, as in "always [madvise] never"; empty without one.
std::string chosen(const std::string& line) {
  const std::size_t open = line.find('['), close = line.find(']');
  return open < close && close != std::string::npos ? line.substr(open + 1, close - open - 1) : "";
}

Finding huge_pages(const MachineTree& machine) {
  constexpr std::string_view kCheck = "huge pages";
  const auto setting = [&](const char* file) {
    return chosen(
        machine.line(fmt::format("/sys/kernel/mm/transparent_hugepage/{}", file)).value_or(""));
  };
  const std::string enabled = setting("enabled");
  if (enabled == "always") {
    return {kCheck, Verdict::kAdvice,
            "transparent huge pages always: khugepaged remaps memory of every program",
            "boot with transparent_hugepage=madvise"};
  }
  const std::string shared = setting("shmem_enabled");
  if (shared == "always" || shared == "force") {
    return {kCheck, Verdict::kAdvice,
            fmt::format("huge pages for all shared memory ({}): also for that of other programs",
                        shared),
            "echo never > /sys/kernel/mm/transparent_hugepage/shmem_enabled"};
  }
  // The same rule as in shared/memory/sealed_memory.cpp.
  return {kCheck, Verdict::kGood,
          fmt::format("only for programs that request them; the daemon's models are in {} pages",
                      enabled == "madvise" ? "huge" : "small"),
          ""};
}

// DAMON clears the accessed marks of pages at fixed intervals (every 0.5 s, for example) to see
// which are used. The cycles that follow wait for the address translation of each page again.
Finding page_sampling(const MachineTree& machine) {
  constexpr std::string_view kCheck = "page sampling";
  for (const std::string& process : machine.names("/proc")) {
    const std::string name = machine.line(fmt::format("/proc/{}/comm", process)).value_or("");
    if (name.starts_with("kdamond")) {
      return {kCheck, Verdict::kAdvice,
              fmt::format("{} (DAMON) samples the use of memory: the cycles that follow are slower",
                          name),
              "turn DAMON off: see /sys/kernel/mm/damon and /sys/module/damon_*"};
    }
  }
  return {kCheck, Verdict::kGood, "the kernel does not sample the use of memory", ""};
}

}  // namespace

void check_kernel(const MachineTree& machine, std::vector<Finding>& findings) {
  for (const auto check :
       {preemption, throttling, group_scheduling, compaction, huge_pages, page_sampling}) {
    findings.push_back(check(machine));
  }
}

}  // namespace haptic
