//! `acceptbench`: plan in, package out.

use std::process::ExitCode;

use acceptbench::cli;
use clap::Parser as _;

fn main() -> ExitCode {
    match cli::run(&cli::Arguments::parse()) {
        Ok(exit) => exit.into(),
        Err(error) => {
            use std::io::Write as _;
            let _ = writeln!(std::io::stderr(), "acceptbench: failed to {error}");
            error.exit.into()
        }
    }
}
