# The packages as a lab would install them: accounts, permissions, the service on the emulated arm, its
# death, restart, a full disk, upgrade and removal.
. ./lib_arm.sh
. ./lib_daemon.sh
ls "$HOST"/packages/hapticd_*.deb >/dev/null 2>&1 || { echo "SKIP no packages of this build"; exit 0; }
prepare_daemon
NAME=hapticd
this=$(ls "$HOST"/packages/hapticd_*.deb | grep -v +next)
next=$(ls "$HOST"/packages/hapticd_*+next_*.deb)
say "installing $(basename "$this")"
dpkg -i "$this" >/run/dpkg.log 2>&1 || { cat /run/dpkg.log; fail "dpkg -i"; }
expect "account's groups" "$(id -Gn hapticd | tr ' ' '\n' | grep -cxE 'haptic|haptic-operator|iocard')" 3
expect "service after installation" "$(systemctl is-enabled hapticd 2>&1 || true)" disabled

cp $T/test-arm.toml /etc/hapticd/devices/
cp $T/scene.toml $T/ball.h5 /var/lib/hapticd/
sed -i -e 's|^HAPTICD_SCENE=.*|HAPTICD_SCENE=/var/lib/hapticd/scene.toml|' -e 's|^HAPTICD_DEVICE=.*|HAPTICD_DEVICE=test-arm|' /etc/hapticd/hapticd.env

# The service before its board's driver: systemd looks up what DeviceAllow= means when it starts.
systemctl enable -q hapticd
systemctl start --no-block hapticd
sleep 3
test ! -e /dev/comedi0 || fail "the board is there already"
say "without the board: $(systemctl show -p ActiveState,SubState,NRestarts hapticd | tr '\n' ' ')"
load_arm
wait_for "board's node" 20 test -c /dev/comedi0
udevadm settle
expect "owner and mode of the board's node" "$(stat -c '%U %G %a' /dev/comedi0)" "root iocard 660"
wait_for "service is active, module loaded after it" 120 systemctl is-active -q hapticd
wait_for "not homed" 60 state_is homing
wait_for "homed and idle" 60 home_daemon
expect "account of the daemon" "$(ps -o user= -p "$(telemetry pid)")" hapticd
say "$(grep -E '^(VmLck|Threads)' /proc/"$(telemetry pid)"/status | tr -s '\t\n' '  ')scheduling of its threads: $(ps -Lo cls=,rtprio= -p "$(telemetry pid)" | sort | uniq -c | tr -s ' \n' ' ')"
say "$(systemd-analyze security hapticd --no-pager 2>/dev/null | tail -1)"

# Who may do what.
setpriv --reuid nobody --regid nogroup --clear-groups sh -c 'exec 3<>/dev/comedi0' 2>/dev/null && fail "nobody opens the board"
setpriv --reuid nobody --regid nogroup --clear-groups $T/daemon_command hapticd engage 2>/dev/null && fail "nobody engages"
say "a user outside the groups neither opens the board nor engages"
runuser -u hapticd -- /usr/bin/hapticd --scene /var/lib/hapticd/scene.toml --device test-arm --name second --cycles 5 >/run/second.log 2>&1 \
  && fail "a second daemon on the same board"
say "second daemon on the board: $(tail -1 /run/second.log)"

engage() {
  wait_for "idle" 60 home_daemon
  wait_for "engaged" 20 command_daemon engage
  wait_for "outputs are driven" 20 driven
}
engage
hand 15000 0 0
wait_for "follows the hand" 20 near_um position0_um 15000 2000
hand 0 0 0

# Another scene without a stop.
before=$(telemetry pid)
sed -i 's|^force = .*|force = 3.0|' /var/lib/hapticd/scene.toml
systemctl reload hapticd || fail "systemctl reload"
changed() { journalctl -u hapticd -b -o cat | grep -q "in place of"; }
wait_for "systemctl reload: the changed scene runs" 20 changed
expect "process after systemctl reload" "$(telemetry pid)" "$before"
expect "state after systemctl reload" "$(telemetry state)" engaged
wait_for "outputs are driven" 20 driven

# Death, hang and end of the service: the guard's unit makes the outputs safe, systemd restarts it. The
# arm stays where it was released: no restart homes it there.
after() { # after EVENT: outputs at zero, service back
  wait_for "outputs at zero after $1" 10 at_zero
  wait_for "service is back after $1 and waits to be homed" 120 state_is homing
}
kill -KILL "$(telemetry pid)"
after SIGKILL
engage
kill -STOP "$(telemetry pid)"
after SIGSTOP
engage
systemctl restart hapticd
after "systemctl restart"
engage
systemctl kill -s KILL hapticd-guard
after "death of the guard"

# A disk that is full costs fault records, nothing else.
engage
mount -t tmpfs -o size=64k tmpfs /var/log/hapticd
chown hapticd:haptic /var/log/hapticd
head -c 100000 /dev/zero >/var/log/hapticd/full 2>/dev/null || true
command_daemon stop
wait_for "stopped with the disk full" 10 fault_is operator_stop
at_zero || fail "outputs after stop"
sleep 1
expect "daemon with the disk full" "$(telemetry alive)" 1
wait_for "reset" 10 command_daemon reset
umount -l /var/log/hapticd
engage

# Upgrade: the outputs are zero, the new daemon is there, what the operator wrote is untouched.
before=$(cat /etc/hapticd/hapticd.env /etc/hapticd/devices/test-arm.toml /var/lib/hapticd/scene.toml | md5sum)
pid=$(telemetry pid)
say "upgrading to $(basename "$next")"
dpkg -i "$next" >/run/dpkg.log 2>&1 || { cat /run/dpkg.log; fail "upgrade"; }
wait_for "outputs at zero after the upgrade" 10 at_zero
wait_for "service is back after the upgrade and waits to be homed" 120 state_is homing
[ "$(telemetry pid)" != "$pid" ] || fail "the old daemon still runs"
expect "configuration and models after the upgrade" "$(cat /etc/hapticd/hapticd.env /etc/hapticd/devices/test-arm.toml /var/lib/hapticd/scene.toml | md5sum)" "$before"
engage
dpkg -r hapticd >/run/dpkg.log 2>&1 || { cat /run/dpkg.log; fail "removal"; }
wait_for "outputs at zero after the removal" 10 at_zero
test ! -e /usr/bin/hapticd || fail "the daemon is still installed"
expect "configuration and models after the removal" "$(cat /etc/hapticd/hapticd.env /etc/hapticd/devices/test-arm.toml /var/lib/hapticd/scene.toml | md5sum)" "$before"
expect "failed units" "$(systemctl list-units --failed --no-legend --plain | wc -l)" 0
