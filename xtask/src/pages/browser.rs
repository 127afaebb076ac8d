//! A headless Chromium, and its tabs over the DevTools protocol.
//!
//! It has a profile of its own that goes with it, and a proxy that nobody answers for, so that no request leaves this
//! process whatever a page asks for.

use std::{
    env,
    io::{BufRead as _, BufReader},
    net::TcpStream,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    process::{Child, ChildStderr, Command, Stdio},
    time::Duration,
};

use serde_json::{Value, json};
use tempfile::TempDir;
use tungstenite::{Message, WebSocket, client::client_with_config, protocol::WebSocketConfig};

use crate::Failure;

const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

const ARGUMENTS: [&str; 10] = [
    "--headless=new",
    "--remote-debugging-port=0",
    "--no-first-run",
    "--hide-scrollbars",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-background-networking",
    "--proxy-server=127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
];

/// After this long without a word, Chromium is taken for stuck.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running browser; it ends with this value.
#[derive(Debug)]
pub(super) struct Browser {
    process: Child,
    /// Host and port at which it listens, on the loopback interface.
    address: String,
    /// Where it is spoken to as a whole.
    endpoint: String,
    _profile: TempDir,
}

impl Browser {
    pub(super) fn start() -> Result<Self, Failure> {
        let binary = binary()?;
        let profile = tempfile::tempdir().map_err(broken)?;
        let mut command = Command::new(binary);
        command.args(ARGUMENTS).arg(format!("--user-data-dir={}", profile.path().display()));
        if is_root() {
            command.arg("--no-sandbox");
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut process = command.spawn().map_err(broken)?;
        let told = process.stderr.take().map(listening).unwrap_or_default();
        let mut browser =
            Self { process, address: String::new(), endpoint: String::new(), _profile: profile };
        let Some(endpoint) = told.lines().find_map(|line| line.strip_prefix("DevTools listening on ")) else {
            return Err(Failure::Chromium(format!("it ended before it listened; its last words:\n{told}")));
        };
        browser.address = endpoint.split('/').nth(2).unwrap_or_default().to_owned();
        browser.endpoint = endpoint.to_owned();
        Ok(browser)
    }

    /// A new tab, empty and on its own connection.
    pub(super) fn tab(&self) -> Result<Tab, Failure> {
        let mut whole = Tab::connect(&self.address, &self.endpoint)?;
        let made = whole.call("Target.createTarget", &json!({ "url": "about:blank" }))?;
        let id = made["targetId"].as_str().unwrap_or_default();
        Tab::connect(&self.address, &format!("ws://{}/devtools/page/{id}", self.address))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A page that is spoken to.
#[derive(Debug)]
pub(super) struct Tab {
    socket: WebSocket<TcpStream>,
    calls: u64,
    /// What the page has told by itself since [`Tab::open`], in order.
    pub(super) events: Vec<Value>,
}

impl Tab {
    fn connect(address: &str, endpoint: &str) -> Result<Self, Failure> {
        let stream = TcpStream::connect(address).map_err(broken)?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(broken)?;
        // A picture of a long page is one message.
        let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
        let (socket, _) = client_with_config(endpoint, stream, Some(config)).map_err(broken)?;
        Ok(Self { socket, calls: 0, events: Vec::new() })
    }

    /// Calls a method of the protocol and waits for its answer.
    pub(super) fn call(&mut self, method: &str, parameters: &Value) -> Result<Value, Failure> {
        self.calls += 1;
        let call = json!({ "id": self.calls, "method": method, "params": parameters });
        self.socket.send(Message::text(call.to_string())).map_err(broken)?;
        loop {
            let mut message = self.read()?;
            if message["id"] != self.calls {
                self.events.push(message);
            } else if let Some(error) = message.get("error") {
                return Err(Failure::Chromium(format!("{method}: {error}")));
            } else {
                return Ok(message["result"].take());
            }
        }
    }

    /// Loads a file and waits until it has loaded. What was told before is forgotten.
    pub(super) fn open(&mut self, file: &Path) -> Result<(), Failure> {
        self.events.clear();
        let gone = self.call("Page.navigate", &json!({ "url": url(file) }))?;
        if let Some(error) = gone["errorText"].as_str() {
            return Err(Failure::Chromium(format!("open {}: {error}", file.display())));
        }
        while !self.events.iter().any(|event| event["method"] == "Page.loadEventFired") {
            let event = self.read()?;
            self.events.push(event);
        }
        Ok(())
    }

    /// The value of an expression in the page, awaited where it is a promise.
    pub(super) fn value(&mut self, expression: &str) -> Result<Value, Failure> {
        let asked = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let mut answer = self.call("Runtime.evaluate", &asked)?;
        match answer.get("exceptionDetails") {
            Some(thrown) => Err(Failure::Chromium(format!("evaluate in the page: {thrown}"))),
            None => Ok(answer["result"]["value"].take()),
        }
    }

    /// Presses and lets go of a key, as a person does.
    pub(super) fn press(&mut self, key: &str) -> Result<(), Failure> {
        let (code, number, text) = match key {
            " " => ("Space", 32, " "),
            "Enter" => ("Enter", 13, "\r"),
            "Tab" => ("Tab", 9, ""),
            "Escape" => ("Escape", 27, ""),
            _ => (key, 39, ""),
        };
        for kind in ["keyDown", "keyUp"] {
            let mut event =
                json!({ "type": kind, "key": key, "code": code, "windowsVirtualKeyCode": number });
            if kind == "keyDown" && !text.is_empty() {
                event["text"] = json!(text);
            }
            self.call("Input.dispatchKeyEvent", &event)?;
        }
        Ok(())
    }

    /// Moves the mouse.
    pub(super) fn point(&mut self, x: f64, y: f64) -> Result<(), Failure> {
        self.call("Input.dispatchMouseEvent", &json!({ "type": "mouseMoved", "x": x, "y": y })).map(drop)
    }

    /// Presses and lets go of the mouse's first button.
    pub(super) fn click(&mut self, x: f64, y: f64) -> Result<(), Failure> {
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", &event)?;
        }
        Ok(())
    }

    pub(super) fn close(&mut self) -> Result<(), Failure> {
        self.call("Page.close", &json!({})).map(drop)
    }

    fn read(&mut self) -> Result<Value, Failure> {
        loop {
            if let Message::Text(text) = self.socket.read().map_err(broken)? {
                return serde_json::from_str(text.as_str()).map_err(broken);
            }
        }
    }
}

/// The address of a file, its name written as addresses are.
pub(super) fn url(file: &Path) -> String {
    let mut url = "file://".to_owned();
    for byte in file.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' => url.push(char::from(*byte)),
            byte if byte.is_ascii_alphanumeric() => url.push(char::from(*byte)),
            byte => url.push_str(&format!("%{byte:02X}")),
        }
    }
    url
}

/// What Chromium says up to the line that tells where it listens. The rest is read and dropped, so that it never waits
/// for a reader.
fn listening(stderr: ChildStderr) -> String {
    let mut lines = BufReader::new(stderr);
    let mut told = String::new();
    loop {
        let before = told.len();
        match lines.read_line(&mut told) {
            Ok(read) if read > 0 => {}
            _ => return told,
        }
        if told[before..].starts_with("DevTools listening on ") {
            std::thread::spawn(move || std::io::copy(&mut lines, &mut std::io::sink()));
            return told;
        }
    }
}

fn binary() -> Result<PathBuf, Failure> {
    let path = env::var_os("PATH").unwrap_or_default();
    let candidates =
        NAMES.iter().flat_map(|name| env::split_paths(&path).map(move |folder| folder.join(name)));
    candidates
        .into_iter()
        .find(|candidate| candidate.is_file())
        .ok_or_else(|| Failure::NoChromium(NAMES.join(", ")))
}

/// Chromium's sandbox does not work for root.
fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|this| this.uid() == 0)
}

fn broken(error: impl std::fmt::Display) -> Failure {
    Failure::Chromium(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_an_address_whatever_its_name() {
        assert_eq!(url(Path::new("/a b/报.html")), "file:///a%20b/%E6%8A%A5.html");
    }
}
