//! The schedule as a file: one line a step, integers alone.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::slot::{Schedule, Slot, SlotTurn};
use crate::sample::{Sample, SampleSet};

/// The version of a line that this version writes and reads.
const LINE_FORMAT: u32 = 1;

/// Most requests of a line; longer steps have several.
const MOST_REQUESTS: usize = 10_000;

/// A line of `schedule.jsonl`. What every request of it has alike is left out.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    v: u32,
    stage: String,
    tier: Option<u32>,
    measured: bool,
    /// Lines of `samples.jsonl`, from 0.
    samples: Vec<u64>,
    /// Left out in a closed loop; `null` of later turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    due_us: Option<Vec<Option<u64>>>,
    /// Left out where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pause_us: Option<Vec<u64>>,
    /// Left out where every request has one of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    openings: Option<Vec<u64>>,
    /// Left out where there is no conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    turns: Option<Vec<Option<LineTurn>>>,
}

/// Number of a turn, and position of the one before.
type LineTurn = (u32, Option<u64>);

/// A schedule cannot be written or read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScheduleError {
    /// It names a sample that the set does not have.
    #[error("write the schedule: it sends sample {0:?}, which is none of the set")]
    UnknownSample(String),
    /// A line is no step.
    #[error("read the schedule on line {line}: {reason} (the file is damaged)")]
    Line {
        /// Line number, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// Written by a newer version.
    #[error(
        "read the schedule on line {line}: its format is {found}, and this version knows up to {LINE_FORMAT} (update the tool)"
    )]
    NewerFormat {
        /// Line number, from 1.
        line: usize,
        /// The format it states.
        found: u64,
    },
}

impl Schedule {
    /// The text of `schedule.jsonl`: one line a step, longer steps in lines of 10,000 requests. Samples stand in it by the
    /// lines of `samples.jsonl`, counted from 0.
    ///
    /// # Errors
    /// Where a sample is none of the set.
    pub fn to_jsonl(&self, set: &SampleSet) -> Result<String, ScheduleError> {
        let samples = set.measured.iter().chain(&set.warm_up);
        let lines: BTreeMap<&str, u64> = samples.map(|sample| sample.id.as_str()).zip(0..).collect();
        let mut text = String::new();
        let of_step = self.slots.chunk_by(|one, other| one.stage == other.stage && one.tier == other.tier);
        for slots in of_step.flat_map(|step| step.chunks(MOST_REQUESTS)) {
            text += &serde_json::to_string(&line(slots, &lines)?).expect("integers and names are JSON");
            text.push('\n');
        }
        Ok(text)
    }

    /// Reads a `schedule.jsonl` that belongs to these samples.
    ///
    /// # Errors
    /// On the first line that is no step of requests of these samples: see [`ScheduleError`].
    pub fn from_jsonl(text: &str, set: &SampleSet) -> Result<Self, ScheduleError> {
        let mut reading = Reading::new(set);
        for (index, line) in text.lines().enumerate() {
            let number = index + 1;
            if let Some(found) = newer(line) {
                return Err(ScheduleError::NewerFormat { line: number, found });
            }
            let step = serde_json::from_str(line).map_err(|error| error.to_string());
            step.and_then(|step| reading.step(step))
                .map_err(|reason| ScheduleError::Line { line: number, reason })?;
        }
        Ok(Self { slots: reading.slots })
    }
}

fn line(slots: &[Slot], lines: &BTreeMap<&str, u64>) -> Result<Line, ScheduleError> {
    let known = |slot: &Slot| {
        lines.get(&*slot.sample).copied().ok_or_else(|| ScheduleError::UnknownSample(slot.sample.to_string()))
    };
    let any = |holds: fn(&Slot) -> bool| slots.iter().any(holds);
    let first = &slots[0];
    Ok(Line {
        v: LINE_FORMAT,
        stage: first.stage.to_string(),
        tier: first.tier,
        measured: first.measured,
        samples: slots.iter().map(known).collect::<Result<_, _>>()?,
        due_us: any(|slot| slot.due_us.is_some()).then(|| slots.iter().map(|slot| slot.due_us).collect()),
        pause_us: any(|slot| slot.pause_us > 0).then(|| slots.iter().map(|slot| slot.pause_us).collect()),
        openings: any(|slot| slot.opening != slot.seq)
            .then(|| slots.iter().map(|slot| slot.opening).collect()),
        turns: any(|slot| slot.turn.is_some())
            .then(|| slots.iter().map(|slot| slot.turn.map(|turn| (turn.number, turn.previous))).collect()),
    })
}

/// The format of a line, where it is newer: such a line may have any keys.
fn newer(line: &str) -> Option<u64> {
    #[derive(Deserialize)]
    struct Version {
        v: u64,
    }
    let version: Version = serde_json::from_str(line).ok()?;
    (version.v > u64::from(LINE_FORMAT)).then_some(version.v)
}

struct Reading<'s> {
    set: &'s SampleSet,
    names: super::Names,
    last_due: u64,
    slots: Vec<Slot>,
    /// The sample of each slot.
    samples: Vec<&'s Sample>,
}

impl<'s> Reading<'s> {
    fn new(set: &'s SampleSet) -> Self {
        Self { set, names: super::Names::default(), last_due: 0, slots: Vec::new(), samples: Vec::new() }
    }

    fn step(&mut self, line: Line) -> Result<(), String> {
        if line.v != LINE_FORMAT {
            return Err(format!("its format is {}", line.v));
        }
        let count = line.samples.len();
        if count == 0 {
            return Err("it has no request".to_owned());
        }
        let lengths = [
            ("due_us", line.due_us.as_ref().map(Vec::len)),
            ("pause_us", line.pause_us.as_ref().map(Vec::len)),
            ("openings", line.openings.as_ref().map(Vec::len)),
            ("turns", line.turns.as_ref().map(Vec::len)),
        ];
        for (key, length) in lengths {
            if let Some(length) = length.filter(|length| *length != count) {
                return Err(format!("{count} samples but {length} in {key:?}"));
            }
        }
        let continues =
            self.slots.last().is_some_and(|last| *last.stage == *line.stage && last.tier == line.tier);
        if !continues {
            self.last_due = 0;
        }
        self.slots.reserve(count);
        for place in 0..count {
            let slot = self.slot(&line, place)?;
            self.slots.push(slot);
        }
        Ok(())
    }

    fn slot(&mut self, line: &Line, place: usize) -> Result<Slot, String> {
        let seq = self.slots.len() as u64;
        let sample = self.sample(line.samples[place], line.measured)?;
        let due_us = line.due_us.as_ref().and_then(|dues| dues[place]);
        if let Some(due) = due_us {
            if due < self.last_due {
                return Err(format!("request {seq} is due at {due} µs, before the one before it"));
            }
            self.last_due = due;
        }
        let opening = line.openings.as_ref().map_or(seq, |openings| openings[place]);
        if opening > seq {
            return Err(format!("request {seq} has the opening of request {opening}, a later one"));
        }
        let turn = line.turns.as_ref().and_then(|turns| turns[place]);
        let turn = turn.map(|(number, previous)| SlotTurn { number, previous });
        self.check_turn((seq, line), sample, turn)?;
        self.samples.push(sample);
        Ok(Slot {
            seq,
            stage: self.names.of(&line.stage),
            tier: line.tier,
            group: self.names.of(&sample.group),
            sample: self.names.of(&sample.id),
            origin: sample.counted_as(),
            due_us,
            pause_us: line.pause_us.as_ref().map_or(0, |pauses| pauses[place]),
            opening,
            turn,
            measured: line.measured,
        })
    }

    fn sample(&self, at: u64, measured: bool) -> Result<&'s Sample, String> {
        let of_measured = self.set.measured.len();
        let index = usize::try_from(at).unwrap_or(usize::MAX);
        let found = match index.checked_sub(of_measured) {
            None => self.set.measured.get(index),
            Some(_) if measured => return Err(format!("sample {at} is not one of the measured ones")),
            Some(index) => self.set.warm_up.get(index),
        };
        found.ok_or_else(|| {
            let count = of_measured + self.set.warm_up.len();
            format!("sample {at} is none of the {count} of the set, counted from 0")
        })
    }

    /// A turn is that of its sample, and the one before it stands before it, in the same conversation and step.
    fn check_turn(
        &self,
        (seq, line): (u64, &Line),
        sample: &Sample,
        turn: Option<SlotTurn>,
    ) -> Result<(), String> {
        let of_sample = sample.turn.as_ref();
        if turn.map(|turn| turn.number) != of_sample.map(|turn| turn.number) {
            return Err(format!("request {seq} is not the turn that sample {:?} is", sample.id));
        }
        let (Some(turn), Some(of_sample)) = (turn, of_sample) else { return Ok(()) };
        let follows = match turn.previous {
            None => turn.number == 1,
            Some(previous) => usize::try_from(previous).is_ok_and(|previous| {
                let Some((slot, before)) = self.slots.get(previous).zip(self.samples.get(previous)) else {
                    return false;
                };
                let number = slot.turn.and_then(|before| before.number.checked_add(1));
                number == Some(turn.number)
                    && before.turn.as_ref().is_some_and(|before| before.session == of_sample.session)
                    && (&*slot.stage, slot.tier) == (line.stage.as_str(), line.tier)
            }),
        };
        if !follows {
            return Err(format!(
                "request {seq} is turn {} and does not follow the one before in its conversation and step",
                turn.number
            ));
        }
        Ok(())
    }
}
