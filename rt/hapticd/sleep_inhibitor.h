#pragma once

#include <atomic>
#include <functional>
#include <thread>

struct sd_bus;

namespace haptic {

/// Keeps the machine from going to sleep while a device may exert force (systemd-logind's inhibitor
/// locks). If logind grants no lock that blocks, a lock that delays is taken: the daemon is then
/// notified before the sleep and stops. A separate thread is used because D-Bus calls may block.
/// Without logind no lock is taken, which is reported once; a suspend is then the fault
/// `suspended`.
class SleepInhibitor {
 public:
  /// @param before_sleep  called by the thread of this object when the machine is about to sleep
  /// although the lock is held; the lock is released when it returns
  explicit SleepInhibitor(std::function<void()> before_sleep);
  SleepInhibitor(const SleepInhibitor&) = delete;
  SleepInhibitor& operator=(const SleepInhibitor&) = delete;
  ~SleepInhibitor();

  /// Sets whether the machine must stay awake; takes effect within a tenth of a second. Never
  /// waits.
  void hold(bool wanted) { wanted_.store(wanted, std::memory_order_relaxed); }
  enum class Held : unsigned char { kNothing, kDelay, kBlock };
  Held held() const { return held_.load(std::memory_order_relaxed); }

 private:
  void run();
  void take();
  void give_back();
  bool connect();
  int ask(const char* mode);

  std::function<void()> before_sleep_;
  std::atomic<bool> wanted_{false}, end_{false};
  std::atomic<Held> held_{Held::kNothing};
  sd_bus* bus_ = nullptr;
  int lock_ = -1;
  bool told_ = false;
  std::jthread thread_;
};

}  // namespace haptic
