//! 数据可追溯性: raw rows complete, digests and chain hold, figures follow from the rows.

use crate::{
    case::Case,
    rule::Rule,
    text::Text,
    verdict::{Cause, CriterionId, Finding, RuleId},
    words,
};

pub(crate) struct DataTraceability;

impl Rule for DataTraceability {
    fn id(&self) -> RuleId {
        CriterionId::DataTraceability.into()
    }

    fn judge(&self, case: &Case) -> Vec<Finding> {
        let planned = case.summary.totals.planned;
        let mismatches = mismatches(case);
        let unknown = unknown(case);
        let finding = if !mismatches.is_empty() {
            let list = words::list(&mismatches);
            Finding::fail(
                self.id(),
                Text::new(
                    format!("The evidence does not hold: {}.", list.en),
                    format!("证据未通过核验：{}。", list.zh),
                ),
            )
            .cause(if damaged(case) { Cause::EvidenceDamaged } else { Cause::RowsDiffer })
        } else if !unknown.is_empty() {
            let list = words::list(&unknown);
            Finding::inconclusive(
                self.id(),
                Text::new(format!("Not checked: {}.", list.en), format!("尚未核验：{}。", list.zh)),
            )
            .cause(Cause::EvidenceUnchecked)
        } else {
            Finding::pass(self.id(), holds(case))
        };
        vec![finding.observed(mismatches.len() as f64).threshold(0.0).n(planned)]
    }
}

/// More is wrong than that rows are missing or surplus.
fn damaged(case: &Case) -> bool {
    let evidence = &case.evidence;
    let checks = [evidence.chain_intact, evidence.digests_match, evidence.figures_match];
    checks.contains(&Some(false)) || !evidence.problems.is_empty()
}

fn mismatches(case: &Case) -> Vec<Text> {
    let evidence = &case.evidence;
    let (missing, unplanned) = (evidence.rows_missing, evidence.rows_unplanned);
    let mut mismatches = Vec::new();
    if missing > 0 {
        mismatches.push(Text::new(
            format!("{} of the schedule missing", words::plural(missing, "row")),
            format!("对照计划缺少 {missing} 行原始记录"),
        ));
    }
    if unplanned > 0 {
        mismatches.push(Text::new(
            format!("{} there twice or without a plan", words::plural(unplanned, "row")),
            format!("{unplanned} 行原始记录重复或不在计划内"),
        ));
    }
    if evidence.chain_intact == Some(false) {
        mismatches.push(Text::new("the hash chain of the raw rows is broken", "原始记录的哈希链断裂"));
    }
    if evidence.digests_match == Some(false) {
        mismatches.push(Text::new("a digest of the evidence does not match", "证据文件摘要不符"));
    }
    if evidence.figures_match == Some(false) {
        mismatches.push(Text::new(
            "the figures are not those that the raw rows give",
            "指标与由原始记录重算的结果不一致",
        ));
    }
    mismatches.extend(evidence.problems.iter().map(Text::verbatim));
    mismatches
}

fn unknown(case: &Case) -> Vec<Text> {
    let evidence = &case.evidence;
    let mut unknown = Vec::new();
    if evidence.chain_intact.is_none() {
        unknown.push(Text::new("the hash chain of the raw rows", "原始记录的哈希链"));
    }
    if evidence.digests_match.is_none() || case.summary.evidence_digest.is_empty() {
        unknown.push(Text::new("the digests of the evidence", "证据文件摘要"));
    }
    if evidence.figures_match.is_none() {
        unknown.push(Text::new("the figures against the raw rows", "由原始记录重算指标"));
    }
    unknown
}

fn holds(case: &Case) -> Text {
    let planned = case.summary.totals.planned;
    let digest: String = case.summary.evidence_digest.chars().take(12).collect();
    Text::new(
        format!(
            "The raw rows of {} are complete, digests and hash chain hold, and the figures follow from the rows (evidence {digest}…).",
            words::plural(planned, "planned request")
        ),
        format!(
            "{planned} 个计划请求的原始记录完整，摘要与哈希链核验无误，指标可由原始记录重算（证据摘要 {digest}…）。"
        ),
    )
}
