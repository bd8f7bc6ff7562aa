// One operator's command to a daemon, without the host tool: daemon_command NAME
// engage|release|stop|reset|home
#include <cstdio>
#include <exception>
#include <map>
#include <string>

#include "shared/ipc/command_client.h"

int main(int argc, char** argv) {
  using haptic::CommandKind;
  const std::map<std::string, CommandKind> kinds = {{"engage", CommandKind::kEngage},
                                                    {"release", CommandKind::kRelease},
                                                    {"stop", CommandKind::kStop},
                                                    {"reset", CommandKind::kReset},
                                                    {"home", CommandKind::kHome}};
  const auto kind = argc == 3 ? kinds.find(argv[2]) : kinds.end();
  if (kind == kinds.end()) {
    std::fputs("usage: daemon_command NAME engage|release|stop|reset|home\n", stderr);
    return 2;
  }
  try {
    const haptic::CommandReply reply =
        haptic::CommandClient(argv[1]).send(kind->second, {}, 0.0, 10000);
    std::printf("%s: %s\n", argv[2], haptic::reason(reply.answer).data());
    return reply.answer == haptic::CommandAnswer::kApplied ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
