//! `acceptreport`: package in, documents and verdicts out.

use std::process::ExitCode;

use acceptreport::cli;
use clap::Parser as _;

fn main() -> ExitCode {
    match cli::run(&cli::Arguments::parse()) {
        Ok(exit) => exit.into(),
        Err(error) => {
            use std::io::Write as _;
            let _ = writeln!(std::io::stderr(), "acceptreport: failed to {error}");
            error.exit.into()
        }
    }
}
