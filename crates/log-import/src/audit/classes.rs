//! Forms that give a sensitive value away.

use std::sync::LazyLock;

use regex::Regex;

/// What a text has the form of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Class {
    /// An identity number of the People's Republic of China: 18 signs with a date of birth among them. The check digit is
    /// not looked at, since a mistyped number names a person as well.
    ChineseIdentity,
    /// A mobile or fixed telephone number of China.
    ChinesePhone,
    /// An e-mail address.
    Email,
    /// A key, a token or a password in a header.
    Key,
    /// An IPv4 or IPv6 address.
    IpAddress,
}

impl Class {
    /// Every class.
    pub const ALL: [Self; 5] =
        [Self::ChineseIdentity, Self::ChinesePhone, Self::Email, Self::Key, Self::IpAddress];

    /// The word that files use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ChineseIdentity => "chinese_identity",
            Self::ChinesePhone => "chinese_phone",
            Self::Email => "email",
            Self::Key => "key",
            Self::IpAddress => "ip_address",
        }
    }

    /// Where the text has this form, as byte ranges in order.
    #[must_use]
    pub fn find(self, text: &str) -> Vec<std::ops::Range<usize>> {
        let form: &Regex = match self {
            Self::ChineseIdentity => &IDENTITY,
            Self::ChinesePhone => &PHONE,
            Self::Email => &EMAIL,
            Self::Key => &KEY,
            Self::IpAddress => &IP,
        };
        let found = form.find_iter(text).map(|found| found.range());
        let is_one = |found: &str| self != Self::IpAddress || is_address(found);
        found.filter(|range| stands_alone(text, range) && is_one(&text[range.clone()])).collect()
    }
}

fn form(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is one")
}

static IDENTITY: LazyLock<Regex> = LazyLock::new(|| {
    form(r"[1-9][0-9]{5}(?:18|19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])[0-9]{3}[0-9Xx]")
});

static PHONE: LazyLock<Regex> = LazyLock::new(|| {
    form(r"(?:\+?86[- ]?)?1[3-9][0-9](?:[0-9]{8}|[- ][0-9]{4}[- ][0-9]{4})|0[1-9][0-9]{1,2}-[0-9]{7,8}")
});

static EMAIL: LazyLock<Regex> = LazyLock::new(|| {
    form(
        r"[A-Za-z0-9][A-Za-z0-9._%+-]*@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}",
    )
});

static KEY: LazyLock<Regex> = LazyLock::new(|| {
    form(concat!(
        r"(?:[Bb]earer|[Bb]asic) +[A-Za-z0-9._~+/=-]{8,}",
        r"|(?:sk|pk|rk|fk)[-_][A-Za-z0-9_-]{8,}",
        r"|(?:hf|gh[opsur]|glpat|xox[abp])[-_][A-Za-z0-9_-]{16,}",
        r"|(?:AKIA|ASIA)[0-9A-Z]{16}|LTAI[0-9A-Za-z]{12,}|AKID[0-9A-Za-z]{13,}|AIza[0-9A-Za-z_-]{20,}",
        r"|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]+",
        r"|-----BEGIN [A-Z ]*PRIVATE KEY-----"
    ))
});

/// Groups of digits between dots, and of hexadecimal digits between colons: times look like that as well.
static IP: LazyLock<Regex> =
    LazyLock::new(|| form(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}|[0-9A-Fa-f]*:[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*"));

fn is_address(found: &str) -> bool {
    let found = found.trim_end_matches(['.', ':']);
    let has_digit = found.bytes().any(|byte| byte.is_ascii_digit());
    has_digit && found.len() >= 6 && found.parse::<std::net::IpAddr>().is_ok()
}

/// Nothing before or after makes it a part of something longer, such as a digest or a decimal.
fn stands_alone(text: &str, range: &std::ops::Range<usize>) -> bool {
    let before = text[..range.start].chars().next_back();
    let mut after = text[range.end..].chars();
    let (next, second) = (after.next(), after.next());
    let in_word = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
    let decimal = next == Some('.') && second.is_some_and(|sign| sign.is_ascii_digit());
    !before.is_some_and(|sign| in_word(sign) || sign == '.') && !next.is_some_and(in_word) && !decimal
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(class: Class, text: &str) -> Vec<&str> {
        class.find(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn each_class_is_found_in_a_sentence() {
        let cases = [
            (Class::ChineseIdentity, "身份证11010519491231002X，", "11010519491231002X"),
            (Class::ChinesePhone, "联系电话：13800138000。", "13800138000"),
            (Class::ChinesePhone, "call +86 138-0013-8000 now", "+86 138-0013-8000"),
            (Class::ChinesePhone, "前台 010-12345678", "010-12345678"),
            (Class::Email, "写信给zhang.san@example.com.cn吧", "zhang.san@example.com.cn"),
            (Class::Key, "Authorization: Bearer abc.def-1234", "Bearer abc.def-1234"),
            (Class::Key, "\"sk-demo-not-a-key\"", "sk-demo-not-a-key"),
            (Class::Key, "id=LTAI4GabcdefGHIJ;", "LTAI4GabcdefGHIJ"),
            (Class::Key, "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0"),
            (Class::IpAddress, "from 192.0.2.7:53110", "192.0.2.7"),
            (Class::IpAddress, "[2001:db8::7]", "2001:db8::7"),
        ];
        for (class, text, wanted) in cases {
            assert_eq!(found(class, text), [wanted], "{text}");
        }
    }

    #[test]
    fn figures_times_and_digests_are_nothing_of_the_kind() {
        let harmless = [
            "2026-11-19T09:00:00.123456789Z +08:00 from 09:00:13 until 10:00:13",
            "sha256 5c5e0b95f8d303cb81e4dc456a4b12d913800138000aaaaaaaaaaaaaaaaaaaaa",
            "1795050000123456789 13800138000.5 0.13800138000 1.2.3 v1.2.3.4 999.0.2.7",
            "a::before { content: \"\" } std::fmt d::d",
            "task-force risk-based-approach @page @media",
            "between 1,013 and 28,400 tokens",
        ];
        for text in harmless {
            for class in Class::ALL {
                assert!(found(class, text).is_empty(), "{class:?}: {text} {:?}", found(class, text));
            }
        }
    }
}
