//! What the operating system says of this process and its host.

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

/// The host that the generator runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostFacts {
    /// Logical processors of the host; those the process may use, where the host does not say.
    pub cpus: u32,
    /// Those that the process may use.
    pub cpus_allowed: u32,
    /// Memory of the host.
    pub memory_bytes: Option<u64>,
}

/// Asks the operating system what the generator runs on.
#[must_use]
pub fn host_facts() -> HostFacts {
    let cpus_allowed = usable_cores() as u32;
    HostFacts { cpus: all_cores().unwrap_or(cpus_allowed), cpus_allowed, memory_bytes: memory_bytes() }
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
fn all_cores() -> Option<u32> {
    None
}

#[cfg(not(target_os = "linux"))]
fn memory_bytes() -> Option<u64> {
    None
}
