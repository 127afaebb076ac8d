//! Each criterion with all of its results.

use metrics_core::Support;
use verdict_rules::{Case, Cause, CriterionId, Decision, Edition, Judgement};

use crate::run::{
    Run, by_events, cancelled, criterion, http_error, judge, not_sent, refused, result, stalled, uncounted,
};
use CriterionId::{
    DataTraceability, DeliveryAdvice, PeakThroughput, ServiceAvailability, Stability, TestIntegrity,
};
use Judgement::{Fail, Inconclusive, Pass};

/// What happened, under which agreement, and what one criterion makes of it.
struct Row {
    name: &'static str,
    id: CriterionId,
    agreement: &'static str,
    run: fn(&mut Run),
    case: fn(&mut Case),
    result: Judgement,
    en: &'static str,
    zh: &'static str,
}

fn row(name: &'static str, id: CriterionId, result: Judgement, en: &'static str, zh: &'static str) -> Row {
    Row { name, id, agreement: "", run: |_| {}, case: |_| {}, result, en, zh }
}

impl Row {
    fn agreed(self, agreement: &'static str) -> Self {
        Self { agreement, ..self }
    }

    fn run(self, run: fn(&mut Run)) -> Self {
        Self { run, ..self }
    }

    fn case(self, case: fn(&mut Case)) -> Self {
        Self { case, ..self }
    }
}

fn check(rows: Vec<Row>) {
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

#[test]
fn a_sound_sweep_passes_all_six_and_is_the_customers() {
    let verdict = judge(&Run::sweep().case(""));
    for criterion in &verdict.criteria {
        assert_eq!(criterion.result, Pass, "{criterion:?}");
    }
    assert_eq!((verdict.decision, verdict.edition), (Decision::Pass, Edition::Customer));
    assert!(verdict.supplementary.is_empty() && !verdict.agreed);
}

#[test]
fn test_integrity() {
    check(vec![
        row(
            "sound",
            TestIntegrity,
            Pass,
            "(C1, C2, C4, C8 and C16), and 180 of 180 planned requests finished",
            "计划 180 个请求，完成 180 个",
        ),
        row("failures are finished as well", TestIntegrity, Pass, "180 of 180", "完成 180 个")
            .run(|run| run.first(4, 5).for_each(http_error)),
        row("an agreed tier did not run", TestIntegrity, Fail, "C32 did not run", "并发档位 C32 未执行")
            .agreed("[acceptance]\ntiers = [1, 4, 32]"),
        row(
            "rows removed",
            TestIntegrity,
            Fail,
            "3 rows of the frozen schedule missing",
            "缺少 3 行原始记录",
        )
        .run(|run| run.records.truncate(177)),
        row(
            "a row there twice",
            TestIntegrity,
            Fail,
            "1 row that the schedule did not ask for",
            "1 行计划外或重复",
        )
        .case(|case| case.evidence.rows_unplanned = 1),
        row(
            "a tier was cut off",
            TestIntegrity,
            Fail,
            "C16 finished 70 of 80. The run was cut short.",
            "C16 计划 80 个请求，完成 70 个。测试中途被中断。",
        )
        .run(|run| {
            run.interrupted = true;
            run.first(16, 10).for_each(not_sent);
        }),
        row(
            "a tier was begun, and the next ones were not",
            TestIntegrity,
            Fail,
            "C4 did not finish (4 sent, 0 finished); C8 and C16 did not run. The run was cut short.",
            "C4 未完成（发出 4，完成 0）；并发档位 C8、C16 未执行。测试中途被中断。",
        )
        .run(interrupted_in_c4),
        row(
            "nothing planned",
            TestIntegrity,
            Inconclusive,
            "No tier was agreed or planned",
            "没有约定或计划任何并发档位",
        )
        .run(|run| *run = Run::of(&[])),
        row("rows not checked", TestIntegrity, Inconclusive, "have not been checked", "尚未核验")
            .case(|case| case.evidence.chain_intact = None),
        row(
            "late timers",
            TestIntegrity,
            Inconclusive,
            "timer delay P99 against TTFT in C8 and C16 (300.00 ms observed, 35.00 ms allowed)",
            "C8、C16 档定时器延迟 P99（对照 TTFT）（实测 300.00 ms，允许 35.00 ms）",
        )
        .run(|run| {
            run.late_timers(8);
            run.late_timers(16);
        }),
        row(
            "no samples of the generator",
            TestIntegrity,
            Inconclusive,
            "recorded no samples of itself",
            "没有留下自身的采样",
        )
        .run(|run| run.client.clear()),
        row(
            "the sampler died after C2",
            TestIntegrity,
            Inconclusive,
            "did not record samples of itself in every tier",
            "并非在每一档都留有自身的采样",
        )
        .run(|run| run.client.retain(|sample| sample.tier < Some(4))),
    ]);
}

/// Four requests of C4 were in flight when the run was stopped.
fn interrupted_in_c4(run: &mut Run) {
    run.interrupted = true;
    for (tier, requests) in [(4, 20), (8, 40), (16, 80)] {
        run.first(tier, requests).for_each(not_sent);
    }
    run.records.iter_mut().filter(|record| record.tier == Some(4)).take(4).for_each(|record| {
        record.facts.sent = Some(record.facts.due);
        cancelled(&mut record.facts);
    });
}

/// What stands behind each result, for whoever chooses the next step by it.
#[test]
fn every_result_that_is_no_pass_has_its_cause() {
    type Example = (&'static str, fn(&mut Run), &'static str, &'static [(CriterionId, Cause)]);
    let table: [Example; 12] = [
        ("nothing", |_| {}, "", &[]),
        (
            "interrupted",
            interrupted_in_c4,
            "[acceptance]\noutput_tps = 120",
            &[
                (TestIntegrity, Cause::Unfinished),
                (ServiceAvailability, Cause::Unfinished),
                (Stability, Cause::Unfinished),
                (PeakThroughput, Cause::Unfinished),
                (DeliveryAdvice, Cause::Unfinished),
            ],
        ),
        (
            "interrupted below the demand",
            interrupted_in_c4,
            "[acceptance]\noutput_tps = 5000",
            &[
                (TestIntegrity, Cause::Unfinished),
                (ServiceAvailability, Cause::Unfinished),
                (Stability, Cause::Unfinished),
                (PeakThroughput, Cause::Unfinished),
                (DeliveryAdvice, Cause::Unfinished),
            ],
        ),
        (
            "a row missing",
            |run| drop(run.records.pop()),
            "",
            &[
                (TestIntegrity, Cause::RowsDiffer),
                (ServiceAvailability, Cause::RowsDiffer),
                (Stability, Cause::RowsDiffer),
                (PeakThroughput, Cause::RowsDiffer),
                (DeliveryAdvice, Cause::RowsDiffer),
                (DataTraceability, Cause::RowsDiffer),
            ],
        ),
        ("late", |run| run.late_timers(16), "", &[(TestIntegrity, Cause::GeneratorLimited)]),
        ("unsampled", |run| run.client.clear(), "", &[(TestIntegrity, Cause::GeneratorUnsampled)]),
        ("restart", |run| run.availability.restarts = 1, "", &[(ServiceAvailability, Cause::Outage)]),
        (
            "errors only",
            |run| run.all().for_each(http_error),
            "",
            &[
                (ServiceAvailability, Cause::NothingAnswered),
                (Stability, Cause::FailedRequests),
                (PeakThroughput, Cause::FailedRequests),
                (DeliveryAdvice, Cause::NoTierSuits),
            ],
        ),
        ("demand", |_| {}, "[acceptance]\noutput_tps = 5000", &[(PeakThroughput, Cause::LimitMissed)]),
        (
            "events counted",
            |run| run.all().for_each(by_events),
            "[acceptance]\noutput_tps = 120",
            &[(PeakThroughput, Cause::TokensEstimated)],
        ),
        (
            "not counted",
            |run| run.all().for_each(uncounted),
            "",
            &[(PeakThroughput, Cause::NoTokenCounts), (DeliveryAdvice, Cause::NoTokenCounts)],
        ),
        (
            "one tier",
            |run| *run = Run::of(&[(4, 20, 300, 1_000)]),
            "",
            &[(DeliveryAdvice, Cause::TooFewTiers)],
        ),
    ];
    for (name, change, agreement, expected) in table {
        let mut run = Run::sweep();
        change(&mut run);
        let verdict = judge(&run.case(agreement));
        let found: Vec<(CriterionId, Cause)> =
            verdict.criteria.iter().filter_map(|criterion| Some((criterion.id, criterion.cause?))).collect();
        assert_eq!(found, expected, "{name}");
        assert!(verdict.criteria.iter().all(|one| one.cause.is_some() == (one.result != Pass)), "{name}");
    }
}

#[test]
fn service_availability() {
    check(vec![
        row(
            "healthy",
            ServiceAvailability,
            Pass,
            "180 requests sent, 180 answered in full. No restart, no unready spell and no row of refused connections was seen. 30 health checks: 30 ready. Its start time stayed the same.",
            "共发出 180 个请求，其中 180 个得到完整响应。未见重启、未就绪或连续拒绝连接。30 次健康检查：就绪 30。",
        ),
        row(
            "no health check, many requests",
            ServiceAvailability,
            Pass,
            "The service offers no health check. It does not tell its start time",
            "服务未提供健康检查",
        )
        .case(|case| case.availability = Default::default()),
        row("two refusals are an accident", ServiceAvailability, Pass, "180 requests", "180 个请求")
            .case(|case| case.availability.refusals_in_a_row = 2),
        row(
            "three are an outage",
            ServiceAvailability,
            Fail,
            "3 connections refused in a row",
            "连续 3 次连接被拒绝",
        )
        .case(|case| case.availability.refusals_in_a_row = 3),
        row("a restart", ServiceAvailability, Fail, "1 restart seen", "重启 1 次")
            .case(|case| case.availability.restarts = 1),
        row(
            "not ready",
            ServiceAvailability,
            Fail,
            "2 spells in which it was not ready",
            "健康检查未就绪 2 段",
        )
        .case(|case| case.availability.unready_spells = 2),
        row(
            "nothing answered",
            ServiceAvailability,
            Fail,
            "none of 180 requests brought an answer of the model",
            "180 个请求均未得到模型应答",
        )
        .run(|run| run.all().for_each(refused)),
        row("only errors are no answers", ServiceAvailability, Fail, "180 × HTTP error", "HTTP 错误 180 个")
            .run(|run| run.all().for_each(http_error)),
        row("nothing sent", ServiceAvailability, Inconclusive, "No request was sent", "没有发出任何请求")
            .run(|run| run.all().for_each(not_sent)),
        row(
            "19 requests and no health check",
            ServiceAvailability,
            Inconclusive,
            "19 requests sent, 19 answered in full. The service offers no health check. Without a health check that found it ready, this says too little (at least 20 requests are needed).",
            "没有就绪的健康检查作为佐证，不足以判定",
        )
        .run(|run| {
            *run = Run::of(&[(1, 10, 200, 1_000), (2, 9, 200, 1_000)]);
            run.availability = Default::default();
        }),
        row(
            "19 requests and health checks that nobody answered",
            ServiceAvailability,
            Inconclusive,
            "341 health checks: 341 no usable answer.",
            "341 次健康检查：无有效应答 341。",
        )
        .run(|run| {
            *run = Run::of(&[(1, 10, 200, 1_000), (2, 9, 200, 1_000)]);
            run.availability = Default::default();
            (run.availability.health_checks, run.availability.unanswered) = (341, 341);
        }),
        row(
            "many requests, and health checks answered in part",
            ServiceAvailability,
            Pass,
            "341 health checks: 300 ready, 41 no usable answer.",
            "341 次健康检查：就绪 300，无有效应答 41。",
        )
        .case(|case| {
            let seen = &mut case.availability;
            (seen.health_checks, seen.ready, seen.unanswered) = (341, 300, 41);
        }),
        row(
            "one answer among errors is no flawless service",
            ServiceAvailability,
            Pass,
            "180 requests sent, 1 answered in full (179 × HTTP error).",
            "共发出 180 个请求，其中 1 个得到完整响应（HTTP 错误 179 个）。",
        )
        .run(|run| run.all().skip(1).for_each(http_error)),
        row(
            "interrupted while the first requests were in flight",
            ServiceAvailability,
            Inconclusive,
            "1 request sent and cancelled by the client before an answer was due",
            "发出的 1 个请求均由测试端取消，服务是否可用无从判定",
        )
        .run(|run| {
            run.interrupted = true;
            run.all().for_each(not_sent);
            run.first(1, 1).for_each(cancelled);
        }),
    ]);
}

#[test]
fn stability() {
    check(vec![
        row("all effective", Stability, Pass, "180 of 180 planned requests effective: a success rate of 100%, against a target of 100%. No finite test proves 100%. This test shows a rate of at least 98.3% with 95% confidence.", "有限次测试无法证明成功率恰为 100%。以 95% 置信度可以确认成功率不低于 98.3%。"),
        row("one failure", Stability, Fail, "a success rate of 99.4%, against a target of 100%. Not effective: 1 × HTTP error. This test shows", "未成功的请求：HTTP 错误 1 个。以 95% 置信度可以确认")
            .run(|run| run.first(8, 1).for_each(http_error)),
        row("one failure, 99 % agreed", Stability, Pass, "too few to support or refute", "统计上既不足以支持、也不足以否定")
            .agreed("[acceptance]\nsuccess_rate = 0.99")
            .run(|run| run.first(8, 1).for_each(http_error)),
        row("90 % agreed, one failure", Stability, Pass, "180 requests support the target statistically", "在统计上支持该目标")
            .agreed("[acceptance]\nsuccess_rate = 0.9")
            .run(|run| run.first(8, 1).for_each(http_error)),
        row("exactly at the target", Stability, Pass, "162 of 180", "有效 162 个，总成功率 90.0%，目标 90%")
            .agreed("[acceptance]\nsuccess_rate = 0.9")
            .run(|run| run.first(16, 18).for_each(http_error)),
        row("half failed", Stability, Fail, "180 requests refute the target statistically", "在统计上否定该目标")
            .agreed("[acceptance]\nsuccess_rate = 0.9")
            .run(|run| run.first(16, 80).for_each(http_error)),
        row("nothing sent", Stability, Inconclusive, "No request was sent", "没有发出任何请求")
            .run(|run| run.all().for_each(not_sent)),
        row("interrupted, and nothing failed", Stability, Fail, "Of 40 that finished 40 are effective, so nothing is said against the service yet.", "已完成的 40 个请求中有效 40 个，尚不能据此认定服务不稳定。")
            .run(interrupted_in_c4),
        row("interrupted after a failure", Stability, Fail, "This test shows a rate of at least", "以 95% 置信度可以确认")
            .run(|run| {
                interrupted_in_c4(run);
                run.first(1, 1).for_each(http_error);
            }),
        row("time-outs where the generator was late", Stability, Inconclusive, "without its time-outs the target would be met", "不归责于被测服务")
            .run(|run| {
                run.late_timers(16);
                run.first(16, 2).for_each(stalled);
            }),
        row("time-outs elsewhere are the service's", Stability, Fail, "2 × stalled in mid-stream", "输出停滞 2 个")
            .run(|run| {
                run.late_timers(16);
                run.first(8, 2).for_each(stalled);
            }),
        row("errors are the service's, whatever the generator", Stability, Fail, "1 × HTTP error", "HTTP 错误 1 个")
            .run(|run| {
                run.late_timers(16);
                run.first(16, 1).for_each(http_error);
            }),
    ]);
}

#[test]
fn support_stands_beside_the_contract() {
    let with = |agreement: &str, failures: usize| {
        let mut run = Run::sweep();
        run.first(16, failures).for_each(http_error);
        let verdict = judge(&run.case(agreement));
        let stability = criterion(&verdict, Stability).clone();
        (stability.contract, stability.support, stability.observed, stability.threshold, stability.n)
    };
    assert_eq!(with("", 0), (Some(Pass), None, Some(1.0), Some(1.0), Some(180)));
    let ninety = "[acceptance]\nsuccess_rate = 0.9";
    assert_eq!(with(ninety, 0).1, Some(Support::Supported));
    assert_eq!(with(ninety, 18).1, Some(Support::Inconclusive));
    assert_eq!(with(ninety, 40).1, Some(Support::Refuted));
    assert_eq!(with(ninety, 18).0, Some(Pass), "support decides nothing");
}

#[test]
fn peak_throughput() {
    const DEMAND_MET: &str = "[acceptance]\noutput_tps = 120.0";
    const DEMAND_MISSED: &str = "[acceptance]\noutput_tps = 2000";
    check(vec![
        row(
            "recorded",
            PeakThroughput,
            Pass,
            "tok/s at C16. It is recorded; no threshold was agreed.",
            "出现在 C16 档。仅作记录，双方未约定阈值。",
        ),
        row(
            "demand met",
            PeakThroughput,
            Pass,
            "The agreed demand is 120 tok/s.",
            "约定的部署需求为 120 tok/s",
        )
        .agreed(DEMAND_MET),
        row(
            "demand missed",
            PeakThroughput,
            Fail,
            "The agreed demand is 2000 tok/s.",
            "约定的部署需求为 2000 tok/s",
        )
        .agreed(DEMAND_MISSED),
        row("counted by events", PeakThroughput, Pass, "It is an estimate", "该值为估算")
            .run(|run| run.all().for_each(by_events)),
        row("counted by events, demand met", PeakThroughput, Inconclusive, "It is an estimate", "该值为估算")
            .agreed(DEMAND_MET)
            .run(|run| run.all().for_each(by_events)),
        row(
            "counted by events, demand missed",
            PeakThroughput,
            Inconclusive,
            "It is an estimate",
            "该值为估算",
        )
        .agreed(DEMAND_MISSED)
        .run(|run| run.all().for_each(by_events)),
        row("not counted", PeakThroughput, Inconclusive, "There is no output rate", "无法给出 Output TPS")
            .run(|run| run.all().for_each(uncounted)),
        row("all failed", PeakThroughput, Inconclusive, "There is no output rate", "无法给出 Output TPS")
            .run(|run| run.all().for_each(http_error)),
        row(
            "missed just so",
            PeakThroughput,
            Fail,
            "Peak Output TPS 615.38 tok/s at C16. The agreed demand is 615.3852 tok/s.",
            "峰值 Output TPS 为 615.38 tok/s",
        )
        .agreed("[acceptance]\noutput_tps = 615.3852"),
        row(
            "missed, and the higher tiers were not finished",
            PeakThroughput,
            Inconclusive,
            "C4, C8 and C16 were not finished and may have given more.",
            "但 C4、C8、C16 档未完成，峰值尚不能确定。",
        )
        .agreed(DEMAND_MISSED)
        .run(interrupted_in_c4),
        row(
            "missed with a late generator",
            PeakThroughput,
            Inconclusive,
            "the service is not blamed",
            "不归责于被测服务",
        )
        .agreed(DEMAND_MISSED)
        .run(|run| run.late_timers(16)),
        row(
            "met with a late generator",
            PeakThroughput,
            Pass,
            "The agreed demand is 120 tok/s.",
            "120 tok/s",
        )
        .agreed(DEMAND_MET)
        .run(|run| run.late_timers(16)),
    ]);
}

#[test]
fn delivery_advice() {
    check(vec![
        row(
            "named",
            DeliveryAdvice,
            Pass,
            "Recommended interactive concurrency C4, throughput boundary C16.",
            "推荐交互并发 C4，吞吐边界 C16。",
        ),
        row("agreed", DeliveryAdvice, Pass, "interactive concurrency C8", "推荐交互并发 C8")
            .agreed("[advice]\ninteractive = 8\nreason = \"合同约定\""),
        row("agreed and not tested", DeliveryAdvice, Fail, "C6 was not tested", "C6 未经测试")
            .agreed("[advice]\ninteractive = 6\nreason = \"合同约定\""),
        row(
            "agreed and failing",
            DeliveryAdvice,
            Fail,
            "where 39 of 40 planned requests effective",
            "计划 40 个请求，有效 39 个",
        )
        .agreed("[advice]\ninteractive = 8\nreason = \"合同约定\"")
        .run(|run| run.first(8, 1).for_each(http_error)),
        row(
            "every tier fails",
            DeliveryAdvice,
            Fail,
            "No tier can be recommended",
            "没有可推荐的交互并发档位",
        )
        .run(|run| [1, 2, 4, 8, 16].into_iter().for_each(|tier| run.first(tier, 1).for_each(http_error))),
        row(
            "the lowest tier fails",
            DeliveryAdvice,
            Fail,
            "C4 is not suitable for interactive use, since the success rate at C1 misses the target",
            "C4 不宜作为交互档：C1 档成功率未达目标",
        )
        .run(|run| run.first(1, 1).for_each(http_error)),
        row("one tier", DeliveryAdvice, Inconclusive, "Only one tier ran", "仅执行了一个并发档位")
            .run(|run| *run = Run::of(&[(4, 20, 300, 1_000)])),
        row(
            "nothing up to the default",
            DeliveryAdvice,
            Inconclusive,
            "No tier up to C4 was tested",
            "C4 及以下的档位均未测试",
        )
        .run(|run| *run = Run::of(&[(8, 40, 300, 1_000), (16, 80, 300, 1_000)])),
        row("no token counts", DeliveryAdvice, Inconclusive, "C4 cannot be judged", "C4 无法判断")
            .run(|run| run.all().for_each(uncounted)),
        row("a row missing", DeliveryAdvice, Inconclusive, "so this cannot count as a pass", "不能判为通过")
            .run(|run| {
                run.records.pop();
            }),
        row(
            "only one tier of several finished",
            DeliveryAdvice,
            Inconclusive,
            "Only one tier ran, so nothing shows how latency and throughput change with load. The highest tier that finished is C1",
            "最高完成的测试并发为 C1，更高的并发需另行测试；C2、C4、C8、C16 未完成，不作结论。",
        )
        .run(|run| {
            interrupted_in_c4(run);
            run.first(2, 20).for_each(not_sent);
        }),
        row(
            "the agreed tier was not finished",
            DeliveryAdvice,
            Inconclusive,
            "C8 was not finished (0 of 40)",
            "约定的交互并发 C8 未完成（完成 0 / 40）。",
        )
        .agreed("[advice]\ninteractive = 8\nreason = \"合同约定\"")
        .run(interrupted_in_c4),
        row("nothing sent", DeliveryAdvice, Inconclusive, "No tier ran", "没有执行任何并发档位")
            .run(|run| run.all().for_each(not_sent)),
    ]);
}

#[test]
fn data_traceability() {
    check(vec![
        row("whole", DataTraceability, Pass, "(evidence eeeeeeeeeeee…)", "证据摘要 eeeeeeeeeeee…"),
        row("row missing", DataTraceability, Fail, "1 row of the schedule missing", "缺少 1 行原始记录").run(
            |run| {
                run.records.pop();
            },
        ),
        row("chain broken", DataTraceability, Fail, "the hash chain of the raw rows is broken", "哈希链断裂")
            .case(|case| case.evidence.chain_intact = Some(false)),
        row("digest", DataTraceability, Fail, "a digest of the evidence does not match", "证据文件摘要不符")
            .case(|case| case.evidence.digests_match = Some(false)),
        row("figures", DataTraceability, Fail, "the figures are not those", "重算的结果不一致")
            .case(|case| case.evidence.figures_match = Some(false)),
        row("a problem in words", DataTraceability, Fail, "plan.toml is missing", "plan.toml is missing")
            .case(|case| case.evidence.problems.push("plan.toml is missing".to_owned())),
        row(
            "unchecked",
            DataTraceability,
            Inconclusive,
            "Not checked: the hash chain of the raw rows, the digests of the evidence and the figures",
            "尚未核验",
        )
        .case(|case| case.evidence = Default::default()),
        row(
            "no digest",
            DataTraceability,
            Inconclusive,
            "Not checked: the digests",
            "尚未核验：证据文件摘要",
        )
        .case(|case| case.summary.evidence_digest.clear()),
    ]);
}

#[test]
fn a_missing_row_caps_whatever_does_not_fail() {
    let mut run = Run::sweep();
    run.records.pop();
    let verdict = judge(&run.case(""));
    assert_eq!(result(&verdict, TestIntegrity), Fail);
    for id in [ServiceAvailability, PeakThroughput, DeliveryAdvice] {
        assert_eq!(result(&verdict, id), Inconclusive, "{id:?}");
    }
    assert_eq!(result(&verdict, Stability), Fail, "a failure stays one");
}

/// A run that was cut short is whole evidence as far as it went: no criterion passes but traceability, and nobody says
/// that its rows were other than planned.
#[test]
fn an_unfinished_run_is_no_damaged_one() {
    let mut run = Run::sweep();
    run.interrupted = true;
    for (tier, requests) in [(4, 20), (8, 40), (16, 80)] {
        run.first(tier, requests).for_each(not_sent);
    }
    let verdict = judge(&run.case(""));
    assert_eq!(result(&verdict, DataTraceability), Pass);
    for id in [ServiceAvailability, PeakThroughput] {
        let found = criterion(&verdict, id);
        assert_eq!((found.result, found.cause), (Inconclusive, Some(Cause::Unfinished)));
        assert!(
            found
                .explanation
                .en
                .ends_with("The run was not finished (40 of 180), so this cannot count as a pass.")
        );
        assert!(found.explanation.zh.ends_with("测试未执行完毕（完成 40 / 180），故不能判为通过。"));
    }
    let missing = {
        let mut run = Run::sweep();
        run.records.pop();
        judge(&run.case(""))
    };
    let found = criterion(&missing, ServiceAvailability);
    assert_eq!(found.cause, Some(Cause::RowsDiffer));
    assert!(found.explanation.zh.ends_with("原始记录与冻结的计划不一致，故不能判为通过。"));
}

#[test]
fn rows_that_only_the_check_of_the_evidence_misses_cap_as_well() {
    for change in [
        |case: &mut Case| case.evidence.rows_missing = 1,
        |case: &mut Case| case.evidence.rows_unplanned = 1,
        |case: &mut Case| case.summary.totals.finished = 179,
        |case: &mut Case| case.summary.tiers[2].figures.finished = 19,
    ] {
        let mut case = Run::sweep().case("");
        change(&mut case);
        let verdict = judge(&case);
        assert_eq!(result(&verdict, TestIntegrity), Fail);
        for id in [ServiceAvailability, Stability, PeakThroughput, DeliveryAdvice] {
            assert_eq!(result(&verdict, id), Inconclusive, "{id:?}");
        }
    }
}

#[test]
fn the_demand_is_held_against_the_peak_itself() {
    let mut case = Run::sweep().case("");
    let peak = case.summary.peak.output_tps.unwrap();
    for (demand, expected) in [(peak, Pass), (peak + 1e-6, Fail), (peak / 2.0, Pass)] {
        case.agreement.acceptance.output_tps = Some(demand);
        assert_eq!(result(&judge(&case), PeakThroughput), expected, "{demand}");
    }
}

#[test]
fn a_case_about_which_nothing_is_known_does_not_pass() {
    let sound = Run::sweep().case("");
    let unknown = Case::new(sound.summary.clone(), Default::default(), vec![1, 2, 4, 8, 16]);
    let verdict = judge(&unknown);
    assert_eq!(verdict.decision, Decision::Inconclusive);
    assert_eq!(result(&verdict, DataTraceability), Inconclusive);
}
