//! A place for both parties to sign.

use verdict_rules::Edition;

use crate::{
    document::{Block, Line, Party, Signatures, legible},
    language::Language,
    material::Material,
};

pub(crate) fn heading(l: Language) -> &'static str {
    l.say("Signatures", "签署")
}

pub(crate) fn blocks(m: &Material, l: Language) -> Vec<Block> {
    let words = match m.edition() {
        _ if m.scope.simulated => l.say(
            "Demonstration: the service was a built-in simulator. A signature here accepts nothing. Evidence digest ",
            "演示：被测对象为内置模拟服务，此处签字不构成任何验收。证据摘要：",
        ),
        Edition::Customer => l.say(
            "By signing, both parties confirm the results of this report within the scope that it states, on the basis of the evidence with the digest ",
            "双方签署确认：在本报告载明的适用范围内认可所列测试结果，其依据为下列摘要对应的证据：",
        ),
        Edition::Internal => l.say(
            "Internal edition: a signature here confirms only that the results and the open items are known. It is no acceptance. Evidence digest ",
            "内部版：此处签字仅表示知悉测试结果与待办事项，不构成验收。证据摘要：",
        ),
    };
    let name = |name: &Option<String>| name.as_deref().filter(|name| !name.is_empty()).map(legible);
    vec![
        Block::Paragraph(Line::new().plain(words).code(&m.summary.evidence_digest).plain(l.say(".", "。"))),
        Block::Signatures(Signatures {
            fields: [
                l.say("Name and position", "姓名 / 职务"),
                l.say("Signature", "签字"),
                l.say("Date", "日期"),
                l.say("Seal", "盖章"),
            ]
            .map(str::to_owned)
            .to_vec(),
            parties: vec![
                Party { role: l.say("Customer", "客户").to_owned(), name: name(&m.scope.project.customer) },
                Party {
                    role: l.say("Supplier", "供应商").to_owned(), name: name(&m.scope.project.supplier)
                },
            ],
        }),
    ]
}
