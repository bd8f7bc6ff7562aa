#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

namespace CLI {
class App;
}

namespace haptic {

/// `haptic inspect MODEL.h5 [--json]`: sections, sizes, material and provenance of a model file.
void add_inspect_command(CLI::App& app);

/// What `inspect` prints: {"file", "format_version", "content_hash", "file_length_bytes",
/// "reduced_dimension", "sections": [{"name", "type", "shape", "unit", "length_bytes", "hash"}],
/// "attributes": {"/mesh.youngs_modulus_Pa": ...}}.
/// @throws InputError if the file is not a sound model file
nlohmann::json inspect_model(const std::filesystem::path& path);

}  // namespace haptic
