//! A model's own tokenizer, from its `tokenizer.json`.

use sha2::{Digest, Sha256};
use tokenizers::Tokenizer;

use super::{CountError, TokenCounter};
use crate::set_facts::SizedBy;

/// Counts with a `tokenizer.json`: every text whole, without the tokens that mark its beginning or end.
///
/// A file may say that texts are cut off after some tokens, or filled up to a number of them. Neither is done here. A
/// clone counts the same and shares nothing, so that threads do not wait for each other.
#[derive(Debug, Clone)]
pub struct TokenizerCounter {
    tokenizer: Tokenizer,
    name: String,
    sha256: String,
}

/// A `tokenizer.json` cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "read the tokenizer: {0} (give the file tokenizer.json that is published with the model; a vocabulary or tokenizer.model alone will not do)"
)]
pub struct TokenizerError(String);

impl TokenizerCounter {
    /// The counter of a `tokenizer.json`.
    ///
    /// # Errors
    /// Where it is no such file, or one of a kind that is not known.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, TokenizerError> {
        let mut tokenizer =
            Tokenizer::from_bytes(bytes).map_err(|error| TokenizerError(error.to_string()))?;
        tokenizer.with_truncation(None).map_err(|error| TokenizerError(error.to_string()))?;
        tokenizer.with_padding(None);
        let sha256 = hex::encode(Sha256::digest(bytes));
        Ok(Self { tokenizer, name: "tokenizer.json".to_owned(), sha256 })
    }

    /// Under a name of its own, such as that of the model.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }
}

impl TokenCounter for TokenizerCounter {
    fn count(&mut self, text: &str) -> Result<u64, CountError> {
        let encoding =
            self.tokenizer.encode_fast(text, false).map_err(|error| CountError(error.to_string()))?;
        Ok(encoding.len() as u64)
    }

    fn by(&self) -> SizedBy {
        SizedBy::Tokenizer
    }

    fn name(&self) -> Option<String> {
        Some(self.name.clone())
    }

    fn sha256(&self) -> Option<String> {
        Some(self.sha256.clone())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{
        random::Stream,
        synthesis::{Ratios, Texts, Tongue},
    };

    /// Bytes of one character to a token, with what a file may say beside its vocabulary.
    fn file(truncation: Value, padding: Value) -> Vec<u8> {
        let vocabulary: serde_json::Map<String, Value> = ["[UNK]", "[BOS]", "one", "two"]
            .into_iter()
            .enumerate()
            .map(|(id, word)| (word.to_owned(), json!(id)))
            .collect();
        json!({
            "version": "1.0",
            "truncation": truncation,
            "padding": padding,
            "added_tokens": [{
                "id": 1, "content": "[BOS]", "single_word": false, "lstrip": false, "rstrip": false,
                "normalized": false, "special": true,
            }],
            "normalizer": null,
            "pre_tokenizer": { "type": "Whitespace" },
            "post_processor": {
                "type": "TemplateProcessing",
                "single": [
                    { "SpecialToken": { "id": "[BOS]", "type_id": 0 } },
                    { "Sequence": { "id": "A", "type_id": 0 } },
                ],
                "pair": [{ "Sequence": { "id": "A", "type_id": 0 } }, { "Sequence": { "id": "B", "type_id": 0 } }],
                "special_tokens": { "[BOS]": { "id": "[BOS]", "ids": [1], "tokens": ["[BOS]"] } },
            },
            "decoder": null,
            "model": { "type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]" },
        })
        .to_string()
        .into_bytes()
    }

    #[test]
    fn nothing_is_cut_off_filled_up_or_put_before_a_text() {
        let cut = json!({ "direction": "Right", "max_length": 8, "strategy": "LongestFirst", "stride": 0 });
        let filled = json!({
            "strategy": { "Fixed": 32 }, "direction": "Right", "pad_to_multiple_of": null, "pad_id": 0,
            "pad_type_id": 0, "pad_token": "[UNK]",
        });
        let mut counter = TokenizerCounter::from_bytes(&file(cut, filled)).expect("a tokenizer");
        assert_eq!(counter.count("one two three"), Ok(3));
        assert_eq!(counter.count(&"one two ".repeat(50)), Ok(100));
        assert_eq!(counter.count(""), Ok(0));
    }

    #[test]
    fn texts_have_the_length_that_the_tokenizer_counts() {
        let bytes = file(Value::Null, Value::Null);
        let counter = TokenizerCounter::from_bytes(&bytes).expect("a tokenizer").named("words");
        let mut texts = Texts::new(Some(Box::new(counter.clone())), Ratios::default());
        for tokens in [1, 7, 40, 700] {
            let made = texts.text(&mut Stream::new(tokens, "words"), &[(Tongue::En, 1)], tokens);
            let made = made.expect("it counts");
            assert_eq!(made.counted, Some(tokens), "{}", made.text);
            assert_eq!(counter.clone().count(&made.text), Ok(tokens));
        }
        let sizing = texts.sizing();
        assert_eq!((sizing.by, sizing.counter.as_deref()), (SizedBy::Tokenizer, Some("words")));
        assert_eq!(sizing.sha256, Some(hex::encode(Sha256::digest(&bytes))));
    }

    #[test]
    fn another_file_is_told_from_a_tokenizer() {
        let error = TokenizerCounter::from_bytes(b"{\"model\": 1}").expect_err("it is none").to_string();
        assert!(error.starts_with("read the tokenizer: ") && error.contains("tokenizer.json"), "{error}");
    }
}
