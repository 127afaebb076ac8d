//! What holds of an import of any bytes.

use log_import::{
    BadLine, Choice, ImportError, ImportOptions, Input, MaxBad, ReadOptions, Secret, Watch, formats, import,
};
use workload_model::traffic::{Facets, Grouping};

struct OneGroup;

impl Grouping for OneGroup {
    fn group_of(&mut self, _: &Facets<'_>) -> u16 {
        0
    }

    fn names(&self) -> Vec<String> {
        vec!["all".to_owned()]
    }
}

/// Counts bad rows, and lines that are none.
#[derive(Default)]
struct Count(u64, u64);

impl Watch for Count {
    fn bad(&mut self, row: &BadLine<'_>) {
        self.0 += 1;
        self.1 += u64::from(row.line == 0 || row.to_string().is_empty());
    }
}

/// Reads the bytes as every format there is: each row is kept or dropped for a reason, and each bad one is told of.
pub(crate) fn check(bytes: &[u8]) {
    let mut read = ReadOptions::default();
    read.year = Some(2026);
    read.keep_text = true;
    let options =
        ImportOptions { read, max_bad: MaxBad::Rows(u64::MAX), max_line: 300, ..ImportOptions::default() };
    for format in formats::all() {
        let name = format.name();
        let mut bad = Count::default();
        let (inputs, choice) = (vec![Input::reader("log", bytes)], Choice::Named(*format));
        let imported = import(inputs, choice, &options, &Secret::new(&[7; 32]), &mut OneGroup, &mut bad);
        assert_eq!(bad.1, 0, "{name}");
        match imported {
            Ok(imported) => {
                let dropped = &imported.traffic.dropped;
                let told: u64 =
                    dropped.iter().filter(|(reason, _)| reason.is_bad()).map(|(_, rows)| rows).sum();
                assert_eq!(told, bad.0, "{name}");
                let all = imported.traffic.kept() + dropped.values().sum::<u64>();
                assert_eq!((imported.traffic.read(), imported.files[0].rows), (all, all), "{name}");
            }
            Err(ImportError::NothingKept { read, .. }) => assert_eq!(read, bad.0, "{name}"),
            Err(fault) => assert!(!fault.to_string().is_empty(), "{name}"),
        }
    }
}
