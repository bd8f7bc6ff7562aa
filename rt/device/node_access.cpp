#include "rt/device/node_access.h"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace haptic {

namespace {

std::string user_name(uid_t id) {
  const passwd* entry = getpwuid(id);
  return entry != nullptr ? entry->pw_name : fmt::format("{}", id);
}

std::string group_name(gid_t id) {
  const group* entry = getgrgid(id);
  return entry != nullptr ? entry->gr_name : fmt::format("{}", id);
}

}  // namespace

std::string node_problem(const std::filesystem::path& node) {
  if (access(node.c_str(), R_OK | W_OK) == 0 || errno == ENOENT || errno == ENOTDIR) return {};
  struct stat status {};
  if (stat(node.c_str(), &status) != 0) return "no permission to read its attributes";
  const std::string group = group_name(status.st_gid);
  std::string line = fmt::format("no permission ({}:{} {:04o})", user_name(status.st_uid), group,
                                 status.st_mode & 07777);
  const bool group_may = (status.st_mode & 0060) == 0060;
  line +=
      group_may && status.st_gid != 0
          ? fmt::format(": add user {} to group {}, then log in again", user_name(geteuid()), group)
          : ": install the udev rules of hapticd, which give the node to a group";
  return line;
}

}  // namespace haptic
