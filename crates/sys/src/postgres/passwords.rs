//! The file in which people keep the passwords of their databases, `~/.pgpass`.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::super::plain;
use super::parameters::ParameterError;

const MOST: u64 = 1 << 20;

/// Nothing where there is no such file; an error where others could read it, too.
pub(super) fn read(file: &Path) -> Result<Option<String>, ParameterError> {
    let Ok(found) = file.metadata() else { return Ok(None) };
    if !found.is_file() {
        return Ok(None);
    }
    if found.mode() & 0o077 != 0 {
        return Err(ParameterError::OpenPasswords(file.to_owned()));
    }
    plain::read_text(file, MOST).map_err(|error| ParameterError::File(error.to_string()))
}

/// The password of the first line whose host, port, database and user are these or `*`.
pub(super) fn find(text: &str, wanted: [&str; 4]) -> Option<String> {
    text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let fields = fields(line);
        let [host, port, database, user, password] = fields.as_slice() else { return None };
        let fits = |(field, wanted): (&(bool, String), &str)| (!field.0 && field.1 == "*") || field.1 == wanted;
        [host, port, database, user].into_iter().zip(wanted).all(fits).then(|| password.1.clone())
    })
}

/// Between colons; a backslash takes the meaning of the letter behind it. Each with whether there was one.
fn fields(line: &str) -> Vec<(bool, String)> {
    let mut fields = vec![(false, String::new())];
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        let Some(last) = fields.last_mut() else { break };
        match letter {
            '\\' => {
                last.0 = true;
                last.1.extend(letters.next());
            }
            ':' => fields.push((false, String::new())),
            other => last.1.push(other),
        }
    }
    fields
}
