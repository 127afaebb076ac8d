//! A small package, as every test needs one.
#![expect(clippy::expect_used, reason = "a test that cannot be set up has failed")]
#![allow(dead_code, reason = "no test uses all of it")]

use std::path::{Path, PathBuf};

use evidence_pack::{Clock, Environment, FORMAT, Frozen, Host, Pack, Redactor, Target, Tool, Writer};
use metrics_core::{ClientSample, Ended, Event, Facts, Happening, Micros, Record, TokenSource, Tokens};
use workload_model::{Plan, SampleSet, Schedule, Slot, sweep_plan};

pub(crate) fn environment() -> Environment {
    Environment {
        v: FORMAT,
        run_id: "r1".into(),
        started_at: "2026-03-01T08:00:00Z".into(),
        tool: Tool {
            name: "acceptbench".into(),
            version: "0.1.0".into(),
            profile: "release".into(),
            optimised: true,
            target: "x86_64-unknown-linux-gnu".into(),
        },
        host: Host {
            os: "linux".into(),
            arch: "x86_64".into(),
            cpus: 2,
            cpus_allowed: 2,
            memory_bytes: None,
            fingerprint: None,
        },
        location: None,
        target: Target {
            url: "http://10.0.0.5:8000/v1".into(),
            model: "m".into(),
            address: None,
            server: None,
            version: None,
            models: vec!["m".into()],
            health_path: None,
            usage: Some(true),
            co_located: false,
            http: None,
            tls: None,
            insecure_tls: false,
            headers: Vec::new(),
            dialect_notes: Vec::new(),
        },
        clock: Clock { offset_ms: None, method: None },
    }
}

const SAMPLES: &str = r#"{"id":"s1","group":"all","origin":"synthetic","messages":[{"role":"user","content":"one"}]}
{"id":"s2","group":"all","origin":"synthetic","messages":[{"role":"user","content":"two"}]}
"#;

fn plan() -> Plan {
    let target = workload_model::Target {
        url: "http://10.0.0.5:8000/v1".into(),
        model: "m".into(),
        service_version: None,
        backend: None,
        quantisation: None,
        hardware: None,
    };
    sweep_plan(target, &[1, 2], &[2], 0)
}

pub(crate) fn frozen() -> Frozen {
    Frozen {
        plan: plan().to_toml().expect("a plan has a TOML form"),
        samples: SAMPLES.into(),
        sample_set: None,
        schedule: Some(schedule().to_jsonl(&samples()).expect("a schedule of its samples")),
        environment: environment(),
        agreement: None,
        calibration: None,
    }
}

fn samples() -> SampleSet {
    SampleSet::from_jsonl(SAMPLES).expect("samples")
}

fn schedule() -> Schedule {
    Schedule::new(&plan(), &samples())
}

pub(crate) fn slots() -> Vec<Slot> {
    schedule().slots
}

/// The record of a planned request that went well.
pub(crate) fn record(slot: &Slot) -> Record {
    let at = |after: u64| Some(Micros(slot.seq * 1_000_000 + after));
    Record {
        seq: slot.seq,
        stage: slot.stage.to_string(),
        tier: slot.tier,
        group: slot.group.to_string(),
        sample: slot.sample.to_string(),
        attempt: 0,
        turn: None,
        origin: None,
        facts: Facts {
            due: Micros(slot.seq * 1_000_000),
            sent: at(90),
            first_byte: at(200_000),
            first_token: at(214_000),
            first_visible: at(214_000),
            last_token: at(254_000),
            end: at(254_100),
            status: Some(200),
            ended: Ended::Done,
            finish_reason: Some("stop".into()),
            done: true,
            prompt_tokens: Some(Tokens(11)),
            output_tokens: Some(Tokens(3)),
            token_source: Some(TokenSource::Usage),
            events: 5,
            token_events: 3,
            bytes: 700,
            gaps_us: vec![20_000, 20_000],
            ..Facts::default()
        },
    }
}

pub(crate) fn event(at: u64, what: Happening) -> Event {
    Event { at: Micros(at), what }
}

pub(crate) fn second(at: u64) -> ClientSample {
    ClientSample { at: Micros(at), cpu: Some(0.25), timer_delay_us: vec![60, 70], ..ClientSample::default() }
}

/// Writes all rows of the plan, without finishing.
pub(crate) fn written(dir: &Path) -> Writer {
    let mut writer = Writer::create(dir, &frozen(), Redactor::default()).expect("a fresh folder");
    let stage = "sweep".to_owned();
    writer.append_event(&event(0, Happening::StageStarted { stage })).expect("an event");
    for slot in slots() {
        writer.append_request(&record(&slot)).expect("a row");
    }
    writer.append_client(&second(1_000_000)).expect("a sample");
    writer.append_event(&event(4_000_000, Happening::RunEnded)).expect("an event");
    writer
}

/// A complete package with analysis and a report.
pub(crate) fn complete(dir: &Path) -> Pack {
    let mut writer = written(dir);
    writer.keep_failure("000001-0.txt", b"upstream connect error").expect("a failure");
    let pack = writer.finish().expect("a package");
    pack.write_analysis("{\"schema\":1}\n", "{\"decision\":\"pass\"}\n", "test 1").expect("an analysis");
    pack.write_report("report.en.md", b"# Report\n").expect("a report");
    pack.seal().expect("manifests");
    pack
}

/// Every file below a folder.
pub(crate) fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}
