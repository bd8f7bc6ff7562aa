// Ten million faults through the real HapticCycle in virtual time: does a force ever exceed its
// limit, is a fault ever not latched, is a latch ever released by itself? tests/rt/servo runs a
// small one in every build.
//
//   fault_storm [FAULTS] [SEED]
// Prints the injected and the latched faults; exit code 1 if a condition was violated.
#include "lab/samples/fault_storm.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  using namespace haptic;
  const std::uint64_t faults = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const auto begin = std::chrono::steady_clock::now();
  const StormResult storm = run_storm(faults, seed);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  fmt::print("faults drawn          {} (seed {})\n", storm.drawn, seed);
  fmt::print("cycles                {} in {:.1f} s\n", storm.cycles, took.count());
  fmt::print("had to be latched     {}\n", storm.demanded);
  fmt::print("largest force         {:.6f} N of {} N\n", storm.largest_force, kStormForce);
  fmt::print("largest torque        {:.6f} N·m of {} N·m\n", storm.largest_torque, kStormTorque);
  fmt::print("not latched           {}\n", storm.missed);
  fmt::print("latched as another    {}\n", storm.wrong_kind);
  fmt::print("let go without reset  {}\n", storm.let_loose);
  fmt::print("above a limit         {}\n", storm.over_limit);
  fmt::print("pushed in fault       {}\n", storm.pushed_in_fault);
  fmt::print("not finite            {}\n", storm.not_finite);
  fmt::print("\n{:<22}{:>10}{:>18}{:>14}{:>14}\n", "must be latched as", "drawn",
             "met engaged servo", "latched so", "latched, all");
  for (std::size_t kind = 1; kind < kFaultKinds; ++kind) {
    fmt::print("{:<22}{:>10}{:>18}{:>14}{:>14}\n", kFaultNames[kind], storm.drawn_as[kind],
               storm.met[kind], storm.latched_as_met[kind], storm.latched[kind]);
  }
  fmt::print("{:<22}{:>10}\n", "nothing (limits hold)", storm.drawn_as[0]);
  return storm.violations() == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
