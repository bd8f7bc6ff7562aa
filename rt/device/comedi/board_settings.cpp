#include "rt/device/comedi/board_settings.h"

#include <fmt/format.h>

#include "rt/device/comedi/board_keys.h"

namespace haptic {

std::vector<unsigned> BoardSettings::input_lines() const {
  std::vector<unsigned> lines = buttons;
  for (const auto& line : {stop_channel, second_stop_channel}) {
    if (line) lines.push_back(*line);
  }
  return lines;
}

BoardSettings read_board(const DeviceManifest& manifest, std::size_t axes, std::size_t motors) {
  const TomlTable& root = manifest.table;
  if (manifest.kind != "comedi-arm") {
    root.refuse("kind", fmt::format("found \"{}\"", manifest.kind), "\"comedi-arm\"");
  }
  root.use_keys(board_groups());
  ReadBoard board;
  board.source = manifest.file.string();
  board.axes = axes;
  board.motors = motors;
  board_keys().read_some(root, board);
  return board;
}

}  // namespace haptic
