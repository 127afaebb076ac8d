//! Parses server-sent events, decodes chat-completion streams of every dialect, and performs one HTTP exchange with
//! instants stamped at the socket read.

mod accumulate;
mod chat;
mod chat_state;
mod decode;
mod head;
mod opening;
mod parser;
mod service_error;
mod terminal;
mod wire;

pub use chat::{Chat, ChatStream, Problem, Seen, ToolCall, Usage};
pub use decode::{Decoded, decode};
pub use parser::{DEFAULT_LIMIT, Event, LimitExceeded, Parser, is_event_stream};
pub use service_error::{ErrorCode, ServiceError};
pub use terminal::Terminal;
