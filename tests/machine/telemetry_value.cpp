// Prints what a daemon's telemetry says now, as NAME=VALUE lines for the guest's shell scripts.
#include <cstdio>
#include <exception>

#include "shared/ipc/telemetry_reader.h"

int main(int argc, char** argv) {
  try {
    const haptic::TelemetryReader reader(argc == 2 ? argv[1] : "hapticd");
    haptic::TelemetrySample now;
    if (!reader.newest(now)) return 1;
    const haptic::Counters counters = reader.statistics().counters;
    std::printf("state=%s\nfault=%s\nalive=%d\npid=%lld\n", haptic::name(now.record.state).data(),
                haptic::name(now.record.fault).data(), reader.life() == haptic::DaemonLife::kAlive,
                static_cast<long long>(reader.header().daemon_pid));
    const auto whole = [](double value) { return static_cast<long>(value * 1e6); };
    for (int i = 0; i < 3; ++i) {
      std::printf("position%d_um=%ld\nforce%d_uN=%ld\n", i,
                  whole(now.record.device_pose.position_m[i]), i,
                  whole(now.record.device_wrench.force_N[i]));
    }
    std::printf("cycles=%llu\nmissed=%llu\nallocations=%llu\nblack_boxes=%llu\n",
                static_cast<unsigned long long>(counters.cycles),
                static_cast<unsigned long long>(counters.missed),
                static_cast<unsigned long long>(counters.allocations),
                static_cast<unsigned long long>(counters.black_boxes));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
