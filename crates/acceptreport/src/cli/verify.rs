//! `acceptreport verify`.

use std::path::PathBuf;

use evidence_pack::PublicKey;
use report_render::Language;

use super::{CommandError, Lang, PackArgument, terminal};
use crate::{
    exit::Exit,
    signatures::SignatureFound,
    verify::{Check, check},
};

#[derive(Debug, clap::Args)]
pub(super) struct Verify {
    #[command(flatten)]
    pack: PackArgument,
    /// Language [default: that of the locale, Chinese or English].
    #[arg(long, value_enum)]
    lang: Option<Lang>,
    /// Public key that is trusted to be its owner's (minisign); may be given several times.
    #[arg(long, value_name = "FILE")]
    trust: Vec<PathBuf>,
    /// Print what was found as JSON.
    #[arg(long)]
    json: bool,
    /// Print nothing; the exit code says it.
    #[arg(long, conflicts_with = "json")]
    quiet: bool,
}

impl Verify {
    pub(super) fn run(&self) -> Result<Exit, CommandError> {
        let trusted = self.trust.iter().map(|path| PublicKey::read(path)).collect::<Result<Vec<_>, _>>()?;
        let mut check = check(&self.pack.pack)?;
        check.signatures.iter_mut().for_each(|signature| signature.trust(&trusted));
        if self.json {
            terminal::print_json(&check);
        } else if !self.quiet {
            terminal::print(&text(&check, terminal::spoken(self.lang)));
        }
        Ok(if check.intact { Exit::Passed } else { Exit::Evidence })
    }
}

fn text(check: &Check, l: Language) -> String {
    let mut text = String::new();
    let mut say = |en: String, zh: String| {
        text.push_str(&l.say(en, zh));
        text.push('\n');
    };
    for problem in &check.problems {
        say(format!("wrong: {}", problem.en), format!("问题：{}", problem.zh));
    }
    if check.torn {
        say(
            "the last row was being written when the run was cut off; it is dropped".to_owned(),
            "测试中断时末行记录尚未写完，已舍弃".to_owned(),
        );
    }
    if check.interrupted {
        say(
            "the run was interrupted: it did not do all of its plan".to_owned(),
            "测试提前中止，计划未执行完毕".to_owned(),
        );
    }
    let (rows, documents) = (check.requests, check.documents);
    if check.recomputed {
        say(
            format!(
                "{rows} rows read, every figure and the verdict computed again, {documents} documents made again"
            ),
            format!(
                "已读取 {rows} 条原始记录，重算全部数值与判定结果，并重新生成 {documents} 份文档逐一比对"
            ),
        );
    } else {
        say(
            format!("{rows} rows read; there are no figures to compare with"),
            format!("已读取 {rows} 条原始记录；没有可供比对的数值"),
        );
    }
    for name in &check.not_compared {
        say(
            format!("not compared: data/reports/{name} (this build writes no PDF)"),
            format!("未比对：data/reports/{name}（本程序编译时未包含 PDF 功能）"),
        );
    }
    if let Some(digest) = &check.evidence_digest {
        say(format!("evidence digest {digest}"), format!("证据摘要 {digest}"));
    }
    for signature in &check.signatures {
        signature_text(signature, &mut say);
    }
    if !check.problems.is_empty() && check.evidence_intact {
        say(
            "the evidence is intact: what was made from it can be made again with `acceptreport render`"
                .to_owned(),
            "证据完好；由证据生成的内容可用 `acceptreport render` 重新生成".to_owned(),
        );
    }
    if check.intact {
        say("intact".to_owned(), "完好".to_owned());
    } else {
        say("NOT intact".to_owned(), "不完好".to_owned());
    }
    text
}

fn signature_text(signature: &SignatureFound, say: &mut impl FnMut(String, String)) {
    let role = legible(&signature.role);
    for fault in &signature.faults {
        say(
            format!("wrong: signature of {role}: {}", fault.en),
            format!("问题：{role} 的签名：{}", fault.zh),
        );
    }
    let (Some(key), Some(at)) = (&signature.key_id, &signature.signed_at) else { return };
    let (name, at) = (signature.name.as_deref().map(legible), legible(at));
    let (by_en, by_zh) =
        name.map_or_else(Default::default, |name| (format!(" by {name}"), format!("，签名人 {name}")));
    if signature.holds {
        say(
            format!("signature of {role}{by_en}, {at}, key {key}: holds, over this evidence digest"),
            format!("{role} 的签名{by_zh}，{at}，密钥 {key}：有效，所签即本归档的证据摘要"),
        );
    } else {
        say(
            format!("signature of {role}{by_en}, {at}, key {key}: does NOT hold for this package"),
            format!("{role} 的签名{by_zh}，{at}，密钥 {key}：对本归档无效"),
        );
    }
    if signature.changed.is_empty() {
        let documents = signature.documents;
        say(
            format!("  the verdict and all {documents} files of documents are those that were signed"),
            format!("  判定结果与全部 {documents} 个文档文件均与签名时一致"),
        );
    } else {
        let changed: Vec<String> = signature.changed.iter().map(|path| legible(path)).collect();
        say(
            format!("  no longer those that were signed: {}", changed.join(", ")),
            format!("  与签名时不同：{}", changed.join("、")),
        );
    }
    match signature.trusted {
        Some(true) => say("  its key is one that you trust".to_owned(), "  其密钥在所信任之列".to_owned()),
        Some(false) => {
            say("  its key is none of those that you trust".to_owned(), "  其密钥不在所信任之列".to_owned());
        }
        None => say(
            "  nobody but the signer says whose key this is (name those you trust by --trust FILE.pub)"
                .to_owned(),
            "  密钥归属仅为签名人自述（请用 --trust FILE.pub 指明所信任的公钥）".to_owned(),
        ),
    }
}

/// Words of others: nothing in them that a terminal obeys.
fn legible(words: &str) -> String {
    words.chars().map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect()
}
