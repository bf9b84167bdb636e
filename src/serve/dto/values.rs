//! The small values of requests: words of a closed vocabulary, times, shares, ids and namespaces, each refused with
//! what would have been allowed.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error};

use lokid_manage::plan::Phase;
use lokid_model::{
    By, ChangeOp, ContradictionStatus, Kind, Level, MemoryId, Namespace, Outcome, Relation, Resolution, Scope,
    SignalKind, Source, Status, TaskType, Tier, Timestamp,
};

/// A vocabulary as the wire sees it.
pub(in crate::serve) trait Vocabulary: Sized + 'static {
    const NAME: &'static str;
    const WORDS: &'static [&'static str];
    fn read(word: &str) -> Option<Self>;
}

macro_rules! vocabularies {
    ($($name:ident),+) => {$(
        impl Vocabulary for $name {
            const NAME: &'static str = stringify!($name);
            const WORDS: &'static [&'static str] = $name::WORDS;

            fn read(word: &str) -> Option<$name> {
                $name::parse(word)
            }
        }
    )+};
}

vocabularies!(
    By,
    ChangeOp,
    ContradictionStatus,
    Kind,
    Level,
    Outcome,
    Phase,
    Relation,
    Resolution,
    Scope,
    SignalKind,
    Source,
    Status,
    TaskType,
    Tier
);

/// What lists leave out unless it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::serve) enum Include {
    Unverified,
    Restricted,
    Invalid,
}

impl Vocabulary for Include {
    const NAME: &'static str = "Include";
    const WORDS: &'static [&'static str] = &["unverified", "restricted", "invalid"];

    fn read(word: &str) -> Option<Include> {
        match word {
            "unverified" => Some(Include::Unverified),
            "restricted" => Some(Include::Restricted),
            "invalid" => Some(Include::Invalid),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(in crate::serve) struct Word<V>(pub(in crate::serve) V);

fn read_word<V: Vocabulary, E: Error>(word: &str) -> Result<V, E> {
    V::read(word).ok_or_else(|| E::custom(format_args!("{word:?} is not one of {}", V::WORDS.join(", "))))
}

impl<'de, V: Vocabulary> Deserialize<'de> for Word<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Word<V>, D::Error> {
        read_word(&Cow::<'de, str>::deserialize(deserializer)?).map(Word)
    }
}

impl<V: Vocabulary> JsonSchema for Word<V> {
    fn schema_name() -> Cow<'static, str> {
        V::NAME.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "enum": V::WORDS})
    }
}

/// Several words of a query parameter, separated by commas.
#[derive(Clone, Debug)]
pub(in crate::serve) struct Words<V>(pub(in crate::serve) Vec<V>);

impl<V> Default for Words<V> {
    fn default() -> Words<V> {
        Words(Vec::new())
    }
}

impl<V: PartialEq> Words<V> {
    pub(in crate::serve) fn has(&self, word: V) -> bool {
        self.0.contains(&word)
    }

    /// No word at all lets everything through.
    pub(in crate::serve) fn allow(&self, word: V) -> bool {
        self.0.is_empty() || self.0.contains(&word)
    }
}

impl<'de, V: Vocabulary> Deserialize<'de> for Words<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Words<V>, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.split(',').map(|word| read_word(word.trim())).collect::<Result<_, _>>().map(Words)
    }
}

impl<V: Vocabulary> JsonSchema for Words<V> {
    fn schema_name() -> Cow<'static, str> {
        format!("{}List", V::NAME).into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let words = V::WORDS.join("|");
        json_schema!({
            "type": "string",
            "pattern": format!("^({words})(,({words}))*$"),
            "description": format!("one or more of {}, separated by commas", V::WORDS.join(", ")),
        })
    }
}

/// Declares a value that is a string of a certain form.
macro_rules! text_value {
    ($(#[$doc:meta])* $name:ident($inner:ty), $read:expr, $refused:expr, $schema:tt) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub(in crate::serve) struct $name(pub(in crate::serve) $inner);

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                let text = Cow::<'de, str>::deserialize(deserializer)?;
                let read: fn(&str) -> Option<$inner> = $read;
                let refused: fn(&str) -> String = $refused;
                read(&text).map($name).ok_or_else(|| D::Error::custom(refused(&text)))
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    };
}

text_value!(
    Time(Timestamp),
    Timestamp::parse,
    |text| format!("{text:?} is not an RFC 3339 time"),
    {"type": "string", "format": "date-time"}
);
text_value!(
    /// An id somebody asks for.
    Id(MemoryId),
    MemoryId::new,
    |_| format!("an id is {}", MemoryId::RULE),
    {"type": "string", "pattern": "^[A-Za-z0-9_:-][A-Za-z0-9._:-]{0,127}$"}
);
text_value!(
    /// An id that is looked up, wherever it came from.
    KnownId(MemoryId),
    MemoryId::foreign,
    |_| "an id has 1 to 256 bytes and no control characters".to_owned(),
    {"type": "string", "minLength": 1, "maxLength": 256}
);
text_value!(
    NamespaceName(Namespace),
    Namespace::new,
    |_| format!("a namespace is {}", Namespace::RULE),
    {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"}
);

/// A number from 0 to 1.
#[derive(Clone, Copy, Debug)]
pub(in crate::serve) struct Share(pub(in crate::serve) f64);

impl<'de> Deserialize<'de> for Share {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Share, D::Error> {
        let number = f64::deserialize(deserializer)?;
        if (0.0..=1.0).contains(&number) {
            Ok(Share(number))
        } else {
            Err(D::Error::custom(format_args!("{number} is not between 0 and 1")))
        }
    }
}

impl JsonSchema for Share {
    fn schema_name() -> Cow<'static, str> {
        "Share".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "number", "minimum": 0, "maximum": 1})
    }
}
