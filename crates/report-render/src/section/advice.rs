//! What to do with the result, what it holds for, and when it has to be tested again.

use verdict_rules::AdvisedBy;

use crate::{
    document::{Block, Line, Pair},
    language::Language,
    material::Material,
    number,
    section::scope::stated,
    words,
};

pub(crate) fn heading(l: Language) -> &'static str {
    l.say("Delivery advice and applicability", "客户交付建议与适用范围")
}

pub(crate) fn blocks(m: &Material, l: Language) -> Vec<Block> {
    vec![
        Block::List { ordered: false, items: advice(m, l) },
        Block::Heading(l.say("What this result holds for", "适用范围").to_owned()),
        Block::Pairs(applicability(m, l)),
        Block::Heading(l.say("Test again after any of these changes", "出现下列变化须复测").to_owned()),
        Block::List { ordered: false, items: retest_triggers(l) },
    ]
}

fn advice(m: &Material, l: Language) -> Vec<Line> {
    let advice = &m.verdict.advice;
    let mut items: Vec<Line> = Vec::new();
    items.push(match advice.interactive {
        Some(tier) => l.say(
            format!("Take C{tier} as the starting capacity of the interactive service. Calibrate it again with real prompts, output lengths and numbers of users."),
            format!("以 C{tier} 作为默认交互服务的初始容量，并结合真实提示词、输出长度与用户并发二次校准。"),
        ),
        None => l.say(
            "No tier can be recommended for interactive use from this test.".to_owned(),
            "根据本次测试，无法推荐交互并发档位。".to_owned(),
        ),
    }.into());
    if advice.by == AdvisedBy::Agreement {
        items.push(by_agreement(advice.by_rule, l).into());
    }
    if let Some(tier) = advice.supported_up_to.filter(|tier| Some(*tier) > advice.interactive) {
        items.push(l.say(
            format!("The data would support interactive use up to C{tier} as well. Raise the tier only after calibration."),
            format!("数据同样支持交互并发提升至 C{tier}；须经二次校准后再上调。"),
        ).into());
    }
    items.push(match advice.boundary {
        Some(tier) => l.say(
            format!("Treat C{tier} as the boundary for throughput: batch generation, offline tasks, background work. It is no default for interactive use."),
            format!("以 C{tier} 作为吞吐优先场景边界：批量生成、离线任务、后台处理；不作为默认交互档。"),
        ),
        None => l.say(
            "No throughput boundary can be named from this test.".to_owned(),
            "根据本次测试，无法给出吞吐边界。".to_owned(),
        ),
    }.into());
    items.extend(advice.levelled_off.iter().map(|found| Line::from(words::levelled_off(l, found))));
    items.push(highest(m, l).into());
    items.push(l.say(
        "In production, keep recording TTFT, TPOT, E2E P95/P99, Output TPS, the success rate and the queue. Take this run as the first baseline: reports/prometheus-rules.yml holds it as rules that Prometheus loads. For another engine's metric names (vLLM, SGLang, llama.cpp, TGI): acceptreport export PACK --to prometheus-rules --engine NAME.",
        "生产运行持续采集 TTFT、TPOT、E2E P95/P99、Output TPS、请求成功率与排队长度，以本次数值为初始运行基线；reports/prometheus-rules.yml 为可由 Prometheus 直接加载的监控规则；其他引擎（vLLM、SGLang、llama.cpp、TGI）的指标名可用 acceptreport export PACK --to prometheus-rules --engine NAME 导出。",
    ).into());
    items.push(
        l.say(
            "A peak is never a promise. Agreed thresholds are signed item by item on the SLA page.",
            "峰值不等于承诺；若合同另有 SLA 阈值，在 SLA 对照页逐项签核。",
        )
        .into(),
    );
    items
}

/// Up to where the result holds, and which planned tiers tell nothing.
fn highest(m: &Material, l: Language) -> String {
    let Some(highest) = m.highest_finished() else {
        return l
            .say("No tier was finished: nothing is concluded.", "没有任何档位执行完毕，不作结论。")
            .to_owned();
    };
    let open = m.scope.tiers.iter().filter(|planned| {
        let found = m.summary.tiers.iter().find(|tier| tier.concurrency == planned.concurrency);
        found.is_none_or(|tier| tier.figures.finished < planned.requests)
    });
    let open: Vec<String> = open.map(|planned| number::tier(planned.concurrency)).collect();
    if open.is_empty() {
        return l.say(
            format!("Nothing is said about more than C{highest}, the highest tier tested. That needs another test."),
            format!("最高测试并发为 C{highest}，超出部分本报告不作任何结论，需另行测试。"),
        );
    }
    let open = l.list(&open);
    l.say(
        format!("C{highest} is the highest tier that finished; more needs another test. Not finished, and so nothing is concluded about them: {open}."),
        format!("最高完成的测试并发为 C{highest}，更高的并发需另行测试；{open} 未完成，不作结论。"),
    )
}

fn by_agreement(by_rule: Option<u32>, l: Language) -> String {
    match by_rule {
        Some(tier) => l.say(
            format!("This tier was set by the agreement. The rule of this method gives C{tier}."),
            format!("该档位由验收约定指定；按本方法的规则应为 C{tier}。"),
        ),
        None => l.say(
            "This tier was set by the agreement. The rule of this method gives none.".to_owned(),
            "该档位由验收约定指定；按本方法的规则无法给出档位。".to_owned(),
        ),
    }
}

fn applicability(m: &Material, l: Language) -> Vec<Pair> {
    let (s, run) = (&m.scope, &m.summary.run);
    let pair = |name: &str, value: Line| Pair { name: name.to_owned(), value };
    let tiers = m.summary.tiers.iter().map(|tier| tier.concurrency).filter(|tier| m.finished(*tier));
    let tiers: Vec<String> = tiers.map(number::tier).collect();
    let version = s.version_observed.as_deref().or(s.version_stated.as_deref());
    let window = match run.duration_s {
        Some(duration) => {
            let (from, seconds) = (number::instant(&run.started_at), duration.get());
            l.say(format!("from {from} for {seconds:.1} s"), format!("自 {from} 起，共 {seconds:.1} 秒"))
        }
        None => number::instant(&run.started_at),
    };
    vec![
        pair(l.say("Model", "模型"), Line::from(&s.model)),
        pair(l.say("Service version", "服务版本"), stated(l, version)),
        pair(l.say("Resources", "资源"), stated(l, s.hardware.as_deref())),
        pair(
            l.say("Load", "负载"),
            l.say(
                format!(
                    "closed loop at {}; each slot sends its next request as soon as the last one ends",
                    l.list(&tiers)
                ),
                format!("闭环，{}，每个并发位在上一请求结束后立即发出下一请求", l.list(&tiers)),
            )
            .into(),
        ),
        pair(l.say("Length per request", "单请求长度"), lengths(m, l).into()),
        pair(l.say("Observation window", "观察窗口"), window.into()),
    ]
}

/// Mean input and output length, over the effective requests of all tiers that counted both.
fn lengths(m: &Material, l: Language) -> String {
    let counted = m.summary.tiers.iter().filter_map(|tier| {
        let f = &tier.figures;
        (f.effective > 0).then_some((f.effective, f.input_tokens?, f.output_tokens?))
    });
    let (n, input, output) = counted.fold((0, 0, 0), |(n, i, o), (tn, ti, to)| (n + tn, i + ti, o + to));
    if n == 0 {
        return number::ABSENT.to_owned();
    }
    let (input, output) = (input as f64 / n as f64, output as f64 / n as f64);
    l.say(
        format!("{input:.0} input and {output:.0} output tokens on average"),
        format!("平均输入 {input:.0}、输出 {output:.0} 个 Token"),
    )
}

fn retest_triggers(l: Language) -> Vec<Line> {
    let triggers = [
        l.say("model, weights or quantisation", "模型、权重或量化方式变更"),
        l.say("version or launch arguments of the inference service", "推理服务版本或启动参数变更"),
        l.say(
            "number or kind of accelerators, driver, or what else runs on them",
            "加速卡数量、型号、驱动或混部情况变更",
        ),
        l.say(
            "gateway, proxy or network path between users and service",
            "用户与服务之间的网关、代理或网络路径变更",
        ),
        l.say(
            "input or output lengths, or the share of long requests",
            "输入输出长度分布或长请求占比明显变化",
        ),
        l.say("more concurrency than the highest tier tested", "并发超过最高测试档位"),
    ];
    triggers.into_iter().map(Line::from).collect()
}
