#include "host/bake/peak_memory.h"

#include <sys/resource.h>

#include <fstream>
#include <string>

namespace haptic {

void reset_peak_memory() {
  std::ofstream("/proc/self/clear_refs") << "5";  // proc(5): resets VmHWM
}

double peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kilobytes = 0.0;
    if (word == "VmHWM:" && status >> kilobytes) return 1024.0 * kilobytes;
  }
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

}  // namespace haptic
