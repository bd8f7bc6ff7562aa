#pragma once

#include "rt/hapticd/options.h"

namespace CLI {
class App;
}

namespace haptic {

/// Describes hapticd's command line to `app`, which writes to `options` while it parses: both must
/// live that long.
void add_options(CLI::App& app, Options& options);

}  // namespace haptic
