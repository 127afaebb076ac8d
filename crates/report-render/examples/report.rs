//! Writes a report from hand-made material to the standard output: `report [zh|en] [md|html]`.

use std::{error::Error, io::Write as _};

use report_render::{Document, Language, render_html, render_markdown, specimens};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let language: Language = arguments.next().as_deref().unwrap_or("zh").parse()?;
    let document = Document::new(&specimens::passed(), language);
    let text = match arguments.next().as_deref() {
        None | Some("md") => render_markdown(&document),
        Some("html") => render_html(&document),
        Some(other) => return Err(format!("failed to write as `{other}` (md or html)").into()),
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}
