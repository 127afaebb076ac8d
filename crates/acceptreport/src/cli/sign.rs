//! `acceptreport keygen` and `acceptreport sign`.

use std::path::PathBuf;

use evidence_pack::{KeyError, Pack, ProfileFolder, SignError, Signer, SigningKey, make_key};
use report_render::Language;
use serde_json::json;
use verdict_rules::Text;

use super::{CommandError, Lang, PackArgument, terminal};
use crate::{
    exit::Exit,
    signatures::SignatureFound,
    verify::check,
    workload::{WorkloadError, check_workload},
};

#[derive(Debug, clap::Args)]
pub(super) struct Keygen {
    /// Where to write the secret key; the public one goes beside it, with .pub behind its name.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Variable that holds a password to encrypt the secret key with [default: none; the key is not encrypted].
    #[arg(long, value_name = "NAME")]
    password_env: Option<String>,
    /// Language [default: that of the locale, Chinese or English].
    #[arg(long, value_enum)]
    lang: Option<Lang>,
    /// Print the public key as JSON.
    #[arg(long)]
    json: bool,
}

impl Keygen {
    pub(super) fn run(&self) -> Result<Exit, CommandError> {
        let l = terminal::spoken(self.lang);
        let public = make_key(&self.out, password(self.password_env.as_deref())?)?;
        if self.password_env.is_none() {
            terminal::warn(l.say(
                "warning: the key is not encrypted; whoever reads the file can sign in your name (--password-env encrypts one)",
                "警告：密钥未加密，任何读到该文件的人都能以你的名义签名（可用 --password-env 生成加密密钥）",
            ));
        }
        let (id, key, out) = (public.id(), public.to_base64(), self.out.display());
        if self.json {
            terminal::print_json(&json!({ "key_id": id, "public_key": key, "file": self.out }));
        } else {
            terminal::print(&l.say(
                format!("secret key {out}, public key {out}.pub\nkey {id}: {key}\n"),
                format!("私钥 {out}，公钥 {out}.pub\n密钥 {id}：{key}\n"),
            ));
        }
        Ok(Exit::Passed)
    }
}

#[derive(Debug, clap::Args)]
pub(super) struct Sign {
    #[command(flatten)]
    pack: PackArgument,
    /// Secret key, as `acceptreport keygen` or minisign writes it.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// In which part you sign: customer, supplier, witness or the like.
    #[arg(long = "as", value_name = "ROLE")]
    role: String,
    /// Who you are, for the statement.
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// Variable that holds the password of an encrypted key.
    #[arg(long, value_name = "NAME")]
    password_env: Option<String>,
    /// Put your signature in place of one of the same role.
    #[arg(long)]
    replace: bool,
    /// Language [default: that of the locale, Chinese or English].
    #[arg(long, value_enum)]
    lang: Option<Lang>,
    /// Print the statement that was signed as JSON.
    #[arg(long)]
    json: bool,
}

impl Sign {
    /// Nobody is to put a name to what does not hold: the package, or the profile, is checked in full before.
    pub(super) fn run(&self) -> Result<Exit, CommandError> {
        let l = terminal::spoken(self.lang);
        let key = SigningKey::read(&self.key, password(self.password_env.as_deref())?)?;
        if ProfileFolder::is_one(&self.pack.pack) {
            return self.profile(l, &key);
        }
        let found = check(&self.pack.pack)?;
        let dir = self.pack.pack.display();
        let reason = self.reason_against(&found.problems, &found.signatures, &found.not_compared);
        if let Some(reason) = reason {
            return Err(CommandError::new(Exit::Evidence, format!("sign {dir}: {reason}")));
        }
        let pack = Pack::open(&self.pack.pack)
            .map_err(|error| CommandError::new(super::exit(error.is_damage()), error))?;
        let statement = pack.sign(&key, self.signer(), self.replace)?;
        if self.json {
            terminal::print_json(&statement);
            return Ok(Exit::Passed);
        }
        let (role, id) = (&statement.role, key.public()?.id());
        let (documents, digest) = (statement.documents.len(), &statement.evidence_digest);
        terminal::print(&l.say(
            format!(
                "signed as {role} with key {id}: evidence digest {digest}, the verdict, {documents} document files\n{dir}/signatures/{role}.statement.json, {role}.statement.json.minisig\n"
            ),
            format!(
                "已以 {role} 身份签名，密钥 {id}：证据摘要 {digest}、判定结果、{documents} 个文档文件\n{dir}/signatures/{role}.statement.json、{role}.statement.json.minisig\n"
            ),
        ));
        Ok(Exit::Passed)
    }

    fn signer(&self) -> Signer {
        Signer {
            role: self.role.clone(),
            name: self.name.clone(),
            signed_at: jiff::Timestamp::now().round(jiff::Unit::Second).unwrap_or_default().to_string(),
        }
    }

    /// Signs a profile, in the same way.
    fn profile(&self, l: Language, key: &SigningKey) -> Result<Exit, CommandError> {
        let found = check_workload(&self.pack.pack)?;
        let dir = self.pack.pack.display();
        let reason = self.reason_against(&found.problems, &found.signatures, &found.not_compared);
        if let Some(reason) = reason {
            return Err(CommandError::new(Exit::Evidence, format!("sign {dir}: {reason}")));
        }
        let folder = ProfileFolder::open(&self.pack.pack).map_err(WorkloadError::from)?;
        let statement = folder.sign(key, self.signer(), self.replace)?;
        if self.json {
            terminal::print_json(&statement);
            return Ok(Exit::Passed);
        }
        let (role, id) = (&statement.role, key.public()?.id());
        let (documents, digest) = (statement.documents.len(), &statement.profile_sha256);
        terminal::print(&l.say(
            format!(
                "signed as {role} with key {id}: profile SHA-256 {digest}, {documents} document files\n{dir}/signatures/{role}.statement.json, {role}.statement.json.minisig\n"
            ),
            format!(
                "已以 {role} 身份签名，密钥 {id}：画像 SHA-256 {digest}、{documents} 个文档文件\n{dir}/signatures/{role}.statement.json、{role}.statement.json.minisig\n"
            ),
        ));
        Ok(Exit::Passed)
    }

    /// Why what was found like this is not to be signed. A signature that is to be replaced is as good as gone.
    fn reason_against(
        &self,
        problems: &[Text],
        signatures: &[SignatureFound],
        not_compared: &[String],
    ) -> Option<String> {
        let replaced = self.replace.then_some(self.role.as_str());
        let bad = |role: &str, holds: bool| !holds && Some(role) != replaced;
        let bad = signatures.iter().find(|signature| bad(&signature.role, signature.holds));
        let wrong = problems
            .first()
            .map(|problem| problem.en.clone())
            .or_else(|| bad.map(|signature| format!("the signature of {} does not hold", signature.role)));
        if let Some(wrong) = wrong {
            return Some(format!("it is not intact: {wrong} (see `acceptreport verify`)"));
        }
        let name = not_compared.first()?;
        Some(format!(
            "{name} was not compared with what it shows, since this build writes no PDF (sign with a build that does)"
        ))
    }
}

fn password(variable: Option<&str>) -> Result<Option<String>, CommandError> {
    let Some(name) = variable else { return Ok(None) };
    match std::env::var(name) {
        Ok(password) if !password.is_empty() => Ok(Some(password)),
        _ => {
            let message = format!("read the password from {name}: the variable is empty or not set (set it)");
            Err(CommandError::new(Exit::Usage, message))
        }
    }
}

impl From<KeyError> for CommandError {
    fn from(error: KeyError) -> Self {
        Self::new(Exit::Usage, error)
    }
}

impl From<SignError> for CommandError {
    fn from(error: SignError) -> Self {
        let damage = match &error {
            SignError::Nothing(_) => true,
            SignError::File(error) => error.is_damage(),
            SignError::Seal(error) => error.is_damage(),
            _ => false,
        };
        Self::new(super::exit(damage), error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_compared_is_not_signed() {
        let sign = Sign {
            pack: PackArgument { pack: PathBuf::new() },
            key: PathBuf::new(),
            role: "customer".to_owned(),
            name: None,
            password_env: None,
            replace: false,
            lang: None,
            json: false,
        };
        assert_eq!(sign.reason_against(&[], &[], &[]), None);
        let reason = sign.reason_against(&[], &[], &["report.zh.pdf".to_owned()]).unwrap_or_default();
        assert!(reason.contains("report.zh.pdf was not compared"), "{reason}");
    }
}
