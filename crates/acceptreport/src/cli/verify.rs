//! `acceptreport verify`.

use std::{ffi::OsString, path::PathBuf};

use evidence_pack::ProfileFolder;
use report_render::{Language, legible};

use super::{CommandError, Lang, PackArgument, terminal};
use crate::{
    exit::Exit,
    signatures::{SignatureFound, TrustedKey},
    verify::{Check, check},
    workload::{WorkloadCheck, check_workload},
};

#[derive(Debug, clap::Args)]
pub(super) struct Verify {
    #[command(flatten)]
    pack: PackArgument,
    /// Language [default: that of the locale, Chinese or English].
    #[arg(long, value_enum)]
    lang: Option<Lang>,
    /// Public key that you know to be its owner's (minisign), for one role or for any; once for each party that
    /// signed. A signature by any other key is a problem, and so is a key that signed nothing.
    #[arg(long, value_name = "[ROLE=]FILE")]
    trust: Vec<Trust>,
    /// Print what was found as JSON.
    #[arg(long)]
    json: bool,
    /// Print nothing; the exit code says it.
    #[arg(long, conflicts_with = "json")]
    quiet: bool,
}

/// `ROLE=FILE`, or a file alone. What stands before `=` is no role where it leads into a folder.
#[derive(Debug, Clone)]
struct Trust {
    role: Option<String>,
    file: PathBuf,
}

impl From<OsString> for Trust {
    fn from(argument: OsString) -> Self {
        match argument.to_str().and_then(|text| text.split_once('=')) {
            Some((role, file)) if !role.contains(std::path::is_separator) => {
                Self { role: Some(role.to_owned()), file: file.into() }
            }
            _ => Self { role: None, file: argument.into() },
        }
    }
}

impl Verify {
    pub(super) fn run(&self) -> Result<Exit, CommandError> {
        let read = |trust: &Trust| TrustedKey::read(trust.role.as_deref(), &trust.file);
        let trusted = self.trust.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        if ProfileFolder::is_one(&self.pack.pack) {
            return self.of_profile(&trusted);
        }
        let mut check = check(&self.pack.pack)?;
        check.trust(&trusted);
        if self.json {
            terminal::print_json(&check);
        } else if !self.quiet {
            terminal::print(&text(&check, terminal::spoken(self.lang)));
        }
        Ok(if check.intact { Exit::Passed } else { Exit::Evidence })
    }
}

impl Verify {
    fn of_profile(&self, trusted: &[TrustedKey]) -> Result<Exit, CommandError> {
        let mut check = check_workload(&self.pack.pack)?;
        check.trust(trusted);
        if self.json {
            terminal::print_json(&check);
        } else if !self.quiet {
            terminal::print(&profile_text(&check, terminal::spoken(self.lang)));
        }
        Ok(if check.intact { Exit::Passed } else { Exit::Evidence })
    }
}

fn profile_text(check: &WorkloadCheck, l: Language) -> String {
    let mut text = String::new();
    let mut say = |en: String, zh: String| {
        text.push_str(&legible(&l.say(en, zh)));
        text.push('\n');
    };
    for problem in check.problems.iter().chain(&check.trust_problems) {
        say(format!("wrong: {}", problem.en), format!("问题：{}", problem.zh));
    }
    let WorkloadCheck { rows, groups, documents, profile_sha256, .. } = check;
    say(
        format!(
            "a profile of {rows} rows in {groups} groups: its sums agree, {documents} document files made again"
        ),
        format!("画像含 {rows} 行、{groups} 个分组：各项合计一致，已重新生成 {documents} 个文档文件逐一比对"),
    );
    for name in &check.not_compared {
        say(
            format!("not compared: {name} (this build writes no PDF)"),
            format!("未比对：{name}（本程序编译时未包含 PDF 功能）"),
        );
    }
    say(format!("profile SHA-256 {profile_sha256}"), format!("画像 SHA-256 {profile_sha256}"));
    for signature in &check.signatures {
        signature_text(signature, &mut say);
    }
    if check.intact {
        say("intact".to_owned(), "完好".to_owned());
    } else {
        say("NOT intact".to_owned(), "不完好".to_owned());
    }
    text
}

fn text(check: &Check, l: Language) -> String {
    let mut text = String::new();
    let mut say = |en: String, zh: String| {
        // Names and roles are words of others: nothing in them that a terminal obeys.
        text.push_str(&legible(&l.say(en, zh)));
        text.push('\n');
    };
    for problem in check.problems.iter().chain(&check.trust_problems) {
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
    match check.schedule_drawn_again {
        Some(true) => say(
            "the schedule was laid out again from plan and samples: it is the one that was frozen".to_owned(),
            "已由计划与样本重新排出请求计划，与固化的一致".to_owned(),
        ),
        Some(false) => say(
            "the schedule laid out again from plan and samples is another one than was frozen: this version draws otherwise, and \
             what was frozen counts"
                .to_owned(),
            "由计划与样本重新排出的请求计划与固化的不同：本版本的排法有变，以固化的请求计划为准".to_owned(),
        ),
        None => {}
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
    let role = &signature.role;
    for fault in &signature.faults {
        say(
            format!("wrong: signature of {role}: {}", fault.en),
            format!("问题：{role} 的签名：{}", fault.zh),
        );
    }
    let (Some(key), Some(at)) = (&signature.key_id, &signature.signed_at) else { return };
    let (by_en, by_zh) = signature
        .name
        .as_ref()
        .map_or_else(Default::default, |name| (format!(" by {name}"), format!("，签名人 {name}")));
    if signature.holds {
        say(
            format!("signature of {role}{by_en}, {at}, key {key}: holds, over this very digest"),
            format!("{role} 的签名{by_zh}，{at}，密钥 {key}：有效，所签即上述摘要"),
        );
    } else {
        say(
            format!("signature of {role}{by_en}, {at}, key {key}: does NOT hold here"),
            format!("{role} 的签名{by_zh}，{at}，密钥 {key}：此处无效"),
        );
    }
    if signature.changed.is_empty() && signature.not_covered.is_empty() {
        let documents = signature.documents;
        say(
            format!(
                "  all {documents} document files, and the verdict where there is one, are those that were signed"
            ),
            format!("  全部 {documents} 个文档文件（及判定结果）均与签名时一致"),
        );
    }
    if !signature.changed.is_empty() {
        say(
            format!("  no longer those that were signed: {}", signature.changed.join(", ")),
            format!("  与签名时不同：{}", signature.changed.join("、")),
        );
    }
    if !signature.not_covered.is_empty() {
        say(
            format!("  not covered by this signature: {}", signature.not_covered.join(", ")),
            format!("  不在本签名覆盖范围内：{}", signature.not_covered.join("、")),
        );
    }
    match (signature.trusted, &signature.trusted_by) {
        (Some(true), Some(file)) => say(
            format!("  its key is one that you trust: {}", file.display()),
            format!("  其密钥在所信任之列：{}", file.display()),
        ),
        (Some(_), _) => say(
            "  who signed is not known: its key is none of those that you trust for this role".to_owned(),
            "  签名人无从确认：其密钥不在该角色所信任的公钥之列".to_owned(),
        ),
        (None, _) => say(
            "  nobody vouches for this key: whose it is, only the signer says (name those you trust by --trust \
             [ROLE=]FILE.pub)"
                .to_owned(),
            "  该密钥的归属无人担保，仅为签名人自述（请用 --trust [ROLE=]FILE.pub 指明所信任的公钥）".to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_may_stand_before_the_file_of_a_key() {
        let read = |argument: &str| {
            let Trust { role, file } = OsString::from(argument).into();
            (role, file)
        };
        assert_eq!(read("customer=keys/c.pub"), (Some("customer".to_owned()), "keys/c.pub".into()));
        assert_eq!(read("keys/c.pub"), (None, "keys/c.pub".into()));
        assert_eq!(read("./a=b.pub"), (None, "./a=b.pub".into()));
        assert_eq!(read("customer=a=b.pub"), (Some("customer".to_owned()), "a=b.pub".into()));
    }
}
