//! What saves a person from remembering a command.

fn main() {}
