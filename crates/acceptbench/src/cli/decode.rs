//! `acceptbench decode`.

use std::path::PathBuf;

use acceptreport::{Exit, cli::CommandError};

use crate::terminal::print;

#[derive(Debug, clap::Args)]
pub(super) struct Decode {
    /// The captured body of a stream, or a whole HTTP response with its head; `-` for standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Print what was decoded as JSON.
    #[arg(long)]
    json: bool,
}

impl Decode {
    pub(super) fn run(&self) -> Result<Exit, CommandError> {
        let bytes = self.read().map_err(|error| {
            let hint = "name the file of the captured stream, or - for standard input";
            CommandError::new(Exit::Usage, format!("read {}: {error} ({hint})", self.file.display()))
        })?;
        let decoded = sse_client::decode(&bytes);
        let json = serde_json::to_value(&decoded).expect("a decoded stream is text and numbers");
        if self.json {
            print(&json.to_string());
            return Ok(Exit::Passed);
        }
        for (key, value) in json.as_object().into_iter().flatten() {
            match value {
                serde_json::Value::String(text) => print(&format!("{key}: {text}")),
                value => print(&format!("{key}: {value}")),
            }
        }
        Ok(Exit::Passed)
    }

    fn read(&self) -> std::io::Result<Vec<u8>> {
        if self.file.as_os_str() == "-" {
            let mut bytes = Vec::new();
            std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes)?;
            return Ok(bytes);
        }
        std::fs::read(&self.file)
    }
}
