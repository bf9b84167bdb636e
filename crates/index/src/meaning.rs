//! The passages of all memories as vectors of one model, and the file in the cache directory that spares embedding
//! them again. The file is a list of records that is only ever appended to; a record that is torn, or of another
//! model, ends the reading: what is missing is embedded anew.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::roster::Number;
use super::vector::{Question, Row, Vectors};
use lokid_sys::plain;

const MAGIC: &[u8; 16] = b"lokid-vectors-1\n";

/// Which model made the vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    pub id: Arc<str>,
    pub dim: usize,
}

impl Model {
    fn header(&self) -> Vec<u8> {
        let mut header = MAGIC.to_vec();
        header.extend_from_slice(&blake3::hash(self.id.as_bytes()).as_bytes()[..16]);
        header.extend_from_slice(&(self.dim as u32).to_le_bytes());
        header
    }

    /// The name of its file.
    fn file(&self) -> String {
        format!("vectors-{}.bin", &blake3::hash(self.id.as_bytes()).to_hex()[..16])
    }
}

/// Of a memory of many passages, so many are sent for ahead; the processor goes on by itself.
const SOON: u16 = 2;

/// Where the passages of one memory stand.
type PassagePlace = (u32, u16);

#[derive(Clone)]
pub struct Meanings {
    pub model: Model,
    vectors: Vectors,
    places: imbl::Vector<Option<PassagePlace>>,
}

impl Meanings {
    pub(super) fn new(model: Model) -> Meanings {
        Meanings { vectors: Vectors::new(model.dim), model, places: imbl::Vector::new() }
    }

    pub(super) fn put(&mut self, number: Number, rows: &[Row]) {
        let rows = &rows[..rows.len().min(u16::MAX as usize)];
        let first = self.vectors.push(number, rows);
        while self.places.len() <= number as usize {
            self.places.push_back(None);
        }
        self.places.set(number as usize, Some((first, rows.len() as u16)));
    }

    /// Were its passages embedded with this model?
    pub fn holds(&self, number: Number) -> bool {
        self.place(number).is_some()
    }

    pub fn passages(&self) -> usize {
        self.vectors.len()
    }

    pub fn likeness(&self, question: &Question, number: Number) -> Option<f32> {
        let (first, rows) = self.place(number)?;
        self.vectors.best(question, first, rows)
    }

    /// Its likeness will be asked for in a moment.
    pub fn send_for(&self, number: Number) {
        if let Some((first, rows)) = self.place(number) {
            self.vectors.send_for_all(first, rows.min(SOON));
        }
    }

    pub fn first_row(&self, number: Number) -> Option<Row> {
        self.place(number).filter(|place| place.1 > 0).map(|place| self.vectors.row(place.0))
    }

    /// Nothing of one that is still to be embedded.
    pub fn rows(&self, number: Number) -> Option<Vec<Row>> {
        let (first, rows) = self.place(number)?;
        Some((first..first + u32::from(rows)).map(|row| self.vectors.row(row)).collect())
    }

    pub fn nearest(
        &self,
        question: &Question,
        most: usize,
        admits: impl Fn(Number) -> bool + Sync,
    ) -> Vec<(Number, f32)> {
        self.vectors.nearest(question, most, admits)
    }

    fn place(&self, number: Number) -> Option<PassagePlace> {
        self.places.get(number as usize).copied().flatten()
    }
}

/// The file of one model's vectors.
pub(super) struct VectorFile {
    path: Option<PathBuf>,
    model: Model,
    /// Records that wait to be appended.
    waiting: Vec<u8>,
    /// Is there a file that starts as it should?
    begun: bool,
}

impl VectorFile {
    pub(super) fn new(folder: Option<&Path>, model: &Model) -> VectorFile {
        let path = folder.map(|folder| folder.join(model.file()));
        VectorFile { path, model: model.clone(), waiting: Vec::new(), begun: false }
    }

    /// Hands out every whole record. Answers whether the file is worth keeping as it is: readable to its end.
    pub(super) fn read(&mut self, mut take: impl FnMut(u64, Vec<Row>)) -> bool {
        let Some(path) = &self.path else { return false };
        let Ok(Some(file)) = plain::reader(path) else { return false };
        let mut file = io::BufReader::with_capacity(1 << 16, file);
        let mut header = vec![0; self.model.header().len()];
        if file.read_exact(&mut header).is_err() || header != self.model.header() {
            return false;
        }
        self.begun = true;
        loop {
            match read_record(&mut file, self.model.dim) {
                Ok(Some((print, rows))) => take(print, rows),
                Ok(None) => return true,
                Err(_) => {
                    self.begun = false;
                    return false;
                }
            }
        }
    }

    pub(super) fn add(&mut self, print: u64, rows: &[Row]) {
        if self.path.is_some() {
            write_record(&mut self.waiting, print, rows);
        }
    }

    /// Forgets what stands there; what is added from now on makes a new file.
    pub(super) fn restart(&mut self) {
        self.waiting.clear();
        self.begun = false;
    }

    /// Brings what waits to the disk.
    pub(super) fn save(&mut self) -> io::Result<()> {
        let Some(path) = self.path.as_ref().filter(|_| !self.waiting.is_empty()) else { return Ok(()) };
        if self.begun {
            plain::append(path, &self.waiting)?;
        } else {
            let mut whole = self.model.header();
            whole.append(&mut self.waiting);
            plain::replace(path, &whole)?;
            self.begun = true;
        }
        self.waiting.clear();
        Ok(())
    }

    /// The files of other models go: nobody keeps them up to date.
    pub(super) fn remove_others(&self) {
        let Some((folder, own)) = self.path.as_deref().and_then(|path| Some((path.parent()?, path))) else { return };
        for file in plain::files_in(folder).unwrap_or_default() {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            if file != own && name.starts_with("vectors-") {
                let _ = plain::remove(&file);
            }
        }
    }
}

fn write_record(into: &mut Vec<u8>, print: u64, rows: &[Row]) {
    let start = into.len();
    into.extend_from_slice(&print.to_le_bytes());
    into.extend_from_slice(&(rows.len() as u16).to_le_bytes());
    for row in rows {
        into.push(u8::from(row.aside));
        into.extend_from_slice(&row.scale.to_le_bytes());
        into.extend(row.values.iter().map(|value| *value as u8));
    }
    let sum = blake3::hash(&into[start..]);
    // Writing to memory cannot fail.
    let _ = into.write_all(&sum.as_bytes()[..4]);
}

/// Nothing at the end of the file; an error when it ends in the middle of a record or the sum does not fit.
fn read_record(file: &mut impl Read, dim: usize) -> io::Result<Option<(u64, Vec<Row>)>> {
    let mut head = [0; 10];
    match file.read(&mut head[..1])? {
        0 => return Ok(None),
        _ => file.read_exact(&mut head[1..])?,
    }
    let (print, count) = head.split_at(8);
    let count = usize::from(u16::from_le_bytes([count[0], count[1]]));
    let mut body = vec![0; count * (5 + dim) + 4];
    file.read_exact(&mut body)?;
    let (body, sum) = body.split_at(count * (5 + dim));
    let mut hasher = blake3::Hasher::new();
    hasher.update(&head).update(body);
    if hasher.finalize().as_bytes()[..4] != *sum {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let rows = body.chunks_exact(5 + dim).map(|row| Row {
        aside: row[0] != 0,
        scale: f32::from_le_bytes([row[1], row[2], row[3], row[4]]),
        values: row[5..].iter().map(|byte| *byte as i8).collect(),
    });
    let mut number = [0; 8];
    number.copy_from_slice(print);
    Ok(Some((u64::from_le_bytes(number), rows.collect())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(seed: i8) -> Row {
        Row { values: (0..8).map(|at| at * seed).collect(), scale: 0.25, aside: seed < 0 }
    }

    #[test]
    fn records_come_back_and_a_torn_one_is_noticed() {
        let mut bytes = Vec::new();
        write_record(&mut bytes, 7, &[row(1), row(-2)]);
        write_record(&mut bytes, 8, &[]);
        let mut file = bytes.as_slice();
        assert_eq!(read_record(&mut file, 8).unwrap(), Some((7, vec![row(1), row(-2)])));
        assert_eq!(read_record(&mut file, 8).unwrap(), Some((8, vec![])));
        assert_eq!(read_record(&mut file, 8).unwrap(), None);
        for cut in 1..bytes.len() - 14 {
            assert!(read_record(&mut &bytes[..cut], 8).is_err(), "cut at {cut}");
        }
        bytes[20] ^= 1;
        assert!(read_record(&mut bytes.as_slice(), 8).is_err());
    }
}
