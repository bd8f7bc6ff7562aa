#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "bench/contact_scenes/measured_case.h"

namespace haptic {

/// Tables for reading.
std::string text_of(std::span<const MeasuredCase> cases);
/// Every figure, and the machine it was taken on.
/// @throws OperationError if the file cannot be written
void write_json(const std::filesystem::path& file, std::span<const MeasuredCase> cases);

}  // namespace haptic
