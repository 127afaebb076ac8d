//! Public traces give what their makers count, and small ones written for this project what stands in them.

mod common;

use common::{dropped, fixture, format, public_trace, read, read_file, read_text, rows};
use log_import::{ImportError, ImportOptions, Imported, Input};
use metrics_core::Micros;
use workload_model::traffic::{Ending, Note, RowFacts};

/// Kept rows, blank lines, and the first and last arrival in nanoseconds.
fn check(imported: &Imported, format: &str, kept: u64, blank: u64, (first, last): (i64, i64)) {
    let name = &imported.files[0].name;
    assert_eq!(imported.format, format, "{name}");
    assert_eq!((imported.traffic.kept(), imported.traffic.read()), (kept, kept), "{name}");
    assert_eq!(imported.files[0].blank_lines, blank, "{name}");
    let rows = rows(imported);
    let (from, until) = (rows.first().map(|row| row.arrival_ns), rows.last().map(|row| row.arrival_ns));
    assert_eq!((from, until), (Some(first), Some(last)), "{name}");
}

/// Sorted lengths.
fn lengths(rows: &[RowFacts], of: fn(&RowFacts) -> Option<u32>) -> Vec<u32> {
    let mut lengths: Vec<u32> = rows.iter().filter_map(of).collect();
    lengths.sort_unstable();
    lengths
}

/// A file, its format, kept rows, blank lines, and where they are known the first and the last arrival.
type Case = (&'static str, &'static str, u64, u64, Option<(i64, i64)>);

#[test]
fn public_traces_give_what_their_readmes_count() {
    let ms = 1_000_000;
    let s = 1_000_000_000;
    // 2023-11-16T18:15:46.680590Z and so on.
    let azure_2023 = 1_700_158_546_680_590_000;
    let azure_code = 1_700_158_623_979_960_000;
    let cases: [Case; 14] = [
        ("azure-2023/AzureLLMInferenceTrace_conv.full.csv", "azure", 19_366, 0, None),
        ("azure-2023/AzureLLMInferenceTrace_conv.first2000.csv", "azure", 2000, 0, None),
        ("azure-2023/AzureLLMInferenceTrace_code.full.csv", "azure", 8819, 0, None),
        ("azure-2023/AzureLLMInferenceTrace_code.first2000.csv", "azure", 2000, 0, None),
        (
            "format-only/azure_2024.head.csv",
            "azure",
            1,
            0,
            Some((1_715_299_200_009_930_000, 1_715_299_200_009_930_000)),
        ),
        ("format-only/burstgpt_1.head.csv", "burstgpt", 3, 0, Some((5 * s, 118 * s))),
        ("format-only/burstgpt_3.head.csv", "burstgpt", 2, 0, Some((19_440_110 * s, 19_440_161 * s))),
        ("format-only/qwen_bailian.head.jsonl", "bailian", 1, 0, Some((0, 0))),
        ("mooncake/conversation_trace.burst-28-same-timestamp.jsonl", "mooncake", 28, 0, None),
        ("mooncake/conversation_trace.first2000.jsonl", "mooncake", 2000, 0, None),
        (
            "mooncake/conversation_trace.oddities.jsonl",
            "mooncake",
            9,
            0,
            Some((2_369_999 * ms, 270_000 * ms)),
        ),
        ("mooncake/synthetic_trace.first2000.jsonl", "mooncake", 2000, 0, None),
        ("ragpulse/0_trace.clock-reset.jsonl", "ragpulse", 23, 0, Some((603_806 * s, 487 * s))),
        ("ragpulse/0_trace.tail-blank-line.jsonl", "ragpulse", 3, 1, Some((604_452 * s, 604_603 * s))),
    ];
    for (file, name, kept, blank, ends) in cases {
        let Some(path) = public_trace(file) else { continue };
        let imported = read_file(&path, "auto");
        let rows = rows(&imported);
        let found = (rows[0].arrival_ns, rows[rows.len() - 1].arrival_ns);
        check(&imported, name, kept, blank, ends.unwrap_or(found));
        let relative = name != "azure";
        assert!(imported.traffic.sources.iter().all(|source| source.relative == relative), "{file}");
        match file {
            "azure-2023/AzureLLMInferenceTrace_conv.full.csv" => {
                assert_eq!(found.0, azure_2023);
                let (input, output) =
                    (lengths(&rows, |row| row.input_tokens), lengths(&rows, |row| row.output_tokens));
                assert_eq!((input[input.len() - 1], output[output.len() - 1]), (14_050, 1000));
                assert_eq!((input[input.len() / 2], output[output.len() / 2]), (1020, 129));
                assert_eq!(imported.traffic.notes.get(&Note::ZoneAssumed), Some(&19_366));
                assert!(imported.traffic.sources.iter().all(|source| source.resolution_ns == 100));
                assert_eq!(imported.files[0].bytes, 719_188);
            }
            "azure-2023/AzureLLMInferenceTrace_code.full.csv" => {
                assert_eq!(found.0, azure_code);
                let output = lengths(&rows, |row| row.output_tokens);
                assert_eq!((output[output.len() / 2], output[output.len() - 1]), (13, 1899));
            }
            "mooncake/conversation_trace.burst-28-same-timestamp.jsonl" => {
                assert!(rows.iter().all(|row| row.arrival_ns == found.0));
            }
            _ => {}
        }
    }
}

#[test]
fn pieces_without_a_header_are_read_where_the_format_is_named() {
    for file in ["code", "conv"] {
        let file = format!("azure-2023/{file}.last20-no-header-no-final-newline.csv");
        let Some(path) = public_trace(&file) else { continue };
        let imported = read_file(&path, "azure");
        assert_eq!((imported.traffic.kept(), imported.files[0].lines), (20, 20));
        assert_eq!(rows(&imported)[0].line, 1);
        let fault = read(vec![Input::file(&path)], format("auto"), &ImportOptions::default()).0.err();
        let said = fault.map(|fault| fault.to_string()).unwrap_or_default();
        assert!(said.contains("first line is data"), "{said}");
    }
}

#[test]
fn traces_without_arrivals_are_refused_with_a_reason() {
    for file in ["servegen_offline_a.head.jsonl", "servegen_offline_d.documented.jsonl"] {
        let Some(path) = public_trace(&format!("format-only/{file}")) else { continue };
        for name in ["auto", "jsonl"] {
            let fault = read(vec![Input::file(&path)], format(name), &ImportOptions::default()).0.err();
            let said = fault.map(|fault| fault.to_string()).unwrap_or_default();
            assert!(said.contains("input_length") && said.contains("--map timestamp="), "{said}");
        }
        let fault = read(vec![Input::file(&path)], format("mooncake"), &ImportOptions::default()).0.err();
        let said = fault.map(|fault| fault.to_string()).unwrap_or_default();
        assert!(said.contains("timestamp: there is no time"), "{said}");
    }
}

#[test]
fn azure_tells_times_of_both_years() {
    let imported = read_file(&fixture("traces/azure-2023.csv"), "auto");
    check(&imported, "azure", 3, 0, (1_795_078_800_123_450_000, 1_795_078_802_765_430_000));
    // A time on a second has no fraction and is as exact as the others.
    let resolutions: Vec<u64> = imported.traffic.sources.iter().map(|source| source.resolution_ns).collect();
    assert_eq!(resolutions, [100]);
    let imported = read_file(&fixture("traces/azure-2024.csv"), "auto");
    check(&imported, "azure", 2, 0, (1_795_050_000_009_930_000, 1_795_050_001_000_000_000));
    assert!(imported.traffic.notes.is_empty());
    let row = rows(&imported)[0];
    assert_eq!((row.input_tokens, row.output_tokens, row.ending), (Some(2162), Some(5), Ending::Unknown));
}

#[test]
fn burstgpt_without_an_answer_failed() {
    let imported = read_file(&fixture("traces/burstgpt-1.csv"), "auto");
    check(&imported, "burstgpt", 3, 0, (5_000_000_000, 118_000_000_000));
    let rows_of_first = rows(&imported);
    let told = |row: &RowFacts| (row.input_tokens, row.output_tokens, row.ending);
    assert_eq!(told(&rows_of_first[0]), (Some(472), Some(18), Ending::Ok));
    assert_eq!(told(&rows_of_first[1]), (Some(1087), None, Ending::Error));
    assert_eq!(told(&rows_of_first[2]), (None, None, Ending::Error));
    assert_eq!(imported.traffic.notes.get(&Note::ZeroIsUnknown), Some(&2));
    let imported = read_file(&fixture("traces/burstgpt-3.csv"), "auto");
    let rows = rows(&imported);
    assert_eq!((rows[0].input_tokens, rows[0].output_tokens), (Some(906), Some(446)));
    assert_eq!(rows[0].duration, Some(Micros(43_000_000)));
    assert!(rows[0].session.is_some() && rows[1].session.is_none());
}

#[test]
fn conversations_of_bailian_follow_their_turns() {
    let imported = read_file(&fixture("traces/bailian.jsonl"), "auto");
    check(&imported, "bailian", 3, 0, (0, 61_250_000_000));
    let rows = rows(&imported);
    assert_eq!(rows[0].session, rows[2].session);
    assert!(rows[0].session.is_some() && rows[0].session != rows[1].session);
}

/// Blocks of all rows.
fn blocks(imported: &Imported) -> Vec<Vec<u32>> {
    (0..rows(imported).len()).map(|at| imported.traffic.blocks(at).to_vec()).collect()
}

#[test]
fn blocks_are_kept_under_numbers_of_their_own() {
    let bailian = read_file(&fixture("traces/bailian.jsonl"), "auto");
    assert_eq!(blocks(&bailian), [vec![0, 1], vec![2], vec![0, 1, 3]]);
    assert_eq!(bailian.traffic.block_tokens, Some(16));

    let row = |ids: &str| {
        format!("{{\"timestamp\":5,\"input_length\":1100,\"output_length\":9,\"hash_ids\":{ids}}}\n")
    };
    let text: String = ["[46, 18446744073709551615, 12]", "[46]", "null", "[46, 7, 12]"].map(row).concat();
    let mooncake = read_text(text.as_bytes(), "mooncake", &ImportOptions::default()).0.expect("rows");
    assert_eq!(blocks(&mooncake), [vec![0, 1, 2], vec![0], vec![], vec![0, 3, 2]]);
    assert_eq!(mooncake.traffic.block_tokens, Some(512));

    let log = read_file(&fixture("new-api.logs.jsonl"), "auto");
    assert!(!log.traffic.has_blocks() && log.traffic.block_tokens.is_none());
}

#[test]
fn blocks_that_are_no_numbers_cost_their_row_nothing_but_its_prefix() {
    let text = "{\"timestamp\":5,\"input_length\":1100,\"output_length\":9,\"hash_ids\":[1,2]}\n\
                {\"timestamp\":6,\"input_length\":1100,\"output_length\":9,\"hash_ids\":[1,\"secret\"]}\n";
    let (imported, _) = read_text(text.as_bytes(), "mooncake", &ImportOptions::default());
    let imported = imported.expect("rows");
    assert_eq!(dropped(&imported), [].into());
    assert_eq!(blocks(&imported), [vec![0, 1], vec![]]);
    let mut options = ImportOptions::default();
    options.read.skip_blocks = true;
    let skipped = read_text(text.as_bytes(), "mooncake", &options).0.expect("rows");
    assert!(!skipped.traffic.has_blocks() && skipped.traffic.kept() == 2);
}

#[test]
fn mooncake_has_a_block_for_every_512_tokens() {
    let Some(file) = public_trace("mooncake/conversation_trace.first2000.jsonl") else { return };
    let imported = read_file(&file, "auto");
    for (row, blocks) in rows(&imported).iter().zip(blocks(&imported)) {
        assert_eq!(row.input_tokens.map(|input| input.div_ceil(512) as usize), Some(blocks.len()));
    }
}

#[test]
fn a_trace_that_is_read_as_another_is_refused() {
    // Their clocks count milliseconds and seconds: one read as the other would be wrong a thousandfold.
    for (file, other) in [("traces/ragpulse.jsonl", "mooncake"), ("traces/mooncake.jsonl", "ragpulse")] {
        let fault = read(vec![Input::file(&fixture(file))], format(other), &ImportOptions::default()).0.err();
        let Some(fault @ ImportError::NothingKept { .. }) = fault else {
            panic!("{file} was read as {other}")
        };
        let own = imported_format(file);
        assert!(fault.to_string().contains(&format!("it looks like {own}, since")), "{fault}");
    }
    let said =
        read(vec![Input::file(&fixture("new-api.logs.jsonl"))], format("azure"), &ImportOptions::default());
    let said = said.0.err().map(|fault| fault.to_string()).unwrap_or_default();
    assert!(
        said.contains("there is no column TIMESTAMP") && said.contains("it looks like new-api"),
        "{said}"
    );
}

fn imported_format(file: &str) -> String {
    read_file(&fixture(file), "auto").format
}

#[test]
fn a_clock_that_is_relative_says_so() {
    let imported = read_file(&fixture("traces/ragpulse.jsonl"), "auto");
    check(&imported, "ragpulse", 2, 1, (604_452_000_000_000, 0));
    assert!(imported.traffic.sources[0].relative);
    assert!(dropped(&imported).is_empty());
    assert_ne!(rows(&imported)[0].session, rows(&imported)[1].session);
}
