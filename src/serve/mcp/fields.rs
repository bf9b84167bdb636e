//! The arguments of a tool: what each may be, said once, for the schema and for the check. A wrong argument is refused
//! by its name; what it is used for is not known here.

use serde_json::{Value, json};

pub(super) use crate::serve::dto::bodies::{Object, Wrong};

/// What an argument may be.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    Text,
    /// One word of a closed vocabulary.
    Word(&'static [&'static str]),
    /// A list of texts; one alone, or several behind commas, is taken for a list.
    Texts,
    Words(&'static [&'static str]),
    /// Two whole numbers: from and to.
    Range,
    Whole {
        least: i64,
        most: i64,
    },
    /// From 0 to 1.
    Share,
    Flag,
    /// An object of texts, of which these must be there.
    Parts {
        names: &'static [&'static str],
        required: &'static [&'static str],
    },
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    pub(super) required: bool,
    pub(super) says: &'static str,
    /// Names that other programs know it by; they are taken, and not told.
    pub(super) also: &'static [&'static str],
    pub(super) told: bool,
}

pub(super) const fn field(name: &'static str, shape: Shape, says: &'static str) -> Field {
    Field { name, shape, required: false, says, also: &[], told: true }
}

impl Field {
    pub(super) const fn required(self) -> Field {
        Field { required: true, ..self }
    }

    pub(super) const fn also(self, also: &'static [&'static str]) -> Field {
        Field { also, ..self }
    }

    /// Taken, but left out of the schema: for callers who learnt it elsewhere.
    pub(super) const fn untold(self) -> Field {
        Field { told: false, ..self }
    }

    fn answers_to(&self, name: &str) -> bool {
        self.name == name || self.also.contains(&name)
    }

    fn schema(&self) -> Value {
        let mut schema = match self.shape {
            Shape::Text => json!({"type": "string"}),
            Shape::Word(words) => json!({"type": "string", "enum": words}),
            Shape::Texts => json!({"type": "array", "items": {"type": "string"}}),
            Shape::Words(words) => json!({"type": "array", "items": {"type": "string", "enum": words}}),
            Shape::Range => json!({"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}),
            Shape::Whole { least, most } => json!({"type": "integer", "minimum": least, "maximum": most}),
            Shape::Share => json!({"type": "number", "minimum": 0, "maximum": 1}),
            Shape::Flag => json!({"type": "boolean"}),
            Shape::Parts { names, required } => {
                let texts = names.iter().map(|name| ((*name).to_owned(), json!({"type": "string"})));
                json!({"type": "object", "properties": Object::from_iter(texts), "required": required})
            }
        };
        schema["description"] = self.says.into();
        schema
    }

    fn read(&self, value: Value) -> Result<Value, Wrong> {
        let wrong = |reason: String| Wrong::new(self.name, reason);
        let expected = |what: &str| wrong(format!("{} was given where {what} is expected", sort_of(&value)));
        match self.shape {
            Shape::Text => value.is_string().then(|| value.clone()).ok_or_else(|| expected("a text")),
            Shape::Word(words) => word(&value, words).ok_or_else(|| one_of(self.name, &value, words)),
            Shape::Texts => texts(&value).ok_or_else(|| expected("a list of texts")),
            Shape::Words(words) => {
                let listed = texts(&value).ok_or_else(|| expected("a list of words"))?;
                let each = listed.as_array().into_iter().flatten();
                let read = each.map(|one| word(one, words).ok_or_else(|| one_of(self.name, one, words)));
                read.collect::<Result<Vec<Value>, Wrong>>().map(Value::from)
            }
            Shape::Range => {
                let pair = value.as_array().filter(|pair| pair.len() == 2 && pair.iter().all(Value::is_i64));
                pair.map(|_| value.clone()).ok_or_else(|| expected("[first_line, last_line]"))
            }
            Shape::Whole { least, most } => {
                let number = whole(&value).ok_or_else(|| expected("a whole number"))?;
                let fits = (least..=most).contains(&number);
                fits.then(|| number.into()).ok_or_else(|| wrong(format!("{number} is not between {least} and {most}")))
            }
            Shape::Share => {
                let number = value.as_f64().ok_or_else(|| expected("a number"))?;
                let fits = (0.0..=1.0).contains(&number);
                fits.then(|| number.into()).ok_or_else(|| wrong(format!("{number} is not between 0 and 1")))
            }
            Shape::Flag => value.is_boolean().then(|| value.clone()).ok_or_else(|| expected("true or false")),
            Shape::Parts { names, required } => {
                let object = value.as_object().ok_or_else(|| expected("an object"))?;
                let inner = |name: &str, reason: &str| Wrong::new(format!("{}.{name}", self.name), reason);
                if let Some((name, _)) = object.iter().find(|(name, _)| !names.contains(&name.as_str())) {
                    return Err(inner(name, &format!("is not known; there are {}", names.join(", "))));
                }
                if let Some((name, _)) =
                    object.iter().find(|(_, value)| !(value.is_string() || value.is_number() || value.is_boolean()))
                {
                    return Err(inner(name, "is no text"));
                }
                match required.iter().find(|name| !object.contains_key(**name)) {
                    Some(name) => Err(inner(name, "is required")),
                    None => Ok(value),
                }
            }
        }
    }
}

fn one_of(field: &str, value: &Value, words: &[&str]) -> Wrong {
    let shown = value.as_str().map_or_else(|| sort_of(value).to_owned(), |word| format!("{:?}", brief(word)));
    Wrong::new(field, format!("{shown} is not one of {}", words.join(", ")))
}

/// Enough of what was given to know it again.
pub(super) fn brief(text: &str) -> String {
    const LONGEST: usize = 80;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn word(value: &Value, words: &[&'static str]) -> Option<Value> {
    let given = value.as_str()?;
    words.iter().find(|word| lokid_model::words::same_word(word, given)).map(|word| Value::from(*word))
}

fn texts(value: &Value) -> Option<Value> {
    match value {
        Value::String(text) => {
            let each = text.split(',').map(str::trim).filter(|one| !one.is_empty());
            Some(each.map(Value::from).collect())
        }
        Value::Array(list) => list.iter().all(Value::is_string).then(|| value.clone()),
        _ => None,
    }
}

/// Some clients write whole numbers as `5.0`.
fn whole(value: &Value) -> Option<i64> {
    let of_float = |number: f64| (number.fract() == 0.0 && number.abs() < 1e15).then_some(number as i64);
    value.as_i64().or_else(|| value.as_f64().and_then(of_float))
}

fn sort_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The schema of all arguments together.
pub(super) fn schema(fields: &[Field]) -> Object {
    let told = || fields.iter().filter(|field| field.told);
    let properties: Object = told().map(|field| (field.name.to_owned(), field.schema())).collect();
    let required: Vec<&str> = told().filter(|field| field.required).map(|field| field.name).collect();
    let mut schema = Object::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties.into());
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.into());
    }
    schema.insert("additionalProperties".to_owned(), false.into());
    schema
}

/// Arguments that are what the fields say.
#[derive(Clone, Debug, Default)]
pub(super) struct Arguments(Object);

impl Arguments {
    /// `null` counts as left out.
    pub(super) fn read(fields: &[Field], given: Object) -> Result<Arguments, Wrong> {
        let mut read = Object::new();
        for (name, value) in given.into_iter().filter(|(_, value)| !value.is_null()) {
            let Some(field) = fields.iter().find(|field| field.answers_to(&name)) else {
                let known: Vec<&str> = fields.iter().filter(|field| field.told).map(|field| field.name).collect();
                return Err(Wrong::new(brief(&name), format!("is not known; there are {}", known.join(", "))));
            };
            read.insert(field.name.to_owned(), field.read(value)?);
        }
        let missing = fields.iter().find(|field| field.required && !read.contains_key(field.name));
        match missing {
            Some(field) => Err(Wrong::new(field.name, "is required")),
            None => Ok(Arguments(read)),
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(Value::as_str)
    }

    /// One that is required and says something.
    pub(super) fn said(&self, name: &str) -> Result<&str, Wrong> {
        match self.text(name) {
            None => Err(Wrong::new(name, "is required")),
            Some(text) if text.trim().is_empty() => Err(Wrong::new(name, "must not be empty")),
            Some(text) => Ok(text),
        }
    }

    pub(super) fn texts(&self, name: &str) -> Vec<&str> {
        self.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
    }

    pub(super) fn whole(&self, name: &str) -> Option<i64> {
        self.get(name).and_then(Value::as_i64)
    }

    /// A size that was given, or the usual one. Fields of sizes have no room below zero.
    pub(super) fn size(&self, name: &str, usual: usize) -> usize {
        self.whole(name).and_then(|number| usize::try_from(number).ok()).unwrap_or(usual)
    }

    pub(super) fn flag(&self, name: &str, usual: bool) -> bool {
        self.get(name).and_then(Value::as_bool).unwrap_or(usual)
    }

    /// Everything that was given, as a body of a request.
    pub(super) fn all(&self) -> Object {
        self.0.clone()
    }

    /// Those of these names that were given, as a body of a request.
    pub(super) fn only(&self, names: &[&str]) -> Object {
        names.iter().filter_map(|name| Some(((*name).to_owned(), self.get(name)?.clone()))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: &[Field] = &[
        field("query", Shape::Text, "words").required(),
        field("k", Shape::Whole { least: 1, most: 50 }, "how many").also(&["limit"]),
        field("kinds", Shape::Words(&["note", "anti_pattern"]), "of these kinds"),
        field("ids", Shape::Texts, "of these ids"),
        field("share", Shape::Share, "a share"),
        field("old", Shape::Text, "known elsewhere").untold(),
        field("fact", Shape::Parts { names: &["key", "value"], required: &["key"] }, "a fact"),
    ];

    fn refused(given: Value) -> String {
        let Value::Object(given) = given else { panic!("an object") };
        let Wrong { field, reason } = Arguments::read(FIELDS, given).unwrap_err();
        format!("{field}: {reason}")
    }

    fn read(given: Value) -> Arguments {
        let Value::Object(given) = given else { panic!("an object") };
        Arguments::read(FIELDS, given).unwrap()
    }

    #[test]
    fn a_wrong_argument_is_refused_by_its_name() {
        assert_eq!(refused(json!({})), "query: is required");
        assert_eq!(refused(json!({"query": 7})), "query: a number was given where a text is expected");
        assert_eq!(refused(json!({"query": "x", "k": 0})), "k: 0 is not between 1 and 50");
        assert_eq!(
            refused(json!({"query": "x", "limit": "many"})),
            "k: a text was given where a whole number is expected"
        );
        assert_eq!(
            refused(json!({"query": "x", "kinds": ["nite"]})),
            "kinds: \"nite\" is not one of note, anti_pattern"
        );
        assert_eq!(refused(json!({"query": "x", "share": 1.5})), "share: 1.5 is not between 0 and 1");
        assert_eq!(refused(json!({"query": "x", "fact": {"value": "1"}})), "fact.key: is required");
        assert_eq!(refused(json!({"query": "x", "fact": {"key": []}})), "fact.key: is no text");
        let unknown = refused(json!({"qurey": "x"}));
        assert_eq!(unknown, "qurey: is not known; there are query, k, kinds, ids, share, fact");
    }

    #[test]
    fn what_is_meant_is_taken() {
        let read =
            read(json!({"query": "x", "limit": 5.0, "kinds": "note,Anti-Pattern", "ids": "a, b,", "share": null}));
        assert_eq!(read.whole("k"), Some(5));
        assert_eq!(read.texts("kinds"), ["note", "anti_pattern"]);
        assert_eq!(read.texts("ids"), ["a", "b"]);
        assert!(read.get("share").is_none());
    }

    #[test]
    fn a_schema_tells_what_is_told_and_nothing_a_client_could_stumble_over() {
        let schema = Value::Object(schema(FIELDS));
        assert_eq!(schema["required"], json!(["query"]));
        assert!(schema["properties"].get("old").is_none());
        assert_eq!(
            schema["properties"]["k"],
            json!({"type": "integer", "minimum": 1, "maximum": 50, "description": "how many"})
        );
    }
}
