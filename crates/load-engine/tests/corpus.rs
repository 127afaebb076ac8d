//! Inputs that the fuzzer found worth keeping, checked as the fuzzer checks them.

#[path = "checks/prometheus.rs"]
mod checks;

#[test]
fn pages_of_metrics_in_the_corpus_are_read_line_by_line() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/fuzz/prometheus");
    let inputs = std::fs::read_dir(folder).unwrap().map(|input| {
        let path = input.unwrap().path();
        println!("{}", path.display());
        checks::check(&std::fs::read(path).unwrap());
    });
    assert!(inputs.count() > 0);
}
