#include "rt/hapticd/sleep_inhibitor.h"

#include <fcntl.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "shared/journal/message.h"

namespace haptic {
namespace {

constexpr const char* kService = "org.freedesktop.login1";
constexpr const char* kObject = "/org/freedesktop/login1";
constexpr const char* kInterface = "org.freedesktop.login1.Manager";
constexpr std::uint64_t kTurn_us = 50'000;

int about_to_sleep(sd_bus_message* message, void* before_sleep, sd_bus_error*) {
  int begins = 0;
  if (sd_bus_message_read(message, "b", &begins) >= 0 && begins != 0) {
    (*static_cast<std::function<void()>*>(before_sleep))();
  }
  return 0;
}

}  // namespace

SleepInhibitor::SleepInhibitor(std::function<void()> before_sleep)
    : before_sleep_([this, told = std::move(before_sleep)] {
        told();
        give_back();
      }),
      thread_([this] { run(); }) {}

SleepInhibitor::~SleepInhibitor() {
  end_ = true;
  thread_.join();
  give_back();
  sd_bus_flush_close_unref(bus_);
}

void SleepInhibitor::run() {
  bool before = false;
  while (!end_.load(std::memory_order_relaxed)) {
    const bool wanted = wanted_.load(std::memory_order_relaxed);
    // Once for each request: a sleep that was allowed is not delayed again.
    if (wanted && !before) take();
    if (!wanted && before) give_back();
    before = wanted;
    if (bus_ == nullptr) {
      std::this_thread::sleep_for(std::chrono::microseconds(kTurn_us));
      continue;
    }
    int more = 0;
    while ((more = sd_bus_process(bus_, nullptr)) > 0) {
    }
    if (more < 0 || sd_bus_wait(bus_, kTurn_us) < 0) {  // logind or the bus has ended
      give_back();
      bus_ = sd_bus_flush_close_unref(bus_);
    }
  }
}

bool SleepInhibitor::connect() {
  if (bus_ != nullptr) return true;
  if (sd_bus_open_system(&bus_) < 0) {
    bus_ = nullptr;
    return false;
  }
  return sd_bus_match_signal(bus_, nullptr, kService, kObject, kInterface, "PrepareForSleep",
                             about_to_sleep, &before_sleep_) >= 0;
}

int SleepInhibitor::ask(const char* mode) {
  sd_bus_error error{nullptr, nullptr, 0};  // SD_BUS_ERROR_NULL
  sd_bus_message* reply = nullptr;
  int lock = -1;
  if (sd_bus_call_method(bus_, kService, kObject, kInterface, "Inhibit", &error, &reply, "ssss",
                         "sleep", "hapticd", "A user holds a haptic device that exerts force",
                         mode) >= 0) {
    int borrowed = -1;  // the message's own
    if (sd_bus_message_read(reply, "h", &borrowed) >= 0) lock = fcntl(borrowed, F_DUPFD_CLOEXEC, 3);
  }
  sd_bus_message_unref(reply);
  sd_bus_error_free(&error);
  return lock;
}

void SleepInhibitor::take() {
  if (lock_ >= 0) return;
  if (connect()) {
    lock_ = ask("block");
    held_ = Held::kBlock;
    if (lock_ < 0) {
      lock_ = ask("delay");
      held_ = Held::kDelay;
    }
  }
  if (lock_ >= 0) return;
  held_ = Held::kNothing;
  if (!std::exchange(told_, true)) {
    message::say(
        Priority::kInfo,
        "logind is not available: a suspend while engaged is not inhibited and is a fault");
  }
}

void SleepInhibitor::give_back() {
  if (lock_ >= 0) close(std::exchange(lock_, -1));
  held_ = Held::kNothing;
}

}  // namespace haptic
