#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace haptic {

/// Checks `--name`: 1 to 48 of [A-Za-z0-9_-]. @throws InputError
void check_daemon_name(const std::string& daemon_name);

/// The run folder: where a daemon's shared memory, sockets and locks lie. Only the daemon's user
/// can write there, so no other user can take a name, put a forged segment in its place or keep a
/// daemon from starting. For a user's own daemons, guards and tools it is the first of these:
///
///   $RUNTIME_DIRECTORY        set by systemd for a service (RuntimeDirectory=)
///   /run/hapticd              where it belongs to this user: the service's account
///   $XDG_RUNTIME_DIR/hapticd  of a login session (/run/user/UID without the variable)
///   /dev/shm/hapticd-UID      where there is no login session
///   /dev/shm/hapticd-UID-*    where another user has taken that name
///
/// The folder is created if it is missing. A process keeps using the same one when a login session
/// begins.
/// @throws InputError if it belongs to another user, is not a folder, or others may write into it;
///         OperationError if it cannot be created
std::filesystem::path own_run_folder();

/// Where a tool looks for daemons: all of this user's run folders, the service's, root's and, for
/// root, every user's. A folder is listed only if its owner can be trusted and nobody else can
/// write into it.
std::vector<std::filesystem::path> run_folders();

/// All folders in which this user's daemons may run.
std::vector<std::filesystem::path> own_run_folders();

/// "user hann, /dev/shm/hapticd-1001": the owner of a run folder, for messages.
std::string owner_of(const std::filesystem::path& folder);

/// "NAME.WHAT" in this user's run folder. @throws as own_run_folder, check_daemon_name
std::filesystem::path own_run_file(const std::string& daemon_name, std::string_view what);

/// "NAME.WHAT" in the first of this user's run folders where the file `suits`; own_run_file if it
/// suits in none. A daemon and its guard use different folders if a login session began between
/// their starts.
std::filesystem::path find_own_run_file(
    const std::string& daemon_name, std::string_view what,
    const std::function<bool(const std::filesystem::path&)>& suits);

/// The first "NAME.WHAT" in run_folders() that `suits`, else the first that exists, else a path
/// that does not exist. A daemon that is killed leaves its files behind: `suits` tells them from
/// those of a live one. The folders of all users are searched for root only, and only if nothing
/// suits before, because that list may be long.
/// @throws InputError as check_daemon_name
std::filesystem::path find_run_file(const std::string& daemon_name, std::string_view what,
                                    const std::function<bool(const std::filesystem::path&)>& suits);

/// Calls `visit` with every "NAME.WHAT" that exists in run_folders(), in the order of the search of
/// find_run_file. @throws InputError as check_daemon_name
void visit_run_files(const std::string& daemon_name, std::string_view what,
                     const std::function<void(const std::filesystem::path&)>& visit);

/// Whether the file in `folder` that `status` describes belongs to the folder's owner and is not
/// writable by others. @param type S_IFREG or S_IFSOCK; a socket may be writable for its group
bool is_trusted(const struct stat& status, mode_t type, const std::filesystem::path& folder);

}  // namespace haptic
