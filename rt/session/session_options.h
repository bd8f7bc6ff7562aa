#pragma once

#include <filesystem>
#include <string>

namespace haptic {

/// Options of the daemon's command line that apply to every scene it runs.
struct SessionOptions {
  std::string name = "hapticd";  ///< of the daemon in its run folder
  std::string device;            ///< empty: the scene's
  std::filesystem::path script;  ///< empty: the scene's
  int priority = 80;             ///< SCHED_FIFO; 0: ordinary scheduling
  int simulation_cpu = -1;       ///< of the world's thread at a separate rate; -1: not pinned
  bool call_filter = true;       ///< allow the loops only the listed system calls
};

}  // namespace haptic
