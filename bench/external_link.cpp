// Round trip of a device: from the servo's actuate() to the first sense() whose pose answers it.
// The reference adapter's way (another process, the link's memory) beside the simulated device in
// the process, which answers in the next exchange, and beside the floor: two threads that pass one
// cache line back and forth. Run by ./dev bench external_link; prints a table, in microseconds.
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "rt/device/external/external_device.h"
#include "rt/device/external/link_memory.h"
#include "rt/device/hand_script.h"
#include "rt/device/simulated_device.h"
#include "shared/monotonic_time.h"

namespace haptic {
namespace {

constexpr double kNs = 1e-3;  // us

void pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(cpu), &set);
  sched_setaffinity(0, sizeof set, &set);
}

void sleep_until(std::int64_t ns) {
  const timespec at{ns / 1'000'000'000, ns % 1'000'000'000};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr);
}

std::string row(const std::string& name, std::vector<double> us) {
  std::sort(us.begin(), us.end());
  const auto at = [&](double p) {
    return us[std::min(us.size() - 1, static_cast<std::size_t>(p * double(us.size())))];
  };
  return fmt::format("| {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {} |\n", name, at(0.5), at(0.99),
                     at(0.999), us.back(), us.size());
}

ExternalSettings settings() {
  ExternalSettings s;
  s.name = "bench";
  s.link = "bench";
  s.freedoms = 3;
  s.max_age_s = 1e3;
  s.max_force = 1e9;
  s.limits.speed = 1e9;
  return s;
}

/// The adapter's process: answers every wrench with a pose whose x is the wrench's force, at once
/// (it looks all the time) or at a rate, as an adapter whose library has its own clock.
[[noreturn]] void adapter(haptic_link_memory& memory, double rate_hz) {
  pin(1);
  haptic_link link{};
  link.memory = &memory;
  link.instance = 1;
  haptic_link_pose pose{};
  pose.flags = HAPTIC_LINK_HOMED;
  std::int64_t next = monotonic_ns();
  double last = -1.0;
  for (;;) {
    haptic_link_wrench wrench;
    haptic_link_wrench_now(&link, &wrench);
    haptic_link_applied(&link);
    if (rate_hz > 0.0 || wrench.force[0] != last) {
      last = pose.position[0] = wrench.force[0];
      pose.time_ns = 0;
      haptic_link_publish(&link, &pose);
    }
    if (rate_hz > 0.0) {
      next += static_cast<std::int64_t>(1e9 / rate_hz);
      sleep_until(next);
    }
  }
}

/// One servo cycle is actuate() with a new number. @param spin  whether the servo waits for the
/// answer by looking, which measures the link alone; else it looks once a cycle, as the loop does
std::vector<double> link_round_trips(double rate_hz, int count, bool spin, double adapter_hz) {
  const ExternalSettings s = settings();
  LinkMemory memory("bench", 1'000'000'000'000);
  LinkState state;
  memory.shared().instance = 1;
  state.instance = 1;
  ExternalDevice device(s, memory.shared(), state);
  const pid_t child = fork();
  if (child == 0) adapter(memory.shared(), adapter_hz);
  std::vector<double> us;
  us.reserve(static_cast<std::size_t>(count));
  const auto period = static_cast<std::int64_t>(1e9 / rate_hz);
  std::int64_t next = monotonic_ns() + 100'000'000, sent = 0;
  DeviceState heard;
  // Numbers below kAbsurd of the pose's check, and each other than the one before.
  int wanted = 0;
  device.set_enabled(true);
  while (static_cast<int>(us.size()) < count) {
    sleep_until(next);
    next = std::max(next + period, monotonic_ns());
    if (static_cast<void>(device.sense(heard)); sent == 0 || heard.pose.position.x() == wanted) {
      if (sent != 0 && !spin) us.push_back(kNs * static_cast<double>(monotonic_ns() - sent));
      wanted = 1 + (wanted + 1) % 900;
      sent = monotonic_ns();
      static_cast<void>(device.actuate({{double(wanted), 0.0, 0.0}, {}}));
      while (spin && heard.pose.position.x() != wanted) static_cast<void>(device.sense(heard));
      if (spin) us.push_back(kNs * static_cast<double>(monotonic_ns() - sent));
    }
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return us;
}

/// The simulated device: the exchange itself, sense and actuate.
std::vector<double> exchanges(Device& device, double rate_hz, int count) {
  std::vector<double> us;
  const auto period = static_cast<std::int64_t>(1e9 / rate_hz);
  std::int64_t next = monotonic_ns();
  DeviceState heard;
  for (int i = 0; i < count; ++i) {
    sleep_until(next);
    next = std::max(next + period, monotonic_ns());
    const std::int64_t begin = monotonic_ns();
    static_cast<void>(device.sense(heard));
    static_cast<void>(device.actuate({{0.1, 0.0, 0.0}, {}}));
    us.push_back(kNs * static_cast<double>(monotonic_ns() - begin));
  }
  return us;
}

std::vector<double> ping_pong(double rate_hz, int count) {
  struct alignas(64) Line {
    std::atomic<int> value{0};
  } line;
  std::thread other([&line] {
    pin(1);
    for (int seen = 0; seen >= 0; seen = line.value.load()) {
      if (seen % 2 == 1) line.value.store(seen + 1);
    }
  });
  std::vector<double> us;
  const auto period = static_cast<std::int64_t>(1e9 / rate_hz);
  std::int64_t next = monotonic_ns();
  for (int i = 0; i < count; ++i) {
    sleep_until(next);
    next = std::max(next + period, monotonic_ns());
    const std::int64_t begin = monotonic_ns();
    line.value.store(2 * i + 1);
    while (line.value.load() != 2 * i + 2) {
    }
    us.push_back(kNs * static_cast<double>(monotonic_ns() - begin));
  }
  line.value.store(-1);
  other.join();
  return us;
}

int run(int count) {
  pin(0);
  for (const double rate_hz : {1000.0, 4000.0}) {
    fmt::print("\n{:g} Hz [us]\n\n| | p50 | p99 | p99.9 | max | n |\n|---|---|---|---|---|---|\n",
               rate_hz);
    fmt::print("{}", row("floor: two threads, one cache line", ping_pong(rate_hz, count)));
    fmt::print("{}", row("link, both sides looking", link_round_trips(rate_hz, count, true, 0)));
    fmt::print("{}", row("link, servo at its rate, adapter looking",
                         link_round_trips(rate_hz, count, false, 0)));
    fmt::print("{}", row("link, servo and adapter at this rate",
                         link_round_trips(rate_hz, count, false, rate_hz)));
    SimulatedDevice simulated(HandScript(), rate_hz);
    fmt::print("{}", row("exchange of the simulated device", exchanges(simulated, rate_hz, count)));
    LinkMemory memory("bench", 1'000'000'000);
    LinkState state;
    const ExternalSettings s = settings();
    ExternalDevice external(s, memory.shared(), state);
    haptic_link link{};
    link.memory = &memory.shared();
    link.instance = memory.shared().instance = 1;
    state.instance = 1;
    haptic_link_pose pose{};
    pose.flags = HAPTIC_LINK_HOMED;
    haptic_link_publish(&link, &pose);
    fmt::print("{}", row("exchange of the external device", exchanges(external, rate_hz, count)));
  }
  return 0;
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 20'000;
  if (count < 1000) {
    fmt::print(stderr, "usage: external_link [round trips, at least 1000]\n");
    return 2;
  }
  return haptic::run(count);
}
