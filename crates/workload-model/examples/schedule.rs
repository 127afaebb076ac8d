//! Lays out the standard sweep and prints what it will send: `cargo run -p workload-model --example schedule`.

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use workload_model::{
    PlanError, STANDARD_TIERS, Schedule, Target, builtin, opening, standard_warm_up, sweep_plan,
};

fn main() -> Result<(), PlanError> {
    let target = Target {
        url: "http://10.0.0.5:8000/v1".into(),
        model: "deepseek-r1".into(),
        service_version: None,
        backend: None,
        quantisation: None,
        hardware: None,
    };
    let plan = sweep_plan(target, &STANDARD_TIERS, &[], standard_warm_up(&STANDARD_TIERS));
    let schedule = Schedule::new(&plan, &builtin());
    for step in schedule.counts() {
        let tier = step.tier.map_or_else(String::new, |tier| format!("C{tier}"));
        println!("{:8} {tier:4} {:>3} requests", step.stage, step.count);
    }
    for slot in schedule.slots.iter().filter(|slot| slot.measured).take(3) {
        println!("request {} sends {}{}", slot.seq, opening("a nonce", slot.seq), slot.sample);
    }
    println!("\n{}", plan.to_toml()?);
    Ok(())
}
