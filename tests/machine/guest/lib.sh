# Words of the guest's scripts. A script ends with the first command that fails.
set -eu
HOST=/mnt/host
BIN=$HOST/bin
OUT=$HOST/out

# Guest time since boot, as the figures of README.md are given.
now() { cut -d' ' -f1 /proc/uptime; }
say() { echo "[$(now)] $*"; }
fail() { say "FAILED: $*"; exit 1; }
# Messages of the programs go to the host with the script's log and are shown after a failure.
leave() {
  rc=$?
  cp /run/*.log "$OUT/" 2>/dev/null || true
  dmesg | grep -v 'timer fired with no URBs' >"$OUT/dmesg.txt" || true
  [ $rc = 0 ] || tail -n 15 /run/*.log 2>/dev/null || true
}
trap leave EXIT
expect() { # expect WHAT FOUND WANTED
  [ "$2" = "$3" ] || fail "$1: found '$2', expected '$3'"
  say "$1: $2"
}
# wait_for WHAT SECONDS COMMAND...: until the command succeeds; the limit is generous, TCG is slow.
wait_for() {
  what=$1 limit=$2
  shift 2
  end=$(( $(cut -d. -f1 /proc/uptime) + limit ))
  until "$@" >/dev/null 2>&1; do
    [ "$(cut -d. -f1 /proc/uptime)" -lt "$end" ] || fail "$what: not within $limit s"
    sleep 0.1
  done
  say "$what"
}
is() { # is FILE VALUE
  [ "$(cat "$1")" = "$2" ]
}

ARM=/sys/class/haptic_test_arm/arm0

# value NAME FILE: of a gadget's state
value() { "$BIN/gadget_show" "$2" | sed -n "s/^$1=//p"; }
value_is() { [ "$(value "$1" "$2")" = "$3" ]; }
at_least() { [ "$(value "$1" "$2")" -ge "$3" ]; }

# Controllers for two gadgets, full speed as the real devices.
# dummy_hcd says the same about itself a hundred times for every device that goes: not to the console,
# and not to the journal, which would have half of the processor for it.
load_usb() {
  dmesg -n 3
  mkdir -p /run/systemd/journald.conf.d
  printf '[Journal]\nReadKMsg=no\n' >/run/systemd/journald.conf.d/quiet.conf
  systemctl restart systemd-journald
  modprobe libcomposite
  modprobe usb_f_fs
  modprobe dummy_hcd is_high_speed=0 num=2
}

# gadget NAME VENDOR PRODUCT VERSION TEXT: composite gadget with one FunctionFS function, mounted on /run/ffs-NAME
gadget() {
  g=/sys/kernel/config/usb_gadget/$1
  mkdir -p "$g"
  echo "$2" >"$g/idVendor"
  echo "$3" >"$g/idProduct"
  echo "$4" >"$g/bcdDevice"
  mkdir -p "$g/strings/0x409" "$g/functions/ffs.$1" "$g/configs/c.1"
  echo haptic-test-1 >"$g/strings/0x409/serialnumber"
  echo "$5" >"$g/strings/0x409/product"
  [ -e "$g/configs/c.1/ffs.$1" ] || ln -s "$g/functions/ffs.$1" "$g/configs/c.1/"
  mkdir -p "/run/ffs-$1"
  mount -t functionfs "$1" "/run/ffs-$1"
}

# start_gadget NAME UDC PROGRAM ARGUMENTS...: commands go to file descriptor FIFO /run/NAME.commands
start_gadget() {
  name=$1 udc=$2
  shift 2
  rm -f "/run/$name.commands" "/run/$name.log"
  mkfifo "/run/$name.commands"
  # A writer of our own keeps the FIFO open between commands.
  sleep infinity >"/run/$name.commands" &
  echo $! >"/run/$name.holder"
  "$@" <"/run/$name.commands" >"/run/$name.log" 2>&1 &
  echo $! >"/run/$name.pid"
  wait_for "$name emulator ready" 20 grep -q ready "/run/$name.log"
  plug "$name" "$udc"
}
plug() { echo "$2" >"/sys/kernel/config/usb_gadget/$1/UDC"; }
unplug() { echo "" >"/sys/kernel/config/usb_gadget/$1/UDC"; }
tell() { # tell GADGET COMMAND...
  t=$1
  shift
  echo "$*" >"/run/$t.commands"
}

IMAGE_SIZE=8492
# As many motor units as the manifest of the test says.
UNITS_PER_NM=${UNITS_PER_NM:-10000}
# Above everything else: a device's own processor does not wait for the host's.
start_falcon() { # start_falcon boot|running
  gadget falcon 0x0403 0xcb48 0x0600 "FALCON HAPTIC"
  start_gadget falcon dummy_udc.0 chrt -f 95 "$BIN/falcon_gadget" /run/ffs-falcon /run/falcon.state $IMAGE_SIZE "$UNITS_PER_NM" "$1"
}
start_daq() {
  gadget daq 0x10cf 0x5500 0x0100 "K8055"
  start_gadget daq dummy_udc.1 "$BIN/daq_gadget" /run/ffs-daq /run/daq.state
}
