//! Inputs that the fuzzer found worth keeping, checked as the fuzzer checks them.

#[path = "checks/package.rs"]
mod checks;
mod common;

use checks::{AS_IT_IS, Victim};

#[test]
fn any_bytes_in_place_of_a_file_are_found_and_read_without_a_panic() {
    let victim = Victim::new();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/fuzz/package");
    let inputs = std::fs::read_dir(folder).unwrap().map(|input| {
        let path = input.unwrap().path();
        println!("{}", path.display());
        victim.check(&std::fs::read(path).unwrap());
    });
    assert!(inputs.count() > 0);
}

#[test]
fn the_package_that_the_fuzzer_changes_is_intact_as_it_stands() {
    let victim = Victim::new();
    assert!(victim.files.len() > 10);
    for (index, (_, bytes)) in (0..).zip(&victim.files) {
        victim.check(&[&[index, AS_IT_IS], bytes.as_slice()].concat());
    }
}
