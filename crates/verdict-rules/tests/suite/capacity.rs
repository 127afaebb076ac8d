//! What the service can carry: peak throughput and delivery advice, with all of their results.

use verdict_rules::{CriterionId, Judgement};

use crate::{
    rows::{check, interrupted_in_c4, row},
    run::{Run, by_events, http_error, judge, not_sent, result, uncounted},
};
use CriterionId::{DeliveryAdvice, PeakThroughput};
use Judgement::{Fail, Inconclusive, Pass};

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
            "a latency that the generator could not vouch for",
            DeliveryAdvice,
            Inconclusive,
            "the service is not blamed",
            "不归责于被测服务",
        )
        .agreed("[[sla]]\nitem = \"x\"\nmetric = \"ttft_s.p95\"\ntier = 1\nlimit = \"<= 0.001\"")
        .run(|run| run.late_timers(1)),
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
fn the_demand_is_held_against_the_peak_itself() {
    let mut case = Run::sweep().case("");
    let peak = case.summary.peak.output_tps.unwrap();
    for (demand, expected) in [(peak, Pass), (peak + 1e-6, Fail), (peak / 2.0, Pass)] {
        case.agreement.acceptance.output_tps = Some(demand);
        assert_eq!(result(&judge(&case), PeakThroughput), expected, "{demand}");
    }
}
