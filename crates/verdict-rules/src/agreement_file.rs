//! Reading an agreement, with messages that say which line is wrong and what to write instead.

use metrics_core::{BadLimit, Limit, Metric, UnknownMetric};
use toml::de::{DeTable, DeValue};

use crate::agreement::{Acceptance, AgreedAdvice, Agreement, SlaItem};

/// An agreement cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("read the agreement: {}{}{fault}", line_prefix(*.line), key_prefix(.key))]
#[non_exhaustive]
pub struct AgreementError {
    /// The line, from 1, where the text is known.
    pub line: Option<usize>,
    /// The key, such as `sla[0].limit`; empty where the text as a whole is meant.
    pub key: String,
    /// What is wrong with it.
    #[source]
    pub fault: AgreementFault,
}

/// What can be wrong with an agreement.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AgreementFault {
    /// It is no TOML, has a key that does not exist, or a value of another type.
    #[error("{0}")]
    Toml(String),
    /// It asks for a procurement decision.
    #[error(
        "procurement decisions need a staged run and are not judged by this version (take the table [procurement] out to judge the acceptance alone)"
    )]
    Procurement,
    /// A success rate is no share.
    #[error("{0} is no success rate from 0 to 1{hint}", hint = share_hint(*.0))]
    SuccessRate(f64),
    /// The list of tiers is empty.
    #[error("there is no tier (leave the key out to take the plan's own tiers)")]
    NoTiers,
    /// A tier of no requests in flight.
    #[error("0 is no tier (a tier is the number of requests in flight, 1 or more)")]
    TierZero,
    /// Tiers are not in ascending order, or one is there twice.
    #[error("{after} follows {before} (list every tier once, in ascending order, as in [1, 2, 4, 8, 16])")]
    TierOrder {
        /// The tier before.
        before: u32,
        /// The tier that does not rise above it.
        after: u32,
    },
    /// A demand that is no rate.
    #[error(
        "{0} is no rate in tokens a second (write a number above 0, or leave the key out to have the peak recorded only)"
    )]
    OutputTps(f64),
    /// A group without a name.
    #[error("the name of the group is empty (write what the plan calls it)")]
    GroupName,
    /// A group that stands there twice.
    #[error("the group {0:?} stands there twice (give it one target)")]
    GroupTwice(String),
    /// A limit without a name.
    #[error("the name is empty (write what the contract calls it)")]
    ItemName,
    /// A limit on a figure that does not exist.
    #[error(transparent)]
    Metric(UnknownMetric),
    /// A limit that cannot be read.
    #[error(transparent)]
    Limit(BadLimit),
    /// An advice without its reason.
    #[error("the reason is empty (write why the parties set this tier; it is printed in the report)")]
    AdviceReason,
}

impl Agreement {
    /// Reads an agreement (TOML) and checks it. An empty text is the default agreement.
    ///
    /// ```
    /// use verdict_rules::Agreement;
    ///
    /// let wrong = Agreement::parse("[acceptance]\nsuccess_rate = 99\n").unwrap_err();
    /// assert_eq!(wrong.line, Some(2));
    /// assert!(wrong.to_string().ends_with("99 is no success rate from 0 to 1 (a share is wanted: write 0.99)"));
    /// ```
    ///
    /// # Errors
    ///
    /// [`AgreementError`], with the line and what to write instead.
    pub fn parse(text: &str) -> Result<Self, AgreementError> {
        let document = DeTable::parse(text).map_err(|error| in_toml(text, &error))?;
        if let Some((key, _)) = document.get_ref().get_key_value("procurement") {
            let line = Some(line_of(text, key.span().start));
            return Err(AgreementError { line, key: String::new(), fault: AgreementFault::Procurement });
        }
        let agreement: Self = toml::from_str(text).map_err(|error| in_toml(text, &error))?;
        agreement.check().map_err(|error| AgreementError {
            line: offset_of(document.get_ref(), &error.key).map(|offset| line_of(text, offset)),
            ..error
        })?;
        Ok(agreement)
    }

    /// Checks an agreement that was not read from a text. The line of an error is unknown then.
    ///
    /// # Errors
    ///
    /// The first [`AgreementError`] in the order of the file's sections.
    pub fn check(&self) -> Result<(), AgreementError> {
        self.acceptance.check()?;
        self.sla.iter().enumerate().try_for_each(|(index, item)| item.check(index))?;
        self.advice.as_ref().map_or(Ok(()), AgreedAdvice::check)
    }
}

impl Acceptance {
    fn check(&self) -> Result<(), AgreementError> {
        if !(0.0..=1.0).contains(&self.success_rate) {
            return wrong("acceptance.success_rate", AgreementFault::SuccessRate(self.success_rate));
        }
        for (index, group) in self.group.iter().enumerate() {
            let key = |name: &str| format!("acceptance.group[{index}].{name}");
            if group.name.trim().is_empty() {
                return wrong(key("name"), AgreementFault::GroupName);
            }
            if self.group[..index].iter().any(|before| before.name == group.name) {
                return wrong(key("name"), AgreementFault::GroupTwice(group.name.clone()));
            }
            if !(0.0..=1.0).contains(&group.success_rate) {
                return wrong(key("success_rate"), AgreementFault::SuccessRate(group.success_rate));
            }
        }
        let tiers = self.tiers.as_deref();
        if let Some(fault) = tiers.and_then(tiers_fault) {
            return wrong("acceptance.tiers", fault);
        }
        match self.output_tps {
            Some(rate) if !(rate.is_finite() && rate > 0.0) => {
                wrong("acceptance.output_tps", AgreementFault::OutputTps(rate))
            }
            _ => Ok(()),
        }
    }
}

fn tiers_fault(tiers: &[u32]) -> Option<AgreementFault> {
    if tiers.is_empty() {
        return Some(AgreementFault::NoTiers);
    }
    if tiers.contains(&0) {
        return Some(AgreementFault::TierZero);
    }
    tiers.windows(2).find_map(|pair| match *pair {
        [before, after] if after <= before => Some(AgreementFault::TierOrder { before, after }),
        _ => None,
    })
}

impl SlaItem {
    fn check(&self, index: usize) -> Result<(), AgreementError> {
        let key = |name: &str| format!("sla[{index}].{name}");
        if self.item.trim().is_empty() {
            return wrong(key("item"), AgreementFault::ItemName);
        }
        if let Err(unknown) = self.metric.parse::<Metric>() {
            return wrong(key("metric"), AgreementFault::Metric(unknown));
        }
        if self.tier == Some(0) {
            return wrong(key("tier"), AgreementFault::TierZero);
        }
        if self.group.as_deref().is_some_and(|group| group.trim().is_empty()) {
            return wrong(key("group"), AgreementFault::GroupName);
        }
        if let Err(bad) = self.limit.parse::<Limit>() {
            return wrong(key("limit"), AgreementFault::Limit(bad));
        }
        Ok(())
    }
}

impl AgreedAdvice {
    fn check(&self) -> Result<(), AgreementError> {
        if self.interactive == 0 {
            return wrong("advice.interactive", AgreementFault::TierZero);
        }
        if self.reason.trim().is_empty() {
            return wrong("advice.reason", AgreementFault::AdviceReason);
        }
        Ok(())
    }
}

fn wrong(key: impl Into<String>, fault: AgreementFault) -> Result<(), AgreementError> {
    Err(AgreementError { line: None, key: key.into(), fault })
}

fn share_hint(rate: f64) -> String {
    if rate > 1.0 && rate <= 100.0 {
        // To nine decimals: 99.9 / 100 is not 0.999 in floating point.
        let share = (rate * 1e7).round() / 1e9;
        format!(" (a share is wanted: write {share})")
    } else {
        " (a share is wanted, such as 0.99)".to_owned()
    }
}

fn line_prefix(line: Option<usize>) -> String {
    line.map_or_else(String::new, |line| format!("line {line}: "))
}

fn key_prefix(key: &str) -> String {
    if key.is_empty() { String::new() } else { format!("{key}: ") }
}

fn in_toml(text: &str, error: &toml::de::Error) -> AgreementError {
    let line = error.span().map(|span| line_of(text, span.start));
    // The parser's own words may run over several lines.
    let words = error.message().split('\n').map(str::trim).collect::<Vec<_>>().join(", ");
    AgreementError { line, key: String::new(), fault: AgreementFault::Toml(words) }
}

fn line_of(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
}

/// Where the value of a key such as `sla[0].limit` stands; the nearest table around it where it was left out.
fn offset_of(document: &DeTable<'_>, key: &str) -> Option<usize> {
    let mut table = document;
    let mut found = None;
    for part in key.split('.') {
        let (name, index) = match part.split_once('[') {
            Some((name, index)) => (name, index.trim_end_matches(']').parse::<usize>().ok()?),
            None => (part, 0),
        };
        let Some(value) = table.get(name) else { break };
        let value = match value.get_ref() {
            // A list of plain values is named as a whole.
            DeValue::Array(items) => {
                items.get(index).filter(|item| item.get_ref().is_table()).unwrap_or(value)
            }
            _ => value,
        };
        found = Some(value.span().start);
        let Some(inner) = value.get_ref().as_table() else { break };
        table = inner;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = r#"
[acceptance]
success_rate = 0.99
tiers = [1, 2, 4, 8, 16]
output_tps = 120

[[sla]]
item = "首 Token 时延 P95"
metric = "ttft_s.p95"
tier = 4
limit = "<= 2.0"
source = "合同附件 3 §2"

[advice]
interactive = 8
reason = "合同约定交互并发 8"
"#;

    #[test]
    fn reads_what_the_design_shows() {
        let agreement = Agreement::parse(WHOLE).unwrap();
        assert_eq!(agreement.acceptance.success_rate, 0.99);
        assert_eq!(agreement.acceptance.tiers.as_deref(), Some(&[1, 2, 4, 8, 16][..]));
        assert_eq!(agreement.acceptance.output_tps, Some(120.0), "a whole number is a rate as well");
        assert_eq!(agreement.sla[0].tier, Some(4));
        assert_eq!(agreement.advice.as_ref().map(|advice| advice.interactive), Some(8));
    }

    #[test]
    fn an_empty_text_is_the_default() {
        let agreement = Agreement::parse("").unwrap();
        assert_eq!(agreement, Agreement::default());
        assert_eq!(agreement.acceptance.success_rate, 1.0);
        assert!(
            agreement.acceptance.tiers.is_none() && agreement.sla.is_empty() && agreement.advice.is_none()
        );
    }

    #[test]
    fn every_mistake_is_named_with_its_line_and_a_way_out() {
        let sla = |changed: &str, by: &str| WHOLE.replace(changed, by);
        for (text, line, said) in [
            (sla("= 0.99", "= 99"), 3, "a share is wanted: write 0.99"),
            (sla("= 0.99", "= 99.9"), 3, "write 0.999)"),
            (sla("= 0.99", "= -0.1"), 3, "such as 0.99"),
            (sla("= 0.99", "= nan"), 3, "such as 0.99"),
            (sla("= 0.99", "= \"99%\""), 3, "expected f64"),
            (
                sla("success_rate", "sucess_rate"),
                3,
                "unknown field `sucess_rate`, expected one of `success_rate`",
            ),
            (sla("[1, 2, 4, 8, 16]", "[]"), 4, "leave the key out"),
            (sla("[1, 2, 4, 8, 16]", "[0, 1]"), 4, "0 is no tier"),
            (sla("[1, 2, 4, 8, 16]", "[1, 4, 2]"), 4, "2 follows 4"),
            (sla("[1, 2, 4, 8, 16]", "[1, 1]"), 4, "list every tier once"),
            (sla("= 120", "= 0"), 5, "0 is no rate"),
            (sla("= 120", "= inf"), 5, "inf is no rate"),
            (sla("\"首 Token 时延 P95\"", "\" \""), 8, "sla[0].item: the name is empty"),
            (sla("ttft_s.p95", "ttft.p95"), 9, "sla[0].metric: find metric \"ttft.p95\""),
            (sla("tier = 4", "tier = 0"), 10, "sla[0].tier: 0 is no tier"),
            (sla("\"<= 2.0\"", "\"2 s\""), 11, "sla[0].limit: read limit \"2 s\": no comparison in front"),
            (sla("interactive = 8", "interactive = 0"), 15, "advice.interactive: 0 is no tier"),
            (sla("\"合同约定交互并发 8\"", "\"\""), 16, "advice.reason: the reason is empty"),
            (sla("tier = 4", "group = \" \""), 10, "sla[0].group: the name of the group is empty"),
            (
                format!("{WHOLE}\n[[acceptance.group]]\nname = \"qa\"\nsuccess_rate = 95\n"),
                20,
                "acceptance.group[0].success_rate: 95 is no success rate from 0 to 1 (a share is wanted: write 0.95)",
            ),
            (
                format!("{WHOLE}\n[[acceptance.group]]\nname = \"\"\nsuccess_rate = 0.9\n"),
                19,
                "acceptance.group[0].name: the name of the group is empty",
            ),
            (
                format!("{WHOLE}\n{0}\n{0}\n", "[[acceptance.group]]\nname = \"qa\"\nsuccess_rate = 0.9"),
                22,
                "the group \"qa\" stands there twice",
            ),
            (sla("reason =", "why ="), 16, "unknown field `why`"),
            (sla("limit = \"<= 2.0\"", ""), 7, "missing field `limit`"),
            (
                format!("{WHOLE}\n[procurement]\nminimum_period_days = 7\n"),
                18,
                "are not judged by this version",
            ),
            ("a = ".to_owned(), 1, "string values must be quoted"),
            ("[acceptance]\ntiers = [1, 2\n".to_owned(), 2, "unclosed array"),
        ] {
            let error = Agreement::parse(&text).expect_err(&text);
            let message = error.to_string();
            assert_eq!(error.line, Some(line), "{message}");
            assert!(message.starts_with(&format!("read the agreement: line {line}: ")), "{message}");
            assert!(message.contains(said), "expected {said:?} in {message:?}");
            assert!(!message.contains('\n'), "{message}");
        }
    }

    #[test]
    fn an_agreement_made_in_code_is_checked_without_lines() {
        let mut agreement = Agreement::parse(WHOLE).unwrap();
        agreement.sla[0].limit = "about 2".to_owned();
        let error = agreement.check().unwrap_err();
        assert_eq!((error.line, error.key.as_str()), (None, "sla[0].limit"));
    }
}
