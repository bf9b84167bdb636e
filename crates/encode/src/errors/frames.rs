//! Files named by stacks and compilers: whether they are the application's own, and which file of the repository.
//!
//! It reads no files: the caller says which paths exist.

use super::{Frame, Place};

const MOST_FRAMES: usize = 30;

/// Parts of a path that only libraries, runtimes and toolchains have; written with forward slashes.
const LIBRARY_PARTS: &[&str] = &[
    "/site-packages/",
    "/dist-packages/",
    "/lib/python",
    "/lib64/python",
    "/node_modules/",
    "/rustc/",
    "/.cargo/registry/",
    "/.cargo/git/",
    "/.rustup/",
    "/rustlib/src/",
    "/go/pkg/mod/",
    "/src/runtime/",
    "/src/testing/",
    "/sysdeps/",
    "/csu/libc-start",
    "/libsanitizer/",
    "/compiler-rt/",
    "/usr/include/",
    "/usr/lib/",
    "/.pyenv/versions/",
    "/webpack/bootstrap",
    "/lib/rustlib/",
    "/Python.framework/",
];

const LIBRARY_STARTS: &[&str] = &["node:", "<", "bun:", "deno:", "ext:", "webpack/"];
/// Folders of Node and of Rust itself, with how their files end; programs have such folders, too.
const LIBRARY_FOLDERS: &[(&str, &str)] = &[("internal/", ".js"), ("library/", ".rs")];

/// Java, Kotlin and Go name packages rather than paths.
const LIBRARY_FUNCTIONS: &[&str] = &[
    "java.",
    "javax.",
    "jdk.",
    "sun.",
    "com.sun.",
    "kotlin.",
    "kotlinx.",
    "scala.",
    "groovy.",
    "org.junit.",
    "org.opentest4j.",
    "org.gradle.",
    "org.apache.",
    "org.springframework.",
    "org.hibernate.",
    "org.h2.",
    "org.postgresql.",
    "org.eclipse.",
    "org.jboss.",
    "org.mockito.",
    "org.slf4j.",
    "com.google.",
    "com.fasterxml.",
    "com.mysql.",
    "com.zaxxer.",
    "ch.qos.",
    "reactor.",
    "io.netty.",
    "io.grpc.",
    "io.vertx.",
    "io.quarkus.",
    "okhttp3.",
    "junit.",
    "runtime.",
    "testing.",
    "reflect.",
    "std::",
    "core::",
    "alloc::",
    "<alloc::",
    "<core::",
    "<std::",
    "__rustc::",
    "rust_begin_unwind",
    "__interceptor_",
    "__libc_start",
];

/// Whether a frame belongs to the program rather than to a library, the runtime or a test framework.
pub fn is_application(frame: &Frame) -> bool {
    if let Some(function) = &frame.function {
        // `java.base/java.lang.Integer.parseInt`, `app//shop.Cart.total`: the module is not the class.
        let class = function.rsplit('/').next().unwrap_or(function);
        let java = frame.file.ends_with(".java") || frame.file.ends_with(".kt") || frame.file.is_empty();
        let name = if java { class } else { function };
        if LIBRARY_FUNCTIONS.iter().any(|start| name.starts_with(start)) {
            return false;
        }
    }
    if frame.file.is_empty() || frame.file == "Native Method" || frame.file == "Unknown Source" {
        return false;
    }
    let file = frame.file.replace('\\', "/");
    let file = file.strip_prefix("file://").unwrap_or(&file);
    let is_of_library = |(folder, ending): &(&str, &str)| file.starts_with(folder) && file.ends_with(ending);
    if LIBRARY_STARTS.iter().any(|start| file.starts_with(start)) || LIBRARY_FOLDERS.iter().any(is_of_library) {
        return false;
    }
    // A leading slash lets `node_modules/x` match like `/node_modules/x`.
    let slashed = if file.starts_with('/') { file.to_owned() } else { format!("/{file}") };
    !LIBRARY_PARTS.iter().any(|part| slashed.contains(part))
}

/// The innermost frame of the application.
pub(super) fn top(frames: &[Frame]) -> Option<&Frame> {
    frames.iter().find(|frame| is_application(frame))
}

/// The place a stack points at: its innermost application frame.
pub(super) fn place(frames: &[Frame]) -> Option<Place> {
    top(frames).map(|frame| Place { file: frame.file.clone(), line: frame.line })
}

/// At most thirty frames; the application's own come before the libraries' when some have to go.
pub(super) fn bounded(frames: Vec<Frame>) -> Vec<Frame> {
    if frames.len() <= MOST_FRAMES {
        return frames;
    }
    let own = frames.iter().filter(|frame| is_application(frame)).count().min(MOST_FRAMES);
    let mut libraries = MOST_FRAMES - own;
    let mut kept = Vec::with_capacity(MOST_FRAMES);
    for frame in frames {
        if kept.len() == MOST_FRAMES {
            break;
        }
        if is_application(&frame) {
            kept.push(frame);
        } else if libraries > 0 {
            libraries -= 1;
            kept.push(frame);
        }
    }
    kept
}

/// The file of the repository that a printed path means, relative to its root and with forward slashes.
///
/// `exists` answers for paths relative to the root. An absolute path under the root counts by itself; another (a
/// container's, a colleague's) by its longest ending that exists.
pub fn repo_file(printed: &str, root: &str, exists: &dyn Fn(&str) -> bool) -> Option<String> {
    let path = printed.trim().replace('\\', "/");
    let path = path.strip_prefix("file://").unwrap_or(&path);
    let root = root.replace('\\', "/");
    let root = root.trim_end_matches('/');
    if !root.is_empty()
        && let Some(rest) = path.strip_prefix(root)
        && let Some(rest) = rest.strip_prefix('/')
        && let Some(rest) = plain(rest)
        && exists(&rest)
    {
        return Some(rest);
    }
    let segments: Vec<&str> = path.split('/').filter(|segment| !matches!(*segment, "" | ".")).collect();
    // What lies above `..` is outside or unknown; only what follows the last can be looked up.
    let start = segments.iter().rposition(|segment| *segment == "..").map_or(0, |at| at + 1);
    let segments = &segments[start..];
    // No repository nests this deep; a longer list is not a path.
    (segments.len().saturating_sub(24)..segments.len()).map(|at| segments[at..].join("/")).find(|ending| exists(ending))
}

/// The path without `.` and empty segments; none when it climbs.
fn plain(path: &str) -> Option<String> {
    let segments: Vec<&str> = path.split('/').filter(|segment| !matches!(*segment, "" | ".")).collect();
    if segments.is_empty() || segments.contains(&"..") { None } else { Some(segments.join("/")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(file: &str, function: &str) -> Frame {
        let function = (!function.is_empty()).then(|| function.to_owned());
        Frame { file: file.into(), line: None, function }
    }

    #[test]
    fn libraries_are_told_from_the_application() {
        for (file, function) in [
            ("/home/ada/shop/src/cart.js", "total"),
            ("src/main.rs", "main::price"),
            ("C:\\work\\shop\\cart.py", "f"),
            ("Cart.java", "shop.Cart.total"),
            ("/home/ada/shop/lib/cart.rb", ""),
            ("/home/ada/shop/main.go", "main.main"),
            ("internal/shop/cart.go", "shop.Total"),
            ("library/shelf.py", "total"),
        ] {
            assert!(is_application(&frame(file, function)), "{file} {function}");
        }
        for (file, function) in [
            ("/usr/lib/python3.11/json/decoder.py", "decode"),
            ("/home/ada/shop/.venv/lib/python3.11/site-packages/x.py", "f"),
            ("C:\\shop\\node_modules\\x\\index.js", ""),
            ("node_modules/x/index.js", ""),
            ("node:internal/modules/cjs/loader", "Module._compile"),
            ("internal/modules/cjs/loader.js", ""),
            ("/rustc/59807616/library/core/src/panicking.rs", "core::panicking::panic"),
            ("/home/ada/.cargo/registry/src/x/serde/src/lib.rs", ""),
            ("Integer.java", "java.base/java.lang.Integer.parseInt"),
            ("/usr/lib/go-1.19/src/runtime/panic.go", "panic"),
            ("<frozen importlib._bootstrap>", "_gcd_import"),
        ] {
            assert!(!is_application(&frame(file, function)), "{file} {function}");
        }
    }

    #[test]
    fn the_applications_frames_survive_a_long_stack() {
        let mut frames = vec![frame("/x/node_modules/a.js", ""); 100];
        frames.push(frame("/x/src/a.js", "mine"));
        let kept = bounded(frames);
        assert_eq!(kept.len(), MOST_FRAMES);
        assert_eq!(top(&kept).unwrap().function.as_deref(), Some("mine"));
    }

    #[test]
    fn a_printed_path_is_tied_to_a_file_of_the_repository() {
        let exists = |path: &str| ["src/cart.rs", "web/src/a.ts", "cart.rs"].contains(&path);
        let check = |printed: &str, expect: Option<&str>| {
            assert_eq!(repo_file(printed, "/home/ada/shop", &exists).as_deref(), expect, "{printed}");
        };
        check("/home/ada/shop/src/cart.rs", Some("src/cart.rs"));
        check("./src/cart.rs", Some("src/cart.rs"));
        check("/app/src/cart.rs", Some("src/cart.rs"));
        check("C:\\work\\shop\\web\\src\\a.ts", Some("web/src/a.ts"));
        check("file:///build/web/src/a.ts", Some("web/src/a.ts"));
        check("../other/cart.rs", Some("cart.rs"));
        check("/etc/passwd", None);
        check("", None);
        check("/home/ada/shop/../cart.rs", Some("cart.rs"));
    }
}
