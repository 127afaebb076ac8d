//! `acceptbench profile audit`.

use std::{collections::BTreeMap, path::PathBuf};

use acceptreport::{
    Exit, Format, WorkloadError,
    cli::{CommandError, Lang, print_json, spoken},
    workload_report,
};
use evidence_pack::{PROFILE_FILE, ProfileFolder};
use log_import::{
    Input,
    audit::{Audited, Class, Haystack, audit},
    formats,
};
use report_render::{Language, legible};
use serde_json::{Value, json};

use super::arguments::Reading;
use crate::{profile::format_named, terminal::print};

#[derive(Debug, clap::Args)]
pub(super) struct Audit {
    /// The profile's folder.
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The logs that it was made from.
    #[arg(long, value_name = "LOG", required = true, num_args = 1..)]
    source: Vec<PathBuf>,
    #[command(flatten)]
    reading: Reading,
    /// Language of what is printed [default: that of the locale, Chinese or English].
    #[arg(long, value_enum)]
    lang: Option<Lang>,
    /// Print what was found as JSON.
    #[arg(long)]
    json: bool,
}

/// Something in a file that has the form of a sensitive value.
struct Formed {
    file: String,
    line: u64,
    class: Class,
}

impl Audit {
    pub(super) fn run(&self) -> Result<Exit, CommandError> {
        let l = spoken(self.lang);
        let folder = ProfileFolder::open(&self.dir).map_err(WorkloadError::from)?;
        let all = texts(&folder)?;
        let files = all.len();
        let formed: Vec<Formed> = all.iter().flat_map(|(file, text)| formed(file, text)).collect();
        let Words { texts, lines } = words(&folder, all)?;
        let haystack = Haystack::new(texts);
        let importers = match self.reading.format() {
            Some(name) => vec![format_named(&name)?],
            None => formats::all().to_vec(),
        };
        let inputs = self.source.iter().map(|path| Input::file(path)).collect();
        let mut audited = audit(inputs, &importers, &self.reading.options()?, &haystack)
            .map_err(|error| CommandError::new(Exit::Usage, format!("search: {error}")))?;
        for place in audited.found.iter_mut().map(|leak| &mut leak.place) {
            if place.text == PROFILE_FILE
                && let Some(line) = lines.get(&place.line)
            {
                place.line = *line;
            }
        }
        if self.json {
            print_json(&as_json(files, &audited, &formed));
        } else {
            print(&as_text(l, files, &audited, &formed));
        }
        let is_clean = audited.found.is_empty() && formed.is_empty();
        Ok(if is_clean { Exit::Passed } else { Exit::Failed })
    }
}

/// Every file of the folder as text, by its path.
fn texts(folder: &ProfileFolder) -> Result<BTreeMap<String, String>, CommandError> {
    let files = folder.files().map_err(WorkloadError::from)?;
    Ok(files.into_iter().map(|(name, bytes)| (name, String::from_utf8_lossy(&bytes).into_owned())).collect())
}

/// What is looked through for values of the log.
struct Words {
    /// Texts by name.
    texts: Vec<(String, String)>,
    /// Where only the words of the profile are looked through: the line of its file for each line of them.
    lines: BTreeMap<u64, u64>,
}

/// What the search for values looks through. Of a profile, and of documents that are what it gives, these are the words that
/// came from somewhere; whatever else stands in the folder is looked through to the letter. Who signed may be in the log as
/// well, so that signatures are left out.
fn words(folder: &ProfileFolder, mut texts: BTreeMap<String, String>) -> Result<Words, CommandError> {
    texts.retain(|name, _| !name.starts_with("signatures/"));
    let (mut searched, mut lines) = (Vec::new(), BTreeMap::new());
    if let Ok(report) = workload_report(folder) {
        let profile = report.profile();
        if profile.to_json().as_bytes() == folder.profile() {
            let file = texts.remove(PROFILE_FILE).unwrap_or_default();
            let words = profile.words();
            lines = (1..).zip(words.iter().flat_map(|word| lines_of(word, &file))).collect();
            searched.push((PROFILE_FILE.to_owned(), words.join("\n")));
        }
        for language in Language::ALL {
            let made =
                report.files(language, &[Format::Html, Format::Markdown]).map_err(WorkloadError::from)?;
            for file in made {
                if texts.get(&file.name).is_some_and(|text| text.as_bytes() == file.bytes) {
                    texts.remove(&file.name);
                }
            }
        }
    }
    searched.extend(texts);
    Ok(Words { texts: searched, lines })
}

/// For each line of a word, the line of the profile's file on which the word stands first.
fn lines_of(word: &str, file: &str) -> Vec<u64> {
    let at = file.find(&Value::from(word).to_string()).unwrap_or_default();
    vec![line(file, at); word.split('\n').count()]
}

/// The line of this place in a text, from 1.
fn line(text: &str, at: usize) -> u64 {
    1 + text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() as u64
}

fn formed(file: &str, text: &str) -> Vec<Formed> {
    let of = |class: Class| class.find(text).into_iter().map(move |range| (class, range.start));
    let found = Class::ALL.into_iter().flat_map(of);
    found.map(|(class, at)| Formed { file: file.to_owned(), line: line(text, at), class }).collect()
}

fn as_json(files: usize, audited: &Audited, formed: &[Formed]) -> Value {
    let values = audited.found.iter().map(|leak| {
        json!({
            "file": leak.place.text,
            "line": leak.place.line,
            "part": leak.place.part,
            "field": leak.field,
            "source_line": leak.line,
        })
    });
    let forms = formed
        .iter()
        .map(|found| json!({ "file": found.file, "line": found.line, "class": found.class.as_str() }));
    json!({
        "clean": audited.found.is_empty() && formed.is_empty(),
        "files": files,
        "format": audited.format,
        "rows": audited.rows,
        "rows_not_searched": audited.unread,
        "values": audited.values,
        "values_too_short": audited.too_short,
        "values_found": values.collect::<Vec<_>>(),
        "patterns_found": forms.collect::<Vec<_>>(),
    })
}

fn as_text(l: Language, files: usize, audited: &Audited, formed: &[Formed]) -> String {
    let mut lines = Vec::new();
    for leak in &audited.found {
        let (file, at, field, line) = (&leak.place.text, leak.place.line, &leak.field, leak.line);
        let (part_en, part_zh) = if leak.place.part { ("a part of ", "部分内容") } else { ("", "") };
        let (of_en, of_zh) = if field.is_empty() {
            (String::new(), String::new())
        } else {
            (format!(" of the field {field}"), format!("字段 {field} 的"))
        };
        lines.push(l.say(
            format!("found: {file}:{at} holds {part_en}a value{of_en}, line {line} of the log"),
            format!("发现：{file}:{at} 含日志第 {line} 行{of_zh}值{part_zh}"),
        ));
    }
    for Formed { file, line, class } in formed {
        let (en, zh) = name(*class);
        lines.push(l.say(format!("found: {file}:{line} holds {en}"), format!("发现：{file}:{line} 含{zh}")));
    }
    let Audited { format, rows, unread, values, too_short, .. } = audited;
    lines.push(l.say(
        format!("{files} files searched for {values} values of {rows} rows ({format}) and for {} kinds of pattern", Class::ALL.len()),
        format!("已在 {files} 个文件中检索 {rows} 行日志（{format}）的 {values} 个字段值及 {} 类敏感模式", Class::ALL.len()),
    ));
    if *too_short > 0 {
        lines.push(l.say(
            format!(
                "not searched for: {too_short} values of under 4 letters or 6 digits, which stand in any text"
            ),
            format!("未检索：{too_short} 个不足 4 个字母或 6 位数字的短值（任何文本中都可能出现）"),
        ));
    }
    if *unread > 0 {
        lines.push(l.say(
            format!("not searched for: {unread} rows that cannot be taken apart"),
            format!("未检索：{unread} 行无法解析的日志"),
        ));
    }
    let clean = audited.found.is_empty() && formed.is_empty();
    lines.push(if clean {
        l.say("nothing sensitive found", "未发现敏感内容").to_owned()
    } else {
        l.say("NOT clean: do not hand this profile on", "不通过：请勿对外提供该画像").to_owned()
    });
    lines.iter().map(|line| legible(line)).collect::<Vec<_>>().join("\n")
}

fn name(class: Class) -> (&'static str, &'static str) {
    match class {
        Class::ChineseIdentity => ("what looks like a Chinese identity number", "疑似身份证号"),
        Class::ChinesePhone => ("what looks like a Chinese telephone number", "疑似电话号码"),
        Class::Email => ("what looks like an e-mail address", "疑似电子邮箱地址"),
        Class::Key => ("what looks like a key or token", "疑似密钥或令牌"),
        Class::IpAddress => ("what looks like an IP address", "疑似 IP 地址"),
        _ => ("what looks like something sensitive", "疑似敏感内容"),
    }
}
