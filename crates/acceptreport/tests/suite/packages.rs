//! Packages made by hand, and what the program makes of sound ones.

use std::path::{Path, PathBuf};

use acceptreport::{Format, Under, write_documents};
use evidence_pack::{Clock, Environment, FORMAT, Frozen, Host, Redactor, Target, Tool, Writer};
use metrics_core::{ClientSample, Ended, Event, Facts, Happening, Micros, Record, TokenSource, Tokens};
use report_render::Language;
use tempfile::TempDir;
use workload_model::{Plan, SampleSet, Schedule, Slot, builtin, sweep_plan};

use crate::program::{COMMANDS, run};

pub(crate) const TIERS: [u32; 2] = [1, 2];
pub(crate) const REQUESTS: u64 = 20;

/// The formats that are made at once; typesetting takes its time in a build that is not optimised.
pub(crate) const QUICK: [Format; 2] = [Format::Markdown, Format::Html];

/// A package in a folder of its own.
pub(crate) struct Made {
    _folder: TempDir,
    pub(crate) dir: PathBuf,
}

impl Made {
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Writes a file of the package, and brings its manifests into line, as a forger would.
    pub(crate) fn forge(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
        evidence_pack::Pack::open(&self.dir).unwrap().seal().unwrap();
    }
}

/// A complete package of a sound run, with its documents.
pub(crate) fn sound() -> Made {
    let made = complete(|_| true);
    let languages = [Language::Zh, Language::En];
    write_documents(&made.dir, &Under::Run, &languages, &QUICK, None).unwrap();
    made
}

/// A complete package with the rows of those requests alone, without documents.
pub(crate) fn complete(kept: impl Fn(&Slot) -> bool) -> Made {
    calibrated(None, kept)
}

/// The same with this text as its calibration.
pub(crate) fn calibrated(calibration: Option<&str>, kept: impl Fn(&Slot) -> bool) -> Made {
    calibrated_on(None, calibration, kept)
}

/// On a host of this fingerprint; older packages tell none.
pub(crate) fn calibrated_on(
    fingerprint: Option<&str>,
    calibration: Option<&str>,
    kept: impl Fn(&Slot) -> bool,
) -> Made {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("pack");
    let mut frozen = Frozen { calibration: calibration.map(str::to_owned), ..frozen() };
    frozen.environment.host.fingerprint = fingerprint.map(str::to_owned);
    let mut writer = Writer::create(&dir, &frozen, Redactor::default()).unwrap();
    let stage = || "sweep".to_owned();
    let say = |writer: &mut Writer, at, what| writer.append_event(&Event { at: Micros(at), what }).unwrap();
    say(&mut writer, 0, Happening::StageStarted { stage: stage() });
    for slot in schedule().slots.iter().filter(|slot| kept(slot)) {
        writer.append_request(&record(slot)).unwrap();
    }
    for second in 1..=30 {
        let sample = ClientSample {
            at: Micros(second * 1_000_000),
            stage: Some(stage()),
            tier: Some(TIERS[usize::from(second > 15)]),
            cpu: Some(0.1),
            timer_delay_us: vec![60; 100],
            ..ClientSample::default()
        };
        writer.append_client(&sample).unwrap();
    }
    say(&mut writer, 30_000_000, Happening::StageEnded { stage: stage() });
    say(&mut writer, 30_000_001, Happening::RunEnded);
    writer.finish().unwrap();
    Made { _folder: folder, dir }
}

fn samples() -> SampleSet {
    builtin()
}

fn plan() -> Plan {
    let target = workload_model::Target {
        url: "http://10.0.0.5:8000/v1".into(),
        model: "m".into(),
        service_version: None,
        backend: None,
        quantisation: None,
        hardware: None,
    };
    sweep_plan(target, &TIERS, &[REQUESTS], 0)
}

fn schedule() -> Schedule {
    Schedule::new(&plan(), &samples())
}

fn frozen() -> Frozen {
    let host = Host {
        os: "linux".into(),
        arch: "x86_64".into(),
        cpus: 2,
        cpus_allowed: 2,
        memory_bytes: None,
        fingerprint: None,
    };
    let tool = Tool {
        name: "acceptbench".into(),
        version: "0.1.0".into(),
        profile: "release".into(),
        optimised: true,
        target: "x86_64-unknown-linux-gnu".into(),
    };
    let target = Target {
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
    };
    Frozen {
        plan: plan().to_toml().unwrap(),
        samples: samples().to_jsonl(),
        sample_set: None,
        schedule: Some(schedule().to_jsonl(&samples()).unwrap()),
        environment: Environment {
            v: FORMAT,
            run_id: "r1".into(),
            started_at: "2026-03-01T08:00:00Z".into(),
            tool,
            host,
            location: None,
            target,
            clock: Clock { offset_ms: None, method: None },
        },
        agreement: None,
        calibration: None,
    }
}

/// A planned request that went well: a closed loop of answers that take half a second.
fn record(slot: &Slot) -> Record {
    const ANSWER_US: u64 = 500_000;
    let tier = u64::from(slot.tier.unwrap_or(1));
    let turn = slot.seq % REQUESTS / tier;
    let due = slot.seq / REQUESTS * 15_000_000 + turn * ANSWER_US;
    let at = |after: u64| Some(Micros(due + after));
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
            due: Micros(due),
            sent: at(90),
            first_byte: at(200_000),
            first_token: at(200_000),
            first_visible: at(200_000),
            last_token: at(499_000),
            end: at(ANSWER_US),
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
            gaps_us: vec![149_500, 149_500],
            ..Facts::default()
        },
    }
}

#[test]
fn a_sound_package_is_intact_and_passes() {
    let made = sound();
    run("verify", &made.dir, &[]).ends(0, &["40 rows read", "intact", "evidence digest"]);
    run("verdict", &made.dir, &[]).ends(0, &["\nPASSED – ", "Customer edition"]);
    run("verdict", &made.dir, &["--lang", "zh"]).ends(0, &["结论", "通过"]);
    run("render", &made.dir, &[]).ends(0, &["report.zh.html", "report.en.md"]);
    run("verify", &made.dir, &[]).ends(0, &["intact"]);
    for command in COMMANDS {
        let ran = run(command, &made.dir, &["--json"]);
        ran.ends(0, &[]);
        assert!(serde_json::from_str::<serde_json::Value>(&ran.stdout).is_ok(), "{}", ran.stdout);
        let quiet = run(command, &made.dir, &["--quiet"]);
        assert_eq!((quiet.code, quiet.stdout, quiet.stderr), (Some(0), String::new(), String::new()));
    }
}

#[test]
fn documents_are_written_as_asked_and_alike_every_time() {
    let made = complete(|_| true);
    run("render", &made.dir, &["--lang", "zh", "--format", "md"]).ends(0, &["report.zh.md"]);
    assert!(!made.path("data/reports/report.zh.html").exists());
    assert!(!made.path("data/reports/report.en.md").exists());
    run("verify", &made.dir, &[]).ends(0, &["intact"]);
    let first = made.read("data/reports/report.zh.md");
    let digests = made.read("data/evidence-sha256.txt");
    run("render", &made.dir, &[]).ends(0, &[]);
    assert_eq!(made.read("data/reports/report.zh.md"), first);
    assert_eq!(made.read("data/evidence-sha256.txt"), digests);
    assert_eq!(made.path("data/reports/report.en.pdf").exists(), cfg!(feature = "pdf"));
    run("render", &made.dir, &["--format", "docx"]).ends(2, &["docx", "pdf"]);
}

#[test]
fn what_is_no_package_is_told_by_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir(path("empty")).unwrap();
    std::fs::create_dir(path("other")).unwrap();
    std::fs::write(path("other").join("notes.txt"), "mine").unwrap();
    std::fs::write(path("file"), "mine").unwrap();
    for command in COMMANDS {
        for (name, says) in [
            ("empty", &["the folder is empty", "bagit.txt"][..]),
            ("other", &["no bagit.txt", "name the folder"]),
            ("file", &["not a folder", "name the folder"]),
            ("missing", &["missing", "name the folder"]),
        ] {
            run(command, Path::new(&path(name)), &[]).fails(2, says);
        }
    }
    assert_eq!(std::fs::read_dir(path("empty")).unwrap().count(), 0);
}

#[test]
fn a_package_of_a_newer_format_asks_for_a_newer_tool() {
    let made = sound();
    let environment = made.read("data/environment.json");
    let newer = environment.replacen("\"v\": 1", "\"v\": 99", 1).replacen("\"v\":1", "\"v\":99", 1);
    assert_ne!(newer, environment);
    std::fs::write(made.path("data/environment.json"), newer).unwrap();
    for command in COMMANDS {
        run(command, &made.dir, &[]).fails(2, &["newer format, 99", "update the tool"]);
    }
}

#[test]
fn a_reader_that_has_gone_away_is_no_error() {
    let made = sound();
    for command in COMMANDS {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_acceptreport"))
            .arg(command)
            .arg(&made.dir)
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        drop((child.stdout.take(), child.stderr.take()));
        assert_eq!(child.wait().unwrap().code(), Some(0), "{command}");
    }
}
