//! Writes every specimen in both languages as PDF into a folder: `pdf_specimens FOLDER [a-3b|a-3a-ua] [NAME]`.

use std::{error::Error, fs, path::Path};

use report_pdf::{Attachment, PdfOptions, render_pdf};
use report_render::{Document, Language, specimens};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("failed to write specimens (name a folder)")?;
    let standard = arguments.next().unwrap_or_default().parse().unwrap_or_default();
    let wanted = arguments.next();
    fs::create_dir_all(&folder)?;
    for (name, material) in specimens::all() {
        if wanted.as_deref().is_some_and(|wanted| wanted != name) {
            continue;
        }
        for language in Language::ALL {
            let options = PdfOptions {
                standard,
                identifier: material.summary.run.id.clone(),
                attachments: vec![Attachment {
                    name: "evidence-sha256.txt".to_owned(),
                    mime: "text/plain".to_owned(),
                    description: language.say("Digests of the evidence", "证据摘要清单").to_owned(),
                    bytes: specimens::DIGEST.as_bytes().to_vec(),
                }],
                ..PdfOptions::default()
            };
            let pdf = render_pdf(&Document::new(&material, language), &options)?;
            fs::write(Path::new(&folder).join(format!("{name}.{}.pdf", language.code())), pdf)?;
        }
    }
    Ok(())
}
