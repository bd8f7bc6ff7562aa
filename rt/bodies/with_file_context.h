#pragma once

#include <filesystem>
#include <string_view>

#include "shared/error.h"

namespace haptic {

/// Runs `build`, a step of loading a model whose errors name the quantity but not the file, and
/// puts the file name in front of them.
/// @throws InputError of `build`, beginning with `file`
template <typename Build>
void with_file_context(const std::filesystem::path& file, Build&& build) {
  try {
    build();
  } catch (const InputError& error) {
    if (std::string_view(error.what()).starts_with(file.string())) throw;
    throw InputError(file.string(), "", error.what());
  }
}

}  // namespace haptic
