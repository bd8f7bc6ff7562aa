#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "shared/config/document_keys.h"
#include "shared/config/key_value.h"
#include "shared/config/toml_reader.h"

namespace haptic {

/// One key of a table whose values are members of a Settings: everything that is known of it.
/// key(), table() and tables() make it; the functions that follow a dot add what is particular.
///
/// Keys are read in the order in which they are declared, so conditions may look at earlier ones.
template <class Settings>
class DeclaredKey {
 public:
  using Reader = std::function<void(const TomlTable&, Settings&)>;
  using Condition = std::function<bool(const Settings&)>;
  using Check = std::function<void(const TomlTable&, const Settings&)>;

  /// @param key     its path is the name in the table
  /// @param reader  reads the value; refuses a table that does not have the key
  /// @param inner   keys of the table that the key is, with paths relative to it
  DeclaredKey(DocumentKey key, Reader reader, std::vector<DocumentKey> inner = {})
      : key_(std::move(key)), reader_(std::move(reader)), inner_(std::move(inner)) {}

  /// Refuses a table without the key. @param words  for readers: "required", with any condition
  DeclaredKey required(std::string words = "required") && {
    key_.absent = std::move(words);
    key_.required = key_.absent == "required";
    required_ = [](const TomlTable&, const Settings&) { return true; };
    return std::move(*this);
  }
  /// Refuses a table without the key where this holds.
  DeclaredKey required_if(std::function<bool(const TomlTable&, const Settings&)> condition,
                          std::string words) && {
    key_.absent = std::move(words);
    required_ = std::move(condition);
    return std::move(*this);
  }
  /// Refuses a table that has the key `other` and not this one.
  DeclaredKey required_with(std::string other, std::string words) && {
    key_.absent = std::move(words);
    required_ = [other = std::move(other)](const TomlTable& table, const Settings&) {
      return table.has(other);
    };
    return std::move(*this);
  }
  /// The key has an effect only where this holds, and is refused elsewhere.
  DeclaredKey only_where(Condition condition) && {
    read_where_ = std::move(condition);
    return std::move(*this);
  }
  /// As only_where(), and there the key is required.
  DeclaredKey required_where(Condition condition, std::string words) && {
    key_.absent = std::move(words);
    required_ = [condition](const TomlTable&, const Settings& s) { return condition(s); };
    return std::move(*this).only_where(std::move(condition));
  }

  /// The key is read before those that are declared above it, whose conditions look at it.
  DeclaredKey read_first() && {
    first_ = true;
    return std::move(*this);
  }
  /// Reads a value that is an array by this instead.
  DeclaredKey or_array(Reader reader) && {
    reader_ = [name = std::string(name()), other = std::move(reader_), array = std::move(reader)](
                  const TomlTable& table, Settings& settings) {
      (table.is_array(name) ? array : other)(table, settings);
    };
    return std::move(*this);
  }

  /// What happens without the key, where the initial value of the member does not say it.
  DeclaredKey absent(std::string words) && {
    key_.absent = std::move(words);
    return std::move(*this);
  }
  /// The range in words, where it depends on more than the value.
  DeclaredKey range(std::string words) && {
    key_.range = std::move(words);
    key_.numbers = {};
    return std::move(*this);
  }
  /// Names of `haptic set` that change the value while a daemon runs, separated by blanks.
  DeclaredKey sets(std::string parameters) && {
    key_.parameters = std::move(parameters);
    return std::move(*this);
  }

  /// Refuses the key, where it is present and `holds` does not hold, with what was found and
  /// expected.
  DeclaredKey only_if(Condition holds, std::function<std::string(const Settings&)> found,
                      std::string expected) && {
    rules_.push_back([name = std::string(name()), holds = std::move(holds),
                      found = std::move(found),
                      expected = std::move(expected)](const TomlTable& table, const Settings& s) {
      if (!holds(s)) table.refuse(name, found(s), expected);
    });
    return std::move(*this);
  }
  DeclaredKey only_if(Condition holds, std::string found, std::string expected) && {
    return std::move(*this).only_if(
        std::move(holds), [found = std::move(found)](const Settings&) { return found; },
        std::move(expected));
  }
  /// Refuses the key in a table that does not have the key `other`.
  DeclaredKey only_with(std::string other, std::string expected) && {
    rules_.push_back([name = std::string(name()), other = std::move(other),
                      expected = std::move(expected)](const TomlTable& table, const Settings&) {
      if (!table.has(other)) table.refuse(name, "found without " + other, expected);
    });
    return std::move(*this);
  }
  /// Refuses the key in a table that has the key `other`.
  /// @param found  "found together with " and its name, if empty
  DeclaredKey not_with(std::string other, std::string expected = "one of the two",
                       std::string found = {}) && {
    if (found.empty()) found = "found together with " + other;
    rules_.push_back([name = std::string(name()), other = std::move(other),
                      expected = std::move(expected),
                      found = std::move(found)](const TomlTable& table, const Settings&) {
      if (table.has(other)) table.refuse(name, found, expected);
    });
    return std::move(*this);
  }
  /// Called where the key is present, before its value is read, to refuse it.
  DeclaredKey rule(Check rule) && {
    rules_.push_back(std::move(rule));
    return std::move(*this);
  }
  /// Called after the key was read, to refuse its value for what only the settings tell.
  DeclaredKey checked(Check check) && {
    checks_.push_back(std::move(check));
    return std::move(*this);
  }

  /// @throws InputError if the key may not be there, is missing, or has no valid value
  void read(const TomlTable& table, Settings& settings) const {
    if (read_where_ && !read_where_(settings)) return;
    const bool present = !name().empty() && table.has(name());
    if (present) {
      for (const Check& rule : rules_) rule(table, settings);
    }
    if (!present && !(required_ && required_(table, settings))) return;
    reader_(table, settings);
    for (const Check& check : checks_) check(table, settings);
  }

  std::string_view name() const { return name_of_key(key_.path); }
  bool is_first() const { return first_; }
  const DocumentKey& description() const { return key_; }
  const std::vector<DocumentKey>& inner() const { return inner_; }

 private:
  DocumentKey key_;
  Reader reader_;
  std::vector<DocumentKey> inner_;
  Condition read_where_;
  std::function<bool(const TomlTable&, const Settings&)> required_;
  std::vector<Check> rules_, checks_;
  bool first_ = false;
};

/// The keys of one table of a document. From it come the reader, the descriptions for `haptic
/// explain`, the pages and the messages about unknown keys. Made once for a program, at load time.
template <class Settings>
class KeySchema {
 public:
  using Check = std::function<void(const TomlTable&, Settings&)>;

  /// @param check  called after all keys of a table were read
  KeySchema(std::initializer_list<DeclaredKey<Settings>> keys, Check check = {})
      : KeySchema(std::vector(keys), std::move(check)) {}
  explicit KeySchema(std::vector<DeclaredKey<Settings>> keys, Check check = {})
      : keys_(std::move(keys)), check_(std::move(check)) {
    for (const DeclaredKey<Settings>& key : keys_) {
      const std::string& path = key.description().path;
      if (!path.empty()) described_.push_back(key.description());
      for (DocumentKey inner : key.inner()) {
        if (!path.empty()) inner.path = path + "." + inner.path;
        described_.push_back(std::move(inner));
      }
    }
  }

  /// Reads a table into `settings`, which keep their values where a key is absent, and refuses
  /// keys that are not declared. @throws InputError
  void read(const TomlTable& table, Settings& settings) const {
    read_some(table, settings);
    table.finish();
  }
  /// As read(), of a table that has other keys, too.
  void read_some(const TomlTable& table, Settings& settings) const {
    for (const bool first : {true, false}) {
      for (const DeclaredKey<Settings>& key : keys_) {
        if (key.is_first() == first) key.read(table, settings);
      }
    }
    if (check_) check_(table, settings);
  }

  /// Refuses keys that are not declared, before one is read: a misspelt table is not a missing one.
  void refuse_others(const TomlTable& table) const {
    for (const DocumentKey& key : described_) {
      if (table_of(key.path).empty()) (void)table.has(name_of_key(key.path));
    }
    table.finish();
  }

  /// The keys, and those of the tables in this one, with paths relative to it.
  const std::vector<DocumentKey>& described() const { return described_; }

 private:
  std::vector<DeclaredKey<Settings>> keys_;
  Check check_;
  std::vector<DocumentKey> described_;
};

template <class Settings, class Member>
using MemberValue = std::remove_cvref_t<std::invoke_result_t<const Member&, Settings&>>;

/// A member of a member, for key_of(): inner(&House::door, &Window::width).
template <class... Members>
auto inner(Members... members) {
  return [members...](auto& settings) -> auto& {
    return (settings.*....*members);
  };
}

/// A range of numbers that depends on keys read earlier.
template <class Settings>
struct DependentRange {
  std::string unit, range;  ///< for readers, as in DocumentKey
  std::function<NumberRange(const Settings&)> of;
};

/// A key whose value goes to a member.
/// @param member  pointer to it, or a function that returns a reference to it
/// @param format  NumberRange, ScaledRange or DependentRange for numbers (of arrays: each),
/// IntegerRange
///                for whole numbers, UnitQuaternion for an orientation, KeyWords for a choice,
///                AnyValue for flags, texts and files
template <class Settings, class Member, class Format>
DeclaredKey<Settings> key_of(std::string_view name, const Member& member, const Format& format,
                             std::string_view meaning) {
  using Value = MemberValue<Settings, Member>;
  DocumentKey key = key_value::describe<Value>(format);
  key.path = name;
  key.meaning = meaning;
  if constexpr (std::is_default_constructible_v<Settings>) {
    Settings initial{};
    key.absent = key_value::text(std::as_const(std::invoke(member, initial)), format);
  } else {
    key.absent = "required";
  }
  return {std::move(key),
          [member, format, name = std::string(name)](const TomlTable& table, Settings& settings) {
            key_value::read(table, name, format, std::invoke(member, settings));
          }};
}

/// A number, or an array of numbers, whose range depends on keys read earlier.
template <class Settings, class Member>
DeclaredKey<Settings> key_of(std::string_view name, const Member& member,
                             const DependentRange<Settings>& range, std::string_view meaning) {
  DocumentKey key =
      key_of<Settings>(name, member, NumberRange::any(range.unit), meaning).description();
  key.range = range.range;
  return {std::move(key), [member, of = range.of, name = std::string(name)](const TomlTable& table,
                                                                            Settings& settings) {
            key_value::read(table, name, of(settings), std::invoke(member, settings));
          }};
}

template <class Settings, class Value>
DeclaredKey<Settings> key(std::string_view name, Value Settings::*member, const NumberRange& range,
                          std::string_view meaning) {
  return key_of<Settings>(name, member, range, meaning);
}
template <class Settings, class Value>
DeclaredKey<Settings> key(std::string_view name, Value Settings::*member, const ScaledRange& range,
                          std::string_view meaning) {
  return key_of<Settings>(name, member, range, meaning);
}
template <class Settings, class Value>
DeclaredKey<Settings> key(std::string_view name, Value Settings::*member, UnitQuaternion format,
                          std::string_view meaning) {
  return key_of<Settings>(name, member, format, meaning);
}
template <class Settings, class Value>
DeclaredKey<Settings> key(std::string_view name, Value Settings::*member, IntegerRange range,
                          std::string_view meaning) {
  return key_of<Settings>(name, member, range, meaning);
}
template <class Settings, class Value>
DeclaredKey<Settings> key(std::string_view name, Value Settings::*member,
                          const KeyWords<std::type_identity_t<Inner<Value>>>& words,
                          std::string_view meaning) {
  return key_of<Settings>(name, member, words, meaning);
}
/// A flag, a text or a file.
template <class Settings, class Value>
DeclaredKey<Settings> key(std::string_view name, Value Settings::*member,
                          std::string_view meaning) {
  return key_of<Settings>(name, member, AnyValue{}, meaning);
}

/// Keys of the same table that go to a member: `schema` describes and reads them.
template <class Settings, class Value>
DeclaredKey<Settings> part(Value Settings::*member, const KeySchema<Value>& schema) {
  return DeclaredKey<Settings>(
             {},
             [&schema, member](const TomlTable& table, Settings& settings) {
               schema.read_some(table, settings.*member);
             },
             schema.described())
      .required();
}

/// A table whose keys go to the same settings.
template <class Settings>
DeclaredKey<Settings> table(std::string_view name, const KeySchema<Settings>& schema,
                            std::string_view meaning) {
  return {{.path = std::string(name),
           .kind = KeyKind::kTable,
           .unit = "-",
           .absent = "the defaults",
           .meaning = std::string(meaning)},
          [&schema, name = std::string(name)](const TomlTable& of, Settings& settings) {
            schema.read(of.table(name), settings);
          },
          schema.described()};
}
/// A table whose keys go to a member, which may be optional.
/// @param member  pointer to it, or a function that returns a reference to it
template <class Settings, class Member>
DeclaredKey<Settings> table_of(std::string_view name, const Member& member,
                               const KeySchema<Inner<MemberValue<Settings, Member>>>& schema,
                               std::string_view meaning) {
  using Value = MemberValue<Settings, Member>;
  return {{.path = std::string(name),
           .kind = KeyKind::kTable,
           .unit = "-",
           .absent = "the defaults",
           .meaning = std::string(meaning)},
          [&schema, member, name = std::string(name)](const TomlTable& of, Settings& settings) {
            Inner<Value> value;
            if constexpr (!IsOptional<Value>) value = std::invoke(member, settings);
            schema.read(of.table(name), value);
            std::invoke(member, settings) = std::move(value);
          },
          schema.described()};
}
template <class Settings, class Value>
DeclaredKey<Settings> table(std::string_view name, Value Settings::*member,
                            const KeySchema<Inner<Value>>& schema, std::string_view meaning) {
  return table_of<Settings>(name, member, schema, meaning);
}
/// An array of tables, each of which becomes an entry of a vector.
/// @param member  pointer to it, or a function that returns a reference to it
template <class Settings, class Member>
DeclaredKey<Settings> tables_of(
    std::string_view name, const Member& member,
    const KeySchema<typename MemberValue<Settings, Member>::value_type>& schema,
    std::string_view meaning) {
  return {{.path = std::string(name) + "[]",
           .kind = KeyKind::kTables,
           .unit = "-",
           .absent = "none",
           .meaning = std::string(meaning)},
          [&schema, member, name = std::string(name)](const TomlTable& of, Settings& settings) {
            for (const TomlTable& entry : of.tables(name)) {
              schema.read(entry, std::invoke(member, settings).emplace_back());
            }
          },
          schema.described()};
}
template <class Settings, class Value>
DeclaredKey<Settings> tables(std::string_view name, std::vector<Value> Settings::*member,
                             const KeySchema<Value>& schema, std::string_view meaning) {
  return tables_of<Settings>(name, member, schema, meaning);
}

}  // namespace haptic
