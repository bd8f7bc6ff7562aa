#pragma once

namespace haptic {

/// Whether the terminal that TERM names is known and can place its cursor.
bool terminal_places_cursor();

}  // namespace haptic
