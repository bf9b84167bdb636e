//! Why: the strongest difference, in one line a person understands.

use super::feature::{Features, Finding};
use crate::model::Verdict;

const LONGEST: usize = 60;

pub(super) fn why(verdict: Verdict, features: &Features, findings: &[Finding]) -> String {
    match verdict {
        Verdict::Contradicts => {
            let strongest = findings.iter().min_by_key(|finding| rank(finding));
            strongest.map_or_else(|| "the same subject is given another value".to_owned(), clash)
        }
        Verdict::Duplicate => {
            format!("the same is said in other words ({} of the words agree)", percent(features.cover_min))
        }
        Verdict::Compatible => {
            let elsewhere = findings.iter().find_map(|finding| match finding {
                Finding::Scope(a, b) => Some(format!("one speaks of `{}`, the other of `{}`", short(a), short(b))),
                _ => None,
            });
            elsewhere.unwrap_or_else(|| match features.exception_one > 0.0 {
                true => "one is an exception the other leaves room for".to_owned(),
                false => "they speak of different things about one subject".to_owned(),
            })
        }
        Verdict::Unrelated => format!("hardly anything in common ({} of the words)", percent(features.cover_max)),
    }
}

fn rank(finding: &Finding) -> u8 {
    match finding {
        Finding::Number(..) => 0,
        Finding::Rival(..) => 1,
        Finding::Opposite(..) => 2,
        Finding::Order => 3,
        Finding::Denied(_) => 4,
        Finding::Quantifier => 5,
        Finding::Scope(..) => 6,
    }
}

fn clash(finding: &Finding) -> String {
    match finding {
        Finding::Number(a, b) => format!("`{}` in one and `{}` in the other", short(a), short(b)),
        Finding::Rival("", a, b) | Finding::Opposite(a, b) | Finding::Scope(a, b) => {
            format!("`{}` against `{}`", short(a), short(b))
        }
        Finding::Rival(kind, a, b) => format!("{kind}: `{}` in one and `{}` in the other", short(a), short(b)),
        Finding::Order => "the same steps in another order".to_owned(),
        Finding::Denied(words) => format!("one denies what the other says: `{}`", short(words)),
        Finding::Quantifier => "one says it of all, the other not".to_owned(),
    }
}

fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}
