#include "host/monitor/raw_terminal.h"

#include <unistd.h>

#include <cstdio>

namespace haptic {
namespace {

volatile std::sig_atomic_t interrupt_asked = 0;
volatile std::sig_atomic_t stop_asked = 0;

void note_signal(int signal) {
  if (signal == SIGTSTP) {
    stop_asked = 1;
  } else {
    interrupt_asked = 1;
  }
}

}  // namespace

RawTerminal::RawTerminal() {
  interrupt_asked = 0;
  stop_asked = 0;
  struct sigaction action {};
  action.sa_handler = note_signal;  // without SA_RESTART: the loop's wait ends
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &actions_[i]);
  enter();
}

RawTerminal::~RawTerminal() {
  leave();
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &actions_[i], nullptr);
}

bool RawTerminal::interrupted() {
  return interrupt_asked != 0;
}

bool RawTerminal::stop_if_asked() {
  if (stop_asked == 0) return false;
  stop_asked = 0;
  leave();
  raise(SIGSTOP);
  enter();
  return true;
}

void RawTerminal::enter() {
  tcgetattr(STDIN_FILENO, &before_);
  termios raw = before_;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

void RawTerminal::leave() {
  std::fputs("\n", stdout);
  std::fflush(stdout);
  tcsetattr(STDIN_FILENO, TCSANOW, &before_);
}

}  // namespace haptic
