#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "host/log/log_reader.h"

namespace haptic {

/// Prints what a log lacks (completeness), a line for each on standard error.
/// @returns the lines, without the log's name
std::vector<std::string> warn_of_missing_data(const LogReader& log);

/// Refuses bodies whose models are no longer those that ran; with `any_model` a warning.
/// @param source  of the bodies: the log, or the daemon
/// @throws InputError as expect_models_that_ran()
void check_drawn_models(std::span<const LogBody> bodies, const std::filesystem::path& source,
                        bool any_model);

}  // namespace haptic
