//! Failures found in the text that tools and programs print: compilers, test runners, uncaught exceptions, log lines.
//!
//! Lines go in one at a time, [`Failure`]s come out when they are complete. Every failure carries a fingerprint that
//! stays the same when only line numbers, addresses, times or directories differ. This part owns the recognition and
//! nothing else: it reads no files, keeps no history of failures and does not judge whether one has been fixed.

mod block;
mod fingerprint;
mod frames;
mod gcc;
mod generic;
mod go;
mod java;
mod javascript;
mod jest;
mod line;
mod npm;
mod pytest;
mod python;
mod reader;
mod rust;
mod stack;

#[cfg(test)]
mod tests;

pub use fingerprint::normalise;
pub use frames::{is_application, repo_file};
pub use reader::ErrorReader;

/// One failure, complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub tool: Tool,
    /// What sort of failure, in the tool's own word: `E0308`, `TypeError`, `TS2322`, `panic`, `fatal error`.
    pub kind: String,
    /// One line, 300 characters at most.
    pub message: String,
    pub place: Option<Place>,
    pub test: Option<String>,
    /// Innermost first, 30 at most; when there are more, the application's own are kept.
    pub frames: Vec<Frame>,
    /// The other end of a chain: what a Python error was raised over, what a Java root cause was wrapped in.
    pub related: Option<String>,
    /// The lines it was read from without colours and log prefixes, 2 KiB at most.
    pub excerpt: String,
    /// 16 hex digits, equal for the same failure seen again.
    pub fingerprint: String,
}

/// Where a tool says the failure is; the file is written as the tool printed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub file: String,
    pub line: Option<u32>,
}

/// One call of a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    pub file: String,
    pub line: Option<u32>,
    pub function: Option<String>,
}

/// Who reported the failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tool {
    Rustc,
    Cargo,
    RustPanic,
    RustTest,
    Python,
    Pytest,
    Unittest,
    Mypy,
    Node,
    Typescript,
    Jest,
    Vitest,
    Npm,
    Go,
    GoTest,
    GoPanic,
    Java,
    Javac,
    Junit,
    Maven,
    Gradle,
    Gcc,
    Linker,
    Make,
    Sanitizer,
    Signal,
    #[default]
    Generic,
}

impl Tool {
    pub fn name(self) -> &'static str {
        match self {
            Tool::Rustc => "rustc",
            Tool::Cargo => "cargo",
            Tool::RustPanic => "panic",
            Tool::RustTest => "cargo-test",
            Tool::Python => "python",
            Tool::Pytest => "pytest",
            Tool::Unittest => "unittest",
            Tool::Mypy => "mypy",
            Tool::Node => "node",
            Tool::Typescript => "tsc",
            Tool::Jest => "jest",
            Tool::Vitest => "vitest",
            Tool::Npm => "npm",
            Tool::Go => "go",
            Tool::GoTest => "go-test",
            Tool::GoPanic => "go-panic",
            Tool::Java => "java",
            Tool::Javac => "javac",
            Tool::Junit => "junit",
            Tool::Maven => "maven",
            Tool::Gradle => "gradle",
            Tool::Gcc => "gcc",
            Tool::Linker => "linker",
            Tool::Make => "make",
            Tool::Sanitizer => "sanitizer",
            Tool::Signal => "signal",
            Tool::Generic => "generic",
        }
    }

    /// The language or world of the tool; tools of one family may report the same failure.
    pub fn family(self) -> &'static str {
        match self {
            Tool::Rustc | Tool::Cargo | Tool::RustPanic | Tool::RustTest => "rust",
            Tool::Python | Tool::Pytest | Tool::Unittest | Tool::Mypy => "python",
            Tool::Node | Tool::Typescript | Tool::Jest | Tool::Vitest | Tool::Npm => "javascript",
            Tool::Go | Tool::GoTest | Tool::GoPanic => "go",
            Tool::Java | Tool::Javac | Tool::Junit | Tool::Maven | Tool::Gradle => "java",
            Tool::Gcc | Tool::Linker | Tool::Make | Tool::Sanitizer | Tool::Signal => "native",
            Tool::Generic => "generic",
        }
    }
}
