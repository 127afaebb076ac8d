//! A schedule as a file, and what is said of one that is none.

use workload_model::{
    Arrival, Openings, Pause, SampleSet, Schedule, Stage, StageKind, builtin, standard_warm_up,
};

use crate::{closed, facts, open, plan, sample, set, turn};

fn mixed() -> (Schedule, SampleSet) {
    let think = Pause { mean_s: 0.5, exponential: true };
    let warm_up = Stage::closed("warm_up", StageKind::WarmUp, vec![2], vec![3]);
    let thinking = Stage { think, ..closed("s", &[1, 2], 6) };
    let mut set = set(&[("a", 2)]);
    set.measured.extend([turn("b", "x", 1), turn("b", "x", 2)]);
    set.facts = Some(facts(&set, Openings::Shared, &[]));
    set.warm_up = vec![sample("w1", "a"), sample("w2", "b")];
    let plan = plan(&["a", "b"], vec![warm_up, thinking, open("o", 2.0, 6)]);
    assert_eq!(plan.check_samples(&set), Ok(()));
    (Schedule::new(&plan, &set), set)
}

#[test]
fn what_is_written_comes_back() {
    let (schedule, set) = mixed();
    let text = schedule.to_jsonl(&set).expect("writable");
    insta::assert_snapshot!(text);
    assert_eq!(Schedule::from_jsonl(&text, &set), Ok(schedule));
    assert_eq!(Schedule::from_jsonl("", &set), Ok(Schedule { slots: Vec::new() }));
}

#[test]
fn a_long_step_stands_on_several_lines_and_is_one() {
    let stage = Stage { arrival: Some(Arrival::Poisson), ..open("o", 100.0, 25_000) };
    let (plan, set) = (plan(&["all"], vec![stage]), builtin());
    let schedule = Schedule::new(&plan, &set);
    let text = schedule.to_jsonl(&set).expect("writable");
    assert_eq!(text.lines().count(), 3);
    assert!(!text.contains("pause_us") && !text.contains("openings") && !text.contains("turns"));
    assert_eq!(Schedule::from_jsonl(&text, &set), Ok(schedule));
    let lines: Vec<&str> = text.lines().collect();
    let swapped = [lines[1], lines[0], lines[2]].join("\n");
    let said = Schedule::from_jsonl(&swapped, &set).expect_err("steps back").to_string();
    assert!(said.starts_with("read the schedule on line 2: request 10000 is due at"), "{said}");
}

#[test]
fn the_sweep_of_every_day_takes_little() {
    let tiers = [1, 2, 4, 8, 16];
    let warm_up = Stage::closed("warm_up", StageKind::WarmUp, vec![16], vec![standard_warm_up(&tiers)]);
    let (plan, set) = (plan(&["all"], vec![warm_up, closed("sweep", &tiers, 20)]), builtin());
    let text = Schedule::new(&plan, &set).to_jsonl(&set).expect("writable");
    assert!(
        text.starts_with("{\"v\":1,\"stage\":\"warm_up\",\"tier\":16,\"measured\":false,\"samples\":[20,21,"),
        "{text}"
    );
    assert!(text.len() < 1000, "{} bytes", text.len());
}

#[test]
fn each_way_of_being_no_schedule_is_named() {
    let (schedule, set) = mixed();
    let text = schedule.to_jsonl(&set).expect("writable");
    for (from, to, says) in [
        ("{\"v\":1,", "{\"v\":2,\"new\":0,", "line 1: its format is 2, and this version knows up to 1"),
        ("{\"v\":1,", "{\"v\":0,", "line 1: its format is 0"),
        ("{\"v\":1,", "{\"v\":1,\"new\":0,", "line 1: unknown field `new`"),
        ("\"samples\":[0,", "\"samples\":[9,", "line 2: sample 9 is not one of the measured ones"),
        ("\"samples\":[4,", "\"samples\":[9,", "line 1: sample 9 is none of the 6 of the set"),
        ("\"samples\":[4,", "\"samples\":[", "3 in "),
        ("\"samples\":[0,", "\"samples\":[", "line 2: 5 samples but 6 in \"pause_us\""),
        ("[1,null]", "[2,null]", "is not the turn that sample \"x.1\" is"),
        ("[2,4]", "[2,99]", "is turn 2 and does not follow the one before"),
        ("[2,4]", "[2,3]", "is turn 2 and does not follow the one before"),
        ("\"openings\":[3,", "\"openings\":[4,", "request 3 has the opening of request 4"),
        ("}\n", "\n", "line 1: EOF while parsing"),
    ] {
        let broken = text.replacen(from, to, 1);
        assert_ne!(broken, text, "{from} stands nowhere in {text}");
        let said = Schedule::from_jsonl(&broken, &set).map(|_| "read".to_owned());
        let said = said.unwrap_or_else(|error| error.to_string());
        assert!(said.contains(says), "{said:?} should say {says:?}");
    }
    // A turn of another conversation, and of another step.
    let mut two = set.clone();
    two.measured.extend([turn("b", "y", 1), turn("b", "y", 2)]);
    let plan = plan(&["a", "b"], vec![closed("s", &[1, 2], 6)]);
    let text = Schedule::new(&plan, &two).to_jsonl(&two).expect("writable");
    let parsed = |text: &str| -> Vec<serde_json::Value> {
        let line = |line| serde_json::from_str(line).expect("JSON");
        text.lines().map(line).collect()
    };
    let lines = parsed(&text);
    let joined =
        |lines: &[serde_json::Value]| lines.iter().map(|line| line.to_string() + "\n").collect::<String>();
    assert!(Schedule::from_jsonl(&joined(&lines), &two).is_ok());
    // Every request of a second turn, by line and place, with all first turns that stand before it.
    let at = |line: usize, place: usize| &lines[line]["turns"][place];
    let firsts: Vec<u64> = (0..12).filter(|seq| at(seq / 6, seq % 6)[0] == 1).map(|seq| seq as u64).collect();
    let mut refused = 0;
    for seq in (0..12).filter(|seq| at(seq / 6, seq % 6)[0] == 2) {
        for first in firsts.iter().filter(|first| **first < seq as u64) {
            let mut lines = lines.clone();
            let known = at(seq / 6, seq % 6)[1] == *first;
            lines[seq / 6]["turns"][seq % 6][1] = (*first).into();
            let read = Schedule::from_jsonl(&joined(&lines), &two);
            assert_eq!(read.is_ok(), known, "{seq} after {first}: {read:?}");
            refused += usize::from(!known);
        }
    }
    assert!(refused >= 2, "{text}");
    let error = schedule.to_jsonl(&builtin()).expect_err("another set").to_string();
    assert!(error.contains("which is none of the set"), "{error}");
}
