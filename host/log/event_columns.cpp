#include "host/log/event_columns.h"

#include <array>
#include <cstddef>

namespace haptic {
namespace {

using Type = EventColumn::Type;
using E = EventRecord;

// clang-format off
constexpr std::array kColumns = {
    EventColumn{"/events/number", "1", "of the event, since the daemon's start", Type::kUint64, 8, offsetof(E, number)},
    EventColumn{"/events/time_ns", "ns", "CLOCK_MONOTONIC, as /timing/time_ns", Type::kInt64, 8, offsetof(E, time_ns)},
    EventColumn{"/events/cycle", "1", "that executed the command or latched the fault", Type::kUint64, 8, offsetof(E, cycle)},
    EventColumn{"/events/kind", "1", "1 command, 2 fault, 3 another scene, 4 commands left out", Type::kUint32, 4, offsetof(E, kind)},
    EventColumn{"/events/command", "1", "1 engage, 2 release, 3 stop, 4 reset, 5 set, 6 load, 7 home, 8 takeover, 9 pull, 10 mark", Type::kUint32, 4, offsetof(E, command)},
    EventColumn{"/events/answer", "1", "1 applied, else why it was refused", Type::kUint32, 4, offsetof(E, answer)},
    EventColumn{"/events/fault", "1", "as /samples/fault", Type::kUint32, 4, offsetof(E, fault)},
    EventColumn{"/events/executed", "1", "1 where the loop executed the command in that cycle", Type::kUint32, 4, offsetof(E, executed)},
    EventColumn{"/events/uid", "1", "user of the client, from the kernel", Type::kUint32, 4, offsetof(E, uid)},
    EventColumn{"/events/pid", "1", "process of the client, from the kernel", Type::kInt64, 8, offsetof(E, pid)},
    EventColumn{"/events/value", "SI", "of set", Type::kFloat64, 8, offsetof(E, value)},
    EventColumn{"/events/key", "text", "of set; the body of pull, none: it lets go", Type::kText, sizeof(E::key), offsetof(E, key)},
    EventColumn{"/events/client", "text", "name of the client program, as it gives it", Type::kText, sizeof(E::client), offsetof(E, client)},
    EventColumn{"/events/text", "text", "of mark; the path of load; the scene of another scene", Type::kText, sizeof(E::text), offsetof(E, text), true},
    EventColumn{"/events/pull_point_x", "m", "of the point pulled, model of the body", Type::kFloat64, 8, offsetof(E, pull.point[0]), true},
    EventColumn{"/events/pull_point_y", "m", "likewise", Type::kFloat64, 8, offsetof(E, pull.point[1]), true},
    EventColumn{"/events/pull_point_z", "m", "likewise", Type::kFloat64, 8, offsetof(E, pull.point[2]), true},
    EventColumn{"/events/pull_target_x", "m", "where to, world, or from where the point is", Type::kFloat64, 8, offsetof(E, pull.target[0]), true},
    EventColumn{"/events/pull_target_y", "m", "likewise", Type::kFloat64, 8, offsetof(E, pull.target[1]), true},
    EventColumn{"/events/pull_target_z", "m", "likewise", Type::kFloat64, 8, offsetof(E, pull.target[2]), true},
    EventColumn{"/events/pull_stiffness", "N/m", "of the spring", Type::kFloat64, 8, offsetof(E, pull.stiffness), true},
    EventColumn{"/events/pull_limit", "N", "largest force", Type::kFloat64, 8, offsetof(E, pull.limit), true},
    EventColumn{"/events/pull_is_relative", "1", "1: the target is measured from where the point is", Type::kFloat64, 8, offsetof(E, pull.is_relative), true},
};
// clang-format on

}  // namespace

std::span<const EventColumn> event_columns() {
  return kColumns;
}

Hdf5Handle event_type(const EventColumn& column) {
  hid_t type = H5T_STD_U32LE;
  switch (column.type) {
    case Type::kUint32:
      break;
    case Type::kUint64:
      type = H5T_STD_U64LE;
      break;
    case Type::kInt64:
      type = H5T_STD_I64LE;
      break;
    case Type::kFloat64:
      type = H5T_IEEE_F64LE;
      break;
    case Type::kText:
      type = H5T_C_S1;
      break;
  }
  Hdf5Handle copy(H5Tcopy(type), H5Tclose, "copy an element type");
  if (column.type == Type::kText) require_hdf5(H5Tset_size(copy.get(), column.size), "text");
  return copy;
}

}  // namespace haptic
