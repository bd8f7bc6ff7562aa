# The emulated arm as test-arm.toml describes it: three slides of 0.2 kg, 8000 counts per turn of a 1 cm
# drum (127324 counts/m), 0.777 N/V, stops at 10 cm; a hand of 500 N/m holds it at its rest.
load_arm() {
  modprobe haptic_test_arm counts_per_radian=127324,127324,127324,127324,127324,127324 \
    torque_per_volt=777000,777000,777000,777000,777000,777000 inertia=200000 damping=2000000 stop_mrad=100
  echo 500000000 >$ARM/hand_stiffness
  echo 2 >$ARM/digital_in # the stop line is closed
}
# hand X Y Z in um
hand() { echo "$((1000 * $1)) $((1000 * $2)) $((1000 * $3)) 0 0 0" >$ARM/hand; }
driven() { [ "$(cat $ARM/unsafe_since_ns)" != 0 ]; }
at_zero() { [ "$(cat $ARM/safe_since_ns)" != 0 ]; }
