//! Where the service stands: its address, and whether that is this very host.

use std::net::{IpAddr, ToSocketAddrs as _, UdpSocket};

use sse_client::Endpoint;

/// The first address of the service, and whether the service runs on this host and shares its limits. Nothing is
/// sent anywhere: an address of this host is one that a socket can be bound to.
pub(crate) fn locate(endpoint: &Endpoint) -> (Option<String>, bool) {
    let address =
        (endpoint.host(), endpoint.port()).to_socket_addrs().ok().and_then(|mut found| found.next());
    let here = address.is_some_and(|address| is_here(address.ip()));
    (address.map(|address| address.to_string()), here)
}

fn is_here(address: IpAddr) -> bool {
    address.is_loopback() || (!address.is_unspecified() && UdpSocket::bind((address, 0)).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_here_and_a_documentation_address_is_not() {
        assert!(is_here(IpAddr::from([127, 0, 0, 1])));
        assert!(!is_here(IpAddr::from([192, 0, 2, 1])));
    }
}
