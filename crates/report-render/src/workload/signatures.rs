//! Where the business and those who deliver and test sign.

use crate::{
    document::{Block, Line, Party, legible},
    language::Language,
    section::signatures::places,
};

use super::WorkloadFacts;

pub(super) fn heading(l: Language) -> &'static str {
    l.say("Signatures", "签署")
}

pub(super) fn blocks(facts: &WorkloadFacts, l: Language) -> Vec<Block> {
    let statement = l.say(
        "By signing, the parties confirm what section 1 lists and agree on this request distribution, namely the file profile.json with the SHA-256 ",
        "各方签署即确认第 1 节所列内容，并同意以本请求分布为准，即 SHA-256 为下列值的 profile.json 文件：",
    );
    vec![
        Block::Paragraph(
            Line::new().plain(statement).code(&facts.profile_sha256).plain(l.say(".", "。")),
        ),
        Block::Signatures(places(parties(facts, l), l)),
        Block::Note(
            l.say(
                "A digital signature (Ed25519, minisign format) may stand beside the profile in its folder. It covers profile.json and names these documents by their digests.",
                "电子签名（Ed25519，minisign 格式）可与画像存于同一文件夹，覆盖 profile.json，并以摘要列明各份文档。",
            )
            .into(),
        ),
    ]
}

fn parties(facts: &WorkloadFacts, l: Language) -> Vec<Party> {
    let project = &facts.project;
    let name = |name: &Option<String>| name.as_deref().filter(|name| !name.trim().is_empty()).map(legible);
    let mut parties = vec![
        Party { role: l.say("Business owner", "业务负责方").to_owned(), name: name(&project.customer) },
        Party {
            role: l.say("Delivery and testing", "交付与测试方").to_owned(),
            name: name(&project.supplier),
        },
    ];
    if let Some(third) = name(&project.third_party) {
        parties.push(Party { role: l.say("Third party", "第三方").to_owned(), name: Some(third) });
    }
    parties
}
