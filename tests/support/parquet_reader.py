"""A strict reader of the Parquet files that `haptic export` writes, from the specification alone.

Sources: https://parquet.apache.org/docs/file-format/, parquet.thrift, thrift-compact-protocol.md. It refuses what the
specification forbids and every feature that these files do not need (nulls, nesting, dictionaries).
"""
import struct
import zlib

TRUE, FALSE, I8, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)


class Compact:
    def __init__(self, data):
        self.data, self.at = data, 0

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
            assert shift < 64

    def zigzag(self):
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def value(self, kind):
        if kind in (TRUE, FALSE):
            return kind == TRUE
        if kind == I8:
            return struct.unpack("b", bytes([self.byte()]))[0]
        if kind in (I16, I32, I64):
            return self.zigzag()
        if kind == BINARY:
            length = self.varint()
            self.at += length
            assert self.at <= len(self.data)
            return self.data[self.at - length:self.at].decode()
        if kind == LIST:
            head = self.byte()
            count = head >> 4 if head >> 4 < 15 else self.varint()
            return [self.value(head & 15) for _ in range(count)]
        assert kind == STRUCT, kind
        fields, last = {}, 0
        while True:
            head = self.byte()
            if head == 0:
                return fields
            step = head >> 4
            last = last + step if step else self.zigzag()
            assert last not in fields
            fields[last] = self.value(head & 15)


def texts(plain, count):
    """Texts behind their lengths."""
    found = []
    while plain:
        length = struct.unpack("<I", plain[:4])[0]
        assert 4 + length <= len(plain)
        found.append(plain[4:4 + length].decode())
        plain = plain[4 + length:]
    assert len(found) == count
    return found


def read(path):
    """@returns ({column: [values]}, {key: value} of the file's metadata, numbers of rows of the row groups)"""
    data = path.read_bytes()
    assert data[:4] == data[-4:] == b"PAR1"
    length = struct.unpack("<I", data[-8:-4])[0]
    parser = Compact(data[-8 - length:-8])
    footer = parser.value(STRUCT)
    assert parser.at == length, "bytes behind the footer"
    schema = footer[2]
    assert schema[0][5] == len(schema) - 1
    columns = {}
    for element in schema[1:]:
        assert element[3] == 0 and element[1] in (2, 5, 6)  # required; INT64, DOUBLE or BYTE_ARRAY
        assert element[1] != 2 or (element[6] == 18 and element[10] == {10: {1: 64, 2: True}})
        assert element[1] != 6 or element[6] == 0  # UTF8
        columns[element[4]] = []
    assert len(columns) == len(schema) - 1, "a name twice"
    end = 4
    for group in footer[4]:
        assert len(group[1]) == len(columns)
        assert group[2] == sum(chunk[3][6] for chunk in group[1])
        for element, chunk in zip(schema[1:], group[1]):
            about = chunk[3]
            assert about[3] == [element[4]] and about[1] == element[1] and about[2] == [0]
            assert about[4] == 2 and about[5] == group[3]  # gzip
            assert about[9] == end == chunk[2], "a gap between column chunks"
            end += about[7]
            page = Compact(data[about[9]:end])
            header = page.value(STRUCT)
            assert header[1] == 0 and header[5] == {1: group[3], 2: 0, 3: 3, 4: 3}
            assert page.at + header[3] == about[7] and page.at + header[2] == about[6]
            plain = zlib.decompress(page.data[page.at:], 31)
            assert len(plain) == header[2]
            if element[1] == 6:
                columns[element[4]] += texts(plain, group[3])
                continue
            assert len(plain) == 8 * group[3]
            columns[element[4]] += struct.unpack(f"<{group[3]}{'q' if element[1] == 2 else 'd'}", plain)
    assert end == len(data) - 8 - length
    assert footer[3] == sum(group[3] for group in footer[4])
    metadata = {entry[1]: entry[2] for entry in footer[5]}
    return columns, metadata, [group[3] for group in footer[4]]
