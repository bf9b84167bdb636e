//! The client against shapes written down from the official SDK's types, without a server.

use super::*;

fn stores() -> Stores {
    let managed = lokid_config::Config::default().managed;
    Stores::new(&managed, Secret::new("sk-ant-secret").unwrap()).unwrap()
}

fn answered(status: u16, body: &str) -> Answer {
    Answer { status, body: body.as_bytes().to_vec(), retry_after: None, date: None }
}

fn refused(status: u16, kind: &str, more: &str) -> ApiError {
    let body = format!(
        r#"{{"type":"error","error":{{"type":"{kind}","message":"no: sk-ant-secret"{more}}},"request_id":"req_1"}}"#
    );
    stores().read::<Value>(answered(status, &body)).unwrap_err()
}

#[test]
fn the_shapes_of_the_sdk_are_read() {
    let memory = r#"{"id":"mem_1","type":"memory","memory_store_id":"memstore_1","path":"/a.json","content":null,
        "content_sha256":"ab","content_size_bytes":2,"memory_version_id":"memver_1","created_at":"2026-11-17T00:00:00Z",
        "updated_at":"2026-11-17T00:00:00Z"}"#;
    let read: RemoteMemory = stores().read(answered(200, memory)).unwrap();
    assert_eq!((&*read.id, &*read.path, read.content), ("mem_1", "/a.json", None));
    let page =
        format!(r#"{{"data":[{memory},{{"type":"memory_prefix","path":"/x/"}},{{"type":"new"}}],"next_page":"p2"}}"#);
    let page: Page<Listed> = stores().read(answered(200, &page)).unwrap();
    assert_eq!(page.next_page.as_deref(), Some("p2"));
    assert!(matches!(&page.data[..], [Listed::Memory(_), Listed::Prefix { path }, Listed::Unknown] if path == "/x/"));
    let redacted = r#"{"id":"memver_1","type":"memory_version","memory_id":"mem_1","memory_store_id":"s",
        "operation":"modified","created_at":"2026-11-17T00:00:00Z","content":null,"content_sha256":null,
        "content_size_bytes":null,"path":null,"redacted_at":"2026-11-17T00:00:01Z",
        "redacted_by":{"type":"api_actor","api_key_id":"apikey_1"},"created_by":{"type":"user_actor","user_id":"u"}}"#;
    let version: RemoteVersion = stores().read(answered(200, redacted)).unwrap();
    assert!(version.path.is_none() && version.redacted_at.is_some());
    let store = r#"{"id":"memstore_1","type":"memory_store","name":"mine","created_at":"x","updated_at":"x"}"#;
    assert_eq!(stores().read::<RemoteStore>(answered(200, store)).unwrap().name, "mine");
}

#[test]
fn refusals_are_told_apart_by_their_meaning() {
    assert_eq!(refused(409, "memory_precondition_failed_error", ""), ApiError::Precondition);
    assert_eq!(refused(412, "other", ""), ApiError::Conflict("no: [key]".to_owned()));
    let taken = r#","conflicting_path":"/a.json","conflicting_memory_id":"mem_2""#;
    let expected = ApiError::PathConflict { path: Some("/a.json".to_owned()), memory: Some("mem_2".to_owned()) };
    assert_eq!(refused(409, "memory_path_conflict_error", taken), expected);
    assert_eq!(refused(409, "conflict_error", ""), ApiError::Conflict("no: [key]".to_owned()));
    assert_eq!(refused(404, "not_found_error", ""), ApiError::NotFound);
    assert_eq!(refused(401, "authentication_error", ""), ApiError::Unauthorized(401));
    assert_eq!(refused(413, "x", ""), ApiError::Permanent { status: 413, detail: "no: [key]".to_owned() });
    assert_eq!(refused(529, "overloaded_error", ""), ApiError::Busy { status: 529, retry_after: None });
    assert_eq!(refused(500, "api_error", ""), ApiError::Server(500));
    let beta = r#"{"type":"error","error":{"type":"invalid_request_error","message":"Unexpected value(s) for the `anthropic-beta` header"}}"#;
    assert!(matches!(stores().read::<Value>(answered(400, beta)), Err(ApiError::Beta(_))));
    assert!(matches!(stores().read::<Value>(answered(200, "{half")), Err(ApiError::BadAnswer(_))));
    assert!(matches!(stores().read::<Value>(answered(302, "")), Err(ApiError::BadAnswer(_))));
}

#[test]
fn a_server_may_name_its_pause_up_to_a_limit() {
    let busy = |after: &str| {
        let answer = Answer { retry_after: Some(after.to_owned()), ..answered(429, "") };
        stores().read::<Value>(answer).unwrap_err()
    };
    let pause = |time| ApiError::Busy { status: 429, retry_after: time };
    assert_eq!(busy("7"), pause(Some(Duration::from_secs(7))));
    assert_eq!(busy("1e30"), pause(Some(limits::LONGEST_PAUSE)));
    assert_eq!(busy("-1"), pause(Some(limits::LONGEST_PAUSE)));
    assert_eq!(busy("soon"), pause(None));
}

#[test]
fn what_comes_from_the_other_side_is_no_path() {
    assert!(plain("mem_01-a").is_ok() && plain("../x").is_err() && plain("").is_err() && plain("a?b").is_err());
    assert_eq!(encoded("/a b/é&"), "%2Fa%20b%2F%C3%A9%26");
}
