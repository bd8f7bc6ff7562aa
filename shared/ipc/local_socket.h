#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <string>

namespace haptic {

/// Process at the other end of a local socket, as reported by the kernel.
struct Peer {
  pid_t pid = 0;
  uid_t uid = 0;
};

/// One end of a SOCK_SEQPACKET connection, non-blocking: a packet is whole or not there.
class LocalConnection {
 public:
  /// Takes over a connected, non-blocking descriptor.
  explicit LocalConnection(int descriptor) : descriptor_(descriptor) {}
  /// @throws OperationError if no process is listening, or the socket is not the folder owner's
  explicit LocalConnection(const std::filesystem::path& path);
  LocalConnection(LocalConnection&& other) noexcept;
  LocalConnection& operator=(LocalConnection&& other) noexcept;
  ~LocalConnection();

  int descriptor() const { return descriptor_; }
  Peer peer() const;
  /// @returns whether the packet went out whole; never waits, never raises SIGPIPE
  bool send(const void* packet, std::size_t size) const;

  enum class Received : unsigned char { kPacket, kNothing, kOther, kClosed };
  /// One packet of exactly `size` bytes; one of another size is kOther and is dropped. Never waits.
  Received receive(void* packet, std::size_t size) const;
  /// Waits until there is something to receive, the other end is gone, or a signal comes. @returns
  /// false after `timeout_ms` without any of these
  bool wait(int timeout_ms) const;
  /// Whether the other end has hung up.
  bool hung_up() const;

 private:
  int descriptor_ = -1;
};

/// A listening socket of the run folder; replaces the file that a dead daemon left under the name.
class LocalListener {
 public:
  /// @param group  may connect, besides the owner, where it exists
  /// @throws OperationError naming the system's reason
  LocalListener(const std::filesystem::path& path, const std::string& group);
  LocalListener(const LocalListener&) = delete;
  LocalListener& operator=(const LocalListener&) = delete;
  /// Removes the name if it still refers to this socket.
  ~LocalListener();

  int descriptor() const { return descriptor_; }
  /// @returns the next connection's descriptor, non-blocking, or -1
  int accept() const;
  /// Listens under the name again if it was removed, refers to something else or was closed to its
  /// clients; accepted connections stay. @returns whether that was necessary @throws as the
  /// constructor
  bool keep_name();

 private:
  bool has_name() const;
  /// Whether a client would connect to this socket.
  bool can_be_reached() const;

  std::filesystem::path path_;
  std::string group_;
  int descriptor_ = -1;
  ino_t inode_ = 0;
};

/// After a failed accept(): whether the process or the system has no descriptor for the client that
/// waits. It goes on waiting and the socket stays readable, so another connection must be closed.
bool lacks_descriptors();

}  // namespace haptic
