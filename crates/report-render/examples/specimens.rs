//! Writes every specimen, reports and workloads, in both languages as HTML, with its charts beside it, and one of them with a company's template, to
//! look at: `specimens [FOLDER]`.

use std::{
    collections::BTreeMap,
    error::Error,
    fs,
    path::{Path, PathBuf},
};

use report_render::{
    Document, Language, Template, charts, render_html, render_html_with, specimens, workload_document,
};

const TEMPLATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/template");

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("target/specimens"), PathBuf::from);
    fs::create_dir_all(&folder)?;
    let template = Template::new(files(Path::new(TEMPLATE))?)?;
    for language in Language::ALL {
        let write = |name: &str, page: String| {
            fs::write(folder.join(format!("{name}.{}.html", language.code())), page)
        };
        for (name, material) in specimens::all() {
            let document = Document::new(&material, language);
            write(name, render_html(&document))?;
            for (file, drawing) in charts(&document) {
                fs::write(folder.join(format!("{name}.{file}")), drawing)?;
            }
        }
        for (name, profile) in specimens::profiles() {
            let document = workload_document(&profile, &specimens::workload_facts(), language);
            write(&format!("workload-{name}"), render_html(&document))?;
            for (file, drawing) in charts(&document) {
                fs::write(folder.join(format!("workload-{name}.{file}")), drawing)?;
            }
        }
        let document = Document::arranged(&specimens::passed(), language, &template);
        write("template", render_html_with(&document, &template)?)?;
    }
    Ok(())
}

fn files(folder: &Path) -> std::io::Result<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        files.insert(entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path())?);
    }
    Ok(files)
}
