//! A place for every party to sign, and what a signature says.

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
    vec![
        Block::Paragraph(
            Line::new().plain(statement(m, l)).code(&m.summary.evidence_digest).plain(l.say(".", "。")),
        ),
        Block::Signatures(places(parties(m, l), l)),
        Block::Note(digital(l).into()),
    ]
}

/// A place to sign and to seal for each party.
pub(crate) fn places(parties: Vec<Party>, l: Language) -> Signatures {
    let fields =
        [l.say("Name and position", "姓名 / 职务"), l.say("Signature", "签字"), l.say("Date", "日期")];
    Signatures {
        fields: fields.map(str::to_owned).to_vec(), seal: l.say("Seal", "公章").to_owned(), parties
    }
}

/// What is signed.
fn statement(m: &Material, l: Language) -> &'static str {
    match m.edition() {
        _ if m.scope.simulated => l.say(
            "Demonstration: the service was a built-in simulator. A signature here accepts nothing. Evidence digest ",
            "演示：被测对象为内置模拟服务，此处签字不构成任何验收。证据摘要：",
        ),
        Edition::Customer => l.say(
            "By signing, the parties confirm the results of this report within the scope that it states, on the basis of the evidence with the digest ",
            "各方签署确认：在本报告载明的适用范围内认可所列测试结果，其依据为下列摘要对应的证据：",
        ),
        Edition::Internal => l.say(
            "Internal edition: a signature here confirms only that the results and the open items are known. It is no acceptance. Evidence digest ",
            "内部版：此处签字仅表示知悉测试结果与待办事项，不构成验收。证据摘要：",
        ),
    }
}

fn parties(m: &Material, l: Language) -> Vec<Party> {
    let project = &m.scope.project;
    let party = |role: &str, name: &Option<String>| Party {
        role: role.to_owned(),
        name: name.as_deref().filter(|name| !name.trim().is_empty()).map(legible),
    };
    vec![
        party(l.say("Customer", "客户"), &project.customer),
        party(l.say("Supplier", "供应商"), &project.supplier),
        party(l.say("Third party, if any", "第三方（如有）"), &project.third_party),
    ]
}

/// Which digital signatures there are, and which there are not.
fn digital(l: Language) -> &'static str {
    l.say(
        "Digital signatures: any party can sign the package with acceptreport sign (Ed25519, minisign format). Such a signature covers the evidence digest, the verdict and the documents, and stands in the package beside them. The documents themselves carry no embedded digital signature. Signatures with SM2/SM3 (GM/T) are not supported; where they are required, sign the evidence digest above with a system approved for them.",
        "电子签名：任一方均可用 acceptreport sign 对证据包签名（Ed25519，minisign 格式），签名覆盖证据摘要、判定结果与各份文档，并存于同一证据包内；文档文件自身不内嵌数字签名。不支持国密（SM2/SM3）签名；如有要求，请以合规的国密系统对上述证据摘要另行签名。",
    )
}
