# A Falcon manifest for the emulator: the shipped one, with a made-up firmware image (the two bytes
# that every image begins with, then random ones).
falcon_manifest() {
  { printf '\252\010'; head -c $((IMAGE_SIZE - 2)) /dev/urandom; } >$T/image.bin
  sed -e "s|^name = .*|name = \"test-falcon\"|" -e "s|^file = .*|file = \"$T/image.bin\"|" -e "s|^size = .*|size = $IMAGE_SIZE|" \
    -e "s|^hash = .*|hash = \"md5:$(md5sum $T/image.bin | cut -d' ' -f1)\"|" \
    "$HOST/firmware-config/novint-falcon.toml" >$T/test-falcon.toml
}
UNITS_PER_NM=-10000
# The grip in the base's frame [m]; the manifest's origin is at z = 0.12.
grip() { tell falcon hand "$1" "$2" "$3"; }
falcon_driven() { [ "$(value unsafe_since_ns /run/falcon.state)" != 0 ]; }
falcon_at_zero() { [ "$(value safe_since_ns /run/falcon.state)" != 0 ]; }
