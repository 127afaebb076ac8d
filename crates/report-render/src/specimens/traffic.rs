//! Traffic that never was: requests made by arithmetic alone, so that they are the same on every machine.

use metrics_core::Micros;
use workload_model::{
    profile::{Card, Groups, LEAST_ROWS, Profile, ProfileFacts, build},
    traffic::{
        Call, Ending, Facets, Grouping as _, Pseudonym, Row, RowFacts, StampKind, StampSource, Traffic,
    },
};

use super::DIGEST;

pub(crate) const HOUR: i64 = 3_600;
const SECOND_NS: i64 = 1_000_000_000;

/// What requests of one kind are like.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    pub(crate) label: &'static str,
    /// How many there are.
    pub(crate) rows: u64,
    /// How likely an hour of the day is in China, of 30.
    pub(crate) weight: fn(i64) -> u64,
    /// Shortest input, and how often at most it is doubled.
    pub(crate) input: (u32, u32),
    /// The same of outputs.
    pub(crate) output: (u32, u32),
    pub(crate) stream: Option<bool>,
    /// They come in conversations.
    pub(crate) talks: bool,
}

/// What a log tells.
#[derive(Clone, Copy)]
pub(crate) struct Log {
    pub(crate) format: &'static str,
    pub(crate) stamp: &'static str,
    /// Tick of its clock in seconds.
    pub(crate) tick: i64,
    pub(crate) relative: bool,
    pub(crate) tokens: bool,
    pub(crate) durations: bool,
}

/// Requests in the making.
pub(crate) struct Made {
    /// Beginning and length of each stretch of the log's clock, in seconds.
    segments: Vec<(i64, i64)>,
    rows: Vec<(usize, &'static str, RowFacts)>,
    sessions: u64,
    state: u64,
}

impl Made {
    pub(crate) fn new(segments: Vec<(i64, i64)>) -> Self {
        Self { segments, rows: Vec::new(), sessions: 0, state: 7 }
    }

    /// The next number of a linear congruential sequence.
    fn next(&mut self, below: u64) -> u64 {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) % below.max(1)
    }

    fn length(&mut self, (shortest, doublings): (u32, u32)) -> u32 {
        let doubled = (0..doublings).map(|_| self.next(2)).sum::<u64>();
        let whole = u64::from(shortest) << doubled;
        u32::try_from(whole + whole * self.next(1_000) / 1_000).unwrap_or(u32::MAX)
    }

    /// An instant of some segment, and which.
    fn place(&mut self) -> (usize, i64) {
        let all: i64 = self.segments.iter().map(|(_, length)| length + 1).sum();
        let mut place = self.next(all.unsigned_abs()).cast_signed();
        for (at, (from, length)) in self.segments.iter().enumerate() {
            if place <= *length {
                return (at, from + place);
            }
            place -= length + 1;
        }
        (0, self.segments[0].0)
    }

    /// Adds requests of a kind, up to three of them close to each other.
    pub(crate) fn add(&mut self, kind: Kind) {
        let mut left = kind.rows;
        while left > 0 {
            let (segment, mut at) = self.place();
            if self.next(30) >= (kind.weight)((at / HOUR + 8) % 24) {
                continue;
            }
            let latest = self.segments[segment].0 + self.segments[segment].1;
            self.sessions += 1;
            for _ in 0..(1 + self.next(3)).min(left) {
                let facts = self.request(&kind, at.min(latest));
                let answered = facts.duration.map_or(0, |duration| (duration.0 / 1_000_000).cast_signed());
                self.rows.push((segment, kind.label, facts));
                left -= 1;
                at += if kind.talks {
                    answered + 4 + self.next(60).cast_signed()
                } else {
                    self.next(3).cast_signed()
                };
            }
        }
    }

    fn request(&mut self, kind: &Kind, at: i64) -> RowFacts {
        let input = self.length(kind.input);
        // Longer inputs have somewhat longer outputs.
        let output = self.length(kind.output) + input / 20;
        let ending = match self.next(100) {
            0 => Ending::Error,
            1 | 2 => Ending::ClientGone,
            _ => Ending::Ok,
        };
        let millis = self.next(1_000).cast_signed();
        RowFacts {
            arrival_ns: at * SECOND_NS + millis * 1_000_000,
            source: 0,
            file: 0,
            line: 0,
            group: 0,
            call: Call::Chat,
            ending,
            stream: kind.stream,
            input_tokens: Some(input),
            output_tokens: (ending != Ending::Error).then_some(output),
            output_cut: ending == Ending::ClientGone,
            ttft: kind.stream.filter(|stream| *stream).map(|_| Micros(180_000 + u64::from(input) * 90)),
            duration: Some(Micros(400_000 + u64::from(output) * 24_000)),
            caller: None,
            session: kind.talks.then_some(Pseudonym(self.sessions)),
        }
    }

    /// The profile that the rows give, in the zone of China.
    pub(crate) fn profile(mut self, log: Log, card: &str, account: impl Fn(&mut Traffic)) -> Profile {
        let card = Card::parse(card).expect("the card of a specimen is sound");
        let mut groups = Groups::of_card(&card);
        let mut traffic = Traffic::default();
        traffic.sources.push(StampSource {
            words: log.stamp.to_owned(),
            kind: StampKind::Arrival,
            resolution_ns: (log.tick * SECOND_NS).unsigned_abs().max(1_000_000),
            relative: log.relative,
        });
        if log.tick > 0 {
            let tick = log.tick * SECOND_NS;
            self.rows.iter_mut().for_each(|(_, _, facts)| facts.arrival_ns -= facts.arrival_ns % tick);
        }
        self.rows.sort_by_key(|(segment, _, facts)| (*segment, facts.arrival_ns));
        for (at, (_, label, mut facts)) in (1..).zip(self.rows) {
            if !log.tokens {
                (facts.input_tokens, facts.output_tokens, facts.output_cut) = (None, None, false);
            }
            if !log.durations {
                (facts.ttft, facts.duration) = (None, None);
            }
            facts.line = at;
            facts.group = groups.group_of(&Facets {
                call: facts.call,
                model: None,
                path: None,
                label: Some(label),
                label_pseudonym: Some(Pseudonym(label.bytes().map(u64::from).product())),
                caller: None,
                caller_pseudonym: None,
                input_tokens: facts.input_tokens,
                output_tokens: facts.output_tokens,
                stream: facts.stream,
            });
            traffic.push(Row::new(facts));
        }
        account(&mut traffic);
        let grouped = groups.settle(&mut traffic, LEAST_ROWS);
        let facts = ProfileFacts {
            made_by: "acceptbench 0.1.0".to_owned(),
            card,
            files_sha256: vec![DIGEST.to_owned()],
            zone_s: if log.relative { 0 } else { 8 * 3_600 },
            ..ProfileFacts::new(grouped, log.format)
        };
        build(&traffic, &facts).expect("the rows of a specimen are in order")
    }
}
