//! Writes every specimen in both languages as HTML, with its charts beside it, to look at: `specimens [FOLDER]`.

use std::{error::Error, fs, path::PathBuf};

use report_render::{Document, Language, charts, render_html, specimens};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("target/specimens"), PathBuf::from);
    fs::create_dir_all(&folder)?;
    for (name, material) in specimens::all() {
        for language in Language::ALL {
            let document = Document::new(&material, language);
            let page = render_html(&document);
            fs::write(folder.join(format!("{name}.{}.html", language.code())), page)?;
            for (file, drawing) in charts(&document) {
                fs::write(folder.join(format!("{name}.{file}")), drawing)?;
            }
        }
    }
    Ok(())
}
