//! What a log of the user's own holds, by names of its columns or keys.

use crate::{ReadOptions, StartError, value::unknown};

/// What a column may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Timestamp,
    InputTokens,
    OutputTokens,
    Caller,
    Model,
    Stream,
    Duration,
    Ttft,
    Status,
    Session,
    Priority,
    Label,
}

/// What a number of a time or a duration counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    /// Nobody said.
    Seconds,
    Millis,
    Micros,
    Nanos,
}

/// A column and how it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) role: Role,
    /// Its name, a path of keys, or `#2`.
    pub(super) name: String,
    pub(super) measure: Measure,
    /// A time is that of the end.
    pub(super) at_end: bool,
}

impl Role {
    pub(super) const ALL: [Self; 12] = [
        Self::Timestamp,
        Self::InputTokens,
        Self::OutputTokens,
        Self::Caller,
        Self::Model,
        Self::Stream,
        Self::Duration,
        Self::Ttft,
        Self::Status,
        Self::Session,
        Self::Priority,
        Self::Label,
    ];

    /// What `--map` calls it.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Timestamp => "timestamp",
            Self::InputTokens => "input_tokens",
            Self::OutputTokens => "output_tokens",
            Self::Caller => "caller",
            Self::Model => "model",
            Self::Stream => "stream",
            Self::Duration => "duration",
            Self::Ttft => "ttft",
            Self::Status => "status",
            Self::Session => "session",
            Self::Priority => "priority",
            Self::Label => "label",
        }
    }

    /// Names under which it is well known, the likeliest first, in lower case and without spaces, `_`, `-` and units.
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Timestamp => &[
                "timestamp",
                "arrival",
                "arrivaltime",
                "arrivedat",
                "starttime",
                "startedat",
                "start",
                "requesttime",
                "time",
                "ts",
                "datetime",
                "@timestamp",
                "createdat",
                "date",
                "到达时间",
                "请求时间",
                "开始时间",
                "时间",
                "时间戳",
                "创建时间",
            ],
            Self::InputTokens => &[
                "inputtokens",
                "prompttokens",
                "inputtoken",
                "inputlength",
                "promptlength",
                "contexttokens",
                "requesttokens",
                "inputtokencount",
                "prompttokencount",
                "usage.prompttokens",
                "usage.inputtokens",
                "输入长度",
                "输入token",
                "输入tokens",
                "输入token数",
                "输入tokens数",
                "输入词元",
                "输入词元数",
                "提示token数",
            ],
            Self::OutputTokens => &[
                "outputtokens",
                "completiontokens",
                "outputtoken",
                "outputlength",
                "completionlength",
                "generatedtokens",
                "responsetokens",
                "outputtokencount",
                "completiontokencount",
                "usage.completiontokens",
                "usage.outputtokens",
                "输出长度",
                "输出token",
                "输出tokens",
                "输出token数",
                "输出tokens数",
                "输出词元",
                "输出词元数",
                "补全token数",
            ],
            Self::Caller => &[
                "caller",
                "user",
                "userid",
                "username",
                "apikey",
                "client",
                "clientid",
                "clientip",
                "consumer",
                "调用方",
                "调用者",
                "用户",
                "用户名",
                "用户id",
            ],
            Self::Model => &["model", "modelname", "模型", "模型名", "模型名称"],
            Self::Stream => &["stream", "isstream", "streaming", "流式", "是否流式", "流式输出"],
            Self::Duration => &[
                "duration",
                "latency",
                "elapsed",
                "elapsedtime",
                "totaltime",
                "totallatency",
                "e2elatency",
                "responsetime",
                "usetime",
                "耗时",
                "总耗时",
                "时延",
                "延迟",
                "响应时间",
                "端到端时延",
            ],
            Self::Ttft => &[
                "ttft",
                "timetofirsttoken",
                "firsttokenlatency",
                "firsttokentime",
                "首token时延",
                "首字时延",
                "首token延迟",
                "首词元时延",
                "首token耗时",
            ],
            Self::Status => {
                &["status", "statuscode", "httpstatus", "state", "状态", "状态码", "响应码", "结果"]
            }
            Self::Session => &[
                "session",
                "sessionid",
                "conversationid",
                "chatid",
                "conversation",
                "会话",
                "会话id",
                "会话编号",
            ],
            Self::Priority => &["priority", "优先级"],
            Self::Label => {
                &["label", "tenant", "department", "team", "业务", "业务线", "部门", "租户", "场景", "标签"]
            }
        }
    }
}

/// The columns that the user named.
///
/// # Errors
/// Where a key is none that there is, stands twice, or has no column.
pub(super) fn asked(options: &ReadOptions) -> Result<Vec<Column>, StartError> {
    let refuse = |reason: String| StartError {
        reason,
        hint: format!("--map takes KEY=COLUMN, where KEY is one of {}", Role::ALL.map(Role::key).join(", ")),
    };
    let mut columns: Vec<Column> = Vec::new();
    for (key, name) in &options.map {
        let role = Role::ALL.into_iter().find(|role| role.key() == key.trim());
        let role =
            role.ok_or_else(|| refuse(format!("`{key}` is nothing that a column can be mapped to")))?;
        if columns.iter().any(|column| column.role == role) {
            return Err(refuse(format!("`{key}` is mapped twice")));
        }
        if unknown(name) {
            return Err(refuse(format!("`{key}` has no column")));
        }
        columns.push(Column::new(role, name.trim()));
    }
    let has = |role| columns.iter().any(|column: &Column| column.role == role);
    if !columns.is_empty() && !has(Role::Timestamp) {
        return Err(refuse(
            "no column is mapped to `timestamp`, and nothing is known of arrivals without".to_owned(),
        ));
    }
    if has(Role::Priority) && has(Role::Label) {
        return Err(refuse("`priority` and `label` are mapped, and a row has one label".to_owned()));
    }
    Ok(columns)
}

/// The columns that are well known by their names; empty where there is none for times, or none for tokens.
pub(super) fn well_known(names: &[String]) -> Vec<Column> {
    let bare: Vec<(String, Measure)> = names.iter().map(|name| bare(name)).collect();
    let column = |role: Role| {
        let of_name = |known: &&str| bare.iter().position(|(name, _)| name == *known);
        let at = role.names().iter().find_map(of_name)?;
        let (name, (_, measure)) = (names.get(at)?, bare.get(at)?);
        Some(Column { role, name: name.clone(), measure: *measure, at_end: false })
    };
    let mut columns: Vec<Column> = Role::ALL.into_iter().filter_map(column).collect();
    let has = |role| columns.iter().any(|column| column.role == role);
    if !has(Role::Timestamp) || !(has(Role::InputTokens) || has(Role::OutputTokens)) {
        return Vec::new();
    }
    if has(Role::Label) {
        columns.retain(|column| column.role != Role::Priority);
    }
    columns
}

/// Tells which columns are taken for what.
pub(super) fn choice(columns: &[Column]) -> String {
    let pairs: Vec<String> =
        columns.iter().map(|column| format!("{}={}", column.role.key(), column.name)).collect();
    pairs.join(", ")
}

/// The name as it is compared, and the measure that it ends with.
fn bare(name: &str) -> (String, Measure) {
    let mut name: String = name
        .to_lowercase()
        .chars()
        .filter(|sign| !matches!(sign, ' ' | '_' | '-' | '(' | ')' | '（' | '）'))
        .collect();
    let units = [
        ("毫秒", Measure::Millis),
        ("微秒", Measure::Micros),
        ("纳秒", Measure::Nanos),
        ("秒", Measure::Seconds),
        ("seconds", Measure::Seconds),
        ("ms", Measure::Millis),
        ("us", Measure::Micros),
        ("ns", Measure::Nanos),
        ("s", Measure::Seconds),
    ];
    let is_whole = |name: &str| Role::ALL.iter().any(|role| role.names().contains(&name));
    if is_whole(&name) {
        return (name, Measure::Seconds);
    }
    for (unit, measure) in units {
        if let Some(stem) = name.strip_suffix(unit).filter(|stem| is_whole(stem)) {
            name.truncate(stem.len());
            return (name, measure);
        }
    }
    (name, Measure::Seconds)
}

impl Column {
    /// Reads `latency`, `latency:ms`, `created_at:end`. What the name itself says of its unit counts as well.
    fn new(role: Role, text: &str) -> Self {
        let mut column = Self { role, name: text.to_owned(), measure: Measure::Seconds, at_end: false };
        if !matches!(role, Role::Timestamp | Role::Duration | Role::Ttft) {
            return column;
        }
        column.measure = bare(text).1;
        while let Some((name, word)) = column.name.rsplit_once(':') {
            match word {
                "s" => column.measure = Measure::Seconds,
                "ms" => column.measure = Measure::Millis,
                "us" => column.measure = Measure::Micros,
                "ns" => column.measure = Measure::Nanos,
                "end" if role == Role::Timestamp => column.at_end = true,
                _ => break,
            }
            column.name = name.to_owned();
        }
        column
    }

    /// The place that it stands for, from 0, where it is named by its place: `#1` is the first.
    pub(super) fn place(&self) -> Option<usize> {
        self.name.strip_prefix('#')?.parse::<usize>().ok()?.checked_sub(1)
    }
}

impl Measure {
    /// One of it in nanoseconds.
    pub(super) fn nanos(self) -> u64 {
        match self {
            Self::Seconds => 1_000_000_000,
            Self::Millis => 1_000_000,
            Self::Micros => 1000,
            Self::Nanos => 1,
        }
    }
}
