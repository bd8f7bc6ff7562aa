#include "host/log/log_description.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>

#include "host/artifact/growing_dataset.h"
#include "host/artifact/hdf5_handle.h"

namespace haptic {
namespace {

void describe_blocks(hid_t file, const StateLayout& state) {
  const Hdf5Handle blocks = make_hdf5_group(file, "/blocks");
  for (std::size_t i = 0; i < state.blocks().size(); ++i) {
    const StateBlock& block = state.blocks()[i];
    const Hdf5Handle group = make_hdf5_group(file, fmt::format("/blocks/{}", i));
    write_attribute(group.get(), "name", block.name);
    write_attribute(group.get(), "unit", block.unit);
    write_attribute(group.get(), "description", block.meaning);
    write_attribute(group.get(), "shape", fmt::format("{}", fmt::join(block.shape, " ")));
    write_attribute(group.get(), "display", static_cast<double>(block.display));
    write_attribute(group.get(), "rate", static_cast<double>(block.rate));
    if (block.measured) write_attribute(group.get(), "measured", 1.0);
  }
}

}  // namespace

void write_description(hid_t file, const LogDescription& description) {
  write_attribute(file, "format", std::string("hapticd log 2"));
  write_attribute(file, "source", description.source);
  write_attribute(file, "scene", description.scene_path);
  write_attribute(file, "rate_hz", description.rate_hz);
  write_attribute(file, "length_scale", description.length_scale);
  if (description.device_stiffness_N_m) {
    write_attribute(file, "device_stiffness_N_m", *description.device_stiffness_N_m);
  }
  const Hdf5Handle bodies = make_hdf5_group(file, "/bodies");
  for (std::size_t b = 0; b < description.bodies.size(); ++b) {
    const LogBody& body = description.bodies[b];
    const Hdf5Handle group = make_hdf5_group(file, fmt::format("/bodies/{}", b));
    write_attribute(group.get(), "name", body.name);
    write_attribute(group.get(), "model", body.model_path);
    write_attribute(group.get(), "model_hash", fmt::format("{:016x}", body.model_hash));
    write_attribute(group.get(), "first_coordinate", body.first_coordinate);
    write_attribute(group.get(), "coordinate_count", body.coordinate_count);
    write_attribute(group.get(), "held", body.held ? 1.0 : 0.0);
  }
  describe_blocks(file, description.state);
  if (description.session) write_session(file, *description.session);
}

}  // namespace haptic
