//! What the operating system says of this process and its host.

mod alarm;
mod ticker;

use std::time::Duration;

pub(crate) use alarm::Alarm;
pub(crate) use ticker::Ticker;

#[cfg(target_os = "linux")]
use crate::io_threads;

/// Readings that only make sense as differences between two of them, and some that stand alone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reading {
    /// CPU time of the process in seconds.
    pub(crate) process_cpu_s: Option<f64>,
    /// CPU time of the host's cores in seconds: busy, and in all.
    pub(crate) host_cpu_s: Option<(f64, f64)>,
    /// For each IO thread by id: time it waited for a core in nanoseconds, and number of time slices.
    pub(crate) threads: Vec<(i32, u64, u64)>,
    /// Resident memory in bytes.
    pub(crate) rss_bytes: Option<u64>,
    /// Open sockets of the process.
    pub(crate) sockets: Option<u64>,
    /// Bytes received and sent by all interfaces, loopback included.
    pub(crate) network: Option<(u64, u64)>,
}

/// Cores that the process may use.
pub(crate) fn usable_cores() -> f64 {
    std::thread::available_parallelism().map_or(1.0, |cores| cores.get() as f64)
}

#[cfg(target_os = "linux")]
pub(crate) fn read() -> Reading {
    use procfs::{CurrentSI, KernelStats, net, process::Process};

    let Ok(process) = Process::myself() else { return Reading::default() };
    let ticks = procfs::ticks_per_second() as f64;
    let stat = process.stat().ok();
    let threads = process.tasks().map_or_else(
        |_| Vec::new(),
        |tasks| {
            tasks
                .flatten()
                .filter_map(|task| {
                    task.stat().ok().filter(|stat| stat.comm.starts_with(io_threads::NAME))?;
                    let sched = task.schedstat().ok()?;
                    Some((task.tid, sched.run_delay, sched.pcount))
                })
                .collect()
        },
    );
    let host_cpu_s = KernelStats::current().ok().map(|kernel| {
        let total = &kernel.total;
        let idle = total.idle + total.iowait.unwrap_or(0);
        let busy = total.user
            + total.nice
            + total.system
            + total.irq.unwrap_or(0)
            + total.softirq.unwrap_or(0)
            + total.steal.unwrap_or(0);
        (busy as f64 / ticks, (busy + idle) as f64 / ticks)
    });
    let network = net::dev_status().ok().map(|interfaces| {
        let sum = |bytes: fn(&net::DeviceStatus) -> u64| {
            let mut all: Vec<_> = interfaces.iter().collect();
            all.sort_by(|one, other| one.0.cmp(other.0));
            all.into_iter().map(|(_, interface)| bytes(interface)).sum()
        };
        (sum(|interface| interface.recv_bytes), sum(|interface| interface.sent_bytes))
    });
    let sockets = process.fd().ok().map(|descriptors| {
        use procfs::process::FDTarget;
        descriptors.flatten().filter(|descriptor| matches!(descriptor.target, FDTarget::Socket(_))).count()
            as u64
    });
    Reading {
        process_cpu_s: stat.as_ref().map(|stat| (stat.utime + stat.stime) as f64 / ticks),
        host_cpu_s,
        threads,
        rss_bytes: stat.as_ref().map(|stat| stat.rss * procfs::page_size()),
        sockets,
        network,
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn read() -> Reading {
    Reading::default()
}

/// CPU time that the IO threads of this process have used; `None` where the system does not tell.
#[cfg(target_os = "linux")]
pub(crate) fn io_cpu() -> Option<Duration> {
    let tasks = procfs::process::Process::myself().and_then(|process| process.tasks()).ok()?;
    let own = tasks.flatten().filter_map(|task| {
        task.stat().ok().filter(|stat| stat.comm.starts_with(io_threads::NAME))?;
        task.schedstat().ok().map(|sched| sched.sum_exec_runtime)
    });
    let used: Vec<u64> = own.collect();
    (!used.is_empty()).then(|| Duration::from_nanos(used.iter().sum()))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn io_cpu() -> Option<Duration> {
    None
}

/// What this process may still open and hold; `None` where the system does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Room {
    /// Files that it may have open in all (`ulimit -n`).
    pub open_files: Option<u64>,
    /// Files that it may open beside those that are open.
    pub descriptors: Option<u64>,
    /// Ports from which it may connect to one address.
    pub ports: Option<u64>,
    /// Memory of the host that is available.
    pub memory_bytes: Option<u64>,
    /// Memory that the process holds.
    pub resident_bytes: Option<u64>,
}

/// Asks the operating system what this process may still open and hold.
#[must_use]
#[cfg(target_os = "linux")]
pub fn room() -> Room {
    use procfs::{Current, Meminfo, process::Process};

    let process = Process::myself().ok();
    let open = process.as_ref().and_then(|process| process.fd_count().ok());
    let ports = text_of("/proc/sys/net/ipv4/ip_local_port_range").and_then(|range| {
        let mut ends = range.split_whitespace().map(str::parse::<u64>);
        let (low, high) = (ends.next()?.ok()?, ends.next()?.ok()?);
        Some((high + 1).saturating_sub(low))
    });
    Room {
        open_files: descriptors(),
        descriptors: descriptors().zip(open).map(|(limit, open)| limit.saturating_sub(open as u64)),
        ports,
        memory_bytes: Meminfo::current().ok().and_then(|memory| memory.mem_available),
        resident_bytes: process
            .and_then(|process| process.stat().ok())
            .map(|stat| stat.rss * procfs::page_size()),
    }
}

/// Asks the operating system what this process may still open and hold.
#[must_use]
#[cfg(not(target_os = "linux"))]
pub fn room() -> Room {
    Room::default()
}

/// The host that the generator runs on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostFacts {
    /// Logical processors of the host; those the process may use, where the host does not say.
    pub cpus: u32,
    /// Those that the process may use.
    pub cpus_allowed: u32,
    /// Memory of the host.
    pub memory_bytes: Option<u64>,
    /// Release of its kernel.
    pub kernel: Option<String>,
    /// Model of its processor.
    pub cpu_model: Option<String>,
    /// SHA-256, in hexadecimal, over all of that, the operating system and architecture, the limit on open files and a
    /// digest of the machine's id. It changes where the machine, its kernel or its limits do, and gives none of them
    /// away.
    pub fingerprint: String,
}

/// Asks the operating system what the generator runs on.
#[must_use]
pub fn host_facts() -> HostFacts {
    let cpus_allowed = usable_cores() as u32;
    let mut facts = HostFacts {
        cpus: all_cores().unwrap_or(cpus_allowed),
        cpus_allowed,
        memory_bytes: memory_bytes(),
        kernel: text_of("/proc/sys/kernel/osrelease"),
        cpu_model: cpu_model(),
        fingerprint: String::new(),
    };
    facts.fingerprint = fingerprint(&facts);
    facts
}

fn fingerprint(facts: &HostFacts) -> String {
    let HostFacts { cpus, cpus_allowed, memory_bytes, kernel, cpu_model, fingerprint: _ } = facts;
    let machine = text_of("/etc/machine-id").or_else(|| text_of("/var/lib/dbus/machine-id"));
    let machine = machine.map(|id| sha256_hex(&format!("acceptbench {id}")));
    let (os, arch, files) = (std::env::consts::OS, std::env::consts::ARCH, descriptors());
    sha256_hex(&format!(
        "{os}\n{arch}\n{kernel:?}\n{cpu_model:?}\n{cpus}\n{cpus_allowed}\n{memory_bytes:?}\n{files:?}\n{machine:?}\n"
    ))
}

fn sha256_hex(text: &str) -> String {
    use sha2::{Digest as _, Sha256};
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A short text of the system, without the room around it; `None` where there is none or it is empty.
fn text_of(path: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Files that the process may have open, without asking for more.
#[cfg(target_os = "linux")]
fn descriptors() -> Option<u64> {
    use procfs::process::{LimitValue, Process};
    match Process::myself().and_then(|process| process.limits()).ok()?.max_open_files.soft_limit {
        LimitValue::Value(limit) => Some(limit),
        LimitValue::Unlimited => None,
    }
}

#[cfg(target_os = "linux")]
fn cpu_model() -> Option<String> {
    use procfs::{CpuInfo, Current};
    CpuInfo::current().ok().and_then(|info| info.model_name(0).map(str::to_owned))
}

#[cfg(target_os = "linux")]
fn all_cores() -> Option<u32> {
    use procfs::{CurrentSI, KernelStats};
    KernelStats::current().ok().and_then(|kernel| u32::try_from(kernel.cpu_time.len()).ok())
}

#[cfg(target_os = "linux")]
fn memory_bytes() -> Option<u64> {
    use procfs::{Current, Meminfo};
    Meminfo::current().ok().map(|memory| memory.mem_total)
}

#[cfg(not(target_os = "linux"))]
fn descriptors() -> Option<u64> {
    None
}

#[cfg(not(target_os = "linux"))]
fn cpu_model() -> Option<String> {
    None
}

#[cfg(not(target_os = "linux"))]
fn all_cores() -> Option<u32> {
    None
}

#[cfg(not(target_os = "linux"))]
fn memory_bytes() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fingerprint_changes_with_every_limit_and_stays_otherwise() {
        let here = host_facts();
        assert_eq!(here, host_facts());
        assert_eq!(here.fingerprint.len(), 64);
        let others = [
            HostFacts { cpus: here.cpus + 1, ..here.clone() },
            HostFacts { cpus_allowed: here.cpus_allowed + 1, ..here.clone() },
            HostFacts { memory_bytes: Some(1), ..here.clone() },
            HostFacts { kernel: Some("0.0.1".to_owned()), ..here.clone() },
            HostFacts { cpu_model: Some("another".to_owned()), ..here.clone() },
        ];
        assert!(others.iter().all(|other| fingerprint(other) != here.fingerprint));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn linux_tells_what_there_is_room_for() {
        let room = room();
        for known in [room.ports, room.memory_bytes, room.resident_bytes] {
            assert!(known.is_some_and(|known| known > 0), "{room:?}");
        }
    }
}
