//! One row a case: what happened, and what one criterion makes of it.

use verdict_rules::{Case, CriterionId, Decision, Judgement};

use crate::run::{Run, cancelled, criterion, judge, not_sent};
use Judgement::Pass;

/// What happened, under which agreement, and what one criterion makes of it.
pub(crate) struct Row {
    name: &'static str,
    id: CriterionId,
    agreement: &'static str,
    run: fn(&mut Run),
    case: fn(&mut Case),
    result: Judgement,
    en: &'static str,
    zh: &'static str,
}

pub(crate) fn row(
    name: &'static str,
    id: CriterionId,
    result: Judgement,
    en: &'static str,
    zh: &'static str,
) -> Row {
    Row { name, id, agreement: "", run: |_| {}, case: |_| {}, result, en, zh }
}

impl Row {
    pub(crate) fn agreed(self, agreement: &'static str) -> Self {
        Self { agreement, ..self }
    }

    pub(crate) fn run(self, run: fn(&mut Run)) -> Self {
        Self { run, ..self }
    }

    pub(crate) fn case(self, case: fn(&mut Case)) -> Self {
        Self { case, ..self }
    }
}

pub(crate) fn check(rows: Vec<Row>) {
    for row in rows {
        let mut run = Run::sweep();
        (row.run)(&mut run);
        let mut case = run.case(row.agreement);
        (row.case)(&mut case);
        let verdict = judge(&case);
        let criterion = criterion(&verdict, row.id);
        assert_eq!(criterion.result, row.result, "{}: {:?}", row.name, criterion.explanation);
        for (text, expected) in [(&criterion.explanation.en, row.en), (&criterion.explanation.zh, row.zh)] {
            assert!(text.contains(expected), "{}: {expected:?} is not in {text:?}", row.name);
        }
        let expected = if row.result == Pass { Decision::Pass } else { row.result };
        assert!(verdict.decision >= expected, "{}: {:?}", row.name, verdict.decision);
    }
}

pub(crate) fn interrupted_in_c4(run: &mut Run) {
    run.interrupted = true;
    for (tier, requests) in [(4, 20), (8, 40), (16, 80)] {
        run.first(tier, requests).for_each(not_sent);
    }
    run.records.iter_mut().filter(|record| record.tier == Some(4)).take(4).for_each(|record| {
        record.facts.sent = Some(record.facts.due);
        cancelled(&mut record.facts);
    });
}
