//! Reports in a real browser: every specimen in both languages, on a desk, in the dark, on a phone, on paper, by mouse,
//! by keyboard and without scripts.

mod axe;
mod browser;
mod checks;

use std::{
    fs,
    num::NonZero,
    path::{Path, PathBuf},
    sync::Mutex,
    thread,
};

use crate::{Failure, cargo, say};
use browser::Browser;

/// Where pages are written, unless they are to be kept elsewhere.
const FOLDER: &str = "target/pages";

/// A page that breaks every rule, so that no check can pass by looking at nothing.
const FAULTY: &str = include_str!("faulty.html");

/// Beginnings of what must be found in it.
const FAULTS: [&str; 11] = [
    "light: image-alt",
    "light: heading-order",
    "dark: color-contrast",
    "phone: the page is",
    "print: ",
    "mouse: ",
    "keyboard, Enter: ",
    "tables: ",
    "charts: ",
    "browser: asks for http://",
    "without scripts: ",
];

/// Examines all pages; with a folder, keeps them there with pictures.
pub(crate) fn pages(kept: Option<&str>) -> Result<(), Failure> {
    let folder = Path::new(kept.unwrap_or(FOLDER));
    let unwritten = |error| Failure::Read { path: folder.display().to_string(), error };
    fs::create_dir_all(folder).map_err(unwritten)?;
    let folder = folder.canonicalize().map_err(unwritten)?;
    let written = folder.to_string_lossy();
    cargo(&[
        "run",
        "--quiet",
        "--locked",
        "--package",
        "report-render",
        "--example",
        "specimens",
        "--",
        &written,
    ])?;
    let axe = axe::source()?;
    let browser = Browser::start()?;
    prove(&browser, &axe, &folder)?;

    let queue = Mutex::new(reports(&folder)?);
    let faults: Mutex<Vec<String>> = Mutex::default();
    let worker = || -> Result<(), Failure> {
        while let Some(page) = take(&queue) {
            let name = page.file_stem().unwrap_or_default().to_string_lossy();
            let found = checks::examine(&browser, &axe, &page, kept.map(|_| page.as_path()))?;
            say(&format!("{name}: {}", if found.is_empty() { "good" } else { "FAULTY" }));
            if let Ok(mut faults) = faults.lock() {
                faults.extend(found.into_iter().map(|fault| format!("{name}: {fault}")));
            }
        }
        Ok(())
    };
    thread::scope(|scope| {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().try_for_each(|worker| {
            worker.join().unwrap_or_else(|_| Err(Failure::Chromium("a worker broke down".to_owned())))
        })
    })?;
    let mut faults = faults.into_inner().unwrap_or_default();
    faults.sort();
    for fault in &faults {
        say(fault);
    }
    if faults.is_empty() { Ok(()) } else { Err(Failure::Pages(faults.len())) }
}

/// Every check finds its fault in the page that has them all.
fn prove(browser: &Browser, axe: &str, folder: &Path) -> Result<(), Failure> {
    let page = folder.join("faulty.htm");
    fs::write(&page, FAULTY).map_err(|error| Failure::Read { path: page.display().to_string(), error })?;
    let found = checks::examine(browser, axe, &page, None)?;
    match FAULTS.iter().find(|fault| !found.iter().any(|said| said.starts_with(**fault))) {
        None => Ok(()),
        Some(unseen) => {
            Err(Failure::Chromium(format!("find {unseen:?} in a page that has it; found were {found:#?}")))
        }
    }
}

fn reports(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let unread = |error| Failure::Read { path: folder.display().to_string(), error };
    let mut pages = Vec::new();
    for entry in fs::read_dir(folder).map_err(unread)? {
        let path = entry.map_err(unread)?.path();
        if path.extension().is_some_and(|ending| ending == "html") {
            pages.push(path);
        }
    }
    pages.sort();
    Ok(pages)
}

fn take(queue: &Mutex<Vec<PathBuf>>) -> Option<PathBuf> {
    queue.lock().ok()?.pop()
}
