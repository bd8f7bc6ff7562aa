// Checks of a comedi board from a separate process, through libcomedi as the daemon uses it.
#include <comedilib.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>

namespace {

[[noreturn]] void fail(const char* what) {
  std::printf("FAILED: %s (errno %d, %s)\n", what, errno, comedi_strerror(comedi_errno()));
  std::exit(1);
}

void require(bool good, const char* what) {
  if (!good) fail(what);
}

comedi_t* open_board(const char* path) {
  comedi_t* board = comedi_open(path);
  require(board != nullptr, "comedi_open");
  return board;
}

unsigned subdevice(comedi_t* board, int type) {
  const int number = comedi_find_subdevice_by_type(board, type, 0);
  require(number >= 0, "a subdevice of each kind");
  return static_cast<unsigned>(number);
}

double seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void set_attribute(const char* name, const char* value) {
  std::ofstream("/sys/class/haptic_test_arm/arm0/" + std::string(name)) << value;
}

std::int32_t unwrapped(lsampl_t raw) {
  return static_cast<std::int32_t>(raw << 8) >> 8;
}

// A position loop on all six joints at once, one instruction list per cycle.
void closed_loop(comedi_t* board) {
  const unsigned ao = subdevice(board, COMEDI_SUBD_AO);
  const unsigned dio = subdevice(board, COMEDI_SUBD_DIO);
  const unsigned counter = subdevice(board, COMEDI_SUBD_COUNTER);
  require(comedi_get_n_channels(board, ao) == 8 && comedi_get_maxdata(board, ao, 0) == 16383,
          "8 outputs of 14 bits");
  require(comedi_get_n_channels(board, counter) == 6 &&
              comedi_get_maxdata(board, counter, 0) == 0xffffff,
          "6 counters of 24 bits");
  require(comedi_dio_config(board, dio, 0, COMEDI_OUTPUT) >= 0, "line 0 as an output");
  require(comedi_dio_write(board, dio, 0, 1) == 1, "amplifiers on");

  lsampl_t read[6] = {};
  lsampl_t code[6] = {};
  comedi_insn insns[12] = {};
  for (unsigned i = 0; i < 6; ++i) {
    insns[i] = {INSN_READ, 1, &read[i], counter, CR_PACK(i, 0, AREF_GROUND), {}};
    insns[6 + i] = {INSN_WRITE, 1, &code[i], ao, CR_PACK(i, 0, AREF_GROUND), {}};
  }
  comedi_insnlist list{12, insns};
  const double target[6] = {1000, -1000, 500, -500, 2000, -2000};  // counts
  double last[6] = {};
  double worst = 0;
  double before = seconds();
  for (lsampl_t& c : code) c = 8192;
  for (int cycle = 0; cycle < 3000; ++cycle) {
    require(comedi_do_insnlist(board, &list) == 12, "instruction list");
    const double now = seconds();
    const double dt = std::fmax(1e-4, now - before);
    before = now;
    for (int i = 0; i < 6; ++i) {
      const double position = unwrapped(read[i]);
      const double speed = (position - last[i]) / dt;
      last[i] = position;
      const double volts = 0.002 * (target[i] - position) - 0.00005 * speed;
      code[i] =
          static_cast<lsampl_t>(std::lround(8192 + 819.2 * std::fmin(5, std::fmax(-5, volts))));
      if (cycle >= 2500) worst = std::fmax(worst, std::fabs(target[i] - position));
    }
    usleep(1000);
  }
  for (unsigned i = 0; i < 6; ++i) {
    require(comedi_data_write(board, ao, i, 0, AREF_GROUND, 8192) == 1, "zero");
    lsampl_t back = 0;
    require(comedi_data_read(board, ao, i, 0, AREF_GROUND, &back) == 1 && back == 8192,
            "zero reads back");
  }
  require(comedi_dio_write(board, dio, 0, 0) == 1, "amplifiers off");
  std::printf("closed loop of six joints: settled within %.0f counts of targets up to 2000 away\n",
              worst);
  // No friction and no load: a proportional loop settles on its target, but for the converter's
  // step of 1.22 mV, which is 0.6 counts at 0.002 V per count.
  require(worst <= 3, "the loop settles");
}

void faults(comedi_t* board) {
  const unsigned ao = subdevice(board, COMEDI_SUBD_AO);
  const unsigned counter = subdevice(board, COMEDI_SUBD_COUNTER);
  lsampl_t a = 0;
  lsampl_t b = 0;
  errno = 0;
  require(comedi_data_write(board, ao, 0, 0, AREF_GROUND, 16384) < 0 && errno == EINVAL,
          "a code too large is refused");
  require(comedi_data_write(board, counter, 2, 0, 0, 0xfffffe) == 1, "counter preset");
  require(comedi_data_read(board, counter, 2, 0, 0, &a) == 1 && a >= 0xfffff0,
          "counter counts from its preset");
  set_attribute("hand", "0 0 100000000 0 0 0");
  usleep(500000);
  require(comedi_data_read(board, counter, 2, 0, 0, &a) == 1 && a > 500 && a < 0x800000,
          "counter wraps at 24 bits");
  set_attribute("frozen", "4");
  set_attribute("hand", "0 0 0 0 0 0");
  usleep(500000);
  require(comedi_data_read(board, counter, 2, 0, 0, &a) == 1, "read");
  usleep(200000);
  require(comedi_data_read(board, counter, 2, 0, 0, &b) == 1 && a == b && a > 500,
          "a frozen counter stands still");
  set_attribute("frozen", "0");
  set_attribute("fail", "1");
  errno = 0;
  require(comedi_data_read(board, counter, 2, 0, 0, &a) < 0 && errno == EIO,
          "a failing board answers EIO");
  set_attribute("fail", "0");
  set_attribute("plugged", "0");
  errno = 0;
  require(comedi_data_read(board, counter, 2, 0, 0, &a) < 0 && errno == ENODEV,
          "an open handle of an unplugged board: ENODEV");
  set_attribute("plugged", "1");
  std::puts("faults: range, wrap, frozen counter, EIO, ENODEV as told");
}

// Drives an output and reads the counter it moves, for any small board.
void drive(comedi_t* board) {
  const unsigned ao = subdevice(board, COMEDI_SUBD_AO);
  const unsigned counter = subdevice(board, COMEDI_SUBD_COUNTER);
  lsampl_t first = 0;
  lsampl_t second = 0;
  require(comedi_data_write(board, ao, 0, 0, AREF_GROUND, comedi_get_maxdata(board, ao, 0)) == 1,
          "output");
  for (int i = 0; i < 4; ++i)
    require(comedi_data_read(board, counter, 0, 0, 0, &first) == 1, "counter");
  usleep(500000);
  for (int i = 0; i < 4; ++i)
    require(comedi_data_read(board, counter, 0, 0, 0, &second) == 1, "counter");
  std::printf("counter went from %u to %u in half a second at full output\n", first, second);
  require(((second - first) & 0xff) > 20, "the counter runs");
}

// Reads until the board is unplugged under the open handle.
void until_unplugged(comedi_t* board) {
  const unsigned counter = subdevice(board, COMEDI_SUBD_COUNTER);
  const unsigned ao = subdevice(board, COMEDI_SUBD_AO);
  lsampl_t value = 0;
  std::puts("reading");
  std::fflush(stdout);
  while (comedi_data_read(board, counter, 0, 0, 0, &value) == 1) usleep(1000);
  std::printf("read ends with errno %d (%s)\n", errno, std::strerror(errno));
  require(errno == ENODEV || errno == ENOENT || errno == ESHUTDOWN,
          "the first failure tells of the unplug");
  usleep(300000);
  errno = 0;
  require(comedi_data_write(board, ao, 0, 0, AREF_GROUND, 0) < 0 && errno == ENODEV, "then ENODEV");
  require(comedi_close(board) == 0, "close");
  std::puts("unplugged: ENODEV, handle closed");
  std::exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc == 3 ? argv[1] : "";
  if (what != "closed-loop" && what != "faults" && what != "drive" && what != "until-unplugged") {
    std::fputs("usage: board_probe closed-loop|faults|drive|until-unplugged /dev/comediN\n",
               stderr);
    return 2;
  }
  comedi_t* board = open_board(argv[2]);
  if (what == "closed-loop") closed_loop(board);
  if (what == "faults") faults(board);
  if (what == "drive") drive(board);
  if (what == "until-unplugged") until_unplugged(board);
  comedi_close(board);
  return 0;
}
