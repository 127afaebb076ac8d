//! The document of a profile.

use std::collections::BTreeSet;

use report_render::{
    Document, Language, charts, is_chart_file, render_html, render_markdown, specimens, workload_document,
    workload_files,
};
use workload_model::profile::Profile;

fn document(profile: &Profile, language: Language) -> Document {
    workload_document(profile, &specimens::workload_facts(), language)
}

fn markdown(profile: &Profile, language: Language) -> String {
    render_markdown(&document(profile, language))
}

#[track_caller]
fn says(profile: &Profile, en: &str, zh: &str) {
    for (language, words) in [(Language::En, en), (Language::Zh, zh)] {
        let text = markdown(profile, language);
        assert!(text.contains(words), "{words:?} is missing in {text}");
    }
}

#[test]
fn profiles_give_documents() {
    for (name, profile) in specimens::profiles().into_iter().filter(|(name, _)| *name != "crowd") {
        for language in Language::ALL {
            let code = language.code();
            insta::assert_snapshot!(format!("{name}.{code}.md"), markdown(&profile, language));
        }
    }
}

#[test]
fn profiles_give_drawings() {
    for language in Language::ALL {
        for (file, svg) in charts(&document(&specimens::full(), language)) {
            insta::assert_snapshot!(file, svg);
        }
    }
}

#[test]
fn the_files_of_a_profile_are_those_that_its_markdown_links() {
    let files = workload_files(&specimens::full(), &specimens::workload_facts());
    assert_eq!(files, workload_files(&specimens::full(), &specimens::workload_facts()), "the same bytes");
    let names: BTreeSet<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names.len(), files.len());
    for code in ["zh", "en"] {
        for name in ["profile", "arrivals", "hours", "coverage", "lengths-1", "lengths-2", "lengths-3"] {
            let ending = if name == "profile" { "html" } else { "svg" };
            assert!(names.contains(format!("{name}.{code}.{ending}").as_str()), "{name}: {names:?}");
        }
        let page = files.iter().find(|(name, _)| *name == format!("profile.{code}.md"));
        let page = page.map(|(_, text)| text.as_str()).unwrap_or_default();
        let linked = page.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        let linked: BTreeSet<&str> = linked.map(|(name, _)| name).collect();
        let drawn = format!(".{code}.svg");
        assert_eq!(linked, names.iter().copied().filter(|name| name.ends_with(&drawn)).collect());
    }
    assert!(names.iter().all(|name| !is_chart_file(name)), "a report has no chart of these names");
}

#[test]
fn nothing_of_others_is_a_mark() {
    for language in Language::ALL {
        let document = document(&specimens::crowd(), language);
        let html = render_html(&document);
        for (mark, times) in [("<script", 1), ("<style", 1), ("</style", 1), ("style=", 0), ("onclick", 0)] {
            assert_eq!(html.matches(mark).count(), times, "{mark}");
        }
        assert!(!html.contains('\u{202E}'));
        assert!(!render_markdown(&document).contains("\n# heading"));
        for (name, svg) in charts(&document) {
            assert!(!svg.contains("<script") && svg.len() < 200_000, "{name} has {} bytes", svg.len());
        }
    }
}

#[test]
fn an_english_document_of_english_data_is_english() {
    let mut facts = specimens::workload_facts();
    facts.project = Default::default();
    let text = render_markdown(&workload_document(&specimens::mooncake_like(), &facts, Language::En));
    let chinese = text.lines().filter(|line| !line.contains('〔'));
    assert_eq!(
        chinese.filter(|line| line.chars().any(|c| ('\u{3000}'..='\u{9FFF}').contains(&c))).count(),
        0
    );
}

#[test]
fn what_a_log_does_not_tell_is_said_to_be_missing() {
    let nginx = specimens::nginx();
    says(&nginx, "The log has no token counts.", "日志不含 Token 计数");
    says(&nginx, "the log links no requests to conversations", "日志没有会话标识");
    says(&nginx, "Streaming**: unknown", "流式**：未知");
    says(
        &nginx,
        "Nobody has said which traffic it does not cover.",
        "提供方未说明哪些流量不在覆盖范围之内。",
    );
    let ticks = specimens::mooncake_like();
    says(&ticks, "does not tell at what hour of which day it began", "不含起始日期与钟点");
    says(&ticks, "the log's clock is too coarse (instants 3 s apart", "日志时钟过粗（相邻时刻相差 3 秒");
    says(&ticks, "rounded up to multiples of 64 tokens", "向上取整为 64 Token 的倍数");
    says(&specimens::one_row(), "neither a rate nor a peak exists", "不存在到达速率与峰值");
    says(&specimens::assumed_only(), "Nothing was measured", "没有实测数据");
}

#[test]
fn rows_read_are_those_kept_and_those_dropped_by_reason() {
    let full = specimens::full();
    says(
        &full,
        "14,159 rows read = 13,300 kept + 859 dropped",
        "读取 14,159 行 = 计入 13,300 行 + 未计入 859 行",
    );
    says(&full, "| no request to a model | 620 | 4.4% |", "| 不是模型请求 | 620 | 4.4% |");
    says(&full, "| output cut short | 412 | 3.1% |", "| 输出被截断 | 412 | 3.1% |");
}

#[test]
fn who_assumed_what_is_named_and_what_nobody_stated_is_left_open() {
    let full = specimens::full();
    for language in Language::ALL {
        let text = markdown(&full, language);
        let batch = text.lines().rfind(|line| line.starts_with("| nightly-batch |")).unwrap_or_default();
        assert_eq!(batch.matches("| \\_").count(), 5, "{batch}");
        assert!(text.contains("王工（业务运营科）") && text.contains("《窗口服务规范》第 7 条"), "{text}");
    }
    says(&full, "| **real** | 1 | 2 | 60 | waits in a queue |", "| 1 | 2 | 60 | 排队等待 |");
}

#[test]
fn a_profile_that_is_not_of_real_use_says_so_before_anything_else() {
    for (profile, en, zh) in [
        (specimens::one_row(), "> **Synthetic traffic**", "> **合成流量**"),
        (specimens::assumed_only(), "> **Assumed, not measured**", "> **假定，未经实测**"),
    ] {
        for (language, words) in [(Language::En, en), (Language::Zh, zh)] {
            let text = markdown(&profile, language);
            assert!(text.find(words).is_some_and(|at| at < text.find("## 1 ").unwrap_or(0)), "{text}");
        }
    }
    says(&specimens::full(), "> **Part of this distribution is assumed**", "> **本分布部分为假定**");
    let mut measured = specimens::full();
    measured.groups.retain(|group| group.assumed.is_none());
    assert!(document(&measured, Language::En).notices.is_empty());
}

#[test]
fn stretches_that_hold_the_same_time_are_told_before_anything_else() {
    let mut profile = specimens::full();
    assert!(!markdown(&profile, Language::En).contains("hold the same time"));
    let first = profile.source.segments[0].clone();
    profile.source.segments.push(first);
    says(&profile, "Stretches of this log hold the same time", "日志各段时间重叠");
}
