#pragma once

namespace haptic {

/// An operator may truncate the mailbox, which is theirs to write; the next access would raise
/// SIGBUS. The handler puts fresh zero pages under the address instead: the supervisor sees empty
/// slots and the loop never notices. A SIGBUS anywhere in a mapped model file (the file was
/// truncated under us) is not ours to heal: the default action follows.
/// @param begin, length of the mailbox mapping
void guard_mailbox(void* begin, unsigned long length);

}  // namespace haptic
