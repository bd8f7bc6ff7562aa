#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "bench/contact_scenes/measured_case.h"

namespace haptic {

/// The results as text tables.
std::string text_of(std::span<const MeasuredCase> cases);
/// All results and a description of the machine.
/// @throws OperationError if the file cannot be written
void write_json(const std::filesystem::path& file, std::span<const MeasuredCase> cases);

}  // namespace haptic
