//! Whether the test is whole and the service was there: each criterion with all of its results.

use metrics_core::Support;
use verdict_rules::{CriterionId, Decision, Edition, Judgement};

use crate::{
    rows::{check, interrupted_in_c4, row},
    run::{Run, cancelled, criterion, http_error, judge, not_sent, refused, stalled},
};
use CriterionId::{DataTraceability, ServiceAvailability, Stability, TestIntegrity};
use Judgement::{Fail, Inconclusive, Pass};

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
        row("answers that cannot be read are answers", ServiceAvailability, Pass, "180 ×", "180 个")
            .run(|run| run.all().for_each(|facts| facts.malformed = 1)),
        row("but not without a token", ServiceAvailability, Fail, "none of 180 requests", "180 个请求均未得到模型应答")
            .run(|run| run.all().for_each(|facts| facts.malformed = 1))
            .case(|case| case.availability.malformed_without_tokens = 180),
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
