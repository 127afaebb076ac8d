//! Texts that mean nothing and repeat exactly: token counts, natural lengths, words.

/// A small stable hash (SplitMix64 over words). The standard library's may change between versions, and with it
/// every text of the simulator.
#[derive(Clone, Copy)]
pub(crate) struct Hash(u64);

impl Hash {
    pub(crate) fn new(seed: u64) -> Self {
        Hash(seed).word(0x51_0d_ec_0d)
    }

    pub(crate) fn word(self, word: u64) -> Self {
        let mut z = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15) ^ word.wrapping_mul(0xff51_afd7_ed55_8ccd);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Hash(z ^ (z >> 31))
    }

    pub(crate) fn text(self, text: &str) -> Self {
        text.chars().fold(self, |hash, c| hash.word(u64::from(c)))
    }

    pub(crate) fn value(self) -> u64 {
        self.0
    }

    /// A number from 0 (included) to 1 (excluded).
    pub(crate) fn unit(self) -> f64 {
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The tokens of a text as the simulator counts them: each run of letters and digits is one, each CJK character is
/// one, each other visible character is one; white space is none.
///
/// ```
/// assert_eq!(inference_sim::count_tokens("Hello, world 42!"), 5);
/// assert_eq!(inference_sim::count_tokens("你好，世界"), 5);
/// assert_eq!(inference_sim::count_tokens(""), 0);
/// ```
pub fn count_tokens(text: &str) -> u64 {
    tokens(text).count() as u64
}

/// The tokens themselves, in order.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let end =
            if is_word(first) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (token, after) = rest.split_at(end);
        rest = after;
        Some(token)
    })
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() && !is_cjk(c)
}

fn is_cjk(c: char) -> bool {
    matches!(u32::from(c), 0x3040..=0x30ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xac00..=0xd7af | 0x2_0000..=0x3_ffff)
}

/// What a prompt makes the simulator say. An opening in square brackets and all but the last 64 characters of the
/// last user message do not count, so that prompts with fresh openings get the same answer in every tier.
pub(crate) struct Voice {
    hash: Hash,
    chinese: bool,
}

impl Voice {
    pub(crate) fn new(seed: u64, last_user_message: &str) -> Self {
        let message = match last_user_message.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((_, after)) => after.trim_start(),
            None => last_user_message,
        };
        let start = message.char_indices().rev().nth(63).map_or(0, |(at, _)| at);
        Voice { hash: Hash::new(seed).text(&message[start..]), chinese: message.chars().any(is_cjk) }
    }

    /// The natural length of the answer, from `least` to `most`, both included.
    pub(crate) fn length(&self, least: u64, most: u64) -> u64 {
        least + self.hash.word(1).value() % (most.saturating_sub(least) + 1)
    }

    /// The text of one token of a phase (0: the answer, 1: its reasoning).
    pub(crate) fn token(&self, phase: u64, index: u64) -> String {
        let pick = |words: &[&'static str]| -> &'static str {
            words[(self.hash.word(2 + phase).word(index).value() % words.len() as u64) as usize]
        };
        // Every ninth token closes a sentence.
        let stop = index % 9 == 8;
        match (self.chinese, stop) {
            (true, true) => "。".to_owned(),
            (true, false) => pick(CHINESE).to_owned(),
            (false, true) => ".".to_owned(),
            (false, false) if index == 0 => pick(ENGLISH).to_owned(),
            (false, false) => format!(" {}", pick(ENGLISH)),
        }
    }
}

const ENGLISH: &[&str] = &[
    "the", "service", "answers", "each", "request", "with", "steady", "words", "and", "a", "river", "runs",
    "under", "old", "bridge", "while", "morning", "light", "moves", "over", "quiet", "fields", "people",
    "walk", "to", "market", "carry", "bread", "home", "tell", "stories", "about", "distant", "cities",
    "where", "every", "window", "keeps", "its", "own", "small", "lamp", "burning",
];

const CHINESE: &[&str] = &[
    "我们", "今天", "清晨", "的", "城市", "在", "河边", "慢慢", "醒来", "人们", "带着", "面包", "走过",
    "老桥", "和", "安静", "田野", "远处", "灯光", "照亮", "每个", "窗口", "服务", "回答", "问题", "需要",
    "时间", "可以", "看到", "结果", "是", "稳定", "新", "故事", "开始", "讲述", "世界",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_words_cjk_characters_and_marks() {
        let all: Vec<&str> = tokens(" It's 3.5 GB,模型A很快!\n").collect();
        assert_eq!(all, ["It", "'", "s", "3", ".", "5", "GB", ",", "模", "型", "A", "很", "快", "!"]);
    }

    #[test]
    fn a_fresh_opening_changes_nothing() {
        let long = "Please describe in detail how a bridge is built, and what it carries today.";
        for (one, two) in [
            (format!("[a1b2c3] {long}"), format!("[ffffff] {long}")),
            (format!("a1b2c3 {long}"), format!("ffffff {long}")),
            ("[a1b2c3] 你好".to_owned(), "[ffffff] 你好".to_owned()),
            ("[a1b2c3] 你好".to_owned(), "你好".to_owned()),
        ] {
            let (one, two) = (Voice::new(7, &one), Voice::new(7, &two));
            assert_eq!(one.hash.value(), two.hash.value());
        }
        assert_ne!(Voice::new(7, "one").hash.value(), Voice::new(7, "two").hash.value());
        assert_ne!(Voice::new(7, "one").hash.value(), Voice::new(8, "one").hash.value());
    }

    #[test]
    fn lengths_fill_their_range() {
        let lengths: Vec<u64> =
            (0..2_000).map(|n| Voice::new(1, &format!("prompt {n}")).length(24, 48)).collect();
        assert!((24..=48).all(|length| lengths.contains(&length)));
        assert!(lengths.iter().all(|length| (24..=48).contains(length)));
    }

    #[test]
    fn chinese_is_answered_in_chinese() {
        assert!(is_cjk(Voice::new(1, "介绍一座桥").token(0, 0).chars().next().unwrap()));
        assert!(Voice::new(1, "Describe a bridge").token(0, 1).starts_with(' '));
    }
}
