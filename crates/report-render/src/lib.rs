//! One document model, written as Markdown and self-contained HTML, with charts, in Chinese and English.
#![doc = include_str!("../README.md")]

mod chart;
mod compose;
mod cover;
mod document;
mod html;
mod language;
mod markdown;
mod material;
mod monitoring;
mod number;
mod pdf_standard;
mod section;
#[cfg(feature = "specimens")]
pub mod specimens;
mod template;
mod terminal;
mod toml_text;
mod warning;
mod words;
mod workload;

pub use chart::{
    Across, Chart, Columns, ColumnsPanel, CurveLimit, CurvePanel, Curves, Guide, Heat, HeatAxis, HeatCell,
    HeatMark, Limit, MarkedSpan, Palette, Panel, Panels, Plot, Series, Share, Shares, SharesPanel, Step,
    Stretch, Timeline, TimelineRow, Times, svg,
};
pub use document::{
    Align, Block, Callout, Cell, Column, Document, Line, Pair, Party, Row, Section, Signatures, Span, Style,
    Table, Tile, Tone, legible,
};
pub use html::{render_html, render_html_with};
pub use language::{Language, UnknownLanguage};
pub use markdown::{chart_names, charts, is_chart_file, render_markdown, render_markdown_with};
pub use material::{
    ArchiveEntry, FailureExample, GeneratorSample, Material, PlannedTier, Project, PromptSource, Prompts,
    Requests, Scope, Sending, TimeOuts, Transport,
};
pub use monitoring::{Engine, UnknownEngine, prometheus_rules};
pub use pdf_standard::{PdfStandard, UnknownStandard};
pub use section::archive::described;
pub use template::{Logo, TEMPLATE_FILE_LIMIT, TEMPLATE_FILES, Template, TemplateError};
pub use terminal::render_terminal;
pub use toml_text::{TomlFault, parse_toml};
pub use verdict_rules::Edition;
pub use words::origin;
pub use workload::{WorkloadFacts, workload_document, workload_files};
