#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <sstream>
#include <string>

#include "host/doctor/checks.h"
#include "shared/cpu_list.h"

namespace haptic {
namespace {

constexpr long long kDeepSleepUs = 20;  // waking takes longer than 2 % of a 1 kHz slot

std::set<int> online_cpus(const MachineTree& machine) {
  return cpu_list(machine.line("/sys/devices/system/cpu/online").value_or("0"));
}

/// CPUs of a parameter of the kernel's command line, such as rcu_nocbs=3.
std::set<int> booted_cpus(const MachineTree& machine, std::string_view parameter) {
  std::set<int> cpus;
  std::istringstream words(machine.line("/proc/cmdline").value_or(""));
  const std::string begin = fmt::format("{}=", parameter);
  for (std::string word; words >> word;) {
    if (word.starts_with(begin)) cpus = cpu_list(word.substr(begin.size()));
  }
  return cpus;
}

/// CPUs of isolated partitions of cpusets (cgroup v2), in the folder and those below it.
void add_partitions(const MachineTree& machine, const std::string& folder, int depth,
                    std::set<int>& cpus) {
  if (machine.line(folder + "/cpuset.cpus.partition") == "isolated") {
    cpus.merge(cpu_list(machine.line(folder + "/cpuset.cpus.effective").value_or("")));
  }
  if (depth == 0) return;
  for (const std::string& name : machine.names(folder)) {
    std::error_code error;
    if (std::filesystem::is_directory(machine.at(folder + "/" + name), error)) {
      add_partitions(machine, folder + "/" + name, depth - 1, cpus);
    }
  }
}

std::set<int> common(const std::set<int>& a, const std::set<int>& b) {
  std::set<int> both;
  std::ranges::set_intersection(a, b, std::inserter(both, both.end()));
  return both;
}

std::set<int> without(const std::set<int>& a, const std::set<int>& b) {
  std::set<int> rest;
  std::ranges::set_difference(a, b, std::inserter(rest, rest.end()));
  return rest;
}

/// Those isolated CPUs on which the kernel has no other work, either: no tick, no callbacks of RCU.
std::set<int> quiet_cpus(const MachineTree& machine) {
  const std::set<int> tickless =
      cpu_list(machine.line("/sys/devices/system/cpu/nohz_full").value_or(""));
  return common(common(isolated_cpus(machine), online_cpus(machine)),
                common(tickless, booted_cpus(machine, "rcu_nocbs")));
}

/// Other threads of the CPU's core that are not isolated.
std::set<int> busy_siblings(const MachineTree& machine, int cpu) {
  const std::string file =
      fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu);
  std::set<int> siblings = cpu_list(machine.line(file).value_or(""));
  siblings.erase(cpu);
  return without(siblings, isolated_cpus(machine));
}

std::string boot_with(const std::set<int>& cpus) {
  return fmt::format("boot with isolcpus={0} nohz_full={0} rcu_nocbs={0}", cpu_text(cpus));
}

Finding isolation(const MachineTree& machine) {
  constexpr std::string_view kCheck = "isolation";
  const std::set<int> isolated = isolated_cpus(machine), online = online_cpus(machine);
  if (isolated.empty()) {
    if (online.size() < 2) {
      return {kCheck, Verdict::kAdvice, "one CPU: the loop shares it with everything else",
              "a machine with two CPUs or more"};
    }
    return {kCheck, Verdict::kAdvice, "no CPU is isolated: other programs may run on the loop's",
            boot_with({*online.rbegin()})};
  }
  if (const std::set<int> absent = without(isolated, online); !absent.empty()) {
    return {
        kCheck, Verdict::kAdvice,
        fmt::format("CPU {} isolated, but online are only {}", cpu_text(absent), cpu_text(online)),
        boot_with({*online.rbegin()})};
  }
  const std::set<int> quiet = quiet_cpus(machine);
  if (quiet.empty()) {
    return {
        kCheck, Verdict::kAdvice,
        fmt::format("CPU {} isolated, but not in nohz_full and rcu_nocbs: the kernel's own work "
                    "interrupts the loop",
                    cpu_text(isolated)),
        boot_with(isolated)};
  }
  std::set<int> alone;
  for (const int cpu : quiet) {
    if (busy_siblings(machine, cpu).empty()) alone.insert(cpu);
  }
  if (alone.empty()) {
    const int cpu = *quiet.rbegin();
    const std::set<int> siblings = busy_siblings(machine, cpu);
    return {kCheck, Verdict::kAdvice,
            fmt::format("CPU {} isolated, but CPU {} of the same core runs other programs", cpu,
                        cpu_text(siblings)),
            fmt::format("isolate CPU {}, too, or switch it off (echo 0 > "
                        "/sys/devices/system/cpu/cpuN/online)",
                        cpu_text(siblings))};
  }
  // The daemon takes the last of /sys/devices/system/cpu/isolated.
  const std::set<int> by_kernel =
      cpu_list(machine.line("/sys/devices/system/cpu/isolated").value_or(""));
  const bool is_taken = !by_kernel.empty() && alone.contains(*by_kernel.rbegin());
  return {
      kCheck, Verdict::kGood,
      fmt::format("CPU {} isolated{}", cpu_text(alone),
                  is_taken ? "" : fmt::format("; start hapticd with --cpu {}", *alone.rbegin())),
      ""};
}

Finding governor(const MachineTree& machine) {
  constexpr std::string_view kCheck = "governor";
  std::map<std::string, std::set<int>> others;
  bool any = false;
  for (const int cpu : online_cpus(machine)) {
    const auto governor =
        machine.line(fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor", cpu));
    any = any || governor.has_value();
    if (governor && *governor != "performance") others[*governor].insert(cpu);
  }
  if (!any) return {kCheck, Verdict::kGood, "the kernel scales no frequencies here", ""};
  if (others.empty()) return {kCheck, Verdict::kGood, "performance", ""};
  std::string found;
  for (const auto& [word, cpus] : others) {
    found += fmt::format("{}{} on CPU {}", found.empty() ? "" : ", ", word, cpu_text(cpus));
  }
  return {kCheck, Verdict::kUnfit, found + ": the first cycles after a pause run slow",
          "cpupower frequency-set -g performance (apt install linux-cpupower)"};
}

// hapticd holds /dev/cpu_dma_latency at 0 while it runs, which keeps every CPU out of the deep
// states; they matter where it may not.
Finding sleep_states(const MachineTree& machine) {
  constexpr std::string_view kCheck = "sleep states";
  long long deepest = 0;
  for (const int cpu : online_cpus(machine)) {
    const std::string folder = fmt::format("/sys/devices/system/cpu/cpu{}/cpuidle", cpu);
    for (const std::string& state : machine.names(folder)) {
      if (machine.number(folder + "/" + state + "/disable").value_or(0) != 0) continue;
      const auto latency = machine.number(folder + "/" + state + "/latency");
      deepest = std::max(deepest, latency.value_or(0));
    }
  }
  if (deepest <= kDeepSleepUs) {
    return {kCheck, Verdict::kGood, fmt::format("waking takes {} µs at most", deepest), ""};
  }
  if (machine.has("/dev/cpu_dma_latency")) {
    return {kCheck, Verdict::kGood,
            fmt::format("waking takes up to {} µs, but not while hapticd holds "
                        "/dev/cpu_dma_latency",
                        deepest),
            ""};
  }
  return {kCheck, Verdict::kUnfit,
          fmt::format("waking takes up to {} µs, and there is no /dev/cpu_dma_latency", deepest),
          "boot with intel_idle.max_cstate=1 processor.max_cstate=1"};
}

// Interrupts without a handler (no folder of its name) never fire.
bool is_handled(const MachineTree& machine, const std::string& folder) {
  for (const std::string& entry : machine.names(folder)) {
    std::error_code error;
    if (std::filesystem::is_directory(machine.at(folder + "/" + entry), error)) return true;
  }
  return false;
}

Finding interrupts(const MachineTree& machine) {
  constexpr std::string_view kCheck = "interrupts";
  const std::set<int> isolated = isolated_cpus(machine);
  if (isolated.empty()) {
    return {kCheck, Verdict::kGood, "no CPU is isolated, so interrupts may run on any", ""};
  }
  std::string on_isolated;
  for (const std::string& irq : machine.names("/proc/irq")) {
    const std::string folder = "/proc/irq/" + irq;
    if (irq.find_first_not_of("0123456789") != std::string::npos) continue;
    if (!is_handled(machine, folder)) continue;
    auto where = machine.line(folder + "/effective_affinity_list");
    if (!where || where->empty()) where = machine.line(folder + "/smp_affinity_list");
    for (const int cpu : cpu_list(where.value_or(""))) {
      if (!isolated.contains(cpu)) continue;
      on_isolated += (on_isolated.empty() ? "" : ", ") + irq;
      break;
    }
  }
  const std::set<int> rest = without(online_cpus(machine), isolated);
  const std::set<int> quiet = quiet_cpus(machine);
  const std::set<int> by_default =
      common(booted_cpus(machine, "irqaffinity"), quiet.empty() ? isolated : quiet);
  if (on_isolated.empty() && !by_default.empty()) {
    return {kCheck, Verdict::kAdvice,
            fmt::format("irqaffinity has the isolated CPU {}: new interrupts may go there",
                        cpu_text(by_default)),
            fmt::format("boot with irqaffinity={}", cpu_text(rest))};
  }
  if (on_isolated.empty()) {
    return {kCheck, Verdict::kGood, fmt::format("none on the isolated CPU {}", cpu_text(isolated)),
            ""};
  }
  return {kCheck, Verdict::kAdvice, fmt::format("{} on an isolated CPU", on_isolated),
          fmt::format("boot with irqaffinity={0}, or echo {0} > /proc/irq/N/smp_affinity_list; "
                      "stop irqbalance",
                      cpu_text(rest))};
}

}  // namespace

std::set<int> isolated_cpus(const MachineTree& machine) {
  constexpr int kDepth = 3;  // of cgroups that administrators make
  std::set<int> cpus = cpu_list(machine.line("/sys/devices/system/cpu/isolated").value_or(""));
  cpus.merge(cpu_list(machine.line("/sys/fs/cgroup/cpuset.cpus.isolated").value_or("")));
  add_partitions(machine, "/sys/fs/cgroup", kDepth, cpus);
  return cpus;
}

void check_processors(const MachineTree& machine, std::vector<Finding>& findings) {
  for (const auto check : {isolation, governor, sleep_states, interrupts}) {
    findings.push_back(check(machine));
  }
}

}  // namespace haptic
