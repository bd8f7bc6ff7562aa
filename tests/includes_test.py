#!/usr/bin/env python3
"""Files of the daemon include what they use of the standard library, Eigen and fmt, directly or through this tree's own
headers. Precompiled headers hide a missing include from the compiler; what builds without them would not compile.

Usage: includes_test.py ROOT
"""
import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv[1])
FOLDERS = ["shared", "rt"]
# Header: names after std:: that it declares. A name that several headers declare needs one of them.
STANDARD = {
    "algorithm": "all_of any_of clamp copy copy_n count count_if equal fill fill_n find find_if lower_bound max"
                 " max_element min min_element minmax_element none_of nth_element replace reverse rotate sort stable_sort"
                 " transform unique upper_bound",
    "array": "array to_array", "atomic": "atomic atomic_ref atomic_thread_fence memory_order_acquire memory_order_relaxed"
    " memory_order_release", "bit": "bit_cast bit_ceil bit_width countr_zero has_single_bit popcount",
    "bitset": "bitset", "charconv": "from_chars to_chars", "chrono": "chrono",
    "cmath": "abs acos asin atan2 cbrt ceil copysign cos exp fabs floor fmod hypot isfinite isnan log log10 log2 lround"
             " pow round sin sqrt tan",
    "complex": "complex", "condition_variable": "condition_variable", "csignal": "sig_atomic_t",
    "cstdlib": "abs getenv strtod strtol strtoul", "cstring": "memcmp memcpy memmove memset strcmp strerror strlen",
    "deque": "deque", "exception": "current_exception exception_ptr rethrow_exception", "filesystem": "filesystem",
    "fstream": "ifstream ofstream", "functional": "cref function ref", "future": "async future promise",
    "initializer_list": "initializer_list", "iostream": "cerr cin cout", "iterator": "back_inserter ssize size distance",
    "limits": "numeric_limits", "map": "map multimap", "memory": "make_shared make_unique shared_ptr unique_ptr weak_ptr",
    "mutex": "call_once lock_guard mutex once_flag scoped_lock unique_lock", "numbers": "numbers",
    "numeric": "accumulate inner_product iota reduce", "optional": "make_optional nullopt nullopt_t optional",
    "random": "mt19937 mt19937_64 normal_distribution uniform_int_distribution uniform_real_distribution",
    "set": "set", "span": "as_bytes as_writable_bytes size span ssize",
    "sstream": "istringstream ostringstream stringstream", "stdexcept": "invalid_argument logic_error out_of_range"
    " runtime_error", "string": "getline size stod stoi stoul string to_string", "string_view": "string_view",
    "system_error": "errc error_code error_condition generic_category system_category system_error",
    "thread": "jthread thread", "tuple": "make_tuple tie tuple",
    "type_traits": "conditional_t decay_t enable_if_t is_same_v is_standard_layout_v is_trivially_copyable_v"
                   " remove_cvref_t",
    "unordered_map": "unordered_map", "unordered_set": "unordered_set", "utility": "exchange forward move pair swap",
    "variant": "get_if holds_alternative monostate variant visit", "vector": "size vector",
}
HEADERS_OF: dict[str, set[str]] = {}
for header, names in STANDARD.items():
    for one in names.split():
        HEADERS_OF.setdefault(one, set()).add(header)
INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', re.MULTILINE)
COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def foreign_includes(root: pathlib.Path, path: pathlib.Path) -> set[str]:
    """What the file includes, directly or through this tree's own headers, of what is not in this tree."""
    found, seen, todo = set(), {path}, [path]
    while todo:
        for name in INCLUDE.findall(todo.pop().read_text()):
            own = root / name
            if not own.is_file():
                found.add(name)
            elif own not in seen:
                seen.add(own)
                todo.append(own)
    return found


def missing_includes(root: pathlib.Path) -> list[str]:
    """One line a file and name that no header it includes declares."""
    found = []
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".h", ".cpp"):
                continue
            code = COMMENT_OR_TEXT.sub("", path.read_text())
            included = foreign_includes(root, path)
            where = path.relative_to(root)
            for name in sorted(set(re.findall(r"\bstd::(\w+)", code))):
                headers = HEADERS_OF.get(name, set())
                if headers and not headers & included:
                    found.append(f"{where}: std::{name} without <{'> or <'.join(sorted(headers))}>")
            for library, prefix in (("Eigen", "Eigen/"), ("fmt", "fmt/")):
                if re.search(rf"\b{library}::", code) and not any(one.startswith(prefix) for one in included):
                    found.append(f"{where}: {library}:: without <{prefix}...>")
    return found


class Includes(unittest.TestCase):
    def test_every_file_of_the_daemon_includes_what_it_uses(self):
        self.assertEqual(missing_includes(ROOT), [])

    def test_a_missing_include_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "rt").mkdir()
            (root / "shared").mkdir()
            (root / "shared/a.h").write_text("#include <vector>\n")
            (root / "rt/ok.cpp").write_text('#include "shared/a.h"\n// std::string, Eigen::VectorXd\nstd::vector<int> a;\n'
                                            'const char* b = "std::map";\n')
            self.assertEqual(missing_includes(root), [])
            (root / "rt/bad.cpp").write_text('#include "shared/a.h"\nstd::string a = fmt::format("{}", std::sqrt(2.0));\n'
                                             "Eigen::VectorXd b;\n")
            self.assertEqual(missing_includes(root), [
                "rt/bad.cpp: std::sqrt without <cmath>", "rt/bad.cpp: std::string without <string>",
                "rt/bad.cpp: Eigen:: without <Eigen/...>", "rt/bad.cpp: fmt:: without <fmt/...>"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
