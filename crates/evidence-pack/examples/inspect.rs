//! Verifies a package and says what is wrong with it.
//!
//! `cargo run -p evidence-pack --example inspect [PACK]`; without an argument it makes a small package, changes one
//! byte of a row, and finds it.

use std::{
    error::Error,
    fs,
    io::{Write, stdout},
    path::{Path, PathBuf},
};

use evidence_pack::{Clock, Environment, FORMAT, Frozen, Host, Redactor, Target, Tool, Writer, verify_bytes};
use metrics_core::{Ended, Event, Facts, Happening, Micros, Record};

fn main() -> Result<(), Box<dyn Error>> {
    if let Some(pack) = std::env::args_os().nth(1) {
        return inspect(&PathBuf::from(pack));
    }
    let folder = tempfile::tempdir()?;
    let pack = folder.path().join("pack");
    make(&pack)?;
    inspect(&pack)?;
    let rows = pack.join("data/raw/requests.jsonl");
    let flattered = fs::read_to_string(&rows)?.replace("\"first_token\":214000", "\"first_token\":114000");
    fs::write(&rows, flattered)?;
    inspect(&pack)
}

fn inspect(pack: &Path) -> Result<(), Box<dyn Error>> {
    let verification = verify_bytes(pack)?;
    let mut out = stdout().lock();
    writeln!(out, "evidence digest {}", verification.evidence_digest.as_deref().unwrap_or("none"))?;
    writeln!(
        out,
        "{} requests{}",
        verification.requests,
        if verification.interrupted { ", interrupted" } else { "" }
    )?;
    for problem in &verification.problems {
        writeln!(out, "- {problem}")?;
    }
    writeln!(out, "{}\n", if verification.intact() { "intact" } else { "NOT intact" })?;
    Ok(())
}

fn make(dir: &Path) -> Result<(), Box<dyn Error>> {
    let mut writer = Writer::create(dir, &frozen(), Redactor::default())?;
    writer.append_request(&Record {
        seq: 0,
        stage: "sweep".into(),
        tier: Some(1),
        group: "all".into(),
        sample: "s1".into(),
        attempt: 0,
        turn: None,
        origin: None,
        facts: Facts {
            sent: Some(Micros(90)),
            first_token: Some(Micros(214_000)),
            end: Some(Micros(900_000)),
            status: Some(200),
            ended: Ended::Done,
            ..Facts::default()
        },
    })?;
    writer.append_event(&Event { at: Micros(900_100), what: Happening::RunEnded })?;
    writer.finish()?;
    Ok(())
}

fn frozen() -> Frozen {
    let url = "http://10.0.0.5:8000/v1".to_owned();
    Frozen {
        plan: format!(
            "format = 1\n[target]\nurl = {url:?}\nmodel = \"m\"\n\
             [[stage]]\nname = \"sweep\"\nkind = \"step\"\nconcurrency = [1]\nrequests = 1\n"
        ),
        samples: "{\"id\":\"s1\",\"group\":\"all\",\"origin\":\"synthetic\",\"messages\":[]}\n".into(),
        sample_set: None,
        schedule: Some("{\"v\":1,\"stage\":\"sweep\",\"tier\":1,\"measured\":true,\"samples\":[0]}\n".into()),
        environment: Environment {
            v: FORMAT,
            run_id: "example".into(),
            started_at: "2026-03-01T08:00:00Z".into(),
            tool: Tool {
                name: "inspect".into(),
                version: "0.1.0".into(),
                profile: "dev".into(),
                optimised: false,
                target: "unknown".into(),
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
            target: Target { co_located: true, ..Target::unseen(&url, "m") },
            clock: Clock { offset_ms: None, method: None },
        },
        agreement: None,
        calibration: None,
    }
}
