#include "host/cli/daemon_owner.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/ipc/run_folder.h"
#include "shared/ipc/shared_memory.h"

namespace haptic {
namespace {

bool is_of_root(const std::filesystem::path& folder) {
  struct stat status {};
  return stat(folder.c_str(), &status) == 0 && status.st_uid == 0;
}

}  // namespace

std::vector<std::filesystem::path> folders_of_namesakes(const std::string& daemon_name,
                                                        const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> folders;
  visit_run_files(daemon_name, "telemetry", [&](const std::filesystem::path& path) {
    if (path.parent_path() != folder && has_live_creator(path)) {
      folders.push_back(path.parent_path());
    }
  });
  return folders;
}

std::string owner_note(const std::string& daemon_name, const std::filesystem::path& folder) {
  if (geteuid() != 0) return {};
  const std::vector<std::filesystem::path> others = folders_of_namesakes(daemon_name, folder);
  if (others.empty() && is_of_root(folder)) return {};
  std::string note = owner_of(folder);
  for (const std::filesystem::path& other : others) {
    note += fmt::format("; not the daemon of {}", owner_of(other));
  }
  return fmt::format(" ({})", note);
}

}  // namespace haptic
