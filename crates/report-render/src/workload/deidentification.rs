//! What was done so that a profile names nobody.

use workload_model::profile::Profile;

use crate::{
    document::{Block, Line},
    language::Language,
    number,
};

pub(super) fn heading(l: Language) -> &'static str {
    l.say("De-identification", "脱敏")
}

pub(super) fn blocks(p: &Profile, l: Language) -> Vec<Block> {
    if p.source.rows_read == 0 {
        return vec![Block::Paragraph(
            l.say("No log was read, so that there was nothing to de-identify.", "没有读取日志，无需脱敏。")
                .into(),
        )];
    }
    vec![Block::List { ordered: false, items: done(p, l).into_iter().map(Line::from).collect() }]
}

fn done(p: &Profile, l: Language) -> Vec<String> {
    let done = &p.deidentification;
    let mut points = vec![
        l.say(
            "Texts of requests and answers, names of people, keys, addresses and ids of the log are not in the profile: its rows have no field that could hold them. Models stand under their own names and groups of a card under the operator's words: read the list of groups before you hand it on.",
            "请求与响应文本、人员姓名、密钥、地址与各类标识不进入画像：画像所依据的行数据没有可存放它们的字段。模型以其自身名称、登记表中的分组以操作方所写名称出现，对外提供前请核对分组清单。",
        )
        .to_owned(),
        if done.key_kept {
            l.say(
                "Callers, labels and conversations stand under pseudonyms (HMAC-SHA-256). The operator keeps the secret outside the profile, so that pseudonyms stay the same over several imports; whoever holds it can make them again.",
                "调用方、标签与会话以化名表示（HMAC-SHA-256）。密钥由操作方在画像之外保管，使多次导入的化名保持一致；持有密钥者可重新推算化名。",
            )
        } else {
            l.say(
                "Callers, labels and conversations stand under pseudonyms (HMAC-SHA-256), whose secret was made for this import and was not kept: nobody can make them again.",
                "调用方、标签与会话以化名表示（HMAC-SHA-256），其密钥仅为本次导入生成且未保留，任何人都无法重新推算。",
            )
        }
        .to_owned(),
    ];
    points.push(match done.token_bin {
        0 | 1 => l.say("Lengths are exact.", "长度为精确值。").to_owned(),
        bin => l.say(
            format!("Lengths were rounded up to multiples of {bin} tokens."),
            format!("长度已向上取整为 {bin} Token 的倍数。"),
        ),
    });
    let time_bin = done.time_bin_s.get();
    points.push(if time_bin > 0.0 {
        let bin = number::plain(time_bin);
        l.say(
            format!("Arrivals were rounded down to multiples of {bin} s."),
            format!("到达时刻已向下取整为 {bin} 秒的倍数。"),
        )
    } else {
        l.say("Times of arrival are exact.", "到达时刻为精确值。").to_owned()
    });
    let (least, merged) = (number::grouped(done.least_rows), number::grouped(done.labels_merged));
    points.push(if done.labels_merged > 0 {
        let rows = number::grouped(done.rows_merged);
        l.say(
            format!("Labels carried by fewer than {least} rows do not stand for themselves: {merged} of them, with {rows} rows, became the group “other”."),
            format!("行数少于 {least} 的标签不单独列出：共 {merged} 个，合计 {rows} 行，并入“other”组。"),
        )
    } else {
        l.say(
            format!("Labels carried by fewer than {least} rows would not stand for themselves; there was none."),
            format!("行数少于 {least} 的标签不单独列出；本次没有此类标签。"),
        )
    });
    points
}
