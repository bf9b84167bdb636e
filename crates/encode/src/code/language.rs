//! Which language a file is written in, and the grammar that reads it.

/// A language whose files are understood. TypeScript with JSX has a grammar of its own, hence a variant of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    Rust,
    Python,
    JavaScript,
    TypeScript,
    Tsx,
    Go,
    Java,
    C,
    Cpp,
}

/// A header is searched this far for signs of C++.
const HEADER_BYTES: usize = 64 * 1024;

impl Language {
    pub const ALL: &[Language] = &[
        Language::Rust,
        Language::Python,
        Language::JavaScript,
        Language::TypeScript,
        Language::Tsx,
        Language::Go,
        Language::Java,
        Language::C,
        Language::Cpp,
    ];

    /// By the path alone; a header counts as C.
    pub fn of(path: &str) -> Option<Language> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        if matches!(name, "SConstruct" | "SConscript" | "wscript") {
            return Some(Language::Python);
        }
        let (stem, extension) = name.rsplit_once('.')?;
        if stem.is_empty() {
            return None;
        }
        Some(match extension {
            "rs" => Language::Rust,
            "py" | "pyi" | "pyw" => Language::Python,
            "js" | "jsx" | "mjs" | "cjs" => Language::JavaScript,
            "ts" | "mts" | "cts" => Language::TypeScript,
            "tsx" => Language::Tsx,
            "go" => Language::Go,
            "java" => Language::Java,
            "c" | "h" => Language::C,
            "cc" | "cpp" | "cxx" | "c++" | "C" | "hh" | "hpp" | "hxx" | "h++" | "ipp" | "inl" | "tpp" | "cu"
            | "cuh" => Language::Cpp,
            _ => return None,
        })
    }

    /// By the path, and for a header by what stands in it.
    pub fn of_file(path: &str, text: &str) -> Option<Language> {
        let language = Language::of(path)?;
        let is_header = language == Language::C && path.ends_with(".h");
        Some(if is_header && is_cpp(text) { Language::Cpp } else { language })
    }

    /// How the language is called in output and on disk.
    pub fn as_str(self) -> &'static str {
        match self {
            Language::Rust => "rust",
            Language::Python => "python",
            Language::JavaScript => "javascript",
            Language::TypeScript => "typescript",
            Language::Tsx => "tsx",
            Language::Go => "go",
            Language::Java => "java",
            Language::C => "c",
            Language::Cpp => "cpp",
        }
    }

    /// The inverse of [`Language::as_str`].
    pub fn named(name: &str) -> Option<Language> {
        Language::ALL.iter().copied().find(|language| language.as_str() == name)
    }

    /// JavaScript and both forms of TypeScript are one ecosystem: their files import each other.
    pub(super) fn is_ecma(self) -> bool {
        matches!(self, Language::JavaScript | Language::TypeScript | Language::Tsx)
    }

    pub(super) fn grammar(self) -> tree_sitter::Language {
        match self {
            Language::Rust => tree_sitter_rust::LANGUAGE.into(),
            Language::Python => tree_sitter_python::LANGUAGE.into(),
            Language::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
            Language::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            Language::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
            Language::Go => tree_sitter_go::LANGUAGE.into(),
            Language::Java => tree_sitter_java::LANGUAGE.into(),
            Language::C => tree_sitter_c::LANGUAGE.into(),
            Language::Cpp => tree_sitter_cpp::LANGUAGE.into(),
        }
    }
}

/// What C cannot say. `extern "C"` under `__cplusplus` is C that C++ may include, so it proves nothing.
fn is_cpp(text: &str) -> bool {
    const OPENINGS: &[&str] = &["namespace ", "class ", "template <", "template<", "using ", "public:", "private:"];
    const WITHIN: &[&str] = &["std::", "constexpr ", " noexcept", " = delete;", " override", "virtual ", "nullptr"];
    let mut read = 0;
    for line in text.lines() {
        read += line.len();
        if read > HEADER_BYTES {
            return false;
        }
        let line = line.trim_start();
        if line.starts_with("//") || line.starts_with('*') || line.starts_with("/*") {
            continue;
        }
        if OPENINGS.iter().any(|opening| line.starts_with(opening)) || WITHIN.iter().any(|word| line.contains(word)) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_tells_the_language() {
        let check = |path: &str, expect: Option<Language>| assert_eq!(Language::of(path), expect, "{path}");
        check("src/lib.rs", Some(Language::Rust));
        check("pkg/stubs.pyi", Some(Language::Python));
        check("site/wscript", Some(Language::Python));
        check("a.mjs", Some(Language::JavaScript));
        check("a.jsx", Some(Language::JavaScript));
        check("a.d.ts", Some(Language::TypeScript));
        check("a.mts", Some(Language::TypeScript));
        check("App.tsx", Some(Language::Tsx));
        check("x.h", Some(Language::C));
        check("x.hpp", Some(Language::Cpp));
        check(".rs", None);
        check("README.md", None);
        check("rs", None);
        check("", None);
    }

    #[test]
    fn a_header_is_cpp_only_when_it_says_something_c_cannot() {
        let check = |text: &str, expect| assert_eq!(Language::of_file("x.h", text), Some(expect), "{text}");
        check("#pragma once\nint add(int a, int b);\n", Language::C);
        check("#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f(void);\n", Language::C);
        check("/* a class of its own */\n// class X\nstruct x;\n", Language::C);
        check("namespace db {\nclass Table;\n}\n", Language::Cpp);
        check("#include <string>\nstd::string name();\n", Language::Cpp);
    }

    #[test]
    fn every_language_is_found_by_its_name() {
        for language in Language::ALL {
            assert_eq!(Language::named(language.as_str()), Some(*language));
        }
    }
}
