//! The pressure server in a process of its own, so that its CPU is not the client's: this very program, started again.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::Duration,
};

use inference_sim::pressure::{AnswerTruth, Pace, Pressure, Sent, spawn_pressure};

use super::Outcome;

const SERVE: &str = "--serve";

/// A server that runs as a child, and ends when this is dropped.
pub(crate) struct Server {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
    pub(crate) url: String,
}

/// Serves if this process was started to; says whether it was.
pub(crate) fn serve_if_asked() -> Outcome<bool> {
    let arguments: Vec<String> = std::env::args().collect();
    let Some(place) = arguments.iter().position(|argument| argument == SERVE) else { return Ok(false) };
    let [gap_us, events, keep] = arguments.get(place + 1..place + 4).ok_or("three words follow --serve")?
    else {
        return Err("three words follow --serve".into());
    };
    let pace = match gap_us.parse()? {
        0 => Pace::Flood,
        gap => Pace::Every(Duration::from_micros(gap)),
    };
    let server =
        spawn_pressure(Pressure { events: events.parse()?, pace, keep_truth: keep.parse()? }, "127.0.0.1:0")?;
    let mut out = std::io::stdout();
    writeln!(out, "{}", server.base_url())?;
    for question in std::io::stdin().lines() {
        let answer = match question?.as_str() {
            "truth" => serde_json::to_string(&server.truth())?,
            _ => serde_json::to_string(&server.sent())?,
        };
        writeln!(out, "{answer}")?;
    }
    Ok(true)
}

impl Server {
    pub(crate) fn start(pressure: &Pressure) -> Outcome<Self> {
        let gap = match pressure.pace {
            Pace::Flood => Duration::ZERO,
            Pace::Every(gap) => gap,
        };
        let words =
            [gap.as_micros().to_string(), pressure.events.to_string(), pressure.keep_truth.to_string()];
        let mut child = Command::new(std::env::current_exe()?)
            .arg(SERVE)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let questions = child.stdin.take().ok_or("the child has no input")?;
        let answers = BufReader::new(child.stdout.take().ok_or("the child has no output")?);
        let mut server = Self { child, questions, answers, url: String::new() };
        server.url = server.line()?;
        Ok(server)
    }

    /// How much it has sent.
    pub(crate) fn sent(&mut self) -> Outcome<Sent> {
        Ok(serde_json::from_str(&self.ask("sent")?)?)
    }

    /// When it wrote what, of the answers completed since the last call.
    pub(crate) fn truth(&mut self) -> Outcome<Vec<AnswerTruth>> {
        Ok(serde_json::from_str(&self.ask("truth")?)?)
    }

    fn ask(&mut self, question: &str) -> Outcome<String> {
        writeln!(self.questions, "{question}")?;
        self.line()
    }

    fn line(&mut self) -> Outcome<String> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        Ok(line.trim_end().to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
