#include <fmt/format.h>

#include <map>
#include <string>

#include "host/doctor/checks.h"
#include "shared/cpu_list.h"

namespace haptic {
namespace {

constexpr long long kDeepSleepUs = 20;  // waking takes longer than 2 % of a 1 kHz slot

std::set<int> online_cpus(const MachineTree& machine) {
  return cpu_list(machine.line("/sys/devices/system/cpu/online").value_or("0"));
}

Finding isolation(const MachineTree& machine) {
  constexpr std::string_view kCheck = "isolation";
  const std::set<int> isolated = isolated_cpus(machine), online = online_cpus(machine);
  if (!isolated.empty()) {
    return {kCheck, Verdict::kGood, fmt::format("CPU {} isolated", cpu_text(isolated)), ""};
  }
  if (online.size() < 2) {
    return {kCheck, Verdict::kAdvice, "one CPU: the loop shares it with everything else",
            "a machine with two CPUs or more"};
  }
  const int last = *online.rbegin();
  return {kCheck, Verdict::kAdvice, "no CPU is isolated: other programs may run on the loop's",
          fmt::format("boot with isolcpus={0} nohz_full={0} rcu_nocbs={0}", last)};
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
  if (on_isolated.empty()) {
    return {kCheck, Verdict::kGood, fmt::format("none on the isolated CPU {}", cpu_text(isolated)),
            ""};
  }
  std::set<int> rest;
  for (const int cpu : online_cpus(machine)) {
    if (!isolated.contains(cpu)) rest.insert(cpu);
  }
  return {kCheck, Verdict::kAdvice, fmt::format("{} on an isolated CPU", on_isolated),
          fmt::format("boot with irqaffinity={0}, or echo {0} > /proc/irq/N/smp_affinity_list; "
                      "stop irqbalance",
                      cpu_text(rest))};
}

}  // namespace

std::set<int> isolated_cpus(const MachineTree& machine) {
  return cpu_list(machine.line("/sys/devices/system/cpu/isolated").value_or(""));
}

void check_processors(const MachineTree& machine, std::vector<Finding>& findings) {
  for (const auto check : {isolation, governor, sleep_states, interrupts}) {
    findings.push_back(check(machine));
  }
}

}  // namespace haptic
