#!/usr/bin/env bash
# Runs a test program where AVX-512 is emulated: Debian's kernel in Bochs, whose processor has it and whose kernel saves
# its registers. For machines that have none; QEMU emulates AVX2 at most, valgrind as well.
#
# usage: emulated_test.sh PROGRAM [FILTER]   FILTER: --gtest_filter of the program (default: all)
# The kernel is kept in out/avx512; console and emulator's log of the last run of a program stay in out/avx512/PROGRAM.
# It takes minutes: the emulator makes some 30 million instructions a second.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
cache=$(dirname "$(dirname "$here")")/out/avx512
program=$(readlink -f "${1:?emulated_test.sh PROGRAM [FILTER]}")
filter=${2:-*}
limit=${HAPTIC_AVX512_LIMIT:-1500} # seconds
run=$cache/$(basename "$program")

note() { echo "avx512: $*" >&2; }

kernel=$(apt-cache depends linux-image-cloud-amd64 2>/dev/null | awk '/Depends: linux-image-/{print $2; exit}')
[ -n "$kernel" ] || { note "the package archives know no linux-image-cloud-amd64 (apt-get update?)"; exit 1; }
if [ ! -e "$cache/$kernel" ]; then
  note "kernel $kernel"
  mkdir -p "$cache/deb"
  (cd "$cache/deb" && apt-get download -qq -o APT::Sandbox::User=root "$kernel" && dpkg-deb --fsys-tarfile "$kernel"_*.deb | tar -x --wildcards './boot/vmlinuz-*')
  mv "$cache"/deb/boot/vmlinuz-* "$cache/$kernel"
  rm -rf "$cache/deb"
fi

# The machine: a kernel whose root file system is busybox, the program and its libraries.
rm -rf "$run"
root=$run/root
mkdir -p "$root"/{bin,proc,dev,tmp} "$run/iso/boot/grub"
cp /bin/busybox "$root/bin/"
ln -s busybox "$root/bin/sh"
install -m 755 "$program" "$root/program"
install -m 755 "$here/init" "$root/init"
printf '%s' "$filter" >"$root/filter"
ldd "$program" | grep -o '/[^ ]*' | sort -u | while read -r file; do
  install -D "$file" "$root$file"
done
(cd "$root" && find . | cpio -o -H newc --quiet) >"$run/iso/boot/initrd"
rm -rf "$root"
cp "$cache/$kernel" "$run/iso/boot/vmlinuz"
# Compacted XSAVE is what Bochs does not do as the kernel expects.
cat >"$run/iso/boot/grub/grub.cfg" <<'G'
set timeout=0
menuentry test {
  linux /boot/vmlinuz console=ttyS0,115200 rdinit=/init panic=-1 nokaslr mitigations=off nowatchdog no_timer_check lpj=100000 noxsaves clearcpuid=xsaves,xsavec
  initrd /boot/initrd
}
G
grub-mkrescue -d /usr/lib/grub/i386-pc -o "$run/disc.iso" "$run/iso" >"$run/disc.log" 2>&1 || { cat "$run/disc.log" >&2; exit 1; }
rm -rf "$run/iso"

cat >"$run/bochsrc" <<B
display_library: rfb, options="timeout=0"
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/bochs/VGABIOS-lgpl-latest
cpu: model=corei7_skylake_x, count=1, ips=50000000, reset_on_triple_fault=0, cpuid_limit_winnt=0, ignore_bad_msrs=1
megs: 1024
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-master: type=cdrom, path=$run/disc.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=$run/console.txt
log: $run/bochs.log
panic: action=fatal
error: action=report
info: action=report
debug: action=ignore
B
note "$(basename "$program") $filter"
: >"$run/console.txt"
cd "$run"
echo c | bochs-bin -q -f bochsrc >bochs.out 2>&1 &
emulator=$!
trap 'kill -KILL $emulator 2>/dev/null || true' EXIT
for ((second = 0; second < limit; ++second)); do
  kill -0 "$emulator" 2>/dev/null || break
  ! grep -qE '^end of test|Kernel panic' console.txt || break
  sleep 1
done
tr -d '\r' <console.txt >console && mv console console.txt
grep -E '^\[  (PASSED|FAILED) ' console.txt || true
# Passed only if the program ran to its end, with success, on a processor that has it.
if grep -q '^end of test 0$' console.txt && grep -q '^AVX-512 is there$' console.txt && grep -q '^\[  PASSED  \]' console.txt; then
  note "$(basename "$program") passed in $second s"
else
  tail -30 console.txt >&2
  note "failed after $second s (limit $limit s): $run/console.txt"
  exit 1
fi
