#include "host/monitor/terminal_kind.h"

#include <unistd.h>

#include <cstdlib>
// Apart from all other headers: they define words such as "lines" as macros.
#include <curses.h>
#include <term.h>

namespace haptic {

bool terminal_places_cursor() {
  const char* const term = std::getenv("TERM");
  int found = 0;
  if (term == nullptr || *term == '\0') return false;
  if (setupterm(nullptr, STDOUT_FILENO, &found) != OK || found != 1) return false;
  const char* const place = tigetstr("cup");
  const bool places = place != nullptr && place != reinterpret_cast<const char*>(-1);
  del_curterm(cur_term);
  return places;
}

}  // namespace haptic
