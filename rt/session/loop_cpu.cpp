#include "rt/session/loop_cpu.h"

#include <fmt/format.h>
#include <sched.h>

#include <exception>
#include <fstream>

#include "shared/cpu_list.h"
#include "shared/ipc/run_folder.h"

namespace haptic {
namespace {

std::set<int> isolated_cpus() {
  std::ifstream file("/sys/devices/system/cpu/isolated");
  std::string list;
  std::getline(file, list);
  return cpu_list(list);
}

std::set<int> allowed_cpus() {
  cpu_set_t set;
  std::set<int> cpus;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.insert(cpu);
  }
  return cpus;
}

}  // namespace

std::vector<int> choices_for_loop(const std::set<int>& isolated, const std::set<int>& allowed) {
  if (!isolated.empty()) return {isolated.rbegin(), isolated.rend()};
  if (allowed.size() < 2) return {};
  return {allowed.rbegin(), allowed.rend()};
}

std::vector<int> choices_for_loop() {
  return choices_for_loop(isolated_cpus(), allowed_cpus());
}

LoopCpu::LoopCpu(const std::vector<int>& choices) : number_(choices.empty() ? -1 : choices[0]) {
  if (number_ < 0) return;
  for (const int cpu : choices) {
    try {
      claim_.emplace(own_run_folder() / fmt::format("cpu{}.lock", cpu),
                     fmt::format("the loop's CPU {}", cpu));
      number_ = cpu;
      warning_.clear();
      return;
    } catch (const std::exception& error) {
      if (warning_.empty()) warning_ = fmt::format("{} (--cpu names another)", error.what());
    }
  }
}

}  // namespace haptic
