//! Inputs to begin a search from, checked as the fuzzer checks them.

#[path = "checks/import.rs"]
mod checks;

#[test]
fn logs_in_the_corpus_are_accounted_for() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/fuzz/import");
    let inputs = std::fs::read_dir(folder).unwrap().map(|input| {
        let path = input.unwrap().path();
        println!("{}", path.display());
        checks::check(&std::fs::read(path).unwrap());
    });
    assert!(inputs.count() > 0);
}
