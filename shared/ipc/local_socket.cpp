#include "shared/ipc/local_socket.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "shared/error.h"
#include "shared/ipc/run_folder.h"

namespace haptic {
namespace {

constexpr int kBacklog = 64;

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  throw OperationError("socket " + path.string() + ": " + what);
}

sockaddr_un address_of(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string text = path.string();
  if (text.size() >= sizeof address.sun_path) fail(path, "its path is too long for a socket");
  std::memcpy(address.sun_path, text.data(), text.size());
  return address;
}

int new_socket(const std::filesystem::path& path) {
  const int descriptor = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (descriptor < 0) fail(path, std::strerror(errno));
  return descriptor;
}

void never_wait(int descriptor) {
  fcntl(descriptor, F_SETFL, O_NONBLOCK);  // no other status flag is settable on a socket
}

// How long a connection may wait behind others that connect.
constexpr timeval kConnectPatience{2, 0};

}  // namespace

LocalConnection::LocalConnection(const std::filesystem::path& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) {
    fail(path, errno == ENOENT ? "does not exist" : std::strerror(errno));
  }
  if (!is_trusted(status, S_IFSOCK, path.parent_path())) {
    fail(path, "not trusted: it or its folder may be written by another user");
  }
  const sockaddr_un address = address_of(path);
  descriptor_ = new_socket(path);
  setsockopt(descriptor_, SOL_SOCKET, SO_SNDTIMEO, &kConnectPatience, sizeof kConnectPatience);
  if (connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int why = errno;
    close(std::exchange(descriptor_, -1));
    fail(path, why == ECONNREFUSED ? "no process is listening" : std::strerror(why));
  }
  never_wait(descriptor_);
}

LocalConnection::LocalConnection(LocalConnection&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

LocalConnection& LocalConnection::operator=(LocalConnection&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

LocalConnection::~LocalConnection() {
  if (descriptor_ >= 0) close(descriptor_);
}

Peer LocalConnection::peer() const {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (getsockopt(descriptor_, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
    return {0, static_cast<uid_t>(-1)};
  }
  return {credentials.pid, credentials.uid};
}

bool LocalConnection::send(const void* packet, std::size_t size) const {
  return ::send(descriptor_, packet, size, MSG_NOSIGNAL | MSG_DONTWAIT) ==
         static_cast<ssize_t>(size);
}

LocalConnection::Received LocalConnection::receive(void* packet, std::size_t size) const {
  // MSG_TRUNC: the packet's true length, however much of it fits.
  const ssize_t length = recv(descriptor_, packet, size, MSG_DONTWAIT | MSG_TRUNC);
  if (length < 0) {
    return errno == EAGAIN || errno == EINTR ? Received::kNothing : Received::kClosed;
  }
  if (length == 0) return Received::kClosed;
  return static_cast<std::size_t>(length) == size ? Received::kPacket : Received::kOther;
}

bool LocalConnection::wait(int timeout_ms) const {
  pollfd source{descriptor_, POLLIN, 0};
  const int ready = poll(&source, 1, timeout_ms);
  return ready > 0 || (ready < 0 && errno == EINTR);
}

bool LocalConnection::hung_up() const {
  pollfd source{descriptor_, POLLRDHUP, 0};
  return poll(&source, 1, 0) > 0;
}

LocalListener::LocalListener(const std::filesystem::path& path, const std::string& group)
    : path_(path), group_(group) {
  const sockaddr_un address = address_of(path);
  unlink(path.c_str());
  descriptor_ = new_socket(path);
  never_wait(descriptor_);
  // No client can connect between bind and chmod, because listen comes last.
  const struct group* entry = getgrnam(group.c_str());
  struct stat status {};
  bool good = bind(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  const bool shared =
      good && entry != nullptr && chown(path.c_str(), static_cast<uid_t>(-1), entry->gr_gid) == 0;
  good = good && chmod(path.c_str(), shared ? 0660 : 0600) == 0 &&
         lstat(path.c_str(), &status) == 0 && listen(descriptor_, kBacklog) == 0;
  if (!good) {
    const std::string why = std::strerror(errno);
    close(descriptor_);
    fail(path, why);
  }
  inode_ = status.st_ino;
}

LocalListener::~LocalListener() {
  if (has_name()) unlink(path_.c_str());
  close(descriptor_);
}

bool LocalListener::has_name() const {
  struct stat status {};
  return lstat(path_.c_str(), &status) == 0 && status.st_ino == inode_;
}

bool LocalListener::can_be_reached() const {
  constexpr mode_t kOfOwner = S_IRUSR | S_IWUSR;
  struct stat status {};
  return lstat(path_.c_str(), &status) == 0 && status.st_ino == inode_ &&
         (status.st_mode & kOfOwner) == kOfOwner &&
         is_trusted(status, S_IFSOCK, path_.parent_path());
}

bool LocalListener::keep_name() {
  if (can_be_reached()) return false;
  LocalListener again(path_, group_);
  std::swap(descriptor_, again.descriptor_);
  std::swap(inode_, again.inode_);
  return true;
}

int LocalListener::accept() const {
  return accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

bool lacks_descriptors() {
  return errno == EMFILE || errno == ENFILE;
}

}  // namespace haptic
