//! What each figure means, as measured here.

use verdict_rules::{DEFAULT_TIER, E2E_PER_TOKEN_GROWTH, LEVELLED_OFF_GAIN, TTFT_FLOOR_S, TTFT_GROWTH};

use crate::{
    document::{Block, Line, Pair},
    language::Language,
    number,
};

pub(crate) fn heading(l: Language) -> &'static str {
    l.say("Definitions, as measured here", "附录：指标定义")
}

pub(crate) fn blocks(l: Language) -> Vec<Block> {
    let pair =
        |name: &str, en: &str, zh: &str| Pair { name: name.to_owned(), value: Line::from(l.say(en, zh)) };
    let mut pairs = vec![
        pair(
            l.say("Due", "应发时刻"),
            "The instant at which the schedule wanted the request sent; in a closed loop, when its slot became free and any pause was over. Headline latencies start here, so connecting and waiting in the client are inside. The same from the instant of sending stands in the detail tables.",
            "请求按计划应当发出的时刻；闭环下即该并发位空出（如有停顿，停顿结束）的时刻。主要时延均由此起算，包含建立连接与测试端内的等待；“自发出起”的数值另见分档明细。",
        ),
        pair(
            "TTFT",
            "Time to first token: from due to the read that brought the first non-empty generated text, reasoning included. A role-only or empty event is no token.",
            "首 Token 时延：从应发时刻到收到首个非空生成内容（含思考内容）的时间。仅含角色或空内容的事件不算 Token。",
        ),
        pair(
            "E2E",
            "End-to-end latency: from due to the end of the whole answer, with network, queueing and generation. It exists only where the service itself ended the answer.",
            "端到端时延：从应发时刻到收齐完整响应的时间，含网络、排队与生成。仅当响应由服务端正常结束时存在。",
        ),
        pair(
            "TPOT",
            "Time per output token: (last token − first token) / tokens that came after the first read. With n output tokens in E token-bearing events, m₁ of them in the first read, those are n · (1 − m₁ / E). With one token an event and one event a read this is the usual (last − first) / (n − 1).",
            "每 Token 生成时间：（末 Token 时刻 − 首 Token 时刻）/ 首次读取之后到达的 Token 数。设输出 n 个 Token，分布在 E 个含 Token 的事件中，首次读取含 m₁ 个事件，则该数为 n ×（1 − m₁ / E）。每事件一个 Token、每次读取一个事件时，即通行的（末 − 首）/（n − 1）。",
        ),
        pair(
            l.say("ITL, gap between events", "ITL / 事件间隔"),
            "Gaps between token-bearing events. They are called ITL only where events and output tokens agree within 2%; otherwise they are named for what they are.",
            "相邻含 Token 事件的时间间隔。仅当事件数与输出 Token 数相差不超过 2% 时称为 Token 间延迟（ITL），否则如实称为事件间隔。",
        ),
        pair(
            "Output TPS",
            "Output tokens of effective requests / window. The window runs from the first due to the last end of the tier.",
            "系统级输出吞吐：有效请求的输出 Token 总数 / 窗口时长。窗口为该档首个应发时刻至最后一个结束时刻。",
        ),
        pair(
            "Total TPS",
            "Input and output tokens of effective requests / window.",
            "总吞吐：有效请求的输入与输出 Token 总数 / 窗口时长。",
        ),
        pair(
            l.say("Sustained Output TPS", "持续 Output TPS"),
            "Output tokens of effective requests a second while the tier was full: from the instant at which the C-th request was sent to the end of the first request that ended after the last due instant. What comes before and after, ramp and tail, is left out. It does not exist where slots are idle in between: in pauses, between turns of a conversation, or while they wait to try again.",
            "档位满载期间每秒输出的 Token 数（有效请求）：自第 C 个请求发出起，至最后一个应发时刻之后首个请求结束止，不含起始爬升与结尾收尾。请求之间有停顿、含多轮会话或有请求重试时，并发位会空闲，故无该数值。",
        ),
        pair(
            l.say("E2E per output token", "E2E / 输出 Token"),
            "E2E of a request / its output tokens. Unlike E2E it does not depend on the length of the answer; the recommended tier is chosen by its median.",
            "单个请求的端到端时延 / 其输出 Token 数。与 E2E 不同，它不受回答长短影响；推荐档以其中位数为判据之一。",
        ),
        pair(
            l.say("Tokens per event", "Token / 事件"),
            "Output tokens of effective requests / their token-bearing events. Above 1 the service sends several tokens at once.",
            "有效请求的输出 Token 总数 / 含 Token 的事件总数。大于 1 表示服务一次发送多个 Token。",
        ),
        pair(
            l.say("Cached input", "缓存命中"),
            "Input tokens that the service says it took from its prefix cache / all input tokens of effective requests.",
            "服务声明取自前缀缓存的输入 Token 数 / 有效请求的全部输入 Token 数。",
        ),
        pair("RPS", "Effective requests / window.", "每秒完成请求数：有效请求数 / 窗口时长。"),
        pair(
            l.say("Success rate", "成功率"),
            "Effective / planned requests. A request never sent lowers it. The one-sided 95% lower bound (Clopper–Pearson) stands beside it.",
            "有效请求数 / 计划请求数，未发送的请求同样计为未成功。另给出单侧 95% 置信下限（Clopper–Pearson）。",
        ),
        pair(
            l.say("Attainment, goodput", "达标率 / Goodput"),
            "Planned requests that are effective and meet every limit of their group, as a share of planned requests, or per second of the window.",
            "有效且满足所在分组全部限值的请求，占计划请求的比例（达标率）或每秒个数（Goodput）。",
        ),
        pair(
            l.say("Group", "分组"),
            "Requests that are judged by one rule. The rates of a group are per second of its tier's window, so that those of all groups add up to the tier's; its latencies are over its own effective requests. A group has no sustained rate, since others fill the tier with it.",
            "按同一规则判定的一类请求。分组的吞吐以所在档位的窗口计算，各分组相加即为该档；时延仅统计该分组的有效请求。持续 Output TPS 需整档占满，分组没有该数值。",
        ),
        pair(
            l.say("Origin", "来源"),
            "Whether the shape of a request (its lengths, and that it is sent at all) was measured in a log of real use, made by a program, or assumed. Counted apart everywhere.",
            "请求的形态（长度以及是否出现）是实测自真实日志、由程序生成，还是仅凭假定；各处均分别计数。",
        ),
        pair(
            l.say("Turn", "轮次"),
            "The place of a request in its conversation. Its latencies run from when it was due, which is the think time after the answer before; no pause is in them.",
            "请求在会话中的次序。时延自应发时刻起算，应发时刻为上一轮响应结束后再经过思考时间，故时延不含停顿。",
        ),
        pair(
            l.say("Asked and received", "要求与实收"),
            "Input tokens that a sample was made to have and output tokens that were asked for, against those that the service counted, over answers that it brought to their end.",
            "样本设定的输入 Token 数、请求的输出 Token 数，与服务端实际计数之比；仅统计服务正常结束的响应。",
        ),
        pair(
            l.say("Percentile", "分位值"),
            "Nearest rank: the ⌈n·p⌉-th smallest raw value. Never interpolated, never averaged.",
            "最近秩法：第 ⌈n·p⌉ 小的原始值，不插值，不跨次平均。",
        ),
        pair(
            l.say("Interval", "置信区间"),
            "Distribution-free, from order statistics, equal-tailed, 95%: the largest rank r with P(Bin(n, p) ≤ r − 1) ≤ 2.5% and the smallest rank s with P(Bin(n, p) ≥ s) ≤ 2.5%. Where no such rank exists the report says so: a P95 has an upper bound from n = 72 on.",
            "95% 等尾非参数区间，由次序统计量得到：下限取满足 P(Bin(n, p) ≤ r − 1) ≤ 2.5% 的最大秩 r，上限取满足 P(Bin(n, p) ≥ s) ≤ 2.5% 的最小秩 s。不存在相应的秩时如实注明：P95 自 n = 72 起才有上限。",
        ),
        pair(
            l.say("Effective request", "有效请求"),
            "A whole, decodable answer, long enough and in time. HTTP 200 with incomplete output is not effective. Averages and percentiles are over effective requests; how many were left out stands beside them.",
            "响应完整、可解析、长度达标且未超时的请求。HTTP 200 但输出不完整不算有效。均值与分位值只统计有效请求，并注明未计入的数量。",
        ),
        pair(
            l.say("Contract result", "合同判定"),
            "The limit as it was written, held against the figure, where every planned request that is not effective counts as exceeding. It decides.",
            "按约定原文将实测值与限值比较，未成功的计划请求一律视为超限；以此为准。",
        ),
        pair(
            l.say("Statistical support", "统计支持"),
            "Whether the number of requests shows the contract result with 95% confidence (one-sided, binomial), taking requests as independent. Where it does not, the number of further requests that would show it is given. It stands beside the contract result and does not change it.",
            "以请求相互独立为前提，样本量能否以 95% 置信度（单侧，二项分布）支持该结论；不足时给出尚需追加的请求数。与合同判定并列，不改变合同判定。",
        ),
    ];
    pairs.extend(tiers(l));
    vec![Block::Pairs(pairs)]
}

/// How the recommended tier and the boundary are found.
fn tiers(l: Language) -> [Pair; 2] {
    let gain = number::plain((LEVELLED_OFF_GAIN * 100.0).round());
    [
        Pair {
            name: l.say("Recommended tier", "推荐档").to_owned(),
            value: Line::from(l.say(
                format!("C{DEFAULT_TIER}, where it and every lower tier meet the success target and, against the lowest tier, the median TTFT is at most {TTFT_GROWTH:.1} times as long or under {TTFT_FLOOR_S:.1} s, and the median E2E per output token at most {E2E_PER_TOKEN_GROWTH:.1} times; where limits on latency are agreed for a tier, these take the place of both factors. Otherwise it is the highest lower tier that does. A higher tier whose agreed limits on latency all hold takes precedence. The agreement may set another tier with a reason."),
                format!("默认 C{DEFAULT_TIER}：该档及以下各档成功率达标，且与最低档相比，TTFT 中位数不超过 {TTFT_GROWTH:.1} 倍或低于 {TTFT_FLOOR_S:.1} 秒，“E2E / 输出 Token”中位数不超过 {E2E_PER_TOKEN_GROWTH:.1} 倍；该档另有约定时延限值的，以限值代替上述两项倍数。不满足时取满足条件的最高较低档；更高档另有约定时延限值且全部满足的，以该档为准。双方也可约定其他档位并写明理由。"),
            )),
        },
        Pair {
            name: l.say("Throughput boundary", "吞吐边界").to_owned(),
            value: Line::from(l.say(
                format!("The highest tier tested whose success rate meets the target. Throughput counts as levelled off at a tier whose sustained Output TPS is not more than {gain}% above that of the tier before."),
                format!("成功率达标的最高测试档。某档持续 Output TPS 较前一档增幅不超过 {gain}% 的，视为吞吐在该档趋于平缓。"),
            )),
        },
    ]
}
