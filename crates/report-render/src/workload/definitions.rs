//! What each figure of a profile means.

use crate::{
    document::{Block, Line, Pair},
    language::Language,
};

pub(super) fn heading(l: Language) -> &'static str {
    l.say("Definitions", "附录：术语定义")
}

pub(super) fn blocks(l: Language) -> Vec<Block> {
    let pair = |name: &str, value: &str| Pair { name: name.to_owned(), value: Line::from(value) };
    vec![
        Block::Pairs(vec![
            pair(
                l.say("Input and output length", "输入长度、输出长度"),
                l.say(
                    "Tokens of a request and of its answer, as the log counted them. Another model counts the same text otherwise.",
                    "请求与响应的 Token 数，以日志计数为准；不同模型对同一文本的计数不同。",
                ),
            ),
            pair(
                l.say("Percentile (P50, P90, P99)", "分位值（P50、P90、P99）"),
                l.say(
                    "Nearest rank: the ⌈n·p⌉-th smallest value. Never interpolated.",
                    "最近秩法：第 ⌈n·p⌉ 小的值，不插值。",
                ),
            ),
            pair(
                l.say("Joint distribution", "联合分布"),
                l.say(
                    "How often an input length occurs with an output length. Two lengths drawn apart from each other would lose which go together.",
                    "某一输入长度与某一输出长度同时出现的频次；若分别抽取两种长度，会丢失二者的对应关系。",
                ),
            ),
            pair(
                l.say("Rank correlation", "秩相关系数"),
                l.say(
                    "Spearman's: 1 where longer inputs always have longer outputs, −1 where always shorter, 0 where neither.",
                    "斯皮尔曼秩相关：输入越长输出总越长为 1，总越短为 −1，无此关系为 0。",
                ),
            ),
            pair(
                l.say("Arrival", "到达"),
                l.say(
                    "The instant at which a request reached the service or its gateway. Where the log writes down the end, it is the end minus the duration.",
                    "请求抵达服务或网关的时刻；日志只记录结束时刻的，以结束时刻减去时长得出。",
                ),
            ),
            pair(
                l.say("Arrival rate", "到达速率"),
                l.say(
                    "Arrivals a second. The mean is over all segments, without the gaps between them.",
                    "每秒到达的请求数；平均值按各段合计，不含段间空档。",
                ),
            ),
            pair(
                l.say("Peak and how long it lasted", "峰值与峰值持续时间"),
                l.say(
                    "The window of a given length with most arrivals, and how long the rate over windows of this length stayed at 80% of that or more, the busiest window among them: from the first arrival in these windows to the last, and the window at least.",
                    "给定长度的窗口中到达最多者；以同样长度的窗口计，到达速率连续保持在该峰值 80% 以上（含最繁忙窗口）的时间即峰值持续时间，自这些窗口内首个到达至末个到达，且不短于窗口长度。",
                ),
            ),
            pair(
                l.say("Coefficient of variation", "变异系数"),
                l.say(
                    "Standard deviation of the gaps between arrivals over their mean: 1 for a Poisson process, more where they come in bursts.",
                    "到达间隔的标准差与均值之比：泊松过程为 1，越大突发越强。",
                ),
            ),
            pair(
                l.say("Index of dispersion", "离散指数"),
                l.say(
                    "Variance of the counts in windows of one length over their mean: 1 for a Poisson process.",
                    "等长窗口内到达数的方差与均值之比：泊松过程为 1。",
                ),
            ),
            pair(
                l.say("Think time", "思考时间"),
                l.say(
                    "From the end of an answer to the next request of the same conversation.",
                    "同一会话中，从一次响应结束到下一次请求到达的时间。",
                ),
            ),
            pair(
                l.say("Segment", "段"),
                l.say(
                    "A stretch of the log in which its clock does not jump back. Segments are never sorted together.",
                    "日志时钟没有回跳的连续区间；各段不混合排序。",
                ),
            ),
        ]),
    ]
}
