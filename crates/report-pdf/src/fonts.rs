//! The embedded fonts. Nothing else is ever used, so that a document looks the same wherever it is made.

use std::{
    io::{Cursor, Read as _},
    sync::LazyLock,
};

use ruzstd::decoding::StreamingDecoder;
use typst::{
    foundations::Bytes,
    text::{Font, FontBook},
    utils::LazyHash,
};

/// The files, compressed. `fonts/README.md` says where they come from.
const FILES: [(&str, &[u8]); 8] = [
    ("NotoSansSC-Regular", include_bytes!("../fonts/NotoSansSC-Regular.ttf.zst")),
    ("NotoSansSC-Bold", include_bytes!("../fonts/NotoSansSC-Bold.ttf.zst")),
    ("NotoSansMono-Regular", include_bytes!("../fonts/NotoSansMono-Regular.ttf.zst")),
    ("NotoSans-Regular", include_bytes!("../fonts/NotoSans-Regular.ttf.zst")),
    ("NotoSansMath-Regular", include_bytes!("../fonts/NotoSansMath-Regular.ttf.zst")),
    ("NotoSansJP-Regular", include_bytes!("../fonts/NotoSansJP-Regular.ttf.zst")),
    ("NotoSans-Bold", include_bytes!("../fonts/NotoSans-Bold.ttf.zst")),
    ("NotoSansJP-Bold", include_bytes!("../fonts/NotoSansJP-Bold.ttf.zst")),
];

/// Those of them that any text may be set in. The others hold less than these.
const GENERAL: [usize; 4] = [0, 3, 4, 5];

/// The fonts, unpacked when they are first needed.
pub(crate) static FONTS: LazyLock<Fonts> = LazyLock::new(Fonts::unpack);

/// The fonts and what Typst knows of them.
#[derive(Debug)]
pub(crate) struct Fonts {
    pub(crate) book: LazyHash<FontBook>,
    pub(crate) fonts: Vec<Font>,
}

impl Fonts {
    fn unpack() -> Self {
        let fonts: Vec<Font> = FILES.iter().map(|(name, packed)| font(name, packed)).collect();
        Self { book: LazyHash::new(FontBook::from_fonts(&fonts)), fonts }
    }

    /// One font has a glyph for each of these characters. What is set together must come from one font.
    pub(crate) fn cover(&self, characters: impl Iterator<Item = char> + Clone) -> bool {
        let mut coverages = GENERAL.iter().map(|at| &self.fonts[*at].info().coverage);
        coverages.any(|coverage| characters.clone().all(|c| coverage.contains(u32::from(c))))
    }

    /// The font of most text has a glyph for it.
    pub(crate) fn main_covers(&self, c: char) -> bool {
        self.fonts[GENERAL[0]].info().coverage.contains(u32::from(c))
    }
}

fn font(name: &str, packed: &[u8]) -> Font {
    let mut plain = Vec::new();
    let mut decoder = StreamingDecoder::new(Cursor::new(packed)).expect("an embedded font is a zstd frame");
    decoder.read_to_end(&mut plain).expect("an embedded font can be unpacked");
    Font::new(Bytes::new(plain), 0).unwrap_or_else(|| panic!("{name} is a font"))
}
