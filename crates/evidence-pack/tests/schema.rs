//! The rows as others may rely on them: declared once more, by hand, with nothing unknown allowed.

mod common;

use common::{event, record, second, slots};
use evidence_pack::{ClientRow, EventRow, FORMAT, Finalized, RequestRow};
use metrics_core::{Facts, Fault, FaultKind, Happening, Micros, Record, Tokens};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "a declaration of keys")]
struct Client {
    v: u32,
    at: u64,
    stage: Option<String>,
    tier: Option<u32>,
    cpu: Option<f64>,
    host_cpu: Option<f64>,
    run_delay_us: Vec<u64>,
    timer_delay_us: Vec<u64>,
    rss_bytes: Option<u64>,
    connections: u64,
    sockets: Option<u64>,
    rx_bytes: Option<u64>,
    tx_bytes: Option<u64>,
    queue_depth: u64,
    prev: String,
}

fn full() -> Record {
    let mut row = record(&slots()[0]);
    row.facts.connect = Some(Micros(900));
    row.facts.error = Some(Fault { kind: FaultKind::ErrorObject, message: "overloaded".into() });
    row.facts.cached_tokens = Some(Tokens(0));
    row.facts.gap_events = vec![1, 2, 1];
    row
}

#[test]
fn a_row_of_a_request_is_what_the_interface_says() {
    let row = serde_json::to_string(&RequestRow::new(&full(), "ab")).unwrap();
    assert_eq!(
        row,
        "{\"v\":1,\"seq\":0,\"stage\":\"sweep\",\"tier\":1,\"group\":\"all\",\"sample\":\"s1\",\"try\":0,\
         \"due\":0,\"sent\":90,\"first_byte\":200000,\"first_token\":214000,\"first_visible\":214000,\
         \"last_token\":254000,\"end\":254100,\"reconnects\":0,\"connect_us\":900,\"status\":200,\"ended\":\"done\",\
         \"finish_reason\":\"stop\",\"done\":true,\"error\":{\"kind\":\"error_object\",\"message\":\"overloaded\"},\
         \"prompt_tokens\":11,\"output_tokens\":3,\"reasoning_tokens\":null,\"cached_tokens\":0,\
         \"token_source\":\"usage\",\"events\":5,\"token_events\":3,\"malformed\":0,\"comments\":0,\"bytes\":700,\
         \"request_id\":null,\"response_id\":null,\"gaps_us\":[20000,20000],\"gap_events\":[1,2,1],\
         \"text_sha256\":null,\"prev\":\"ab\"}"
    );
}

#[test]
fn rows_come_back_as_the_records_they_were() {
    let never_sent = Record { facts: Facts::default(), tier: None, attempt: 2, ..full() };
    for record in [full(), never_sent] {
        let row = serde_json::to_string(&RequestRow::new(&record, "")).unwrap();
        let back: RequestRow = serde_json::from_str(&row).unwrap();
        assert_eq!(Record::from(back), record);
    }
}

#[test]
fn one_event_a_read_is_not_written_out() {
    let mut record = full();
    record.facts.gap_events = vec![1, 1, 1];
    let row = RequestRow::new(&record, "");
    assert!(!serde_json::to_string(&row).unwrap().contains("gap_events"));
}

#[test]
fn an_unknown_or_missing_key_of_a_request_is_refused() {
    let row = serde_json::to_string(&RequestRow::new(&full(), "")).unwrap();
    let extra = row.replacen("\"seq\"", "\"latency\":0,\"seq\"", 1);
    assert!(
        serde_json::from_str::<RequestRow>(&extra)
            .unwrap_err()
            .to_string()
            .contains("unknown field `latency`")
    );
    let missing = row.replacen("\"seq\":0,", "", 1);
    assert!(serde_json::from_str::<RequestRow>(&missing).is_err());
}

#[test]
fn a_row_of_the_generator_is_what_the_interface_says() {
    let row = ClientRow { v: FORMAT, sample: second(1_000_000), prev: "ab".into() };
    let json = serde_json::to_string(&row).unwrap();
    serde_json::from_str::<Client>(&json).unwrap();
    assert!(
        json.starts_with("{\"v\":1,\"at\":1000000,\"stage\":null,") && json.ends_with(",\"prev\":\"ab\"}")
    );
    assert_eq!(serde_json::from_str::<ClientRow>(&json).unwrap(), row);
}

#[test]
fn what_completed_a_package_is_what_the_interface_says() {
    let json = r#"{"v":1,"tool":"acceptbench 0.1.0","requests":4,"events":2,"client":1}"#;
    let finalized: Finalized = serde_json::from_str(json).unwrap();
    assert_eq!(serde_json::to_string(&finalized).unwrap(), json);
    assert!(serde_json::from_str::<Finalized>(&json.replace("}", ",\"more\":1}")).is_err());
}

#[test]
fn a_row_of_an_event_is_what_the_interface_says() {
    let check = |what: Happening, expected: &str| {
        let row = EventRow { v: FORMAT, event: event(5, what), prev: "ab".into() };
        let json = serde_json::to_string(&row).unwrap();
        assert_eq!(json, format!("{{\"v\":1,\"at\":5,{expected},\"prev\":\"ab\"}}"));
        assert_eq!(serde_json::from_str::<EventRow>(&json).unwrap(), row);
    };
    check(Happening::RunEnded, "\"kind\":\"run_ended\"");
    check(Happening::Stopped { by: "interrupt".into() }, "\"kind\":\"stopped\",\"by\":\"interrupt\"");
    check(
        Happening::TierStarted { stage: "sweep".into(), tier: 4, planned: 20 },
        "\"kind\":\"tier_started\",\"stage\":\"sweep\",\"tier\":4,\"planned\":20",
    );
    check(
        Happening::Health { ready: false, refused: true, status: None, path: "/health".into() },
        "\"kind\":\"health\",\"ready\":false,\"refused\":true,\"status\":null,\"path\":\"/health\"",
    );
    check(Happening::ServiceStartTime { seconds: 1.5 }, "\"kind\":\"service_start_time\",\"seconds\":1.5");
}
