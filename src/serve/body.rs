//! Reading a body that has to fit: refused by its announced length before a byte is read, and cut off at the limit or
//! after the time when it was not announced or not true.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_LENGTH;
use http_body_util::{BodyExt, LengthLimitError, Limited};

use super::problem::Problem;

pub(super) async fn read(headers: &HeaderMap, body: Body, most: u64, within: Duration) -> Result<Bytes, Problem> {
    let too_large = || Problem::too_large(format!("a body may have {most} bytes here"));
    if announced(headers).is_some_and(|length| length > most) {
        return Err(too_large());
    }
    let limited = Limited::new(body, usize::try_from(most).unwrap_or(usize::MAX));
    match tokio::time::timeout(within, limited.collect()).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(error)) => Err(Problem::bad_request(format!("the body broke off: {error}"))),
        Err(_) => Err(Problem::timed_out(format!("the body did not arrive within {within:?}"))),
    }
}

pub(super) fn announced(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::problem::Code;

    fn read_now(headers: &HeaderMap, body: Body) -> Result<Bytes, Problem> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(read(headers, body, 8, Duration::from_millis(20)))
    }

    #[test]
    fn an_announced_length_is_refused_before_anything_is_read() {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_LENGTH, 1_000_000_000u64.into());
        let never = Body::from_stream(futures_util::stream::pending::<Result<Bytes, std::io::Error>>());
        assert_eq!(read_now(&headers, never).unwrap_err().code(), Code::TooLarge);
    }

    #[test]
    fn a_body_that_says_nothing_of_its_length_is_cut_off_at_the_limit() {
        assert_eq!(read_now(&HeaderMap::new(), Body::from("12345678")).unwrap(), "12345678");
        assert_eq!(read_now(&HeaderMap::new(), Body::from("123456789")).unwrap_err().code(), Code::TooLarge);
    }

    #[test]
    fn a_body_that_never_comes_is_not_waited_for() {
        let never = Body::from_stream(futures_util::stream::pending::<Result<Bytes, std::io::Error>>());
        let problem = read_now(&HeaderMap::new(), never).unwrap_err();
        assert!(problem.detail().contains("did not arrive"), "{}", problem.detail());
    }
}
