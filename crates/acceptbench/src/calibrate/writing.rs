//! How fast rows reach the disk.

use std::{path::Path, time::Duration};

use evidence_pack::{Redactor, Writer};
use load_engine::random_hex;
use metrics_core::{Record, WriteSpeed};
use sse_client::{Clock as _, RuntimeClock};
use workload_model::{builtin, sweep_plan};

use super::{
    CalibrateError,
    load::{frozen, target},
};

/// Rows between two looks at the clock.
const BATCH: usize = 64;

/// Writes these rows over and over for `window`, and syncs them; `None` where there are none.
pub(super) async fn speed(
    scratch: &Path,
    records: &[Record],
    window: Duration,
) -> Result<Option<WriteSpeed>, CalibrateError> {
    if records.is_empty() {
        return Ok(None);
    }
    let samples = builtin();
    let frozen = frozen(&sweep_plan(target("http://127.0.0.1:1/v1"), &[1], &[1], 0), samples.to_jsonl())?;
    let folder = scratch.join(random_hex());
    let mut writer = Writer::create(&folder, &frozen, Redactor::default())?;
    let clock = RuntimeClock::start();
    let mut rows = 0_u64;
    let mut next = records.iter().cycle();
    while Duration::from_micros(clock.now_us()) < window {
        for record in next.by_ref().take(BATCH) {
            writer.append_request(record)?;
            rows += 1;
        }
        // Whoever wants to stop is heard between batches.
        tokio::task::yield_now().await;
    }
    writer.sync()?;
    let took = Duration::from_micros(clock.now_us()).as_secs_f64();
    let bytes = std::fs::metadata(folder.join("data/raw/requests.jsonl")).map_or(0, |file| file.len());
    drop(writer);
    let _ = std::fs::remove_dir_all(&folder);
    let a_second = |number: u64| (number as f64 / took).floor();
    Ok(Some(WriteSpeed { rows_per_s: a_second(rows), bytes_per_s: a_second(bytes) }))
}
