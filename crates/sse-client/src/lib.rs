//! Parses server-sent events, decodes chat-completion streams of every dialect, and performs one HTTP exchange with instants stamped at the socket read.
