#include "host/monitor/curses_screen.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdio>
#include <cstdlib>

#include "host/monitor/terminal_kind.h"
#include "host/monitor/text_columns.h"
#include "shared/error.h"
// Last, and functions instead of macros, which have common names.
#define NCURSES_NOMACROS
#include <curses.h>

namespace haptic {
namespace {

constexpr const char* kInstead = "; `haptic status` prints the state once";

volatile std::sig_atomic_t end_asked = 0;

void check_terminal() {
  if (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0) {
    throw InputError("haptic top", "", "standard input or output is no terminal",
                     std::string("a terminal") + kInstead);
  }
  if (!terminal_places_cursor()) {
    const char* const term = std::getenv("TERM");
    throw InputError("haptic top", "TERM", fmt::format("found \"{}\"", term == nullptr ? "" : term),
                     std::string("a terminal that can place the cursor") + kInstead);
  }
}

attr_t attributes(Emphasis emphasis) {
  const auto colour = [](short pair) {
    return has_colors() ? static_cast<attr_t>(COLOR_PAIR(pair)) : static_cast<attr_t>(A_NORMAL);
  };
  switch (emphasis) {
    case Emphasis::kPlain:
      return A_NORMAL;
    case Emphasis::kTitle:
      return A_REVERSE;
    case Emphasis::kHeading:
      return A_BOLD;
    case Emphasis::kGood:
      return A_REVERSE | colour(1);
    case Emphasis::kWarning:
      return A_BOLD | colour(2);
    case Emphasis::kBad:
      return A_BOLD | A_REVERSE | colour(3);
  }
  return A_NORMAL;
}

}  // namespace

CursesScreen::CursesScreen() {
  check_terminal();
  end_asked = 0;
  struct sigaction action {};
  action.sa_handler = [](int) { end_asked = 1; };
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &actions_[i]);
  // The characters that the terminal has; numbers keep their point.
  std::setlocale(LC_CTYPE, "");
  screen_ = newterm(nullptr, stdout, stdin);
  if (screen_ == nullptr) {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &actions_[i], nullptr);
    throw OperationError("haptic top: the terminal cannot be prepared");
  }
  cbreak();
  noecho();
  nonl();
  intrflush(stdscr, FALSE);
  keypad(stdscr, TRUE);
  curs_set(0);
  if (has_colors()) {
    start_color();
    use_default_colors();
    init_pair(1, COLOR_GREEN, -1);
    init_pair(2, COLOR_YELLOW, -1);
    init_pair(3, COLOR_RED, -1);
  }
}

CursesScreen::~CursesScreen() {
  endwin();
  delscreen(screen_);
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &actions_[i], nullptr);
}

PageSize CursesScreen::size() const {
  return {static_cast<std::size_t>(std::max(1, getmaxy(stdscr))),
          static_cast<std::size_t>(std::max(1, getmaxx(stdscr)))};
}

void CursesScreen::show(const std::vector<PageLine>& lines) {
  erase();
  const PageSize now = size();
  for (std::size_t row = 0; row < std::min(lines.size(), now.rows); ++row) {
    const PageLine& line = lines[row];
    const attr_t how = attributes(line.emphasis);
    attrset(static_cast<int>(how));
    // The last column of the last row stays free: writing there scrolls some terminals.
    const std::size_t width = row + 1 == now.rows ? now.columns - 1 : now.columns;
    mvaddwstr(static_cast<int>(row), 0, wide_text(printable(line.text, width)).c_str());
  }
  attrset(A_NORMAL);
  refresh();
}

std::optional<char> CursesScreen::key(int milliseconds) {
  timeout(milliseconds);
  const int code = getch();
  if (code == ERR) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (poll(&input, 1, 0) > 0 && (input.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) {
      is_gone_ = true;
    }
    return std::nullopt;
  }
  if (code <= ' ' || code > '~') return std::nullopt;  // also KEY_RESIZE: the next page fits
  return static_cast<char>(code);
}

bool CursesScreen::ended() const {
  return is_gone_ || end_asked != 0;
}

}  // namespace haptic
