//! The one writer of a run: takes run events off the queue and keeps them, on a thread of its own.

use std::thread::JoinHandle;

use evidence_pack::{AppendError, Writer};
use load_engine::{RunEvent, take_all};
use metrics_core::Happening;
use tokio::sync::mpsc::Receiver;

use crate::progress::Progress;

/// The thread that keeps; joining it gives the writer back.
pub(crate) type Recorder = JoinHandle<Result<Writer, AppendError>>;

/// Keeps everything that comes, in order, until the run has ended or a row cannot be kept.
///
/// Joining gives the writer back, for the package to be completed. On an error the queue closes, which ends the run:
/// losing evidence is never a warning.
pub(crate) fn record(
    mut writer: Writer,
    events: Receiver<RunEvent>,
    mut progress: Progress,
) -> std::io::Result<Recorder> {
    std::thread::Builder::new().name("writer".to_owned()).spawn(move || {
        take_all(events, |event| {
            keep(&mut writer, &event)?;
            progress.note(&event);
            Ok::<_, AppendError>(())
        })?;
        progress.end();
        Ok(writer)
    })
}

fn keep(writer: &mut Writer, event: &RunEvent) -> Result<(), AppendError> {
    match event {
        RunEvent::Settled { record, body } => {
            writer.append_request(record)?;
            if let Some(body) = body {
                // What does not fit the bounds is left out: the row itself says what went wrong.
                writer.keep_failure(&format!("{}-{}.body", record.seq, record.attempt), body)?;
            }
        }
        RunEvent::Happened(event) => {
            writer.append_event(event)?;
            // A tier that is done, and the word that a run was stopped, outlive a loss of power as well.
            if matches!(event.what, Happening::TierEnded { .. } | Happening::Stopped { .. }) {
                writer.sync()?;
            }
        }
        RunEvent::Sampled(sample) => writer.append_client(sample)?,
    }
    Ok(())
}
