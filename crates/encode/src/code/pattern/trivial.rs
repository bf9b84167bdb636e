//! Calls that are everywhere and say nothing about how a thing is done. What is common in one repository only is found
//! by counting; these lists are for what every repository of a language has.

use super::super::Language;

#[rustfmt::skip]
const RUST: &[&str] = &[
    "unwrap", "expect", "clone", "to_string", "to_owned", "into", "as_str", "as_ref", "as_mut", "iter", "iter_mut",
    "into_iter", "map", "map_err", "collect", "len", "is_empty", "push", "push_str", "unwrap_or", "unwrap_or_default",
    "unwrap_or_else", "and_then", "or_else", "ok", "err", "ok_or", "ok_or_else", "Some", "Ok", "Err", "None", "Box::new",
    "Vec::new", "String::new", "String::from", "Arc::new", "Rc::new", "format!", "vec!", "println!", "eprintln!",
    "print!", "write!", "writeln!", "matches!", "panic!", "unreachable!", "debug_assert!", "is_some", "is_none",
    "is_ok", "is_err", "as_bytes", "as_deref", "copied", "cloned", "filter", "filter_map", "flat_map", "enumerate",
    "zip", "chain", "rev", "take", "skip", "next", "any", "all", "find", "position", "fold", "sum", "count", "first",
    "last", "contains", "contains_key", "starts_with", "ends_with", "trim", "split", "join", "get_mut", "insert",
    "entry", "or_default", "or_insert", "extend", "default", "from", "borrow", "deref", "min", "max", "abs", "chars",
    "lines", "bytes", "Vec::with_capacity", "with_capacity", "Default::default", "drop", "then", "is_some_and",
    "is_none_or", "transpose", "flatten", "sort", "sort_by", "sort_unstable", "dedup", "retain", "windows", "repeat",
    "Self::new", "saturating_sub", "saturating_add", "concat!", "file!", "line!", "env!", "to_vec", "to_lowercase",
    "to_uppercase", "Cow::Borrowed", "Cow::Owned", "eq", "ne", "cmp", "partial_cmp", "map_or", "map_or_else",
    "strip_prefix", "strip_suffix", "split_once", "splitn", "rsplit", "parse", "as_slice", "nth", "cmp::max",
    "cmp::min", "mem::take", "mem::replace", "mem::swap", "BTreeMap::new", "HashMap::new", "HashSet::new",
    "BTreeSet::new", "VecDeque::new", "iter::once",
];

#[rustfmt::skip]
const PYTHON: &[&str] = &[
    "str", "int", "float", "bool", "list", "dict", "set", "tuple", "print", "range", "isinstance", "issubclass",
    "hasattr", "getattr", "setattr", "super", "super.__init__", "__init__", "repr", "type", "sorted", "reversed",
    "append", "items", "keys", "values", "pop", "format", "strip", "lstrip", "rstrip", "lower", "upper", "replace",
    "startswith", "endswith", "t.cast", "cast", "copy", "id", "iter", "open", "callable", "setdefault", "update",
];

#[rustfmt::skip]
const ECMA: &[&str] = &[
    "toString", "forEach", "reduce", "slice", "splice", "concat", "shift", "unshift", "includes", "indexOf", "some",
    "every", "Object.keys", "Object.entries", "Object.assign", "Object.values", "Array.isArray", "console.log", "log",
    "console.error", "console.warn", "String", "Number", "Boolean", "Array.from", "Object.freeze", "bind", "call",
    "apply", "hasOwnProperty", "trimEnd", "trimStart", "toLowerCase", "toUpperCase", "substring", "substr", "charAt",
    "test", "match", "exec", "Math.max", "Math.min", "Math.floor", "Math.round", "Date.now", "new Date", "new Map",
    "new Set", "new Array", "new Object", "new Promise", "parseInt", "parseFloat", "has", "keys", "entries", "require",
    "import", "isArray", "stringify", "freeze", "floor", "round", "now", "resolve",
];

#[rustfmt::skip]
const GO: &[&str] = &[
    "make", "new", "cap", "panic", "recover", "close", "string", "byte", "int64", "[]byte", "fmt.Sprintf",
    "fmt.Println", "fmt.Printf", "fmt.Print", "Error", "String", "Len", "error", "uint", "uint64", "int32", "float64",
    "delete", "rune", "print", "println", "append",
];

#[rustfmt::skip]
const JAVA: &[&str] = &[
    "equals", "hashCode", "size", "add", "put", "remove", "isEmpty", "valueOf", "stream", "of", "charAt", "length",
    "System.out.println", "println", "getClass", "getName", "new ArrayList", "new HashMap", "new StringBuilder",
    "toArray", "append", "iterator", "hasNext", "addAll", "asList", "name", "ordinal", "this", "getMessage",
];

#[rustfmt::skip]
const C: &[&str] = &[
    "sizeof", "printf", "fprintf", "memset", "memcpy", "memmove", "memcmp", "strlen", "strcmp", "strncmp", "free",
    "malloc", "calloc", "realloc", "assert", "std::move", "move", "push_back", "emplace_back", "begin", "end", "c_str",
    "data", "reset", "get", "static_cast", "reinterpret_cast", "dynamic_cast", "const_cast", "defined", "snprintf",
    "abort", "exit", "std::max", "std::min", "std::make_pair", "std::forward", "std::string", "clear", "resize",
    "empty", "swap", "front", "back", "str", "strcpy", "strncpy", "sprintf", "perror", "std::make_unique",
    "std::make_shared", "make_unique", "make_shared",
];

/// Attributes of Rust that speak to the compiler.
#[rustfmt::skip]
const RUST_ATTRIBUTES: &[&str] = &[
    "allow", "inline", "must_use", "cfg", "test", "doc", "expect", "rustfmt::skip", "cfg_attr", "deprecated",
    "non_exhaustive", "warn", "repr", "track_caller", "default", "ignore",
];

/// Derives that nearly every type has, and what other languages have for the compiler.
#[rustfmt::skip]
const TRIVIAL_ATTRIBUTES: &[&str] = &[
    "derive(Debug)", "derive(Clone)", "derive(Copy)", "derive(PartialEq)", "derive(Eq)", "derive(Hash)",
    "derive(PartialOrd)", "derive(Ord)", "derive(Default)",
    "@Override", "@SuppressWarnings", "@Deprecated", "@Test", "@property", "@staticmethod", "@classmethod",
    "@typing.overload", "@overload", "@t.overload", "@SafeVarargs", "@FunctionalInterface", "@Nullable",
    "@CanIgnoreReturnValue",
];

/// Whether a step says nothing. A receiver does not make `trim` more telling, so the last part decides too.
pub(super) fn is_trivial(language: Language, step: &str) -> bool {
    let trivial = match language {
        Language::Rust => RUST,
        Language::Python => PYTHON,
        Language::JavaScript | Language::TypeScript | Language::Tsx => ECMA,
        Language::Go => GO,
        Language::Java => JAVA,
        Language::C | Language::Cpp => C,
    };
    if trivial.contains(&step) {
        return true;
    }
    let last = step.rsplit(['.', ':']).next().unwrap_or(step);
    let is_plain_access = step.contains('.') && !step.starts_with(['@', '#']);
    is_plain_access && trivial.contains(&last) && !TELLING_WITH_RECEIVER.contains(&last)
}

/// Methods every class of some languages has, and the ones that are there for the language.
pub(super) fn is_trivial_member(name: &str) -> bool {
    let of_objects = ["equals", "hashCode", "toString", "constructor", "new", "clone", "finalize", "main", "String"];
    of_objects.contains(&name) || name.starts_with("__") || name.starts_with("operator") || name.starts_with('~')
}

/// That something is asserted says little about a test; how it gets there does.
pub(super) fn is_bare_assertion(step: &str) -> bool {
    let (receiver, last) = step.rsplit_once('.').unwrap_or(("", step));
    let lower = last.to_ascii_lowercase();
    lower.starts_with("assert")
        || lower.starts_with("expect")
        || matches!(receiver, "assert" | "require" | "expect")
        || MATCHERS.iter().any(|opening| last.starts_with(opening) || step.starts_with(opening))
}

#[rustfmt::skip]
const MATCHERS: &[&str] = &[
    "toBe", "toEqual", "toStrictEqual", "toHave", "toThrow", "toMatch", "toContain", "toReturn", "isEqualTo", "isNull",
    "isNotNull", "isTrue", "isFalse", "isInstanceOf", "isSameInstanceAs", "t.Error", "t.Fatal", "t.Log", "t.Run",
    "t.Helper", "t.Parallel", "done",
];

pub(super) fn is_trivial_attribute(step: &str) -> bool {
    let of_rust = step.strip_prefix("#[").and_then(|rest| rest.strip_suffix(']'));
    of_rust.map_or_else(|| TRIVIAL_ATTRIBUTES.contains(&step), |name| RUST_ATTRIBUTES.contains(&name))
}

/// Common words that are somebody's interface once it is said whose: `client.get`, `app.test`.
#[rustfmt::skip]
const TELLING_WITH_RECEIVER: &[&str] = &[
    "get", "find", "delete", "update", "insert", "remove", "open", "close", "test", "parse", "error", "Error", "put",
    "count", "apply", "call", "exec", "resolve", "first", "all", "add", "set", "reset", "expect", "next", "from",
];
