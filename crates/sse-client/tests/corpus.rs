//! Inputs that the fuzzer found worth keeping, and every stream of the fixtures, checked as the fuzzer checks them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod checks;

use std::path::Path;

/// Checks every input of a folder of the fixtures; gives their number.
#[expect(clippy::print_stdout, reason = "says at which input a check failed")]
fn each_of(folder: &str, check: fn(&[u8])) -> usize {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(folder);
    let inputs = std::fs::read_dir(folder).unwrap();
    let checked = inputs.map(|input| {
        let path = input.unwrap().path();
        println!("{}", path.display());
        check(&std::fs::read(path).unwrap());
    });
    checked.count()
}

#[test]
fn the_parser_gives_the_same_events_however_its_corpus_is_cut() {
    assert!(each_of("fuzz/parser", checks::parser) > 0);
    assert!(each_of("sse", checks::parser) > 50);
}

#[test]
fn the_decoder_says_the_same_however_its_corpus_is_cut() {
    assert!(each_of("fuzz/decoder", checks::decoder) > 0);
    assert!(each_of("sse", checks::decoder) > 50);
}

#[test]
fn the_shortcut_changes_nothing_in_its_corpus() {
    assert!(each_of("fuzz/decoder_shortcut", checks::shortcut) > 0);
    assert!(each_of("fuzz/decoder", checks::shortcut) > 0);
    assert!(each_of("sse", checks::shortcut) > 50);
}
