# haptic calibrate on the emulated arm: directions, the file it writes, and a daemon that goes by it.
. ./lib_arm.sh
. ./lib_daemon.sh
ls "$HOST"/packages/haptic-tools_*.deb >/dev/null 2>&1 || { echo "SKIP no packages of this build"; exit 0; }
prepare_daemon
load_arm
say "installing haptic-tools"
dpkg -i "$HOST"/packages/haptic-tools_*.deb >/run/dpkg.log 2>&1 || { cat /run/dpkg.log; fail "dpkg -i"; }
wait_for "board's node" 20 test -c /dev/comedi0

file=$T/test-arm.calibration.toml
sed -e 's|^method = .*|method = "file"|' -e "s|^pose = .*|pose = [0.0, 0.0, 0.0]\nfile = \"$file\"|" $T/test-arm.toml >$T/test-file.toml
# The second counter's lines are swapped.
awk '/^\[\[axis\]\]/ { n++ } { print } /^\[\[axis\]\]/ && n == 2 { print "encoder_direction = -1" }' $T/test-file.toml >$T/test-swapped.toml

# calibrate MANIFEST: in the background; Enter is a line to its FIFO
calibrate() {
  rm -f /run/enter
  mkfifo /run/enter
  sleep infinity >/run/enter &
  haptic calibrate "$1" </run/enter >/run/calibrate.log 2>&1 &
  CALIBRATE=$!
}
asked() { wait_for "asks for $1" 30 grep -q "^$1" /run/calibrate.log; }
refused() { # refused WHAT WORDS COMMAND...: ends with an error that says so, outputs at zero
  what=$1 words=$2
  shift 2
  "$@" >/run/refused.log 2>&1 && fail "$what is accepted"
  grep -q "$words" /run/refused.log || { cat /run/refused.log; fail "$what: other words"; }
  at_zero || fail "$what: outputs $(cat $ARM/outputs)"
  say "$what: $(tail -1 /run/refused.log)"
}
daemon() { $T/hapticd --scene $T/scene.toml --device $T/test-file.toml --name arm --cycles 2000; }

refused "no calibration yet" "haptic calibrate" daemon
calibrate $T/test-swapped.toml
asked "Axis 0"
hand 30000 0 0
asked "Axis 1"
hand 0 30000 0
wait $CALIBRATE && fail "a counter that runs backwards is accepted"
grep -q "runs backwards" /run/calibrate.log || { cat /run/calibrate.log; fail "other words"; }
say "$(tail -1 /run/calibrate.log)"
test ! -e $file || fail "a calibration file after a failure"
hand 0 0 0

calibrate $T/test-file.toml
asked "Axis 0"
hand 30000 0 0
asked "Axis 1"
hand 0 30000 0
asked "Axis 2"
hand 0 0 30000
asked "Bring"
hand 0 0 0
sleep 2
at_zero || fail "motors driven while calibrating"
expect "enable line while calibrating" "$(($(cat $ARM/digital_out) & 1))" 0
echo >/run/enter
wait $CALIBRATE || { cat /run/calibrate.log; fail "calibrate"; }
say "$(tail -1 /run/calibrate.log)"
grep -q '^device = "test-arm"' $file || { cat $file; fail "the file"; }

# The arm is elsewhere when the daemon starts: it knows where.
hand 20000 -10000 0
sleep 1
start_daemon arm $T/test-file.toml
wait_for "idle without homing" 30 state_is idle
wait_for "x is where the hand is" 10 near_um position0_um 20000 500
wait_for "y is where the hand is" 10 near_um position1_um -10000 500
stop_daemon
sed -i 's|^boot_id = .*|boot_id = "0"|' $file
refused "calibration of an earlier boot" "haptic calibrate" daemon
