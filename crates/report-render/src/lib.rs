//! One document model, written as Markdown and self-contained HTML, with charts, in Chinese and English.
