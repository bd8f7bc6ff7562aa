#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace haptic {

/// Serves one page over HTTP on the loopback interface: GET and HEAD of /metrics, and of / a line
/// that names it. It reads no more than a header of 8 KiB, drops a client that takes longer than
/// its patience, and serves 16 at a time: one more takes the place of the oldest that has sent no
/// request.
class MetricsServer {
 public:
  /// @param address "127.0.0.1:9431" or "[::1]:9431"; port 0: any
  /// @param page called for each request, in run()
  /// @param patience for a request, and for its answer to leave
  /// @throws InputError for an address that is none or is not of the loopback interface,
  ///         OperationError if it cannot be listened on
  MetricsServer(const std::string& address, std::function<std::string()> page,
                std::chrono::milliseconds patience = std::chrono::seconds(1));
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  std::uint16_t port() const;
  /// Serves until stop(), SIGINT or SIGTERM.
  void run();
  /// From any thread.
  void stop();

 private:
  class Listener;
  std::unique_ptr<Listener> listener_;
};

}  // namespace haptic
