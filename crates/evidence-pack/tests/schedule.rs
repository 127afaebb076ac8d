//! The schedule and the sample set of a package: kept, read back, and what is said where they do not fit.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod common;

use std::{fs, path::Path};

use common::{frozen, slots, written};
use evidence_pack::{CreateError, Frozen, Pack, Redactor, TextError, Writer, verify_bytes};
use workload_model::{Openings, SampleSet, SetFacts};

fn facts(samples_sha256: &str) -> String {
    let text = format!(
        r#"{{"format":1,"made_by":"test","synthesis":null,"name":"set","samples_sha256":"{samples_sha256}","seed":1,
        "source":{{"drawn_from":"profile","profile_sha256":"","profile":"","from":null,"until":null,"rows":0}},
        "sizing":{{"by":"nothing","counter":null,"sha256":null,"added_tokens":0,"counted":0,"worst_error":null}},
        "openings":"shared","retain_until":null,"groups":[]}}"#
    );
    SetFacts::from_json(&text).unwrap().to_json()
}

/// A package of a set that was made, with a warm-up that is not part of it.
fn of_set() -> Frozen {
    let frozen = frozen();
    let mut set = SampleSet::from_jsonl(&frozen.samples).unwrap();
    let digest = set.digest();
    let mut warm_up = set.measured[0].clone();
    warm_up.id = "w1".into();
    set.warm_up.push(warm_up);
    Frozen { samples: set.to_jsonl(), sample_set: Some(facts(&digest)), ..frozen }
}

fn made(dir: &Path, frozen: &Frozen) -> Pack {
    Writer::create(dir, frozen, Redactor::default()).unwrap().finish().unwrap()
}

#[test]
fn what_was_frozen_is_the_schedule_and_says_whether_it_is_drawn_again() {
    let folder = tempfile::tempdir().unwrap();
    let pack = made(&folder.path().join("same"), &frozen());
    assert_eq!(pack.schedule().unwrap().slots, slots());
    assert_eq!(pack.lays_out_the_same().unwrap(), Some(true));
    assert!(pack.evidence_list().contains_key("schedule.jsonl"));

    // What another version would have drawn: the second sample first.
    let other = frozen().schedule.unwrap().replacen("[0,1]", "[1,0]", 1);
    let pack = made(&folder.path().join("other"), &Frozen { schedule: Some(other), ..frozen() });
    assert_eq!(&*pack.schedule().unwrap().slots[0].sample, "s2");
    assert_eq!(pack.lays_out_the_same().unwrap(), Some(false));
}

#[test]
fn a_package_of_before_has_the_schedule_of_its_plan_and_samples() {
    let folder = tempfile::tempdir().unwrap();
    let pack = made(&folder.path().join("pack"), &Frozen { schedule: None, ..frozen() });
    assert_eq!(pack.schedule().unwrap().slots, slots());
    assert_eq!(pack.lays_out_the_same().unwrap(), None);
    assert!(!pack.dir().join("data/schedule.jsonl").exists());
}

#[test]
fn a_schedule_that_is_none_is_named_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let broken = frozen().schedule.unwrap().replacen("[0,1]", "[0,7]", 1);
    let pack = made(&folder.path().join("pack"), &Frozen { schedule: Some(broken), ..frozen() });
    let error = pack.schedule().unwrap_err();
    assert!(error.is_damage() && error.to_string().contains("on line 1: sample 7"), "{error}");
    let problems = verify_bytes(pack.dir()).unwrap().problems;
    assert_eq!(problems.len(), 1);
    let said = problems[0].to_string();
    assert!(said.starts_with("data/schedule.jsonl is damaged: read the schedule on line 1"), "{said}");

    let newer = Frozen { schedule: Some("{\"v\":2}\n".into()), ..frozen() };
    let error = made(&folder.path().join("newer"), &newer).schedule().unwrap_err();
    assert!(!error.is_damage() && error.to_string().contains("update the tool"), "{error}");
}

#[test]
fn what_is_known_of_a_set_comes_back_with_its_samples() {
    let folder = tempfile::tempdir().unwrap();
    let pack = made(&folder.path().join("pack"), &of_set());
    let set = pack.samples().unwrap();
    assert_eq!((set.measured.len(), set.warm_up.len()), (2, 1));
    assert_eq!(set.facts.map(|facts| facts.openings), Some(Openings::Shared));
    assert!(pack.evidence_list().contains_key("sample-set.json"));
    #[cfg(unix)]
    for name in ["schedule.jsonl", "sample-set.json"] {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(pack.dir().join("data").join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[test]
fn samples_of_another_set_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let pack = made(&folder.path().join("pack"), &Frozen { sample_set: Some(facts("ab")), ..frozen() });
    let error = pack.samples().unwrap_err();
    assert!(matches!(error, TextError::OtherSamples { .. }) && error.is_damage(), "{error}");
    assert!(error.to_string().contains("and sample-set.json names ab"), "{error}");
    assert!(!verify_bytes(pack.dir()).unwrap().intact());
}

#[test]
fn a_set_with_a_secret_in_it_is_refused_before_anything_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    let mut frozen = of_set();
    let create = |frozen: &Frozen| {
        let redactor = Redactor::new(["password1".to_owned()]);
        Writer::create(folder.path().join("pack"), frozen, redactor).map(drop)
    };
    frozen.samples = frozen.samples.replacen("one", "my password1", 1);
    assert!(matches!(create(&frozen), Err(CreateError::SecretInSet)));
    assert!(!folder.path().join("pack").exists());
    frozen.sample_set = None;
    create(&frozen).unwrap();
    let kept = fs::read_to_string(folder.path().join("pack/data/samples.jsonl")).unwrap();
    assert!(kept.contains("my [secret]"), "{kept}");
}

#[test]
fn whoever_changes_the_schedule_of_a_run_breaks_the_chain_of_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("pack");
    drop(written(&dir));
    let path = dir.join("data/schedule.jsonl");
    let other = fs::read_to_string(&path).unwrap().replacen("[0,1]", "[1,0]", 1);
    fs::write(&path, other).unwrap();
    let first = Pack::open(&dir).unwrap().requests().and_then(|mut rows| rows.next().unwrap().map(drop));
    assert!(first.is_err());
}
