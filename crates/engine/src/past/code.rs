//! The map of the code: what each source file defines and imports, and the structures that recur.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};

use super::{Chapter, Lesson, PastWorker};
use crate::ground::{FileView, LARGEST_CODE, TextReading};
use lokid_encode::code::pattern::{self, CodePattern, FileShapes, Shape};
use lokid_encode::code::{Files, GoModule, Language, module_of};
use lokid_encode::newcomer::{self, Unit, Warning};
use lokid_index::passages::FilePassages;
use lokid_model::{Draft, Kind, Memory, MemoryId, Source};

/// Of one file.
const MOST_SYMBOLS: usize = 500;

/// What is known of the source files of a repository.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CodeMap {
    files: BTreeMap<String, Arc<CodeFile>>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CodeFile {
    pub language: Language,
    pub symbols: Vec<Symbol>,
    /// Files of the repository, in order.
    pub imports: Vec<String>,
    shapes: Vec<Shape>,
    /// What it says about itself, in a sentence.
    doc: Option<String>,
    warnings: Vec<Warning>,
    size: u64,
    modified: i64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Symbol {
    pub name: String,
    pub line: u32,
    pub is_public: bool,
}

impl CodeMap {
    pub fn len(&self) -> usize {
        self.files.len()
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    pub fn get(&self, path: &str) -> Option<&CodeFile> {
        self.files.get(path).map(Arc::as_ref)
    }

    /// What a person would call the part of the program that a file belongs to.
    pub fn module(path: &str) -> String {
        module_of(path)
    }

    /// The files that import this one.
    pub fn importers(&self, path: &str) -> Vec<&str> {
        let imports = |file: &CodeFile| file.imports.iter().any(|import| import == path);
        self.files.iter().filter(|(_, file)| imports(file)).map(|(path, _)| path.as_str()).collect()
    }

    pub fn symbols(&self) -> usize {
        self.files.values().map(|file| file.symbols.len()).sum()
    }

    /// The files that define something of this name, in order.
    pub fn defining<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let defines = move |file: &CodeFile| file.symbols.iter().any(|symbol| symbol.name == name);
        self.files.iter().filter(move |(_, file)| defines(file)).map(|(path, _)| path.as_str())
    }

    /// What the files define, in no particular order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.values().flat_map(|file| &file.symbols).map(|symbol| symbol.name.as_str())
    }

    pub fn imports(&self) -> usize {
        self.files.values().map(|file| file.imports.len()).sum()
    }

    /// As the map of the modules wants them.
    pub(super) fn units(&self) -> Vec<Unit<'_>> {
        let files = self.files.iter();
        files.map(|(path, file)| Unit { path, doc: file.doc.as_deref(), imports: &file.imports }).collect()
    }

    /// What comments warn of, by path.
    pub(super) fn warnings(&self) -> impl Iterator<Item = (&str, &Warning)> {
        self.files.iter().flat_map(|(path, file)| file.warnings.iter().map(|warning| (path.as_str(), warning)))
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    fn patterns(&self) -> Vec<CodePattern> {
        let shapes: Vec<FileShapes<'_>> = self
            .files
            .iter()
            .map(|(path, file)| FileShapes { path, language: file.language, shapes: &file.shapes })
            .collect();
        pattern::find(&shapes)
    }

    pub(super) fn write(&self, text: &mut String) {
        for (path, file) in &self.files {
            let symbols: Vec<Value> =
                file.symbols.iter().map(|symbol| json!([symbol.name, symbol.line, symbol.is_public])).collect();
            let shapes: Vec<Value> = file
                .shapes
                .iter()
                .map(|one| json!([one.role, one.family, one.name, one.line, one.template, one.steps]))
                .collect();
            let warnings: Vec<Value> = file.warnings.iter().map(|one| json!([one.symbol, one.text])).collect();
            let (language, imports) = (file.language.as_str(), &file.imports);
            let row = json!([path, language, file.size, file.modified, symbols, imports, shapes, file.doc, warnings]);
            text.push_str(&row.to_string());
            text.push('\n');
        }
    }

    pub(super) fn read<'a>(lines: impl Iterator<Item = &'a str>) -> CodeMap {
        CodeMap { files: lines.filter_map(|line| read_row(&serde_json::from_str(line).ok()?)).collect() }
    }
}

fn read_row(row: &Value) -> Option<(String, Arc<CodeFile>)> {
    let text = |value: &Value, at: usize| Some(value.get(at)?.as_str()?.to_owned());
    let number = |value: &Value, at: usize| value.get(at)?.as_u64();
    let texts = |value: &Value, at: usize| -> Option<Vec<String>> {
        value.get(at)?.as_array()?.iter().map(|one| one.as_str().map(str::to_owned)).collect()
    };
    let symbol = |one: &Value| {
        Some(Symbol { name: text(one, 0)?, line: number(one, 1)? as u32, is_public: one.get(2)?.as_bool()? })
    };
    let warning = |one: &Value| Some(Warning { symbol: text(one, 0)?, text: text(one, 1)? });
    let shape = |one: &Value| {
        Some(Shape {
            role: text(one, 0)?,
            family: text(one, 1)?,
            name: text(one, 2)?,
            line: number(one, 3)? as u32,
            template: text(one, 4)?,
            steps: texts(one, 5)?,
        })
    };
    let file = CodeFile {
        language: Language::named(row.get(1)?.as_str()?)?,
        size: number(row, 2)?,
        modified: row.get(3)?.as_i64()?,
        symbols: row.get(4)?.as_array()?.iter().map(symbol).collect::<Option<_>>()?,
        imports: texts(row, 5)?,
        shapes: row.get(6)?.as_array()?.iter().map(shape).collect::<Option<_>>()?,
        doc: text(row, 7),
        warnings: row.get(8)?.as_array()?.iter().map(warning).collect::<Option<_>>()?,
    };
    Some((text(row, 0)?, Arc::new(file)))
}

impl PastWorker {
    pub(super) fn read_code(&mut self, files: &[String]) {
        let most = self.env.config.load().bootstrap.max_files;
        let wanted: Vec<&String> = files.iter().filter(|path| Language::of(path).is_some()).take(most).collect();
        let texts = Self::texts(files, most - wanted.len());
        self.shrink_ground(most);
        self.begin(Chapter::Code, wanted.len() + texts.len());
        let all = self.file_set(files);
        let mut reading = TextReading::new();
        let mut map = CodeMap::default();
        let mut views = Vec::new();
        let mut fresh = 0;
        for path in wanted {
            if self.is_stopping() {
                // What was read is kept; the next start goes on from there.
                map.files.extend(std::mem::take(&mut self.code.files));
                self.code = map;
                self.ground.put_all(views);
                let _ = self.folder.keep_code(&self.code);
                let _ = self.folder.keep_ground(&self.ground);
                return;
            }
            self.step();
            let known = self.code.files.get(path).filter(|known| self.is_as_it_was(path, known)).cloned();
            if let Some(file) = known {
                map.files.insert(path.clone(), file);
                continue;
            }
            fresh += 1;
            if let Some((file, view)) = self.study(&mut reading, path, &all) {
                map.files.insert(path.clone(), file);
                self.gather(&mut views, path, view);
            } else {
                self.put_or_remove(path, None, most);
            }
        }
        let same = fresh == 0 && map.len() == self.code.len();
        self.code = map;
        self.teach_code(!same);
        self.read_texts(files, &texts, views);
    }

    pub(super) fn read_changed_code(&mut self, paths: &BTreeSet<String>) {
        if paths.is_empty() {
            return;
        }
        let files = self.all_files();
        let all = self.file_set(&files);
        let most = self.env.config.load().bootstrap.max_files;
        let mut reading = TextReading::new();
        let mut is_code = false;
        for path in paths {
            if Language::of(path).is_none() {
                let view = self.view_of(path);
                self.put_or_remove(path, view, most);
                continue;
            }
            is_code = true;
            self.code.files.remove(path);
            let known = if self.code.len() < most { self.study(&mut reading, path, &all) } else { None };
            let view = known.map(|(file, view)| {
                self.code.files.insert(path.clone(), file);
                view
            });
            self.put_or_remove(path, view, most);
        }
        if is_code {
            self.teach_code(true);
        }
        self.publish_ground(true);
    }

    fn file_set(&self, files: &[String]) -> Files {
        let modules = files.iter().filter(|path| *path == "go.mod" || path.ends_with("/go.mod"));
        let modules = modules.filter_map(|path| GoModule::read(path, &self.text_of(path, LARGEST_CODE)?)).collect();
        Files::new(files.to_vec()).with_go_modules(modules)
    }

    /// The map and the ground know it as it stands.
    fn is_as_it_was(&self, path: &str, known: &CodeFile) -> bool {
        let stamp = (known.size, known.modified);
        self.ground.stamp(path) == Some(stamp) && self.stamp_of(path) == Some(stamp)
    }

    fn study(&self, reading: &mut TextReading, path: &str, files: &Files) -> Option<(Arc<CodeFile>, FileView)> {
        let stamp = self.stamp_of(path).filter(|(size, _)| *size <= LARGEST_CODE)?;
        let text = self.text_of(path, LARGEST_CODE)?;
        let language = Language::of_file(path, &text)?;
        let (mut view, study) = reading.study(language, path, &text, files);
        view.stamp = stamp;
        // The pieces of what it says are kept, and a secret could be put together from them.
        if !self.env.redaction.is_clean(&text) {
            view.passages = FilePassages::default();
        }
        // Before anything is cut: half a secret no longer looks like one. What was cut already is left out.
        let clean = |text: &str| self.env.redaction.text(text);
        let doc = study.outline.module_doc.filter(|doc| !doc.ends_with('…')).map(|doc| clean(&doc));
        let warnings = match study.outline.unread {
            None => newcomer::warnings(language, path, &text, &study.outline.definitions),
            Some(_) => Vec::new(),
        };
        let warnings = warnings.into_iter().map(|one| Warning { text: newcomer::shortened(&clean(&one.text)), ..one });
        let symbols = study.outline.definitions.into_iter().take(MOST_SYMBOLS);
        let file = CodeFile {
            language,
            symbols: symbols.map(|one| Symbol { name: one.name, line: one.line, is_public: one.is_public }).collect(),
            imports: view.imports.clone(),
            shapes: study.shapes,
            doc,
            warnings: warnings.collect(),
            size: stamp.0,
            modified: stamp.1,
        };
        Some((Arc::new(file), view))
    }

    fn teach_code(&mut self, has_changed: bool) {
        self.published.publish(&self.published.code, self.code.clone());
        if !has_changed {
            return;
        }
        if let Err(error) = self.folder.keep_code(&self.code) {
            tracing::warn!(project = %self.env.name, reason = %error, "the map of the code could not be kept");
        }
        let memories: Vec<Arc<Memory>> = self
            .code
            .patterns()
            .into_iter()
            .filter_map(|found| {
                let newest = found.files.iter().map(|file| self.modified(file)).max().unwrap_or_default();
                self.memory(draft(found), newest)
            })
            .collect();
        self.teach(Chapter::Code, Lesson { memories, links: Vec::new() });
    }
}

fn draft(found: CodePattern) -> Draft {
    let id = blake3::hash(found.key.as_bytes()).to_hex();
    let text = format!(
        "{}\n{}\nin {} places ({}), for example {}",
        found.hint,
        found.template,
        found.support,
        found.language.as_str(),
        found.files.join(", ")
    );
    Draft {
        id: MemoryId::new(&format!("code-{}", &id[..12])),
        title: found.hint.clone(),
        summary: Some(found.hint),
        tags: vec!["code".to_owned(), found.role.replace(' ', "-")],
        files: found.files,
        source: Some(Source::Tool),
        importance: Some(0.4),
        ..Draft::new(Kind::CodePattern, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_comes_back_from_its_lines_and_a_bad_line_is_passed_over() {
        let symbols = vec![Symbol { name: "total".into(), line: 3, is_public: true }];
        let shapes = vec![Shape {
            role: "test".into(),
            family: String::new(),
            name: "t".into(),
            line: 9,
            template: "x".into(),
            steps: vec!["a".into(), "b".into()],
        }];
        let (language, imports) = (Language::Rust, vec!["src/b.rs".to_owned()]);
        let warnings = vec![Warning { symbol: "total".into(), text: "HACK: x".into() }];
        let doc = Some("Sums.".to_owned());
        let file = CodeFile { language, symbols, imports, shapes, doc, warnings, size: 7, modified: -1 };
        let map = CodeMap { files: BTreeMap::from([("src/a.rs".to_owned(), Arc::new(file))]) };
        let mut text = "[1,2\n".to_owned();
        map.write(&mut text);
        let again = CodeMap::read(text.lines());
        assert_eq!(again, map);
        assert_eq!(again.importers("src/b.rs"), ["src/a.rs"]);
        assert_eq!((again.len(), again.symbols(), again.imports()), (1, 1, 1));
    }
}
