#pragma once

#include <cstddef>
#include <cstdint>

struct haptic_link_memory;

/// The link's header, compiled as C11 (link_in_c.c).
extern "C" {
std::uint64_t layout_in_c(void);
std::size_t size_in_c(void);
void publish_in_c(haptic_link_memory* memory, std::uint64_t instance, double z);
}
