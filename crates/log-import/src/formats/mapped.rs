//! A row of a log of the user's own, as its columns tell.

use metrics_core::Micros;
use workload_model::traffic::{Ending, Note, StampKind};

use super::{
    columns::{Column, Measure, Role},
    request::{OfField, ending_of_status, set_ending, set_first_token, set_tokens},
};
use crate::{
    Entry, ReadOptions, Stamp,
    value::{BadValue, Clock, Field, RowFault, Time},
};

/// The fields of a row, by [`Role`].
pub(super) type Fields<'a> = [Field<'a>; Role::ALL.len()];

/// Makes requests of rows.
pub(super) struct Mapped {
    columns: Vec<Column>,
    clock: Clock,
    /// The log counts from an instant that nobody knows; `None` before the first time.
    relative: Option<bool>,
}

/// Numbers from here on count from 1970.
const LEAST_EPOCH_NS: i64 = 100_000_000_000_000_000;

impl Mapped {
    pub(super) fn new(columns: Vec<Column>, options: &ReadOptions) -> Self {
        Self { columns, clock: options.into(), relative: None }
    }

    /// What the row tells.
    pub(super) fn entry<'a>(&mut self, fields: &Fields<'a>) -> Result<Entry<'a>, RowFault> {
        let at = |role: Role| fields.get(role as usize).copied().unwrap_or_default();
        let text = |role: Role| at(role).text();
        let time = self.columns.iter().find(|column| column.role == Role::Timestamp);
        let name = time.map_or("timestamp", |column| column.name.as_str());
        let measure = time.map_or(Measure::Seconds, |column| column.measure);
        let at_end = time.is_some_and(|column| column.at_end);
        let read = read_time(at(Role::Timestamp), measure, self.clock, &mut self.relative)
            .of(name)?
            .ok_or_else(|| RowFault::no_time(name))?;
        let mut entry = Entry::at(Stamp {
            at_ns: read.at_ns,
            resolution_ns: read.resolution_ns,
            kind: if at_end { StampKind::End } else { StampKind::Arrival },
            relative: self.relative == Some(true),
            words: if at_end { "timestamp - duration" } else { "timestamp" },
        });
        if read.zone_assumed {
            entry.notes.add(Note::ZoneAssumed);
        }
        if read.year_assumed {
            entry.notes.add(Note::YearAssumed);
        }
        set_ending(&mut entry, text(Role::Status).map_or(Ending::Unknown, |word| ending_of(&word)));
        entry.stream = at(Role::Stream).flag().of(self.name(Role::Stream))?;
        entry.duration = self.duration(Role::Duration, at(Role::Duration))?;
        let ttft = self.duration(Role::Ttft, at(Role::Ttft))?;
        match entry.stream {
            // A log that does not tell has no such field; a first token that it tells of is one.
            None => entry.ttft = ttft,
            Some(_) => set_first_token(&mut entry, ttft),
        }
        let input = at(Role::InputTokens).count().of(self.name(Role::InputTokens))?;
        let output = at(Role::OutputTokens).count().of(self.name(Role::OutputTokens))?;
        set_tokens(&mut entry, input, output);
        entry.caller = text(Role::Caller);
        entry.model = text(Role::Model);
        entry.session = text(Role::Session);
        entry.label = text(Role::Label).or_else(|| text(Role::Priority));
        Ok(entry)
    }

    fn column(&self, role: Role) -> Option<&Column> {
        self.columns.iter().find(|column| column.role == role)
    }

    fn name(&self, role: Role) -> &str {
        self.column(role).map_or(role.key(), |column| &column.name)
    }

    fn duration(&self, role: Role, field: Field<'_>) -> Result<Option<Micros>, RowFault> {
        let measure = self.column(role).map_or(Measure::Seconds, |column| column.measure);
        let read = match measure {
            Measure::Seconds => field.seconds(),
            Measure::Millis => field.millis(),
            Measure::Micros => field.millis().map(|read| read.map(|read| Micros(read.0 / 1000))),
            Measure::Nanos => field.millis().map(|read| read.map(|read| Micros(read.0 / 1_000_000))),
        };
        read.of(self.name(role))
    }
}

/// A time; whether it counts from 1970 or from an instant that nobody knows is the same in all of a file.
fn read_time(
    field: Field<'_>,
    measure: Measure,
    clock: Clock,
    is_relative: &mut Option<bool>,
) -> Result<Option<Time>, BadValue> {
    let absolute = |field: Field<'_>| field.time(clock);
    let relative = |field: Field<'_>| match field.since(measure.nanos())? {
        Some(time) if time.at_ns >= LEAST_EPOCH_NS => Err(BadValue::NoTime),
        time => Ok(time),
    };
    match *is_relative {
        Some(true) => relative(field),
        Some(false) => absolute(field),
        None => match absolute(field) {
            Ok(time) => {
                *is_relative = time.map(|_| false);
                Ok(time)
            }
            Err(fault) => match relative(field) {
                Ok(Some(time)) => {
                    *is_relative = Some(true);
                    Ok(Some(time))
                }
                _ => Err(fault),
            },
        },
    }
}

/// How a request ended, by a status of HTTP or a word.
fn ending_of(word: &str) -> Ending {
    if let Ok(code) = word.trim().parse::<u32>() {
        return if code < 100 { Ending::Unknown } else { ending_of_status(Some(code)) };
    }
    let word = word.trim().to_lowercase();
    match word.as_str() {
        "ok" | "success" | "succeeded" | "successful" | "complete" | "completed" | "finished" | "done"
        | "normal" | "true" | "成功" | "正常" | "完成" => Ending::Ok,
        "error" | "failed" | "failure" | "fail" | "exception" | "false" | "失败" | "错误" | "异常" => {
            Ending::Error
        }
        "timeout" | "timed_out" | "time_out" | "timed out" | "超时" => Ending::Timeout,
        "rejected" | "rate_limited" | "throttled" | "limited" | "refused" | "限流" | "拒绝" => {
            Ending::Rejected
        }
        "client_gone" | "cancelled" | "canceled" | "aborted" | "abort" | "stopped" | "取消" | "中断"
        | "中止" => Ending::ClientGone,
        "cache_hit" | "cached" | "缓存" | "命中缓存" => Ending::CacheHit,
        _ => Ending::Unknown,
    }
}
