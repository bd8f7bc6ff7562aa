// Prints a gadget's state as NAME=VALUE lines for the guest's shell scripts.
#include <fcntl.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdio>

#include "tests/machine/gadget/gadget_state.h"

int main(int argc, char** argv) {
  using haptic::machine::GadgetState;
  const int file = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
  void* memory =
      file < 0 ? MAP_FAILED : mmap(nullptr, sizeof(GadgetState), PROT_READ, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED ||
      static_cast<const GadgetState*>(memory)->magic != GadgetState::kMagic) {
    std::fputs("usage: gadget_show STATE_FILE\n", stderr);
    return 2;
  }
  const auto& s = *static_cast<const GadgetState*>(memory);
  const auto number = [](const char* name, std::uint64_t value) {
    std::printf("%s=%llu\n", name, static_cast<unsigned long long>(value));
  };
  number("commands", s.commands);
  number("safe_since_ns", s.safe_since_ns);
  number("unsafe_since_ns", s.unsafe_since_ns);
  number("enabled", s.enabled);
  number("firmware", s.firmware);
  number("homed", s.homed);
  number("broken_packets", s.broken_packets);
  for (int i = 0; i < 3; ++i)
    std::printf("output%d=%lld\n", i, static_cast<long long>(s.outputs[i]));
  for (int i = 0; i < 3; ++i)
    std::printf("position%d_um=%ld\n", i, static_cast<long>(s.position[i] * 1e6));
  return 0;
}
