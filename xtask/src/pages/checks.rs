//! What a report must be in a browser.

use std::{fs, path::Path};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use super::browser::{Browser, Tab, url};
use crate::Failure;

const PROBE: &str = include_str!("probe.js");

/// More presses of the Tab key than there are places to stop at before the first table.
const MOST_STOPS: usize = 80;

/// Where a page is looked at.
#[derive(Debug, Clone, Copy)]
struct View {
    name: &'static str,
    width: u32,
    height: u32,
    scheme: &'static str,
}

const DESK: View = View { name: "light", width: 1400, height: 900, scheme: "light" };
const DARK: View = View { name: "dark", width: 1400, height: 900, scheme: "dark" };
const PHONE: View = View { name: "phone", width: 360, height: 800, scheme: "light" };

/// Looks at one page in every way, and says what is wrong with it. Pictures go beside `kept`, where it is given.
pub(super) fn examine(
    browser: &Browser,
    axe: &str,
    page: &Path,
    kept: Option<&Path>,
) -> Result<Vec<String>, Failure> {
    let mut tab = browser.tab()?;
    for domain in ["Page", "Runtime", "Log", "Network", "Audits"] {
        tab.call(&format!("{domain}.enable"), &json!({}))?;
    }
    // Several tabs at once would take the focus from each other.
    tab.call("Emulation.setFocusEmulationEnabled", &json!({ "enabled": true }))?;
    let mut sight = Sight { tab, axe, kept, found: Vec::new() };
    sight.look(page)?;
    sight.tab.close()?;
    Ok(sight.found)
}

/// A page under examination.
struct Sight<'a> {
    tab: Tab,
    axe: &'a str,
    kept: Option<&'a Path>,
    found: Vec<String>,
}

impl Sight<'_> {
    fn look(&mut self, page: &Path) -> Result<(), Failure> {
        self.view(DESK)?;
        self.open(page)?;
        self.note("light", "accessibility()")?;
        self.keep(DESK)?;
        let with_scripts = self.tab.value("shown()")?;

        self.view(DARK)?;
        self.note("dark", "contrast()")?;
        self.keep(DARK)?;
        self.print()?;

        self.view(PHONE)?;
        self.note("phone", "overflow()")?;
        self.note("phone", "layout()")?;
        self.keep(PHONE)?;

        self.view(DESK)?;
        self.note("tables", "sorting()")?;
        self.hands()?;
        self.chart()?;
        self.told(page);

        self.tab.call("Emulation.setScriptExecutionDisabled", &json!({ "value": true }))?;
        self.open(page)?;
        if self.tab.value("shown()")? != with_scripts {
            self.found.push("without scripts: other words are shown than with them".to_owned());
        }
        self.told(page);
        Ok(())
    }

    fn open(&mut self, page: &Path) -> Result<(), Failure> {
        self.tab.open(page)?;
        self.tab.value(self.axe)?;
        self.tab.value(PROBE).map(drop)
    }

    fn view(&mut self, view: View) -> Result<(), Failure> {
        let size =
            json!({ "width": view.width, "height": view.height, "deviceScaleFactor": 1, "mobile": false });
        self.tab.call("Emulation.setDeviceMetricsOverride", &size)?;
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": view.scheme }] });
        self.tab.call("Emulation.setEmulatedMedia", &media).map(drop)
    }

    /// Takes over what a function of the probe finds.
    fn note(&mut self, place: &str, question: &str) -> Result<(), Failure> {
        let answer = self.tab.value(question)?;
        let sentences = answer.as_array().into_iter().flatten().filter_map(Value::as_str);
        self.found.extend(sentences.map(|sentence| format!("{place}: {sentence}")));
        Ok(())
    }

    /// What the page told by itself: errors, breaches of its policy, and requests for anything but itself.
    fn told(&mut self, page: &Path) {
        let own = url(page);
        for event in std::mem::take(&mut self.tab.events) {
            let told = &event["params"];
            let fault = match event["method"].as_str().unwrap_or_default() {
                "Runtime.exceptionThrown" => Some(told["exceptionDetails"].to_string()),
                "Runtime.consoleAPICalled" if matches!(told["type"].as_str(), Some("error" | "warning")) => {
                    Some(told["args"].to_string())
                }
                "Log.entryAdded" if told["entry"]["level"] != "verbose" => {
                    Some(told["entry"]["text"].to_string())
                }
                "Audits.issueAdded" if told["issue"]["code"] == "ContentSecurityPolicyIssue" => {
                    Some(told["issue"]["details"]["contentSecurityPolicyIssueDetails"].to_string())
                }
                "Network.requestWillBeSent" => match told["request"]["url"].as_str() {
                    Some(asked) if asked != own && !asked.starts_with("data:") => {
                        Some(format!("asks for {asked}"))
                    }
                    _ => None,
                },
                "Network.webSocketCreated" => Some(format!("asks for {}", told["url"])),
                _ => None,
            };
            self.found.extend(fault.map(|fault| format!("browser: {fault}")));
        }
    }

    /// A head is pressed with the mouse, and one that the Tab key leads to with both keys that press a button.
    fn hands(&mut self) -> Result<(), Failure> {
        let middle = self.tab.value("firstHead()")?;
        let (Some(x), Some(y)) = (middle["x"].as_f64(), middle["y"].as_f64()) else {
            self.found.push("mouse: no head of a table can be pressed".to_owned());
            return Ok(());
        };
        self.tab.click(x, y)?;
        self.expect("mouse", "firstOrder()", "ascending")?;
        self.tab.value("document.activeElement.blur()")?;
        let mut stops = 0;
        while self.tab.value("inHead()")? != true {
            stops += 1;
            if stops > MOST_STOPS {
                self.found.push("keyboard: the Tab key leads to no head of a table".to_owned());
                return Ok(());
            }
            self.tab.press("Tab")?;
        }
        let before = self.tab.value("orderInFocus()")?;
        let (first, second) =
            if before == "ascending" { ("descending", "none") } else { ("ascending", "descending") };
        self.tab.press("Enter")?;
        self.expect("keyboard, Enter", "orderInFocus()", first)?;
        self.tab.press(" ")?;
        self.expect("keyboard, space", "orderInFocus()", second)
    }

    /// A chart tells its values under the mouse and by the arrow keys, and Escape takes them away.
    fn chart(&mut self) -> Result<(), Failure> {
        self.note("charts", "silentCharts()")?;
        let middle = self.tab.value("firstMark()")?;
        let (Some(x), Some(y)) = (middle["x"].as_f64(), middle["y"].as_f64()) else { return Ok(()) };
        self.tab.point(x, y)?;
        self.expect_words("mouse")?;
        self.tab.press("ArrowRight")?;
        self.expect_words("keyboard")?;
        self.tab.press("Escape")?;
        self.expect("keyboard, Escape", "tipText()", "")
    }

    fn expect_words(&mut self, place: &str) -> Result<(), Failure> {
        if self.tab.value("tipWords()")? == "" {
            self.found.push(format!("{place}: a chart does not tell its values"));
        }
        Ok(())
    }

    fn expect(&mut self, place: &str, question: &str, expected: &str) -> Result<(), Failure> {
        let found = self.tab.value(question)?;
        if found != expected {
            self.found.push(format!("{place}: {question} gives {found}, not {expected:?}"));
        }
        Ok(())
    }

    /// Printing gives sheets of A4, the cover on one of its own.
    fn print(&mut self) -> Result<(), Failure> {
        let how = json!({ "preferCSSPageSize": true, "printBackground": true });
        let pdf = self.data("Page.printToPDF", &how)?;
        let text = String::from_utf8_lossy(&pdf);
        let sheets = text.matches("/Type /Page\n").count();
        let a4 = text.matches("/MediaBox [0 0 594.9").count() + text.matches("/MediaBox [0 0 595").count();
        if !text.starts_with("%PDF-") || sheets < 2 || a4 != sheets {
            self.found.push(format!("print: {} bytes with {sheets} sheets, {a4} of them A4", pdf.len()));
        }
        self.write("print.pdf", &pdf)
    }

    /// Keeps a picture of the whole page, where pictures are asked for.
    fn keep(&mut self, view: View) -> Result<(), Failure> {
        if self.kept.is_none() {
            return Ok(());
        }
        let size = self.tab.call("Page.getLayoutMetrics", &json!({}))?["cssContentSize"].take();
        let clip = json!({ "x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1 });
        let png =
            self.data("Page.captureScreenshot", &json!({ "captureBeyondViewport": true, "clip": clip }))?;
        self.write(&format!("{}.png", view.name), &png)
    }

    fn data(&mut self, method: &str, how: &Value) -> Result<Vec<u8>, Failure> {
        let answer = self.tab.call(method, how)?;
        let data = answer["data"].as_str().unwrap_or_default();
        STANDARD.decode(data).map_err(|error| Failure::Chromium(format!("{method}: {error}")))
    }

    fn write(&self, ending: &str, bytes: &[u8]) -> Result<(), Failure> {
        let Some(kept) = self.kept else { return Ok(()) };
        let file = kept.with_extension(ending);
        fs::write(&file, bytes).map_err(|error| Failure::Read { path: file.display().to_string(), error })
    }
}
