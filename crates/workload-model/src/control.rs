//! The control: the highest tier once more with a client that has more, and with one that does less.
//!
//! Where the service then gets more requests a second, the client was what held them up.

use metrics_core::{ControlChange, PlannedControl};

use crate::{
    check::MAX_IO_THREADS,
    plan::Plan,
    plan_error::PlanError,
    stage::{Recording, Stage, StageKind},
};

/// Name of the control with twice the threads.
pub const CONTROL_THREADS_STAGE: &str = "control_threads";

/// Name of the control with recording reduced.
pub const CONTROL_RECORDING_STAGE: &str = "control_recording";

impl Plan {
    /// Appends the control: the highest tier and its number of requests twice more, once with twice the threads that
    /// read sockets and once with recording reduced. Nothing is appended where no tier is measured.
    ///
    /// The threads are those of `client` when it is called. Unchecked: see [`Plan::parse`].
    pub fn add_control(&mut self) {
        let Some((tier, requests)) = self.highest_step() else { return };
        let think = self.highest_stage().map(|stage| stage.think).unwrap_or_default();
        let control = |name: &str, io_threads, recording| Stage {
            think,
            io_threads,
            recording,
            ..Stage::closed(name, StageKind::Control, vec![tier], vec![requests])
        };
        let twice = self.client.io_threads.saturating_mul(2);
        self.stage.extend([
            control(CONTROL_THREADS_STAGE, Some(twice), Recording::Full),
            control(CONTROL_RECORDING_STAGE, None, Recording::Reduced),
        ]);
    }

    /// The controls of the plan, in order, each with what is different in it.
    #[must_use]
    pub fn controls(&self) -> Vec<PlannedControl> {
        let controls = self.stage.iter().filter(|stage| stage.kind == StageKind::Control);
        let planned = controls.filter_map(|stage| {
            Some(PlannedControl {
                stage: stage.name.clone(),
                tier: stage.concurrency.first().copied()?,
                change: ControlChange {
                    io_threads: stage.io_threads,
                    reduced_recording: !stage.recording.is_full(),
                },
            })
        });
        planned.collect()
    }

    /// The highest measured step, with its number of requests.
    fn highest_step(&self) -> Option<(u32, u64)> {
        self.highest_stage()?.steps().max_by_key(|(tier, _)| *tier)
    }

    /// The stage of the highest measured step: the last one of several that are as high.
    pub(crate) fn highest_stage(&self) -> Option<&Stage> {
        let measured = self.stage.iter().filter(|stage| stage.kind.measured());
        let closed = measured.filter(|stage| !stage.concurrency.is_empty());
        closed.max_by_key(|stage| stage.concurrency.iter().max())
    }
}

/// What is different in a control, and only in one, and that there is something to compare it with.
pub(crate) fn check(plan: &Plan) -> Result<(), PlanError> {
    for (place, stage) in plan.stage.iter().enumerate() {
        let name = || stage.name.clone();
        if stage.kind != StageKind::Control {
            let key = match (stage.io_threads, stage.recording) {
                (Some(_), _) => "io_threads",
                (None, Recording::Reduced) => "recording",
                (None, Recording::Full) => continue,
            };
            return Err(PlanError::NoControl { stage: name(), key });
        }
        if stage.io_threads.is_none() && stage.recording.is_full() {
            return Err(PlanError::ControlOfNothing { stage: name() });
        }
        let client = plan.client.io_threads;
        if let Some(threads) = stage.io_threads
            && !(client < threads && threads <= MAX_IO_THREADS)
        {
            return Err(PlanError::ControlThreads { stage: name(), threads, client });
        }
        let steps: Vec<(u32, u64)> = stage.steps().collect();
        let highest = plan.highest_step();
        let is_last = !plan.stage[place..].iter().any(|later| later.kind.measured());
        if !is_last || steps.len() != 1 || steps.first().copied() != highest {
            let (tier, requests) = highest.unwrap_or_default();
            return Err(PlanError::ControlOfAnother { stage: name(), tier, requests });
        }
    }
    Ok(())
}
