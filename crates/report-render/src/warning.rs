//! What a warning means and what to do about it, from its code, its tier and its figure.

use metrics_core::{Seconds, WarningCode};

use crate::{language::Language, number};

/// What documents say of one kind of warning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Words {
    /// Its name.
    pub(crate) name: &'static str,
    /// What it means.
    pub(crate) meaning: &'static str,
    /// What to do.
    pub(crate) remedy: &'static str,
}

/// The words for a code.
pub(crate) fn words(l: Language, code: WarningCode) -> Words {
    let pair = |name: (&'static str, &'static str),
                meaning: (&'static str, &'static str),
                remedy: (&'static str, &'static str)| Words {
        name: l.say(name.0, name.1),
        meaning: l.say(meaning.0, meaning.1),
        remedy: l.say(remedy.0, remedy.1),
    };
    match code {
        WarningCode::BufferedStream => pair(
            ("Stream probably buffered", "流式输出疑似被缓冲"),
            (
                "Tokens came in bursts, with TTFT near E2E. A proxy on the way probably holds the stream back.",
                "Token 成批到达，TTFT 接近 E2E，链路上的代理很可能缓冲了输出。",
            ),
            (
                "Switch buffering off at the proxy (for nginx: proxy_buffering off) and test again.",
                "关闭代理的响应缓冲（如 nginx 的 proxy_buffering off）后复测。",
            ),
        ),
        WarningCode::CountedByEvents => pair(
            ("Output counted in events", "输出按流事件计数"),
            (
                "The service gave no usage, so output tokens are an estimate, and a low one where an event carries several tokens.",
                "服务未返回 usage，输出 Token 数为估算值；一个事件含多个 Token 时会偏低。",
            ),
            ("Have the service return usage in the stream.", "让服务在流式响应中返回 usage。"),
        ),
        WarningCode::MixedTokenSources => pair(
            ("Token sources mixed", "Token 计数来源不一"),
            (
                "Within one tier some requests were counted by usage and others otherwise. Throughput figures of the tier are approximate.",
                "同一档位内，部分请求按 usage 计数，部分按其他方式计数，该档吞吐数值为近似值。",
            ),
            (
                "Find out why usage is missing from some answers, and test again.",
                "查明部分响应缺少 usage 的原因后复测。",
            ),
        ),
        WarningCode::CachedInput => pair(
            ("Input served from the prefix cache", "输入命中前缀缓存"),
            (
                "More than 5% of the input came from the service's prefix cache although the prompts differ from their first characters on. Throughput may be flattered.",
                "提示词开头互不相同，但仍有超过 5% 的输入命中前缀缓存，吞吐可能偏高。",
            ),
            (
                "Check whether a shared system prompt or an outside cache is at work; read the throughput with that in mind.",
                "检查是否存在共用系统提示词或外部缓存，并据此解读吞吐数值。",
            ),
        ),
        WarningCode::TokensPerEvent => pair(
            ("Several tokens an event", "单个事件含多个 Token"),
            (
                "The service sends several tokens in one event. Gaps between events are no inter-token latency and are not called so here.",
                "服务在一个事件中发送多个 Token，事件间隔不等于 Token 间延迟（ITL），本报告不以 ITL 称之。",
            ),
            (
                "Judge smoothness by TPOT, and compare gaps only with services that send alike.",
                "以 TPOT 评价生成速度；事件间隔只与发送方式相同的服务比较。",
            ),
        ),
        WarningCode::FewValues => pair(
            ("Few values for high percentiles", "高分位样本偏少"),
            (
                "There are too few requests for a bound on the highest percentiles. They are observed, not certified.",
                "请求数不足以给出最高分位的置信区间，相应数值为观察值，未经统计确认。",
            ),
            (
                "Where a limit hangs on them, plan more requests: a P95 has an upper bound from 72 on.",
                "若有约定指标依赖这些分位，请增加请求数：P95 至少 72 个请求才有上限。",
            ),
        ),
        WarningCode::UnoptimisedClient => pair(
            ("Client built without optimisation", "测试端为未优化构建"),
            (
                "The measuring program was a debug build. It is slower than a release build, and its figures are not fit for acceptance.",
                "测试程序为调试构建，自身开销偏大，所得数值不宜用于验收。",
            ),
            ("Run the sweep again with a release build.", "改用 release 构建重新扫测。"),
        ),
        WarningCode::CoLocated => pair(
            ("Service on the generator's host", "服务与测试端同机"),
            (
                "Service and generator shared one host and competed for it. Network delay is not in the figures.",
                "服务与测试端运行在同一主机，互相争用资源，且数值不含网络时延。",
            ),
            (
                "For an acceptance, run the generator on a host of its own, where the users stand.",
                "正式验收时，请将测试端部署在独立主机、贴近真实用户的网络位置。",
            ),
        ),
        WarningCode::InsecureTls => pair(
            ("Certificate of the service not checked", "未校验服务证书"),
            (
                "TLS was used without checking the certificate (--insecure). It is not proven that the service under test is the one that answered.",
                "测试使用了 TLS，但未校验服务证书（--insecure），无法证明应答方就是被测服务。",
            ),
            (
                "Give the authority's certificate by --ca-file and run again without --insecure before anything is signed.",
                "签署前，请用 --ca-file 提供 CA 证书，去掉 --insecure 后重新测试。",
            ),
        ),
        WarningCode::InterEventUnsupported => pair(
            ("Gaps between events not supported", "事件间隔不可采信"),
            (
                "The generator's own timing error is too large for single gaps between events. All other figures stand.",
                "测试端自身计时误差相对事件间隔过大，单个间隔数值不可采信；其余数值不受影响。",
            ),
            (
                "Do not use the gap percentiles of this tier, or run again on a calmer host.",
                "不要引用该档的事件间隔分位值，或换用负载更低的主机复测。",
            ),
        ),
        WarningCode::Reconnected => pair(
            ("Dead connections replaced", "失效连接已重连"),
            (
                "Some pooled connections had been closed by the service. Those requests were sent once more on a fresh connection; the time lost is in their latency.",
                "部分复用连接已被服务端关闭，相应请求在新连接上重发一次，损失的时间已计入其时延。",
            ),
            (
                "Check the keep-alive settings of the service and of the gateway.",
                "检查服务与网关的 keep-alive 设置。",
            ),
        ),
        WarningCode::Interrupted => pair(
            ("Run cut short", "测试提前中止"),
            (
                "The run ended before its plan was done. Requests never sent lower the success rate.",
                "测试在计划完成前结束，未发送的请求同样拉低成功率。",
            ),
            ("Run the whole sweep again.", "重新执行完整扫测。"),
        ),
        WarningCode::UsageRefused => pair(
            ("Usage refused", "服务不接受 usage 请求"),
            (
                "The service refused stream_options and was asked without it, so it may not report token counts.",
                "服务拒绝 stream_options 参数，后续请求未再携带，因此可能没有 Token 计数。",
            ),
            (
                "Upgrade or configure the service so that it returns usage in the stream.",
                "升级或配置服务，使其在流式响应中返回 usage。",
            ),
        ),
        WarningCode::OutputCapped => pair(
            ("Output length set on purpose", "输出长度由测试设定"),
            (
                "Requests asked for a maximum or an exact output length, so answers did not run to their natural stop.",
                "请求设置了最大输出长度或指定了输出长度，模型并非自然停止。",
            ),
            (
                "Compare only with runs that asked for the same lengths.",
                "只与输出长度设定相同的测试结果比较。",
            ),
        ),
        WarningCode::LowHeadroom => pair(
            ("Little headroom of the generator", "测试端余量偏低"),
            (
                "The load exceeded a fifth of the generator's calibrated ceiling. Its own cost may show in the figures of this tier.",
                "该档负载已超过测试端标定上限的五分之一，数值可能含有测试端自身开销。",
            ),
            (
                "Give the client more cores or IO threads, or a host of its own, and test again.",
                "为测试端增加 CPU 核或 IO 线程，或部署到独立主机后复测。",
            ),
        ),
        WarningCode::Uncalibrated => pair(
            ("Generator not calibrated", "测试端未标定"),
            (
                "What the generator can do on its host was not measured, or not in full, or by a calibration that does not speak for this run (of another host, version or number of IO threads, too old, or later than the run), so the report cannot say how far the load was below that.",
                "测试端的能力上限未经测量或测量不全，或所附标定不适用于本次测试（主机、版本或 IO 线程数不同，已过期，或晚于测试），报告无法说明负载距上限多远。",
            ),
            (
                "Run acceptbench calibrate on the generator's host, and the sweep after it.",
                "先在测试端主机上执行 acceptbench calibrate，再进行扫测。",
            ),
        ),
        WarningCode::AskedLengthsMissed => pair(
            ("Input lengths missed", "输入长度与要求不符"),
            (
                "By the service's count, inputs are in the median over 10% longer or shorter than they were made to be. The load is not quite the one that was asked for.",
                "按服务端计数，输入长度的中位数与要求相差 10% 以上，实际负载与预期不完全一致。",
            ),
            (
                "Make the samples with the tokenizer of this service, or by calibrating against its usage, and test again.",
                "请用该服务的分词器生成样本，或按其 usage 校准后复测。",
            ),
        ),
        WarningCode::AssumedTraffic => pair(
            ("Assumed traffic", "含假定流量"),
            (
                "Some requests follow assumptions: nobody measured how long they are, or that they occur at all. What is said over all requests rests on that as well.",
                "部分请求依据假定生成，其长度、占比乃至是否出现均未经实测；包含这些请求的汇总数值同样建立在该假定之上。",
            ),
            (
                "Read measured and assumed requests apart, and replace the assumption by a log of real use when there is one.",
                "实测与假定的请求应分开解读；取得真实日志后，请以其替换假定。",
            ),
        ),
        WarningCode::ConversationBroken => pair(
            ("Conversations broken off", "会话中断"),
            (
                "Turns of conversations were not sent, since the turn before gave no answer to go on from. They count as not sent.",
                "会话中前一轮没有得到可用的回答，后续轮次未能发出，按未发送计入。",
            ),
            (
                "Look at the outcomes of the earlier turns: one failure costs its whole conversation.",
                "请查看前面轮次的结果分布：一次失败会使整个会话无法继续。",
            ),
        ),
    }
}

/// Where a warning of this code applies, with its figure in the digits that it needs.
pub(crate) fn place(l: Language, code: WarningCode, tier: Option<u32>, value: Option<f64>) -> String {
    let tier = tier.map_or_else(|| whole(l, code).to_owned(), number::tier);
    let value = value.filter(|value| value.is_finite()).map(|value| match code {
        WarningCode::CachedInput
        | WarningCode::BufferedStream
        | WarningCode::CountedByEvents
        | WarningCode::AssumedTraffic
        | WarningCode::MixedTokenSources => number::percent(Some(value)),
        WarningCode::InterEventUnsupported => number::milliseconds(Some(Seconds::new(value))),
        WarningCode::TokensPerEvent => {
            let ratio = number::ratio(Some(value));
            l.say(format!("{ratio} tokens/event"), format!("{ratio} Token/事件"))
        }
        WarningCode::FewValues => format!("n = {value:.0}"),
        WarningCode::Reconnected => l.say(format!("{value:.0} times"), format!("{value:.0} 次")),
        WarningCode::AskedLengthsMissed => {
            let share = number::percent(Some(value));
            l.say(format!("{share} of what was asked for"), format!("实收为要求的 {share}"))
        }
        WarningCode::ConversationBroken => {
            l.say(format!("{value:.0} not sent"), format!("{value:.0} 个未发送"))
        }
        WarningCode::OutputCapped => format!("max_tokens = {value:.0}"),
        WarningCode::LowHeadroom => {
            let ratio = number::ratio(Some(value));
            l.say(format!("headroom {ratio}"), format!("余量 {ratio} 倍"))
        }
        _ => number::plain(Some(value)),
    });
    match value {
        Some(value) => l.say(format!("{tier} ({value})"), format!("{tier}（{value}）")),
        None => tier,
    }
}

/// What a warning without a tier is about: the run, or the requests of a stage that has no tiers.
fn whole(l: Language, code: WarningCode) -> &'static str {
    match code {
        WarningCode::UnoptimisedClient
        | WarningCode::CoLocated
        | WarningCode::Interrupted
        | WarningCode::UsageRefused
        | WarningCode::OutputCapped
        | WarningCode::Uncalibrated
        | WarningCode::AssumedTraffic
        | WarningCode::InsecureTls => l.say("whole run", "整次测试"),
        WarningCode::BufferedStream
        | WarningCode::CountedByEvents
        | WarningCode::MixedTokenSources
        | WarningCode::CachedInput
        | WarningCode::TokensPerEvent
        | WarningCode::FewValues
        | WarningCode::InterEventUnsupported
        | WarningCode::LowHeadroom
        | WarningCode::AskedLengthsMissed
        | WarningCode::ConversationBroken
        | WarningCode::Reconnected => l.say("stage without tiers", "未分档阶段"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every code. A new one does not compile in [`words`]; it is added here beside it.
    const ALL: [WarningCode; 19] = [
        WarningCode::BufferedStream,
        WarningCode::CountedByEvents,
        WarningCode::MixedTokenSources,
        WarningCode::CachedInput,
        WarningCode::TokensPerEvent,
        WarningCode::FewValues,
        WarningCode::UnoptimisedClient,
        WarningCode::CoLocated,
        WarningCode::InterEventUnsupported,
        WarningCode::Reconnected,
        WarningCode::Interrupted,
        WarningCode::UsageRefused,
        WarningCode::OutputCapped,
        WarningCode::LowHeadroom,
        WarningCode::Uncalibrated,
        WarningCode::InsecureTls,
        WarningCode::AskedLengthsMissed,
        WarningCode::AssumedTraffic,
        WarningCode::ConversationBroken,
    ];

    #[test]
    fn every_warning_has_words_in_both_languages() {
        let is_chinese = |words: &str| words.chars().any(|c| ('\u{4E00}'..='\u{9FFF}').contains(&c));
        for code in ALL {
            let (zh, en) = (words(Language::Zh, code), words(Language::En, code));
            assert!([zh.name, zh.meaning, zh.remedy].into_iter().all(is_chinese), "{code:?}");
            assert!(![en.name, en.meaning, en.remedy].into_iter().any(is_chinese), "{code:?}");
        }
    }

    #[test]
    fn the_figure_of_a_warning_is_written_in_its_own_digits() {
        assert_eq!(place(Language::Zh, WarningCode::CachedInput, Some(4), Some(0.123)), "C4（12.3%）");
        assert_eq!(place(Language::En, WarningCode::FewValues, Some(1), Some(20.0)), "C1 (n = 20)");
        assert_eq!(place(Language::En, WarningCode::CoLocated, None, None), "whole run");
        assert_eq!(place(Language::En, WarningCode::OutputCapped, None, None), "whole run");
        assert_eq!(place(Language::Zh, WarningCode::FewValues, None, Some(9.0)), "未分档阶段（n = 9）");
    }
}
