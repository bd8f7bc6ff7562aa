#include "shared/ipc/run_folder.h"

#include <dirent.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <system_error>

#include "shared/error.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;

constexpr const char* kServiceFolder = "/run/hapticd";
constexpr const char* kFallbackPrefix = "hapticd-";

std::optional<struct stat> look(const fs::path& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

bool only_owner_writes(const struct stat& status) {
  return (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool is_folder_of(const fs::path& path, uid_t owner) {
  const auto status = look(path);
  return status && S_ISDIR(status->st_mode) && status->st_uid == owner &&
         only_owner_writes(*status);
}

const char* environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && value[0] == '/' ? value : nullptr;
}

/// A login session's folder, or an empty path.
fs::path session_folder() {
  const uid_t me = geteuid();
  const char* named = environment("XDG_RUNTIME_DIR");
  const fs::path folder =
      named != nullptr ? fs::path(named) : fs::path("/run/user/" + std::to_string(me));
  return is_folder_of(folder, me) ? folder : fs::path();
}

/// The run folder of a user without a login session.
fs::path fallback_folder(uid_t user) {
  return "/dev/shm/" + (kFallbackPrefix + std::to_string(user));
}

std::vector<fs::path> children(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    found.push_back(at->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// Whether another user has made something of the name of this user's fallback folder.
bool is_fallback_taken() {
  const auto status = look(fallback_folder(geteuid()));
  return status && status->st_uid != geteuid();
}

bool is_alternative(const fs::path& folder, uid_t user) {
  return folder.string().starts_with(fallback_folder(user).string() + "-");
}

/// This user's run folders that replace a fallback folder whose name was taken. Any user can make
/// this search long, by creating folders in /dev/shm.
std::vector<fs::path> alternative_folders() {
  std::vector<fs::path> found = children("/dev/shm");
  std::erase_if(found, [](const fs::path& folder) {
    return !is_alternative(folder, geteuid()) || !is_folder_of(folder, geteuid());
  });
  return found;
}

/// Every run folder that this user's daemons may use, the preferred one first.
std::vector<fs::path> own_folders() {
  std::vector<fs::path> folders;
  if (const char* of_service = environment("RUNTIME_DIRECTORY")) {
    const std::string list = of_service;  // systemd separates several with a colon
    folders.emplace_back(list.substr(0, list.find(':')));
  }
  if (is_folder_of(kServiceFolder, geteuid())) folders.emplace_back(kServiceFolder);
  if (const fs::path session = session_folder(); !session.empty())
    folders.push_back(session / "hapticd");
  if (is_fallback_taken()) {
    for (const fs::path& folder : alternative_folders()) folders.push_back(folder);
  }
  folders.push_back(fallback_folder(geteuid()));
  return folders;
}

/// Whether the service's run folder exists. Its owner need not be checked by name: only root can
/// create a folder in /run.
bool is_service_folder_there() {
  const auto run = look("/run"), folder = look(kServiceFolder);
  return run && run->st_uid == 0 && only_owner_writes(*run) && folder && S_ISDIR(folder->st_mode) &&
         only_owner_writes(*folder);
}

/// Folders whose paths are known: this user's own, the service's and root's.
std::vector<fs::path> known_folders() {
  std::vector<fs::path> folders = own_folders();
  // A folder that exists and belongs to another user is a forgery. One exception: root may name
  // another user's folder by RUNTIME_DIRECTORY, because only root sets root's environment.
  const bool named = geteuid() == 0 && environment("RUNTIME_DIRECTORY") != nullptr;
  const fs::path by_root = named ? folders.front() : fs::path();
  std::erase_if(folders, [&](const fs::path& folder) {
    const auto status = look(folder);
    if (!status || is_folder_of(folder, geteuid())) return false;
    return folder != by_root || !S_ISDIR(status->st_mode) || !only_owner_writes(*status);
  });
  const auto add = [&](const fs::path& folder) {
    if (std::find(folders.begin(), folders.end(), folder) == folders.end())
      folders.push_back(folder);
  };
  if (is_service_folder_there()) add(kServiceFolder);
  for (const fs::path& folder : {fallback_folder(0), fs::path("/run/user/0/hapticd")}) {
    if (is_folder_of(folder, 0)) add(folder);
  }
  return folders;
}

/// For root only, the run folders of all users. Any user can make this list long, by creating
/// folders in /dev/shm.
std::vector<fs::path> folders_of_others() {
  std::vector<fs::path> candidates;
  if (geteuid() != 0) return candidates;
  for (const fs::path& folder : children("/dev/shm")) {
    if (folder.filename().string().starts_with(kFallbackPrefix)) candidates.push_back(folder);
  }
  for (const fs::path& session : children("/run/user")) candidates.push_back(session / "hapticd");
  std::vector<fs::path> trusted;
  for (const fs::path& folder : candidates) {
    const auto status = look(folder);
    if (!status || !S_ISDIR(status->st_mode) || !only_owner_writes(*status)) continue;
    // Any user can create a folder in /dev/shm whose name has another user's number.
    const bool named_after_owner =
        folder == fallback_folder(status->st_uid) || is_alternative(folder, status->st_uid);
    if (named_after_owner || folder.parent_path() != "/dev/shm") trusted.push_back(folder);
  }
  return trusted;
}

/// The run folder that this process uses: chosen once, and again only if the environment variables
/// that name it change or the folder is no longer this user's.
class OwnFolder {
 public:
  fs::path get() {
    const std::lock_guard lock(mutex_);
    std::string asked = std::to_string(geteuid());
    for (const char* variable : {"RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR"}) {
      const char* const value = environment(variable);
      asked += std::string(":") + (value == nullptr ? "" : value);
    }
    if (asked != asked_ || !is_folder_of(folder_, geteuid())) folder_ = own_folders().front();
    asked_ = asked;
    return folder_;
  }

 private:
  std::mutex mutex_;
  std::string asked_;
  fs::path folder_;
};

/// Makes a folder with a name that nobody can know before.
void make_alternative() {
  std::string name = fallback_folder(geteuid()).string() + "-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) {
    throw OperationError("run folder " + name + ": cannot be made: " + std::strerror(errno));
  }
  chmod(name.c_str(), 0755);
}

}  // namespace

void check_daemon_name(const std::string& daemon_name) {
  bool good = !daemon_name.empty() && daemon_name.size() <= 48;
  for (const char c : daemon_name) {
    good = good && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                    c == '_' || c == '-');
  }
  if (!good) {
    throw InputError("--name", "", "found \"" + daemon_name + "\"", "1 to 48 of [A-Za-z0-9_-]");
  }
}

fs::path own_run_folder() {
  static OwnFolder own;
  fs::path folder = own.get();
  if (folder == fallback_folder(geteuid()) && is_fallback_taken()) {
    make_alternative();
    folder = own.get();
  }
  // Readable for all: who may open what lies in it is each file's own mode.
  if (mkdir(folder.c_str(), 0755) == 0) {
    chmod(folder.c_str(), 0755);  // whatever the umask
  } else if (errno != EEXIST) {
    throw OperationError("run folder " + folder.string() +
                         ": cannot be made: " + std::strerror(errno));
  }
  const auto status = look(folder);
  const bool good = status && S_ISDIR(status->st_mode) && status->st_uid == geteuid() &&
                    only_owner_writes(*status);
  if (!good) {
    throw InputError("run folder " + folder.string(), "",
                     "found something that another user owns or may write into",
                     "a folder of this user's own (or XDG_RUNTIME_DIR, as a login sets it)");
  }
  return folder;
}

std::vector<fs::path> own_run_folders() {
  std::vector<fs::path> folders = own_folders();
  for (const fs::path& folder : alternative_folders()) {
    if (std::find(folders.begin(), folders.end(), folder) == folders.end())
      folders.push_back(folder);
  }
  return folders;
}

std::string owner_of(const fs::path& folder) {
  const auto status = look(folder);
  const struct passwd* const user = status ? getpwuid(status->st_uid) : nullptr;
  const std::string name = user != nullptr ? std::string(user->pw_name)
                           : status        ? std::to_string(status->st_uid)
                                           : "unknown";
  return "user " + name + ", " + folder.string();
}

std::vector<fs::path> run_folders() {
  std::vector<fs::path> folders = known_folders();
  for (const auto& more : {alternative_folders(), folders_of_others()}) {
    for (const fs::path& folder : more) {
      if (std::find(folders.begin(), folders.end(), folder) == folders.end())
        folders.push_back(folder);
    }
  }
  return folders;
}

fs::path own_run_file(const std::string& daemon_name, std::string_view what) {
  check_daemon_name(daemon_name);
  return own_run_folder() / (daemon_name + "." + std::string(what));
}

fs::path find_own_run_file(const std::string& daemon_name, std::string_view what,
                           const std::function<bool(const fs::path&)>& suits) {
  const fs::path own = own_run_file(daemon_name, what);
  if (suits(own)) return own;
  for (const fs::path& folder : own_folders()) {
    const fs::path path = folder / own.filename();
    if (path != own && is_folder_of(folder, geteuid()) && suits(path)) return path;
  }
  return own;
}

fs::path find_run_file(const std::string& daemon_name, std::string_view what,
                       const std::function<bool(const fs::path&)>& suits) {
  check_daemon_name(daemon_name);
  const std::string file = daemon_name + "." + std::string(what);
  std::optional<fs::path> first;
  const auto search = [&](const std::vector<fs::path>& folders) -> std::optional<fs::path> {
    for (const fs::path& folder : folders) {
      const fs::path path = folder / file;
      if (!look(path)) continue;
      if (suits(path)) return path;
      if (!first) first = path;
    }
    return std::nullopt;
  };
  const std::vector<fs::path> known = known_folders();
  if (const auto found = search(known)) return *found;
  if (const auto found = search(alternative_folders())) return *found;
  if (const auto found = search(folders_of_others())) return *found;
  // No such file: return a path for the error message, in a folder that cannot be forged.
  return first.value_or((known.empty() ? fs::path(kServiceFolder) : known.front()) / file);
}

void visit_run_files(const std::string& daemon_name, std::string_view what,
                     const std::function<void(const fs::path&)>& visit) {
  check_daemon_name(daemon_name);
  const std::string file = daemon_name + "." + std::string(what);
  std::vector<fs::path> visited;
  const auto visit_all = [&](const std::vector<fs::path>& folders) {
    for (const fs::path& folder : folders) {
      if (std::find(visited.begin(), visited.end(), folder) != visited.end()) continue;
      visited.push_back(folder);
      if (look(folder / file)) visit(folder / file);
    }
  };
  visit_all(known_folders());  // before a search that may be long
  visit_all(run_folders());
}

bool is_trusted(const struct stat& status, mode_t type, const fs::path& folder) {
  const auto of_folder = look(folder);
  const mode_t others = type == S_IFSOCK ? S_IWOTH : S_IWGRP | S_IWOTH;
  return of_folder && S_ISDIR(of_folder->st_mode) && only_owner_writes(*of_folder) &&
         (status.st_mode & S_IFMT) == type && status.st_uid == of_folder->st_uid &&
         (status.st_mode & others) == 0;
}

}  // namespace haptic
