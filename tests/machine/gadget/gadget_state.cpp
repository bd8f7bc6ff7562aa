#include "tests/machine/gadget/gadget_state.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <new>

namespace haptic::machine {

std::uint64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000ULL +
         static_cast<std::uint64_t>(now.tv_nsec);
}

GadgetState* create_state(const char* path) {
  const int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0 || ftruncate(file, sizeof(GadgetState)) != 0) {
    std::perror(path);
    std::exit(1);
  }
  void* memory = mmap(nullptr, sizeof(GadgetState), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED) {
    std::perror("mmap");
    std::exit(1);
  }
  auto* state = new (memory) GadgetState{};
  state->safe_since_ns = monotonic_ns();
  state->magic = GadgetState::kMagic;
  return state;
}

void note_outputs(GadgetState& state, const int* outputs, int count) {
  const std::uint64_t now = monotonic_ns();
  bool safe = true;
  for (int i = 0; i < count; ++i) {
    state.outputs[i] = outputs[i];
    safe = safe && outputs[i] == 0;
  }
  if (safe && state.safe_since_ns == 0) state.safe_since_ns = now;
  if (!safe && state.unsafe_since_ns == 0) state.unsafe_since_ns = now;
  (safe ? state.unsafe_since_ns : state.safe_since_ns) = 0;
  state.last_command_ns = now;
  ++state.commands;
}

}  // namespace haptic::machine
