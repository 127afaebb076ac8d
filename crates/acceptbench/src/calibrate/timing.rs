//! Instants of the client against those of the server's own socket.

use std::collections::BTreeMap;

use inference_sim::pressure::AnswerTruth;
use metrics_core::{Micros, Record};

use super::load::Loaded;

/// How far the time to first token, from the instant of sending, is from what the server saw.
pub(super) fn first_token_errors(loaded: &Loaded) -> Vec<Micros> {
    let error = |(record, truth): (&Record, &AnswerTruth)| {
        let measured = record.facts.ttft_from_sent()?;
        Some(apart(measured, Micros(*truth.written_us.first()?)))
    };
    pairs(loaded).filter_map(error).collect()
}

/// How far each gap between token events is from that between the writes. An answer of which an event is missing has
/// none.
pub(super) fn gap_errors(loaded: &Loaded) -> Vec<Micros> {
    let errors = |(record, truth): (&Record, &AnswerTruth)| {
        let measured: Vec<Micros> = record.facts.inter_event_gaps().collect();
        let written: Vec<Micros> =
            truth.written_us.windows(2).map(|pair| Micros(pair[1].saturating_sub(pair[0]))).collect();
        let same = measured.len() == written.len();
        measured.into_iter().zip(written).filter(move |_| same).map(|(one, other)| apart(one, other))
    };
    pairs(loaded).flat_map(errors).collect()
}

fn apart(one: Micros, other: Micros) -> Micros {
    Micros(one.0.abs_diff(other.0))
}

/// Each row with the truth of its request.
fn pairs(loaded: &Loaded) -> impl Iterator<Item = (&Record, &AnswerTruth)> {
    let truths: BTreeMap<&str, &AnswerTruth> =
        loaded.truths.iter().map(|truth| (truth.request_id.as_str(), truth)).collect();
    loaded.records.iter().filter_map(move |record| {
        let id = record.facts.request_id.as_deref()?;
        Some((record, *truths.get(id)?))
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use metrics_core::Facts;

    use super::*;

    fn loaded(gaps_us: Vec<u64>, gap_events: Vec<u32>, written_us: Vec<u64>) -> Loaded {
        let facts = Facts {
            sent: Some(Micros(1_000)),
            first_token: Some(Micros(3_050)),
            request_id: Some("r".to_owned()),
            token_events: written_us.len() as u64,
            gaps_us,
            gap_events,
            ..Facts::default()
        };
        let record = Record {
            seq: 0,
            stage: "sweep".to_owned(),
            tier: Some(1),
            group: "all".to_owned(),
            sample: "s".to_owned(),
            attempt: 0,
            turn: None,
            origin: None,
            facts,
        };
        let other = AnswerTruth { request_id: "another".to_owned(), written_us: vec![1] };
        Loaded {
            records: vec![record],
            samples: Vec::new(),
            truths: vec![other, AnswerTruth { request_id: "r".to_owned(), written_us }],
            cpu: None,
            took: Duration::ZERO,
        }
    }

    #[test]
    fn errors_are_sizes_of_differences() {
        let one_a_read = loaded(vec![10_000, 9_990], Vec::new(), vec![2_000, 12_010, 22_000]);
        assert_eq!(first_token_errors(&one_a_read), [Micros(50)]);
        assert_eq!(gap_errors(&one_a_read), [Micros(10), Micros(0)]);
        // The second and third event came in one read.
        let together = loaded(vec![15_000], vec![1, 2], vec![2_000, 12_000, 17_000]);
        assert_eq!(gap_errors(&together), [Micros(5_000), Micros(5_000)]);
        let missing = loaded(vec![10_000], Vec::new(), vec![2_000, 12_000, 22_000]);
        assert_eq!(gap_errors(&missing), []);
        assert_eq!(first_token_errors(&loaded(Vec::new(), Vec::new(), Vec::new())), []);
    }
}
