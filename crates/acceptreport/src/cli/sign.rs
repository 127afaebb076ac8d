//! `acceptreport keygen` and `acceptreport sign`.

use std::path::PathBuf;

use evidence_pack::{KeyError, Pack, SignError, Signer, SigningKey, make_key};
use serde_json::json;

use super::{CommandError, Lang, PackArgument, terminal};
use crate::{
    exit::Exit,
    verify::{Check, check},
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
    /// Nobody is to put a name to what does not hold: the package is checked in full before.
    pub(super) fn run(&self) -> Result<Exit, CommandError> {
        let l = terminal::spoken(self.lang);
        let key = SigningKey::read(&self.key, password(self.password_env.as_deref())?)?;
        let found = check(&self.pack.pack)?;
        let dir = self.pack.pack.display();
        let replaced = self.replace.then_some(self.role.as_str());
        if let Some(reason) = reason_against(&found, replaced) {
            return Err(CommandError::new(Exit::Evidence, format!("sign {dir}: {reason}")));
        }
        let pack = Pack::open(&self.pack.pack)
            .map_err(|error| CommandError::new(super::exit(error.is_damage()), error))?;
        let signer = Signer {
            role: self.role.clone(),
            name: self.name.clone(),
            signed_at: jiff::Timestamp::now().round(jiff::Unit::Second).unwrap_or_default().to_string(),
        };
        let statement = pack.sign(&key, signer, self.replace)?;
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
}

/// Why a package that was found like this is not to be signed. The signature of the role `replaced` is as good as gone.
fn reason_against(found: &Check, replaced: Option<&str>) -> Option<String> {
    let bad = |role: &str, holds: bool| !holds && Some(role) != replaced;
    let bad = found.signatures.iter().find(|signature| bad(&signature.role, signature.holds));
    let wrong = found
        .problems
        .first()
        .map(|problem| problem.en.clone())
        .or_else(|| bad.map(|signature| format!("the signature of {} does not hold", signature.role)));
    if let Some(wrong) = wrong {
        return Some(format!("it is not intact: {wrong} (see `acceptreport verify`)"));
    }
    let name = found.not_compared.first()?;
    Some(format!(
        "data/reports/{name} was not compared with the package, since this build writes no PDF (sign with a build that does)"
    ))
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
        let mut found = Check {
            intact: true,
            evidence_intact: true,
            evidence_digest: None,
            requests: 0,
            interrupted: false,
            torn: false,
            recomputed: true,
            documents: 1,
            not_compared: Vec::new(),
            made_by: None,
            signatures: Vec::new(),
            trust_problems: Vec::new(),
            problems: Vec::new(),
        };
        assert_eq!(reason_against(&found, None), None);
        found.not_compared.push("report.zh.pdf".to_owned());
        let reason = reason_against(&found, None).unwrap_or_default();
        assert!(reason.contains("data/reports/report.zh.pdf was not compared"), "{reason}");
    }
}
