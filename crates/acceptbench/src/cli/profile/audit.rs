//! `acceptbench profile audit`.

use std::path::PathBuf;

use acceptreport::{
    Exit, WorkloadError,
    cli::{CommandError, Lang, print_json, spoken},
};
use evidence_pack::ProfileFolder;
use log_import::{
    Input,
    audit::{Audited, Class, Haystack, audit},
    formats,
};
use report_render::{Language, legible};
use serde_json::{Value, json};

use super::{
    arguments::Reading,
    searched::{Formed, Searched},
};
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

impl Audit {
    pub(super) fn run(&self) -> Result<Exit, CommandError> {
        let l = spoken(self.lang);
        let folder = ProfileFolder::open(&self.dir).map_err(WorkloadError::from)?;
        let searched = Searched::of(&folder)?;
        let importers = match self.reading.format() {
            Some(name) => vec![format_named(&name)?],
            None => formats::all().to_vec(),
        };
        let inputs = self.source.iter().map(|path| Input::file(path)).collect();
        let haystack = Haystack::new(searched.texts.clone());
        let mut audited = audit(inputs, &importers, &self.reading.options()?, &haystack)
            .map_err(|error| CommandError::new(Exit::Usage, format!("search: {error}")))?;
        for leak in &mut audited.found {
            searched.locate(&mut leak.place);
        }
        let is_clean = audited.found.is_empty() && searched.is_clean();
        if self.json {
            print_json(&as_json(is_clean, &searched, &audited));
        } else {
            print(&as_text(l, is_clean, &searched, &audited));
        }
        Ok(if is_clean { Exit::Passed } else { Exit::Failed })
    }
}

fn as_json(is_clean: bool, searched: &Searched, audited: &Audited) -> Value {
    let values = audited.found.iter().map(|leak| {
        json!({
            "file": leak.place.text,
            "line": leak.place.line,
            "part": leak.place.part,
            "field": leak.field,
            "source_line": leak.line,
        })
    });
    let forms = searched
        .formed
        .iter()
        .map(|found| json!({ "file": found.file, "line": found.line, "class": found.class.as_str() }));
    json!({
        "clean": is_clean,
        "files": searched.files,
        "files_not_searched": searched.opaque,
        "format": audited.format,
        "rows": audited.rows,
        "rows_not_searched": audited.unread,
        "values": audited.values,
        "values_too_short": audited.too_short,
        "values_found": values.collect::<Vec<_>>(),
        "patterns_found": forms.collect::<Vec<_>>(),
    })
}

fn as_text(l: Language, is_clean: bool, searched: &Searched, audited: &Audited) -> String {
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
    for Formed { file, line, class } in &searched.formed {
        let (en, zh) = name(*class);
        lines.push(l.say(format!("found: {file}:{line} holds {en}"), format!("发现：{file}:{line} 含{zh}")));
    }
    for file in &searched.opaque {
        lines.push(l.say(
            format!("not searched: {file} is no text, and not what the profile gives (take it out)"),
            format!("未检索：{file} 不是文本文件，也不是由画像生成的（请移出）"),
        ));
    }
    let files = searched.files;
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
    lines.push(if is_clean {
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
