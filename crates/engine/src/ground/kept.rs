//! The ground as lines of text, for the cache. A line that cannot be understood is passed over.

use lokid_index::passages::{FilePassages, Passage};
use serde_json::{Value, json};

use super::common::Common;
use super::names::NameFilter;
use super::words::Word;
use super::{CodeGround, FileView};

impl CodeGround {
    /// First what is common, then a line a file.
    pub fn write(&self, text: &mut String) {
        let (files, words) = self.common.rows();
        let mut line = |row: Value| {
            text.push_str(&row.to_string());
            text.push('\n');
        };
        line(json!([files, self.is_part, words.iter().flat_map(|(word, files)| [*word, *files]).collect::<Vec<_>>()]));
        for (path, place) in &self.places {
            let Some(file) = &self.files[*place as usize] else { continue };
            let imports: Vec<&str> = file.imports.iter().map(AsRef::as_ref).collect();
            let words: Vec<u32> =
                self.sketches.of(*place).flat_map(|word| [word.hash, u32::from(word.weight)]).collect();
            let passages: Vec<Value> = file.passages.passages.iter().map(row_of).collect();
            line(json!([
                path.as_ref(),
                file.stamp.0,
                file.stamp.1,
                imports,
                words,
                file.names.words(),
                file.passages.path,
                passages
            ]));
        }
    }

    pub fn read<'a>(mut lines: impl Iterator<Item = &'a str>) -> CodeGround {
        let mut ground = CodeGround::default();
        let head = lines.next().and_then(|line| serde_json::from_str(line).ok());
        let Some((common, is_part)) = head.as_ref().and_then(read_head) else { return ground };
        (ground.common, ground.is_part) = (common, is_part);
        for line in lines {
            let row = serde_json::from_str(line).ok();
            if let Some((path, view)) = row.as_ref().and_then(read_row) {
                ground.place(path, view);
            }
        }
        ground
    }
}

fn read_head(head: &Value) -> Option<(Common, bool)> {
    let pairs = pairs(head.get(2)?)?;
    Some((Common::from_rows(short(head.get(0)?)?, pairs.into_iter()), head.get(1)?.as_bool()?))
}

fn read_row(row: &Value) -> Option<(&str, FileView)> {
    let imports = row.get(3)?.as_array()?.iter().map(|one| one.as_str().map(str::to_owned)).collect::<Option<_>>()?;
    let word = |(hash, weight)| Some(Word { hash, weight: u8::try_from(weight).ok()? });
    let words = pairs(row.get(4)?)?.into_iter().map(word).collect::<Option<_>>()?;
    let stamp = (row.get(1)?.as_u64()?, row.get(2)?.as_i64()?);
    let names = row.get(5)?.as_array()?.iter().map(Value::as_u64).collect::<Option<_>>()?;
    let passages = row.get(7)?.as_array()?.iter().map(read_passage).collect::<Option<_>>()?;
    let passages = FilePassages { path: pieces(row.get(6)?)?, passages };
    Some((row.get(0)?.as_str()?, FileView { imports, words, names: NameFilter::from_words(names), passages, stamp }))
}

fn row_of(passage: &Passage) -> Value {
    let Passage { name, line, lines, sort, own, named, said } = passage;
    json!([name, line, lines, sort, own, named, said])
}

fn read_passage(row: &Value) -> Option<Passage> {
    let [name, line, lines, sort, own, named, said] = row.as_array()?.as_slice() else { return None };
    Some(Passage {
        name: name.as_str()?.into(),
        line: short(line)?,
        lines: short(lines)?,
        sort: short(sort)?.try_into().ok()?,
        own: short(own)?,
        named: pieces(named)?,
        said: pieces(said)?,
    })
}

fn pieces(list: &Value) -> Option<Box<[u16]>> {
    list.as_array()?.iter().map(|piece| short(piece)?.try_into().ok()).collect()
}

fn pairs(list: &Value) -> Option<Vec<(u32, u32)>> {
    let (pairs, rest) = list.as_array()?.as_chunks::<2>();
    let pair = |[one, other]: &[Value; 2]| Some((short(one)?, short(other)?));
    if rest.is_empty() { pairs.iter().map(pair).collect() } else { None }
}

fn short(number: &Value) -> Option<u32> {
    number.as_u64()?.try_into().ok()
}
