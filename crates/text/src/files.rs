//! The files of a model as they are handed in: which were read, what stands in them, and what is wrong with them.

use serde_json::Value;

use super::EmbedError;

/// Raise it whenever the same files would give other vectors.
const REVISION: u8 = 1;

/// A directory that only answers by name. What it hands out goes into the identity of the model.
pub(super) struct Files<'a> {
    read: &'a dyn Fn(&str) -> Option<Vec<u8>>,
    identity: blake3::Hasher,
}

impl<'a> Files<'a> {
    pub(super) fn new(read: &'a dyn Fn(&str) -> Option<Vec<u8>>) -> Files<'a> {
        let mut identity = blake3::Hasher::new();
        identity.update(&[REVISION]);
        Files { read, identity }
    }

    pub(super) fn optional(&mut self, name: &str) -> Option<Vec<u8>> {
        let bytes = (self.read)(name)?;
        // Hashed by themselves first: no two different sets of files run together into the same bytes.
        self.identity.update(blake3::hash(name.as_bytes()).as_bytes());
        self.identity.update(blake3::hash(&bytes).as_bytes());
        Some(bytes)
    }

    pub(super) fn required(&mut self, name: &str) -> Result<Vec<u8>, EmbedError> {
        self.optional(name).ok_or_else(|| EmbedError::Missing { file: name.to_owned() })
    }

    pub(super) fn text(&mut self, name: &str) -> Result<String, EmbedError> {
        String::from_utf8(self.required(name)?).map_err(|error| EmbedError::damaged(name, error.utf8_error()))
    }

    pub(super) fn json(&mut self, name: &str) -> Result<Json, EmbedError> {
        Json::parse(name, &self.required(name)?)
    }

    pub(super) fn optional_json(&mut self, name: &str) -> Result<Option<Json>, EmbedError> {
        self.optional(name).map(|bytes| Json::parse(name, &bytes)).transpose()
    }

    /// Changes with any byte of any file that was read.
    pub(super) fn identity(&self) -> String {
        format!("blake3:{}", &self.identity.finalize().to_hex()[..16])
    }
}

/// A JSON file that remembers its name, so that it can say what is wrong with it.
pub(super) struct Json {
    file: String,
    pub(super) value: Value,
}

impl Json {
    pub(super) fn parse(file: &str, bytes: &[u8]) -> Result<Json, EmbedError> {
        let value = serde_json::from_slice(bytes).map_err(|error| EmbedError::damaged(file, error))?;
        Ok(Json { file: file.to_owned(), value })
    }

    /// A field that is there and not null.
    pub(super) fn get(&self, field: &str) -> Option<&Value> {
        self.value.get(field).filter(|value| !value.is_null())
    }

    pub(super) fn text(&self, field: &str) -> Result<&str, EmbedError> {
        self.get(field).and_then(Value::as_str).ok_or_else(|| self.refuse(field, "a text"))
    }

    pub(super) fn flag(&self, field: &str) -> bool {
        self.get(field).and_then(Value::as_bool).unwrap_or(false)
    }

    /// A whole number above zero.
    pub(super) fn count(&self, field: &str) -> Result<usize, EmbedError> {
        let number = self.get(field).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok());
        number.filter(|number| *number > 0).ok_or_else(|| self.refuse(field, "a whole number above 0"))
    }

    pub(super) fn optional_count(&self, field: &str) -> Result<Option<usize>, EmbedError> {
        self.get(field).map(|_| self.count(field)).transpose()
    }

    pub(super) fn optional_number(&self, field: &str) -> Result<Option<f64>, EmbedError> {
        self.get(field).map(|value| value.as_f64().ok_or_else(|| self.refuse(field, "a number"))).transpose()
    }

    pub(super) fn refuse(&self, field: &str, allowed: &str) -> EmbedError {
        let found = self.get(field).map_or_else(|| "absent".to_owned(), Value::to_string);
        EmbedError::unsupported(&self.file, field, &found, allowed)
    }
}
