//! Disks that are full, or take nothing.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use inference_sim::SimConfig;
use tempfile::TempDir;

use crate::{
    program::{intact, run},
    services::sim,
};

/// A small file system in memory, until it is dropped.
struct Small {
    at: TempDir,
}

impl Small {
    /// `None`, said aloud, where mounting is not allowed.
    #[expect(clippy::print_stderr, reason = "a test that is not made must not pass in silence")]
    fn mount(size: &str) -> Option<Self> {
        let small = Self { at: tempfile::tempdir().unwrap() };
        if small.mounts(&["-t", "tmpfs", "-o", &format!("size={size}"), "acceptbench-test"]) {
            return Some(small);
        }
        eprintln!(
            "SKIPPED: no file system can be mounted here (root is needed), so that no disk can be filled"
        );
        None
    }

    fn mounts(&self, args: &[&str]) -> bool {
        let done = Command::new("mount").args(args).arg(self.at.path()).output();
        done.is_ok_and(|output| output.status.success())
    }

    fn remount(&self, option: &str) {
        assert!(self.mounts(&["-o", &format!("remount,{option}")]), "remount {option}");
    }

    fn pack(&self) -> PathBuf {
        self.at.path().join("pack")
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.at.path()).output();
    }
}

fn sweep_into(out: &Path, config: SimConfig, requests: &str) -> crate::program::Ran {
    let service = sim(config);
    let url = service.base_url();
    let out = out.to_str().unwrap();
    let args = ["sweep", "--url", &url, "--model", "sim-chat", "--out", out, "--tiers", "8", "--warmup", "1"];
    run(&[&args[..], &["--requests", requests, "--quiet", "--no-calibration"]].concat())
}

#[test]
fn a_disk_that_fills_up_ends_the_run_and_keeps_what_is_there() {
    let Some(small) = Small::mount("128k") else { return };
    let long = SimConfig { output_tokens: 60..=60, ..SimConfig::fast() };
    let ran = sweep_into(&small.pack(), long, "600");
    ran.ends(&[4]).says(&["keep the evidence", "No space left", "make room", "acceptbench finalize"]);
    let kept = crate::program::rows(&small.pack()).len();
    assert!((1..600).contains(&kept), "{kept}");

    small.remount("size=16m");
    run(&["finalize", small.pack().to_str().unwrap()]).ends(&[0]);
    let check = intact(&small.pack());
    assert!(check.interrupted);
    assert_eq!(check.requests as usize, kept);
}

#[test]
fn where_only_the_documents_find_no_room_the_evidence_is_complete() {
    let Some(small) = Small::mount("160k") else { return };
    let ran = sweep_into(&small.pack(), SimConfig::fast(), "8");
    ran.ends(&[2]).says(&["No space left", "the evidence is complete", "acceptreport render"]);

    small.remount("size=16m");
    let languages = [report_render::Language::Zh, report_render::Language::En];
    let all = acceptreport::Format::WRITTEN;
    acceptreport::write_documents(&small.pack(), &acceptreport::Under::Run, &languages, all, None).unwrap();
    let check = intact(&small.pack());
    assert!(!check.interrupted);
    assert_eq!(check.requests, 9);
}

#[test]
fn a_disk_that_takes_nothing_is_found_out_before_anything_is_sent() {
    let Some(small) = Small::mount("128k") else { return };
    let folder = small.at.path().join("empty");
    std::fs::create_dir(&folder).unwrap();
    small.remount("ro");
    let service = sim(SimConfig::fast());
    for out in [small.pack(), folder] {
        let url = service.base_url();
        let args = ["sweep", "--url", &url, "--model", "sim-chat", "--out", out.to_str().unwrap()];
        run(&args).ends(&[2]).says(&["Read-only file system", "another --out"]);
    }
    assert!(service.truth().is_empty(), "something was sent");
}
