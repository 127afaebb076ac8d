//! Makes a profile of as many invented rows as are asked for, and says how much processor time and memory it took. Rows are
//! grouped by a card, or by what stands behind their number.
//!
//! ```console
//! $ cargo run --release -p workload-model --example profile_of_rows -- 10000000
//! $ cargo run --release -p workload-model --example profile_of_rows -- 10000000 caller
//! ```

use std::{error::Error, fs};

use metrics_core::Micros;
use workload_model::{
    profile::{Card, Groups, ProfileFacts, build},
    traffic::{Call, Ending, Facets, Grouping, Pseudonym, Row, RowFacts, StampKind, StampSource, Traffic},
};

const CARD: &str = r#"
[profile]
name = "Invented traffic"
origin = "synthetic"

[[group]]
name = "short questions"
match = { call = "chat", input_tokens = "..1000" }
priority = 1
ttft_limit_s = 2
by = "nobody: an example"

[[group]]
name = "long questions"
match = { call = "chat" }
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let rows: u64 = std::env::args().nth(1).map_or(Ok(100_000), |rows| rows.parse())?;
    let card = Card::parse(CARD)?;
    let mut groups = match std::env::args().nth(2) {
        Some(facet) => Groups::of_facet(facet.parse()?),
        None => Groups::of_card(&card),
    };
    let mut traffic = Traffic::default();
    traffic.sources.push(StampSource {
        words: "invented".to_owned(),
        kind: StampKind::End,
        resolution_ns: 1_000,
        relative: false,
    });
    let mut numbers = Numbers(1);
    let mut end_ns = 1_795_046_400_000_000_000;
    for line in 1..=rows {
        end_ns += (numbers.exponential() * 8_640_000.0) as i64 * 1_000;
        let row = invented(&mut numbers, end_ns, line);
        let group = groups.group_of(&Facets {
            call: row.call,
            model: None,
            path: None,
            label: None,
            label_pseudonym: None,
            caller: None,
            caller_pseudonym: row.caller,
            input_tokens: row.input_tokens,
            output_tokens: row.output_tokens,
            stream: row.stream,
        });
        traffic.push(Row::new(RowFacts { group, ..row }));
    }
    let grouped = groups.settle(&mut traffic, 5);
    let facts = ProfileFacts { card, ..ProfileFacts::new(grouped, "invented") };
    let (before_s, held) = (processor_seconds(), memory("VmRSS:"));
    let profile = build(&traffic, &facts)?;
    let (took_s, most) = (processor_seconds() - before_s, memory("VmHWM:"));
    let json = profile.to_json();
    let mut out = std::io::stdout().lock();
    use std::io::Write as _;
    writeln!(out, "{rows} rows: {took_s:.1} s of processor time, a profile of {} bytes", json.len())?;
    writeln!(out, "memory: {:.1} bytes a row before, {:.1} at most", held / rows as f64, most / rows as f64)?;
    for group in profile.groups.iter().take(5) {
        writeln!(out, "{:>10} rows, {} ({} cells)", group.rows, group.name, group.lengths.cells.len())?;
    }
    Ok(())
}

fn invented(numbers: &mut Numbers, end_ns: i64, line: u64) -> RowFacts {
    let input = (numbers.exponential() * 1_500.0) as u32 + 8;
    let output = (numbers.exponential() * 300.0) as u32 + 1;
    let duration = Micros(200_000 + u64::from(output) * 20_000);
    RowFacts {
        arrival_ns: end_ns - duration.0 as i64 * 1_000,
        source: 0,
        file: 0,
        line,
        group: 0,
        call: if numbers.below(20) == 0 { Call::Embeddings } else { Call::Chat },
        ending: Ending::Ok,
        stream: Some(numbers.below(3) > 0),
        input_tokens: Some(input),
        output_tokens: Some(output),
        output_cut: numbers.below(50) == 0,
        ttft: Some(Micros(200_000)),
        duration: Some(duration),
        caller: Some(Pseudonym(1 + numbers.below(1_000))),
        session: (numbers.below(2) == 0).then(|| Pseudonym(1 + line / 20 + numbers.below(5))),
    }
}

/// Numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    /// Of mean 1.
    fn exponential(&mut self) -> f64 {
        -((self.below(1 << 30) as f64 + 1.0) / (1_u64 << 30) as f64).ln()
    }
}

/// Processor time of this process so far, where the system tells it (Linux), in seconds.
fn processor_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    stat.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or_default() / 1e9
}

/// A figure of `/proc/self/status` in bytes; 0 where there is none.
fn memory(key: &str) -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<f64>().ok()).unwrap_or_default() * 1024.0
}
