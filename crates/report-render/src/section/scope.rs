//! Scope and configuration: what the result holds for.

use crate::{
    document::{Block, Line, Pair},
    language::Language,
    material::{Material, PromptSource, Scope, Transport},
    number,
    number::plural,
    section::groups,
    words,
};
use workload_model::Output;

pub(crate) fn heading(l: Language) -> &'static str {
    l.say("Scope and configuration", "测试范围与配置")
}

pub(crate) fn blocks(m: &Material, l: Language) -> Vec<Block> {
    let s = &m.scope;
    let mut pairs = Pairs { pairs: Vec::new() };
    pairs.add(l.say("Model", "测试模型"), Line::from(&s.model));
    pairs.add(l.say("API endpoint", "API 端点"), Line::new().code(without_secrets(&s.endpoint)));
    pairs.add(
        l.say("Service version, as stated", "服务版本（现场填写）"),
        stated(l, s.version_stated.as_deref()),
    );
    pairs.add(
        l.say("Service version, as observed", "服务版本（服务返回）"),
        match s.version_observed.as_deref() {
            Some(version) => version.into(),
            None => l.say("the service does not tell", "服务未提供").into(),
        },
    );
    pairs.add(l.say("Concurrency tiers", "并发档位"), tiers(s, l));
    pairs.add(l.say("Load", "加压方式"), load(s, l).into());
    // Those of several groups stand with the groups' figures.
    if let [only] = &s.groups[..] {
        let rules = groups::rules(only, l);
        if !rules.is_empty() {
            pairs.add(l.say("Asked of every request", "对每个请求的要求"), rules.into());
        }
    }
    pairs.add(
        l.say("Warm-up", "预热请求"),
        l.say(
            format!("{}, excluded from all figures", plural(s.warm_up, "request")),
            format!("{} 个，不计入任何统计", s.warm_up),
        )
        .into(),
    );
    if s.control > 0 {
        pairs.add(
            l.say("Control of the generator", "测试端对照"),
            l.say(
                format!(
                    "{} at the highest tier, excluded from all figures but its own",
                    plural(s.control, "request")
                ),
                format!("最高档位重复 {} 个请求，除对照结果外不计入任何统计", s.control),
            )
            .into(),
        );
    }
    pairs.add(l.say("Output", "输出长度"), output(s.output, s.max_tokens, l).into());
    pairs.add(
        l.say("Streaming", "流式输出"),
        if s.streaming { l.say("yes (SSE)", "是（SSE）").into() } else { l.say("no", "否").into() },
    );
    pairs.add(
        "Temperature",
        match s.temperature {
            None => l.say("the service's default", "默认（服务端设置）").into(),
            Some(temperature) => temperature.to_string().into(),
        },
    );
    pairs.add(l.say("Prompts", "提示词"), prompts(s, l));
    pairs.add(l.say("Token counting", "Token 计数"), counting(s, l));
    pairs.add(l.say("Inference backend", "推理后端"), stated(l, s.backend.as_deref()));
    pairs.add(l.say("Quantisation", "量化"), stated(l, s.quantisation.as_deref()));
    pairs.add(l.say("Hardware", "硬件"), stated(l, s.hardware.as_deref()));
    pairs.add(l.say("Time-outs", "超时设置"), time_outs(s, l).into());
    if let Some(spoken) = &s.transport {
        pairs.add(l.say("Transport", "传输协议"), transport(spoken, l));
        if spoken.unchecked {
            pairs.add(l.say("Certificate of the service", "服务证书"), unchecked(l));
        }
    }
    if !s.headers.is_empty() {
        pairs.add(l.say("Further headers", "附加请求头"), headers(&s.headers, l));
    }
    pairs.add(l.say("Client location", "测试端位置"), stated(l, s.client_location.as_deref()));
    pairs.add(l.say("Client host", "测试端主机"), stated(l, s.client_host.as_deref()));
    pairs.add(l.say("Tool", "测试工具"), format!("{} ({})", s.tool_version, s.build_profile).into());
    pairs.add(l.say("Started", "开始时间"), number::instant(&m.summary.run.started_at).into());
    pairs.add(
        l.say("Duration", "测试时长"),
        match m.summary.run.duration_s {
            Some(duration) => {
                l.say(format!("{:.1} s", duration.get()), format!("{:.1} 秒", duration.get())).into()
            }
            None => number::ABSENT.into(),
        },
    );
    pairs.add(
        l.say("Agreement", "验收约定"),
        if m.verdict.agreed {
            Line::new().plain("SHA-256 ").code(&m.verdict.agreement_digest)
        } else {
            l.say("none given; the default terms apply", "未提供，按默认标准").into()
        },
    );
    vec![Block::Pairs(pairs.pairs)]
}

/// When requests were sent, and whether as many are in flight as the concurrency says.
fn load(s: &Scope, l: Language) -> String {
    let retries = s.groups.iter().any(|group| group.retries > 0);
    let idle = [
        (s.sending.conversations, l.say("between turns of a conversation", "多轮会话的轮次之间")),
        (s.sending.pauses, l.say("in the pauses between requests", "请求之间的停顿期间")),
        (retries, l.say("while it waits to try again", "等待重试期间")),
    ];
    let idle: Vec<&str> = idle.into_iter().filter_map(|(is, when)| is.then_some(when)).collect();
    let closed = if idle.is_empty() {
        l.say(
            "closed loop: in each tier as many requests in flight as its concurrency, except while the tier runs out",
            "闭环：除收尾阶段外，每档始终保持与并发数相等的在途请求",
        )
        .to_owned()
    } else {
        let idle = idle.join(l.say(" or ", "、"));
        l.say(
            format!("closed loop: in each tier as many slots as its concurrency, each with at most one request in flight, and none {idle}"),
            format!("闭环：每档的并发位数等于并发数，每个并发位至多一个在途请求；{idle}并发位空闲，在途请求数会低于并发数"),
        )
    };
    let open = l.say(
        "open loop: a request is sent when the schedule says, whatever became of those before",
        "开环：按计划时刻发送，不等待此前的请求",
    );
    match (s.sending.open, s.tiers.is_empty()) {
        (false, _) => closed,
        (true, true) => open.to_owned(),
        (true, false) => {
            l.say(format!("{closed}; stages without tiers {open}"), format!("{closed}；未分档阶段为{open}"))
        }
    }
}

/// How long outputs were to be: by each sample's own length, by one maximum for all, by both, or by nothing.
fn output(asked: Output, most: Option<u64>, l: Language) -> String {
    let own = match asked {
        Output::Natural => None,
        Output::Capped => Some(l.say(
            "each sample's own length is the maximum (max_tokens)",
            "以各样本自带的输出长度为上限（max_tokens）",
        )),
        Output::Fixed => Some(l.say(
            "each sample's own length is the exact length (max_tokens, min_tokens and ignore_eos)",
            "按各样本自带的输出长度精确输出（max_tokens、min_tokens 与 ignore_eos）",
        )),
    };
    let most = most.map(|most| l.say(format!("at most {most} tokens"), format!("最多 {most} 个 Token")));
    match (own, most) {
        (None, None) => l.say("to the model's natural stop", "正常输出（模型自然停止）").to_owned(),
        (None, Some(most)) => most,
        (Some(own), None) => own.to_owned(),
        (Some(own), Some(most)) => l.say(format!("{own}, {most}"), format!("{own}，{most}")),
    }
}

struct Pairs {
    pairs: Vec<Pair>,
}

impl Pairs {
    fn add(&mut self, name: &str, value: Line) {
        self.pairs.push(Pair { name: name.to_owned(), value });
    }
}

fn transport(spoken: &Transport, l: Language) -> Line {
    let http = match spoken.http.as_str() {
        "h2" => "HTTP/2",
        "http/1.1" => "HTTP/1.1",
        other => other,
    };
    let tls = spoken
        .tls
        .as_ref()
        .map_or_else(|| l.say("without TLS", "未使用 TLS").to_owned(), |version| format!("TLS {version}"));
    let line = Line::from(l.say(format!("{http}, {tls}"), format!("{http}，{tls}")));
    match &spoken.client_cert {
        None => line,
        Some(name) => line.plain(l.say(", with the client certificate ", "，客户端证书 ")).code(name),
    }
}

fn unchecked(l: Language) -> Line {
    l.say(
        "NOT CHECKED (--insecure), so it is not proven who answered",
        "未校验（--insecure），无法证明应答方身份",
    )
    .into()
}

/// Names alone: what stood behind them is secret.
fn headers(names: &[String], l: Language) -> Line {
    let (first, rest) = names.split_first().map_or(("", names), |(first, rest)| (first.as_str(), rest));
    let listed = Line::new().code(first);
    let listed = rest.iter().fold(listed, |line, name| line.plain(l.say(", ", "、")).code(name));
    listed.plain(l.say(" (values are kept nowhere)", "（值未记录）"))
}

/// What somebody stated, or that nobody did, or that it was left blank on purpose.
pub(crate) fn stated(l: Language, value: Option<&str>) -> Line {
    match value {
        None => l.say("not stated", "未填写").into(),
        Some(value) if value.trim().is_empty() => l
            .say(
                "left blank on purpose (this report is about service-level figures)",
                "有意留空（本报告聚焦服务级指标）",
            )
            .into(),
        Some(value) => value.into(),
    }
}

fn tiers(s: &Scope, l: Language) -> Line {
    let each: Vec<String> =
        s.tiers.iter().map(|tier| format!("C{} × {}", tier.concurrency, tier.requests)).collect();
    let all: u64 = s.tiers.iter().map(|tier| tier.requests).sum();
    let each = l.list(&each);
    l.say(format!("{each} ({} in all)", plural(all, "request")), format!("{each}（共 {all} 个请求）")).into()
}

fn prompts(s: &Scope, l: Language) -> Line {
    let line = match &s.prompts.source {
        PromptSource::BuiltIn { set } => Line::new().plain(l.say("built-in set ", "内置提示词集 ")).code(set),
        PromptSource::Set { name } => Line::new().plain(l.say("sample set ", "样本集 ")).code(name),
        PromptSource::File { name, sha256 } => {
            let line = Line::new().plain(l.say("file ", "文件 ")).code(name);
            match sha256 {
                Some(digest) => line.plain(l.say(", SHA-256 ", "，SHA-256 ")).code(digest),
                None => line,
            }
        }
    };
    let line = match s.prompts.recorded {
        0 => line,
        recorded => line.plain(l.say("; ", "；")).strong(l.say(
            format!("{} of real use, with the words of whoever wrote them", plural(recorded, "prompt")),
            format!("其中 {recorded} 条取自真实业务日志，含使用者原文"),
        )),
    };
    line.plain(if s.prompts.unique_opening {
        l.say(
            "; every opening is unique, which keeps prefix caches out of the figures",
            "；每个请求开头唯一，避免命中前缀缓存",
        )
    } else {
        l.say(
            "; prompts share prefixes and may meet a prefix cache",
            "；提示词之间存在公共前缀，可能命中前缀缓存",
        )
    })
}

fn counting(s: &Scope, l: Language) -> Line {
    let line = match s.token_source {
        Some(source) => Line::from(words::token_source(l, source)),
        None => l.say("by tier, see the detail section", "各档不一，见明细").into(),
    };
    match &s.tokenizer {
        Some(name) => line.plain(l.say(": ", "：")).code(name),
        None => line,
    }
}

fn time_outs(s: &Scope, l: Language) -> String {
    let t = s.time_outs;
    l.say(
        format!(
            "connect {} s, first token {} s, stall {} s, whole answer {} s",
            t.connect_s, t.first_token_s, t.stall_s, t.total_s
        ),
        format!(
            "连接 {} 秒，首 Token {} 秒，中途停顿 {} 秒，完整响应 {} 秒",
            t.connect_s, t.first_token_s, t.stall_s, t.total_s
        ),
    )
}

/// An address without user, password and query: keys are passed in any of them.
pub(crate) fn without_secrets(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").map_or(("", url), |(scheme, rest)| (scheme, rest));
    let rest = rest.split(['?', '#']).next().unwrap_or(rest);
    let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    let host = authority.rsplit('@').next().unwrap_or(authority);
    if scheme.is_empty() { format!("{host}{path}") } else { format!("{scheme}://{host}{path}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_that_were_asked_for_are_said_and_no_natural_stop_is() {
        let said = |asked, most| [Language::En, Language::Zh].map(|l| output(asked, most, l));
        let [en, zh] = said(Output::Capped, None);
        assert_eq!(en, "each sample's own length is the maximum (max_tokens)");
        assert_eq!(zh, "以各样本自带的输出长度为上限（max_tokens）");
        let [en, zh] = said(Output::Fixed, Some(512));
        assert!(en.contains("exact length") && en.ends_with(", at most 512 tokens"), "{en}");
        assert!(zh.contains("精确") && zh.ends_with("，最多 512 个 Token"), "{zh}");
        assert_eq!(said(Output::Natural, Some(8)), ["at most 8 tokens", "最多 8 个 Token"]);
        assert_eq!(said(Output::Natural, None)[0], "to the model's natural stop");
    }

    #[test]
    fn a_load_with_pauses_is_not_said_to_be_full() {
        let mut s = crate::specimens::passed().scope;
        assert!(load(&s, Language::En).contains("as many requests in flight as its concurrency"));
        (s.sending.pauses, s.sending.conversations) = (true, true);
        let [en, zh] = [Language::En, Language::Zh].map(|l| load(&s, l));
        let idle = "none between turns of a conversation or in the pauses between requests";
        assert!(en.ends_with(idle) && !en.contains("try again"), "{en}");
        assert!(zh.contains("多轮会话的轮次之间、请求之间的停顿期间并发位空闲"), "{zh}");
        s.sending.open = true;
        assert!(load(&s, Language::Zh).contains("；未分档阶段为开环"));
        s.tiers.clear();
        assert!(load(&s, Language::En).starts_with("open loop"));
    }

    #[test]
    fn an_address_is_printed_without_secrets() {
        let cases = [
            ("http://10.0.0.5:8000/v1/chat/completions", "http://10.0.0.5:8000/v1/chat/completions"),
            ("https://user:pass@host/v1?api_key=sk-1#x", "https://host/v1"),
            ("host:80", "host:80"),
            ("", ""),
        ];
        for (given, printed) in cases {
            assert_eq!(without_secrets(given), printed);
        }
    }

    #[test]
    fn what_was_spoken_is_said_and_a_certificate_that_was_not_checked_is_loud() {
        let spoken = |http: &str, tls: Option<&str>, cert: Option<&str>| Transport {
            http: http.to_owned(),
            tls: tls.map(str::to_owned),
            unchecked: true,
            client_cert: cert.map(str::to_owned),
        };
        let said = |spoken: &Transport| {
            [Language::En, Language::Zh].map(|language| transport(spoken, language).words())
        };
        let plain = said(&spoken("http/1.1", None, None));
        assert_eq!(plain, ["HTTP/1.1, without TLS", "HTTP/1.1，未使用 TLS"]);
        let [english, chinese] = said(&spoken("h2", Some("1.3"), Some("me.pem")));
        assert_eq!(english, "HTTP/2, TLS 1.3, with the client certificate me.pem");
        assert_eq!(chinese, "HTTP/2，TLS 1.3，客户端证书 me.pem");
        assert!(unchecked(Language::En).words().starts_with("NOT CHECKED"));
        assert!(unchecked(Language::Zh).words().contains("未校验"));
    }

    #[test]
    fn further_headers_are_told_by_name() {
        let names = ["x-key".to_owned(), "x-tenant".to_owned()];
        assert_eq!(headers(&names, Language::En).words(), "x-key, x-tenant (values are kept nowhere)");
        assert_eq!(headers(&names[..1], Language::Zh).words(), "x-key（值未记录）");
    }

    #[test]
    fn a_field_left_blank_on_purpose_says_so() {
        assert_eq!(stated(Language::Zh, Some("")).words(), "有意留空（本报告聚焦服务级指标）");
        assert_eq!(stated(Language::En, None).words(), "not stated");
        assert_eq!(stated(Language::En, Some("FP8")).words(), "FP8");
    }
}
