# What other users and files may do to a daemon on an arm: the hand keeps its force. (Suspend is tried in
# virtual time alone: with a clock that counts instructions nothing wakes this machine again.)
. ./lib_arm.sh
. ./lib_daemon.sh
prepare_daemon
load_arm

# Another user takes the names first and forges a pulse without beats for one of their processes.
mkdir -p /dev/shm/hapticd-65534
for what in telemetry pulse commands stop lock guard guard-pulse; do
  head -c 4096 /dev/zero >/dev/shm/hapticd-65534/arm.$what
done
chown -R nobody /dev/shm/hapticd-65534
start_guard arm $T/test-arm.toml
start_daemon arm $T/test-arm.toml --home
wait_for "homed and idle despite forged segments" 60 state_is idle
wait_for "engaged" 20 command_daemon engage
wait_for "outputs are driven" 20 driven
hand 15000 0 0
wait_for "follows the hand" 20 near_um position0_um 15000 2000

# Its model's file becomes another, and then nothing, under the engaged hand.
before=$(telemetry cycles)
dd if=/dev/urandom of=$T/ball.h5 bs=4096 count=4 conv=notrunc 2>/dev/null
truncate -s 0 $T/ball.h5
sleep 1
expect "state with the model's file cut" "$(telemetry state)" engaged
driven || fail "no force with the model's file cut"
[ "$(telemetry cycles)" -gt "$before" ] || fail "no cycle since the model's file was cut"
hand 0 0 0
wait_for "follows the hand still" 20 near_um position0_um 0 2000

command_daemon stop || fail "stop: $(cat /run/command.log)"
wait_for "outputs at zero" 10 at_zero
stop_daemon
stop_guard
