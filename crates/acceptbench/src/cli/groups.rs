//! Groups as they are told on the command line.

use std::str::FromStr;

use workload_model::Group;

/// What is different in a group: `NAME:KEY=VALUE,KEY=VALUE`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct GroupChange {
    name: String,
    changes: Vec<Change>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Change {
    Weight(f64),
    Retries(u32),
    RetryWait(f64),
    FirstToken(f64),
    Deadline(f64),
    LeastOutput(u64),
    AcceptLength(bool),
}

const KEYS: &str =
    "weight, retries, retry_wait_s, ttft_limit_s, deadline_s, min_output_tokens, accept_length";

impl FromStr for GroupChange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let example = "write NAME:KEY=VALUE[,KEY=VALUE…], such as qa:ttft_limit_s=2,retries=1";
        // A name may hold colons; no key and no value does.
        let (name, changes) = text.rsplit_once(':').ok_or_else(|| format!("it has no colon ({example})"))?;
        if name.is_empty() {
            return Err(format!("it names no group ({example})"));
        }
        let changes = changes.split(',').map(change).collect::<Result<_, _>>()?;
        Ok(Self { name: name.to_owned(), changes })
    }
}

fn change(text: &str) -> Result<Change, String> {
    fn read<T: FromStr>(key: &str, value: &str, what: &str) -> Result<T, String> {
        value.parse().map_err(|_| format!("{key}={value}: it is no {what}"))
    }
    let (key, value) = text.split_once('=').ok_or_else(|| format!("{text:?} is no KEY=VALUE"))?;
    let (key, value) = (key.trim(), value.trim());
    let (number, count) = ("number", "whole number");
    Ok(match key {
        "weight" => Change::Weight(read(key, value, number)?),
        "retries" => Change::Retries(read(key, value, count)?),
        "retry_wait_s" => Change::RetryWait(read(key, value, number)?),
        "ttft_limit_s" => Change::FirstToken(read(key, value, number)?),
        "deadline_s" => Change::Deadline(read(key, value, number)?),
        "min_output_tokens" => Change::LeastOutput(read(key, value, count)?),
        "accept_length" => Change::AcceptLength(read(key, value, "true or false")?),
        _ => return Err(format!("there is no key {key:?} (there are {KEYS})")),
    })
}

/// Changes the groups of a plan.
///
/// # Errors
/// Where a group is none of the plan, with those that there are.
pub(super) fn apply(groups: &mut [Group], changes: &[GroupChange]) -> Result<(), String> {
    for GroupChange { name, changes } in changes {
        let names = || groups.iter().map(|group| group.name.as_str()).collect::<Vec<_>>().join(", ");
        let Some(at) = groups.iter().position(|group| group.name == *name) else {
            return Err(format!(
                "change the group {name:?}: the samples have none of that name (there are {})",
                names()
            ));
        };
        let group = &mut groups[at];
        for change in changes {
            match *change {
                Change::Weight(weight) => group.weight = Some(weight),
                Change::Retries(retries) => group.retries = retries,
                Change::RetryWait(wait) => group.retry_wait_s = wait,
                Change::FirstToken(limit) => group.ttft_limit_s = Some(limit),
                Change::Deadline(limit) => group.deadline_s = Some(limit),
                Change::LeastOutput(tokens) => group.min_output_tokens = tokens,
                Change::AcceptLength(accept) => group.accept_length = accept,
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_read_and_applied_to_the_group_that_they_name() {
        let mut groups = [Group::new("a:b"), Group::new("c")];
        let read = |text: &str| text.parse::<GroupChange>();
        let changes =
            [read("a:b:weight=2,retries=1,ttft_limit_s=0.5"), read("c:deadline_s=60, accept_length=true")];
        let changes = changes.into_iter().collect::<Result<Vec<_>, _>>().expect("changes");
        apply(&mut groups, &changes).expect("applied");
        assert_eq!((groups[0].weight, groups[0].retries, groups[0].ttft_limit_s), (Some(2.0), 1, Some(0.5)));
        assert_eq!((groups[1].deadline_s, groups[1].accept_length), (Some(60.0), true));
        let missing = apply(&mut groups, &[read("d:weight=1").expect("read")]).expect_err("none");
        assert!(missing.contains("there are a:b, c"), "{missing}");
        for (text, told) in [
            ("qa", "no colon"),
            (":weight=1", "names no group"),
            ("qa:weight", "no KEY=VALUE"),
            ("qa:colour=red", "there are weight"),
            ("qa:retries=-1", "no whole number"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.contains(told), "{text}: {error}");
        }
    }
}
