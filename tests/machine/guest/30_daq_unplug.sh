# A DAQ board on USB with Debian's own driver, unplugged under an open handle and plugged in again.
load_usb
start_daq
wait_for "vmk80xx has the board" 30 sh -c 'grep -q vmk80xx /proc/comedi'
node=/dev/comedi$(awk -F: '/vmk80xx/{gsub(" ", "", $1); print $1; exit}' /proc/comedi)
"$BIN/board_probe" drive "$node"
"$BIN/board_probe" until-unplugged "$node" >/run/probe.log 2>&1 &
probe=$!
wait_for "probe reads" 20 grep -q reading /run/probe.log
unplug daq
wait "$probe" || { cat /run/probe.log; fail "probe"; }
cat /run/probe.log
wait_for "node gone" 10 sh -c "! test -e $node"
plug daq dummy_udc.1
wait_for "node back after replugging" 30 test -c "$node"
"$BIN/board_probe" drive "$node"
