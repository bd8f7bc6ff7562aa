#pragma once

namespace CLI {
class App;
}

namespace haptic {

/// `haptic convert MODEL.h5 --vega DIR [--name N]` writes VegaFEM's files of a model;
/// `haptic convert MESH.veg --basis X.U [--bou X.bou] [--cubic X.cub] [--surface X.obj [--interp
/// X.interp]] -o MODEL.h5` makes a model of VegaFEM's files.
void add_convert_command(CLI::App& app);

}  // namespace haptic
