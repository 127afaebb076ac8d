//! What a ceiling is the least of.

use load_engine::{FILES_BESIDE, Room};
use metrics_core::StreamsLimit;

use super::load::Loaded;

/// Token events a second of a usual stream.
const USUAL_PACE: f64 = 20.0;

/// The least that a stream is taken to hold; memory that was free inside the process hides what is less.
const LEAST_STREAM_BYTES: u64 = 32 << 10;

/// What the CPU carries, or the pace of the writer where that is less. Not known where the CPU's part is not: the writer
/// alone would promise what nobody measured.
pub(super) fn of_cpu(cpu: Option<f64>, writer: Option<f64>) -> Option<f64> {
    cpu.map(|cpu| writer.map_or(cpu, |writer| cpu.min(writer)))
}

/// Fractions of an event would promise an accuracy that no such measurement has.
pub(super) fn whole(rate: f64) -> f64 {
    rate.floor()
}

/// Streams at once, and what limits them: the least of what the system leaves room for and what the CPU can read.
pub(super) fn streams(
    before: &Room,
    during: &Loaded,
    streams: u32,
    events_per_s: Option<f64>,
) -> (Option<u64>, Option<StreamsLimit>) {
    let highest = during.samples.iter().filter_map(|sample| sample.rss_bytes).max();
    let taken = highest.zip(before.resident_bytes).map(|(high, low)| high.saturating_sub(low));
    let known = [
        (StreamsLimit::Descriptors, before.descriptors.map(|free| free.saturating_sub(FILES_BESIDE))),
        (StreamsLimit::Ports, before.ports),
        (
            StreamsLimit::Memory,
            before.memory_bytes.zip(taken).map(|(free, taken)| by_memory(free, taken, streams)),
        ),
        (StreamsLimit::Cpu, events_per_s.map(|events| (events / USUAL_PACE) as u64)),
    ];
    let least = known.into_iter().filter_map(|(limit, streams)| Some((streams?, limit))).min();
    least.unzip()
}

/// As many as fit into half of the free memory, each as large as those were that took `taken` bytes together.
fn by_memory(free: u64, taken: u64, streams: u32) -> u64 {
    free / 2 / (taken / u64::from(streams.max(1))).max(LEAST_STREAM_BYTES)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use metrics_core::ClientSample;

    use super::*;

    const ROOM: Room = Room {
        open_files: None,
        descriptors: Some(1_000),
        ports: Some(28_232),
        memory_bytes: Some(1 << 30),
        resident_bytes: Some(10 << 20),
    };

    /// A hundred streams took 100 times 64 KiB.
    fn check(room: Room, events_per_s: Option<f64>, expected: (Option<u64>, Option<StreamsLimit>)) {
        let sample =
            ClientSample { rss_bytes: Some((10 << 20) + 100 * (64 << 10)), ..ClientSample::default() };
        let during = Loaded {
            records: Vec::new(),
            samples: vec![sample],
            truths: Vec::new(),
            cpu: None,
            took: Duration::ZERO,
        };
        assert_eq!(streams(&room, &during, 100, events_per_s), expected);
    }

    #[test]
    fn the_least_limit_is_named() {
        use StreamsLimit::{Cpu, Descriptors, Memory, Ports};
        let plenty = Room { descriptors: Some(1 << 20), memory_bytes: Some(1 << 40), ..ROOM };
        check(ROOM, Some(1e6), (Some(936), Some(Descriptors)));
        check(plenty, Some(1e6), (Some(28_232), Some(Ports)));
        check(Room { memory_bytes: Some(1 << 30), ..plenty }, Some(1e6), (Some(8_192), Some(Memory)));
        check(plenty, Some(39_999.0), (Some(1_999), Some(Cpu)));
        check(Room::default(), None, (None, None));
        check(Room { descriptors: Some(5), ..ROOM }, None, (Some(0), Some(Descriptors)));
    }

    #[test]
    fn what_a_stream_holds_is_never_taken_for_nothing() {
        assert_eq!(by_memory(1 << 30, 0, 100), (1 << 29) / LEAST_STREAM_BYTES);
    }

    #[test]
    fn a_writer_lowers_a_ceiling_and_is_none_by_itself() {
        assert_eq!(of_cpu(Some(2.0), None), Some(2.0));
        assert_eq!(of_cpu(Some(2.0), Some(1.0)), Some(1.0));
        assert_eq!(of_cpu(Some(1.0), Some(2.0)), Some(1.0));
        assert_eq!(of_cpu(None, Some(1.0)), None);
        assert_eq!(of_cpu(None, None), None);
    }
}
