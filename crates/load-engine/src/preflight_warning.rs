//! What a run should know of the service beforehand, though it does not stop it.

/// Something that the preflight saw. Its words are English; [`PreflightWarning::in_chinese`] has the same in Chinese. What
/// the service itself said stays as it said it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PreflightWarning {
    /// The model that was asked for is not among those that the service lists.
    #[error("the service does not list {model:?}; it lists {listed}")]
    ModelNotListed {
        /// The model asked for.
        model: String,
        /// Those listed.
        listed: String,
    },
    /// The answer was longer than the preflight had patience for.
    #[error(
        "the answer was still streaming and was cut off (set --max-tokens if answers need not run to their natural stop)"
    )]
    StillStreaming,
    /// A time-out.
    #[error("the answer did not come in time ({phase}); the run goes ahead")]
    Late {
        /// Which.
        phase: String,
    },
    /// The answer was longer than the client takes.
    #[error("the answer was longer than the client takes")]
    TooLarge,
    /// Another status than 200.
    #[error("the service answered with status {status}: {message}; the run goes ahead")]
    Status {
        /// The status.
        status: u16,
        /// The service's words.
        message: String,
    },
    /// An error within a stream.
    #[error("the stream held an error: {message}")]
    ErrorInStream {
        /// The service's words.
        message: String,
    },
    /// The stream ended before it was done.
    #[error("the answer broke off without a finish reason")]
    BrokenOff,
    /// No usage came.
    #[error("the service gives no token counts; output is counted in events, which may be too few")]
    NoTokenCounts,
    /// An output of a fixed length came shorter.
    #[error(
        "{wanted} output tokens were asked for exactly, and {got} came: the service does not honour `ignore_eos`, and answers that end before their length will count as short (ask for \"capped\" outputs to let them: --output, or request.output of a plan)"
    )]
    NotFixed {
        /// Output tokens asked for.
        wanted: u64,
        /// Output tokens received, as the service counts them.
        got: u64,
    },
}

impl PreflightWarning {
    /// The same sentence in Chinese.
    #[must_use]
    pub fn in_chinese(&self) -> String {
        match self {
            Self::ModelNotListed { model, listed } => {
                format!("服务列出的模型中没有 {model:?}，现有：{listed}")
            }
            Self::StillStreaming => {
                "应答仍在输出，已截断（若无需等到自然结束，请设置 --max-tokens）".to_owned()
            }
            Self::Late { phase } => format!("应答超时（{phase}），测试照常进行"),
            Self::TooLarge => "应答超出测试端可接收的长度".to_owned(),
            Self::Status { status, message } => {
                format!("服务返回状态码 {status}：{message}；测试照常进行")
            }
            Self::ErrorInStream { message } => format!("流中携带错误：{message}"),
            Self::BrokenOff => "应答中断，未给出结束原因".to_owned(),
            Self::NotFixed { wanted, got } => format!(
                "要求输出恰好 {wanted} 个 Token，实得 {got} 个：服务未执行 ignore_eos，提前结束的应答将按过短计（如允许提前结束，请改用 --output capped，或在测试计划中设置 request.output = \"capped\"）"
            ),
            Self::NoTokenCounts => "服务未返回 Token 计数，改按流事件数统计，可能偏少".to_owned(),
        }
    }
}
