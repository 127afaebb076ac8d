//! Whether the operating system allows what a plan needs: said before anything is sent, not in the highest tier.

use workload_model::{Http, MAX_CONCURRENCY, Plan};

use crate::host::Room;

/// Files that the process holds open beside its connections to the service: package, event queues, terminal, the
/// libraries' own, and what asks for health and metrics.
pub const FILES_BESIDE: u64 = 64;

/// Ports that other programs of the host may use, and those of connections just closed.
const PORTS_BESIDE: u64 = 64;

/// The operating system does not allow what the plan needs. Every message names the command that changes it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoRoom {
    /// The limit on open files.
    #[error(
        "hold {connections} connections: the process may have {limit} files open and needs {needed} (run `ulimit -n {needed}` in this shell before,{} or plan lower tiers)",
        if *shared { "" } else { " speak HTTP/2 by `--http 2` where the service does," }
    )]
    OpenFiles {
        /// Requests share connections already.
        shared: bool,
        /// Connections at the highest concurrency.
        connections: u64,
        /// What is allowed.
        limit: u64,
        /// What is needed.
        needed: u64,
    },
    /// The range of ports.
    #[error(
        "hold {connections} connections: the host has {ports} ports for them and needs {needed} (run `sysctl -w net.ipv4.ip_local_port_range=\"{from} 65535\"`, or speak HTTP/2 by `--http 2` where the service does)"
    )]
    Ports {
        /// Connections at the highest concurrency.
        connections: u64,
        /// What there is.
        ports: u64,
        /// What is needed.
        needed: u64,
        /// Where the range may begin.
        from: u64,
    },
}

/// Compares what the plan needs at its highest concurrency with what the operating system allows. What is not known
/// is not held against it. Whether a service agrees on HTTP/2 is not known beforehand: a plan that leaves it open needs
/// room for a connection a request.
///
/// # Errors
/// [`NoRoom`] where the plan needs more.
pub fn enough_room(plan: &Plan, room: &Room) -> Result<(), NoRoom> {
    let places = plan.stage.iter().flat_map(|stage| stage.concurrency.iter().copied()).max().unwrap_or(0);
    let threads = plan.stage.iter().filter_map(|stage| stage.io_threads).max();
    let threads = threads.unwrap_or(0).max(plan.client.io_threads);
    let connections = match plan.client.http {
        // Threads do not share connections, so each may have one that is not full.
        Http::Two => u64::from(places.div_ceil(plan.client.streams_per_connection.max(1)) + threads),
        Http::Auto | Http::One => u64::from(places),
    };
    let needed = connections + FILES_BESIDE;
    if let Some(limit) = room.open_files.filter(|limit| *limit < needed) {
        let shared = plan.client.http == Http::Two;
        return Err(NoRoom::OpenFiles { shared, connections, limit, needed });
    }
    let needed = connections + PORTS_BESIDE;
    match room.ports.filter(|ports| *ports < needed && plan.client.http != Http::Two) {
        // Ports below 1024 are the system's own.
        Some(ports) => {
            let from = (65_536 - needed.min(64_512)).min(15_000);
            Err(NoRoom::Ports { connections, ports, needed, from: from.max(1_024) })
        }
        None => Ok(()),
    }
}

/// How many requests an open loop may have in flight: as many as the operating system has files and ports for, and never
/// more than a plan may ask for.
pub(crate) fn most_in_flight(plan: &Plan, room: &Room) -> u64 {
    let files = room.open_files.map(|limit| limit.saturating_sub(FILES_BESIDE));
    let ports = room.ports.map(|ports| ports.saturating_sub(PORTS_BESIDE));
    let most = u64::from(MAX_CONCURRENCY);
    match plan.client.http {
        Http::Two => {
            let streams = u64::from(plan.client.streams_per_connection.max(1));
            files.map_or(most, |files| files.saturating_mul(streams)).min(most)
        }
        Http::Auto | Http::One => files.unwrap_or(most).min(ports.unwrap_or(most)).min(most),
    }
    .max(1)
}

#[cfg(test)]
mod tests {
    use workload_model::{Target, sweep_plan};

    use super::*;

    fn planned(tier: u32, http: Http) -> Plan {
        let target = Target {
            url: "http://h/v1".to_owned(),
            model: "m".to_owned(),
            service_version: None,
            backend: None,
            quantisation: None,
            hardware: None,
        };
        let mut plan = sweep_plan(target, &[1, tier], &[], 4);
        plan.client.http = http;
        plan
    }

    fn needs(tier: u32, http: Http, open_files: Option<u64>, ports: Option<u64>) -> Result<(), NoRoom> {
        enough_room(&planned(tier, http), &Room { open_files, ports, ..Room::default() })
    }

    #[test]
    fn an_open_loop_has_what_files_and_ports_leave() {
        for (http, open_files, ports, most) in [
            (Http::Auto, None, None, 100_000),
            (Http::Auto, Some(1_064), None, 1_000),
            (Http::One, Some(1_064), Some(564), 500),
            (Http::One, Some(1 << 20), Some(28_232), 28_168),
            (Http::Two, Some(74), Some(64), 1_000),
            (Http::Two, None, Some(64), 100_000),
            (Http::One, Some(10), None, 1),
        ] {
            let room = Room { open_files, ports, ..Room::default() };
            assert_eq!(most_in_flight(&planned(1, http), &room), most, "{http:?} {open_files:?} {ports:?}");
        }
    }

    #[test]
    fn the_highest_tier_decides_and_what_is_unknown_is_no_hindrance() {
        let files = |shared, connections, limit, needed| {
            Err(NoRoom::OpenFiles { shared, connections, limit, needed })
        };
        let ports = |ports, from| Err(NoRoom::Ports { connections: 30_000, ports, needed: 30_064, from });
        for (given, expected) in [
            (needs(1000, Http::Auto, Some(1064), None), Ok(())),
            (needs(1000, Http::Auto, Some(1063), None), files(false, 1000, 1063, 1064)),
            (needs(1000, Http::One, Some(1024), Some(28_232)), files(false, 1000, 1024, 1064)),
            (needs(1000, Http::One, None, None), Ok(())),
            (needs(30_000, Http::One, None, Some(30_064)), Ok(())),
            (needs(30_000, Http::Auto, None, Some(28_232)), ports(28_232, 15_000)),
            // Ten connections and one for the thread.
            (needs(1000, Http::Two, Some(75), Some(1)), Ok(())),
            (needs(1000, Http::Two, Some(74), Some(1)), files(true, 11, 74, 75)),
        ] {
            assert_eq!(given, expected);
        }
    }

    #[test]
    fn the_command_that_helps_is_named_with_its_number() {
        let said = needs(1000, Http::Auto, Some(256), None).expect_err("too few").to_string();
        assert!(said.contains("`ulimit -n 1064`") && said.contains("256 files"), "{said}");
        assert!(said.contains("--http 2"), "{said}");
        let said = needs(1000, Http::Two, Some(74), None).expect_err("too few").to_string();
        assert!(said.contains("`ulimit -n 75`") && !said.contains("--http 2"), "{said}");
        let said = needs(30_000, Http::Auto, None, Some(28_232)).expect_err("too few").to_string();
        assert!(said.contains("sysctl -w net.ipv4.ip_local_port_range=\"15000 65535\""), "{said}");
    }
}
