//! What a file is to the ground: what it imports and which words it uses.

use std::collections::BTreeSet;

use super::names::NameFilter;
use super::passages;
use super::words::{self, Word};
use lokid_encode::code::{FileSet, Import, Language, Parser, Study, resolve};
use lokid_index::passages::FilePassages;

pub const LARGEST_CODE: u64 = 1 << 20;
pub const LARGEST_TEXT: u64 = 256 << 10;

/// Lines this long on average are nobody's handwriting; short files are let through.
const LONG_LINES: usize = 300;
const SHORT_FILE: usize = 4_096;

/// What is no text, what a program wrote, and what says the same in every repository.
const NO_TEXT: &str = "png jpg jpeg gif bmp ico webp avif svg tif tiff psd ai eps pdf ps woff woff2 ttf otf eot mp3 mp4 \
    m4a wav ogg flac avi mov mkv webm zip gz tgz bz2 xz zst lz4 7z rar tar jar war ear whl egg deb rpm dmg iso exe dll \
    so dylib a o obj lib pyc pyo class wasm bin dat db sqlite sqlite3 mdb pack idx der p12 pfx jks keystore mo gmo map \
    lock sum csv tsv parquet npy npz pkl onnx pt pb ply stl glb gltf fbx blend swf rdb bundle patch diff crt pem key \
    docx xlsx pptx odt doc xls ppt";
const NO_NAMES: &[&str] = &["package-lock.json", "pnpm-lock.yaml", "npm-shrinkwrap.json", "go.sum", "Cargo.lock"];

/// What a file imports and says, and how to know whether it has changed since.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileView {
    /// Files of the repository, in order.
    pub imports: Vec<String>,
    pub words: Vec<Word>,
    pub names: NameFilter,
    /// What a program defines.
    pub passages: FilePassages,
    /// Size and time of change, or whatever else tells one state of the file from another.
    pub stamp: (u64, i64),
}

impl FileView {
    /// What the words of a file alone tell; of a packed text those of its path.
    pub fn of_text(path: &str, text: &str) -> FileView {
        let is_packed = text.len() > SHORT_FILE && text.len() / text.lines().count().max(1) > LONG_LINES;
        let text = if is_packed { "" } else { text };
        FileView { words: words::of(path, text), names: NameFilter::of(text), ..FileView::default() }
    }
}

/// Whether a file that is no source code may have words, by its path.
pub fn is_text(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    if NO_NAMES.contains(&name) || name.contains(".min.") || Language::of(path).is_some() {
        return false;
    }
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
    extension.is_empty() || !NO_TEXT.split_whitespace().any(|known| known == extension)
}

/// Makes views of texts.
#[derive(Default)]
pub struct TextReading {
    parser: Parser,
}

impl TextReading {
    pub fn new() -> TextReading {
        TextReading::default()
    }

    /// A file as it stands; with the study of it if it is source code.
    pub fn view(&mut self, path: &str, text: &str, files: &dyn FileSet) -> FileView {
        let mut view = FileView::of_text(path, text);
        if let Some(language) = Language::of_file(path, text) {
            let outline = self.parser.outline(language, text);
            view.imports = imports(language, &outline.imports, path, files);
            view.passages = passages::of(path, text, &outline.definitions);
        }
        view
    }

    /// The same, and all that a study of source code finds, at the price of one parse.
    pub fn study(&mut self, language: Language, path: &str, text: &str, files: &dyn FileSet) -> (FileView, Study) {
        let study = self.parser.study(language, path, text);
        let imports = imports(language, &study.outline.imports, path, files);
        let passages = passages::of(path, text, &study.outline.definitions);
        (FileView { imports, passages, ..FileView::of_text(path, text) }, study)
    }
}

fn imports(language: Language, imports: &[Import], path: &str, files: &dyn FileSet) -> Vec<String> {
    let meant: BTreeSet<String> = imports.iter().flat_map(|import| resolve(language, import, path, files)).collect();
    meant.into_iter().collect()
}
