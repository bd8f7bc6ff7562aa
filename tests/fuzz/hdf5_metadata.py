"""Where an HDF5 file describes its contents, and its checksums, so that damage reaches the code that reads descriptions.

Source: HDF5 File Format Specification 3.0, "Disk Format: Level 2A1 - Data Object Headers", versions 1 and 2; the checksum
is Jenkins' lookup3.
"""
import re
import struct

MASK = 0xFFFFFFFF


def turned(x, k):
    return ((x << k) | (x >> (32 - k))) & MASK


def checksum(data):
    """Jenkins' lookup3 of some bytes, begun with 0."""
    a = b = c = (0xDEADBEEF + len(data)) & MASK
    at = 0
    while len(data) - at > 12:
        x, y, z = struct.unpack_from("<3I", data, at)
        a, b, c = (a + x) & MASK, (b + y) & MASK, (c + z) & MASK
        for k in (4, 6, 8, 16, 19, 4):  # each round with the next of the three numbers in the place of a
            a, c = ((a - c) ^ turned(c, k)) & MASK, (c + b) & MASK
            a, b, c = b, c, a
        at += 12
    rest = data[at:]
    if not rest:
        return c
    x, y, z = struct.unpack("<3I", rest.ljust(12, b"\0"))
    a, b, c = (a + x) & MASK, (b + y) & MASK, (c + z) & MASK
    for one, other, k in ((2, 1, 14), (0, 2, 11), (1, 0, 25), (2, 1, 16), (0, 2, 4), (1, 0, 14), (2, 1, 24)):
        values = [a, b, c]
        values[one] = ((values[one] ^ values[other]) - turned(values[other], k)) & MASK
        a, b, c = values
    return c


def checked_headers(content):
    """(begin, end) of the object headers of version 2, without the checksum that follows each."""
    for found in re.finditer(b"OHDR\x02", content):
        at = found.start()
        flags = content[at + 5]
        size_at = at + 6 + (16 if flags & 0x20 else 0) + (4 if flags & 0x10 else 0)
        width = 1 << (flags & 3)
        end = size_at + width + int.from_bytes(content[size_at:size_at + width], "little")
        if end + 4 <= len(content) and checksum(content[at:end]) == struct.unpack_from("<I", content, end)[0]:
            yield at, end


def plain_headers(content):
    """(begin, end) of what looks like an object header of version 1: one link to it, at most 64 KiB of messages."""
    for found in re.finditer(rb"\x01\0[^\0]\0\x01\0\0\0(..)\0\0\0\0\0\0", content, re.DOTALL):
        size = int.from_bytes(found.group(1), "little")
        if found.start() % 8 == 0 and size > 0 and found.end() + size <= len(content):
            yield found.start(), found.end() + size


def descriptions(content):
    """Ranges (begin, end) of the descriptions in a whole file, and those of them that a checksum follows."""
    checked = list(checked_headers(content))
    indices = [(found.start(), min(found.start() + 64, len(content)))
               for found in re.finditer(b"OCHK|BTHD|BTLF|FRHP|FHDB|EAHD|EAIB|FAHD|FADB|TREE|SNOD|HEAP", content)]
    return checked + list(plain_headers(content)) + indices, checked


def damage(content, source):
    """Bytes of the descriptions changed, the checksums of object headers made right again."""
    ranges, checked = descriptions(content)
    content = bytearray(content)
    for _ in range(source.choice([1, 1, 2, 3, 8])):
        begin, end = source.choice(ranges)
        at = source.randrange(begin, end)
        if source.random() < 0.6:
            content[at] = source.choice([0, 1, 255, source.randrange(256)])
        else:
            value = source.choice([0, 1, 1 << 16, (1 << 31) - 1, 1 << 40, (1 << 64) - 1, source.getrandbits(64)])
            width = source.choice([2, 4, 8])
            content[at:min(at + width, end)] = struct.pack("<Q", value)[:min(width, end - at)]
    for begin, end in checked:
        if source.random() < 0.95:
            content[end:end + 4] = struct.pack("<I", checksum(bytes(content[begin:end])))
    return bytes(content)
