#!/usr/bin/env bash
# Builds what QEMU boots: Debian's PREEMPT_RT kernel, a small Debian with systemd, disk image, initrd
# and the test-only kernel module. Everything is kept in CACHE (default: out/machine of the tree)
# under keys of what went in, so that a second run builds nothing. Prints the folder of this guest.
#
# usage: build_guest.sh [PACKAGE.deb...]   packages whose dependencies the base system gets as well
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
cache=${HAPTIC_MACHINE_CACHE:-$(dirname "$(dirname "$here")")/out/machine}
mkdir -p "$cache"
cache=$(readlink -f "$cache")

note() { echo "machine: $*" >&2; }
key() { sha256sum | cut -c1-12; }
# Runs "$@" with its output in a log, shown only when it fails.
quietly() { "$@" >"$cache/build.log" 2>&1 || { cat "$cache/build.log" >&2; note "failed: $*"; exit 1; }; }

# --- kernel and headers, of one ABI: the archive's number moves, and a module built for one does not load into another
kernel_version() { apt-cache depends linux-image-rt-amd64 2>/dev/null | awk '/Depends: linux-image-/{sub("linux-image-", "", $2); print $2; exit}'; }
version=$(kernel_version)
if [ -z "$version" ] && [ "$(id -u)" = 0 ]; then
  quietly apt-get update -qq
  version=$(kernel_version)
fi
[ -n "$version" ] || { note "the package archives know no linux-image-rt-amd64 (apt-get update?)"; exit 1; }
kernel=$cache/kernel-$version
if [ ! -e "$kernel/done" ]; then
  note "kernel $version"
  rm -rf "$kernel" && mkdir -p "$kernel/debs"
  (
    cd "$kernel/debs"
    common=linux-headers-${version%-rt-amd64}-common-rt
    kbuild=$(apt-cache depends "linux-headers-$version" | awk '/Depends: linux-kbuild/{print $2}')
    quietly apt-get download "linux-image-$version" "linux-headers-$version" "$common" "$kbuild" rt-tests libnuma1
    for deb in *.deb; do dpkg-deb -x "$deb" "$kernel"; done
  )
  rm -rf "$kernel/debs"
  # The headers' makefile names its other half where a package manager would have put it.
  sed -i "s|/usr/src/|$kernel/usr/src/|" "$kernel/usr/src/linux-headers-$version/Makefile"
  quietly depmod -b "$kernel" "$version"
  touch "$kernel/done"
fi

# --- the board's module
module_key=$(cat "$here"/haptic_test_arm/* <(echo "$version") | key)
module=$cache/module-$module_key
if [ ! -e "$module/haptic_test_arm.ko" ]; then
  note "module haptic_test_arm"
  rm -rf "$module" && mkdir -p "$module/build"
  cp "$here"/haptic_test_arm/* "$module/build/"
  quietly make -C "$kernel/usr/src/linux-headers-$version" M="$module/build" modules
  cp "$module/build/haptic_test_arm.ko" "$module/"
  rm -rf "$module/build"
fi

# --- base system
packages=(systemd systemd-sysv udev dbus kmod libusb-1.0-0 libcomedi0 strace procps
  libstdc++6 libfmt9 libtomlplusplus3) # what programs of a build folder are linked with
for deb in "$@"; do
  # "a (>= 1) | b, c": the first alternative of each, apart from the packages of this tree
  mapfile -t needed < <(dpkg-deb -f "$deb" Depends | tr ',' '\n' | sed 's/|.*//; s/(.*//; s/[[:space:]]//g' |
    grep -vxE 'hapticd|haptic-tools|' || true)
  packages+=("${needed[@]}")
done
mapfile -t packages < <(printf '%s\n' "${packages[@]}" | sort -u)
mirror=$(sed -nE 's/^URIs:[[:space:]]*([^ ]*debian)\/?$/\1/p; s/^deb (\[[^]]*\] )?([^ ]*debian)\/? bookworm .*/\2/p' \
  /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -1 || true)
base=$cache/base-$(printf '%s\n' "${packages[@]}" "$version" | key).tar
if [ ! -e "$base" ]; then
  note "base system (${#packages[@]} packages and what they need)"
  excludes=()
  for folder in man doc locale info zoneinfo; do excludes+=(--dpkgopt="path-exclude=/usr/share/$folder/*"); done
  quietly mmdebstrap --variant=essential --include="$(IFS=,; echo "${packages[*]}")" "${excludes[@]}" \
    --aptopt='Acquire::Languages "none"' bookworm "$base.tmp.tar" "${mirror:-http://deb.debian.org/debian}"
  mv "$base.tmp.tar" "$base"
fi

# --- root folder, image, initrd
guest_key=$(cat "$here/build_guest.sh" "$here"/image/* <(echo "$base $module_key $version") | key)
guest=$cache/guest-$guest_key
if [ ! -e "$guest/done" ]; then
  note "image and initrd"
  rm -rf "$guest" && mkdir -p "$guest/root" "$guest/initrd/bin" "$guest/initrd/modules"
  root=$guest/root
  tar -xf "$base" -C "$root" --exclude='./dev/*'
  wanted="virtio_pci virtio_blk virtio_console virtio_rng ext4 overlay 9p 9pnet_virtio comedi comedi_test vmk80xx
    dummy_hcd libcomposite usb_f_fs ftdi_sio usbmon autofs4 configfs fuse loop softdog i6300esb"
  for m in $wanted; do
    modprobe -d "$kernel" -S "$version" --show-depends --ignore-install "$m" | awk '$1=="insmod"{print $2}'
  done | sort -u | while read -r file; do
    install -D -m 644 "$file" "$root/usr/${file#"$kernel/"}"
  done
  cp "$kernel/lib/modules/$version/"modules.{builtin,order,builtin.modinfo} "$root/usr/lib/modules/$version/"
  install -D -m 644 "$module/haptic_test_arm.ko" "$root/usr/lib/modules/$version/extra/haptic_test_arm.ko"
  depmod -b "$root" "$version"
  install -m 755 "$kernel/usr/bin/cyclictest" "$root/usr/bin/cyclictest"
  cp -a "$kernel"/usr/lib/x86_64-linux-gnu/libnuma.so.1* "$root/usr/lib/x86_64-linux-gnu/"
  cp -a "$kernel"/lib/x86_64-linux-gnu/libnuma.so.1* "$root/usr/lib/x86_64-linux-gnu/" 2>/dev/null || true

  echo 8d1f6a3c0b5e4e7f9a2b4c6d8e0f1a2b >"$root/etc/machine-id"
  echo haptic-guest >"$root/etc/hostname"
  : >"$root/etc/fstab"
  units=$root/etc/systemd/system
  for unit in serial-getty@ttyS0.service getty@tty1.service systemd-timesyncd.service apt-daily.timer apt-daily-upgrade.timer \
    dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service fstrim.timer ldconfig.service systemd-hwdb-update.service \
    systemd-journal-catalog-update.service systemd-firstboot.service systemd-update-utmp.service \
    sys-kernel-debug.mount sys-kernel-tracing.mount; do
    ln -sf /dev/null "$units/$unit"
  done
  install -m 644 "$here"/image/guest-test.service "$here"/image/guest-test.target "$units/"
  install -m 755 "$here"/image/guest-test "$here"/image/guest-report "$root/usr/local/sbin/"
  ln -sf guest-test.target "$units/default.target"
  quietly mke2fs -q -F -t ext4 -O ^has_journal -d "$root" "$guest/root.ext4" 1536M

  initrd=$guest/initrd
  install -m 755 /bin/busybox "$initrd/bin/busybox"
  for m in virtio_pci virtio_blk ext4; do
    modprobe -d "$kernel" -S "$version" --show-depends --ignore-install "$m" | awk '$1=="insmod"{print $2}'
  done | awk '!seen[$0]++' | while read -r file; do
    cp "$file" "$initrd/modules/"
    basename "$file" >>"$initrd/modules/order"
  done
  install -m 755 "$here/image/init" "$initrd/init"
  (cd "$initrd" && find . | cpio -o -H newc --quiet >"$guest/initrd.cpio")
  cp "$kernel/boot/vmlinuz-$version" "$guest/vmlinuz"
  rm -rf "$root" "$initrd"
  touch "$guest/done"
fi
echo "$guest"
