//! SSRF protection: which hosts and addresses a hook may connect to.
//!
//! The host name is checked before the lookup, and every resolved address is checked again. The client then connects to
//! exactly those addresses, so a DNS answer that changes in between (DNS rebinding) has no effect.

use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};

use becket_agents::config::HttpPolicy;

/// Resolves host names.
pub trait HostResolver: fmt::Debug + Send + Sync {
    /// Returns all addresses of a host. May block.
    fn look_up(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>>;
}

/// The resolver of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

impl HostResolver for SystemResolver {
    fn look_up(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        Ok((host, port).to_socket_addrs()?.collect())
    }
}

/// Whether a hook may connect to an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressClass {
    /// An address on the internet.
    Public,
    /// This machine or a private network.
    Private,
    /// Never allowed: link-local (cloud metadata services with credentials), multicast and reserved addresses.
    Forbidden,
}

/// Why a host or an address is blocked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SsrfError {
    #[error(
        "the `[http]` table of your configuration has errors; http hooks do not run until they are fixed"
    )]
    BrokenPolicy,
    #[error("`{0}` is not in `allow_hosts`")]
    NotAllowed(String),
    #[error("`{0}` is in `deny_hosts`")]
    Denied(String),
    #[error(
        "{0} is on this machine or a private network; set `allow_private = true` in `[http]` of your own config.toml to allow it"
    )]
    Private(IpAddr),
    #[error("{0} is a link-local or reserved address, which hooks may never reach")]
    Never(IpAddr),
}

/// Checks a host name, or an address that is written as a host.
pub(crate) fn check_host(policy: &HttpPolicy, host: &str, port: u16) -> Result<(), SsrfError> {
    if policy.broken {
        return Err(SsrfError::BrokenPolicy);
    }
    let host = normalize_host(host);
    let among = |patterns: &[String]| patterns.iter().any(|one| host_matches(one, &host, port));
    if among(&policy.deny_hosts) {
        return Err(SsrfError::Denied(host));
    }
    if !policy.allow_hosts.is_empty() && !among(&policy.allow_hosts) {
        return Err(SsrfError::NotAllowed(host));
    }
    match host.parse::<IpAddr>() {
        Ok(ip) => check_address(policy, ip),
        Err(_) => Ok(()),
    }
}

/// Checks an address before connecting to it.
pub(crate) fn check_address(policy: &HttpPolicy, ip: IpAddr) -> Result<(), SsrfError> {
    match classify_address(ip) {
        AddressClass::Public => Ok(()),
        AddressClass::Private if policy.allow_private => Ok(()),
        AddressClass::Private => Err(SsrfError::Private(ip)),
        AddressClass::Forbidden => Err(SsrfError::Never(ip)),
    }
}

/// Lower case, without the brackets of IPv6 and the final dot.
fn normalize_host(host: &str) -> String {
    host.trim_start_matches('[')
        .trim_end_matches(']')
        .trim_end_matches('.')
        .to_ascii_lowercase()
}

/// Whether a pattern (`host`, `*.domain` or `[::1]`, each with an optional `:port`) matches.
fn host_matches(pattern: &str, host: &str, port: u16) -> bool {
    let (wanted, wanted_port) = match pattern.rsplit_once(':') {
        // A bare IPv6 address contains colons itself.
        Some((name, digits)) if !name.contains(':') || name.ends_with(']') => {
            match digits.parse() {
                Ok(port) => (name, Some(port)),
                Err(_) => return false,
            }
        }
        _ => (pattern, None),
    };
    if wanted_port.is_some_and(|wanted: u16| wanted != port) {
        return false;
    }
    let wanted = normalize_host(wanted.trim());
    match wanted.strip_prefix("*.") {
        Some(domain) => host
            .strip_suffix(domain)
            .is_some_and(|rest| rest.len() > 1 && rest.ends_with('.')),
        None => wanted == host,
    }
}

/// Classifies an address. An address with an embedded IPv4 address is classified by the latter.
pub fn classify_address(ip: IpAddr) -> AddressClass {
    match ip {
        IpAddr::V4(ip) => classify_v4(ip),
        IpAddr::V6(ip) => classify_v6(ip),
    }
}

/// IPv4 networks; the first match counts, so narrower ones come first.
const V4_NETWORKS: [([u8; 4], u32, AddressClass); 18] = [
    // Cloud metadata services.
    ([169, 254, 0, 0], 16, AddressClass::Forbidden),
    ([100, 100, 100, 200], 32, AddressClass::Forbidden),
    ([192, 0, 0, 0], 24, AddressClass::Forbidden),
    // Documentation.
    ([192, 0, 2, 0], 24, AddressClass::Forbidden),
    ([198, 51, 100, 0], 24, AddressClass::Forbidden),
    ([203, 0, 113, 0], 24, AddressClass::Forbidden),
    // 6to4 relays, multicast, reserved, broadcast.
    ([192, 88, 99, 0], 24, AddressClass::Forbidden),
    ([224, 0, 0, 0], 4, AddressClass::Forbidden),
    ([240, 0, 0, 0], 4, AddressClass::Forbidden),
    // This machine.
    ([0, 0, 0, 0], 8, AddressClass::Private),
    ([127, 0, 0, 0], 8, AddressClass::Private),
    // Private, carrier-grade NAT and benchmarking networks.
    ([10, 0, 0, 0], 8, AddressClass::Private),
    ([172, 16, 0, 0], 12, AddressClass::Private),
    ([192, 168, 0, 0], 16, AddressClass::Private),
    ([100, 64, 0, 0], 10, AddressClass::Private),
    ([198, 18, 0, 0], 15, AddressClass::Private),
    // Everything else.
    ([0, 0, 0, 0], 1, AddressClass::Public),
    ([128, 0, 0, 0], 1, AddressClass::Public),
];

fn classify_v4(ip: Ipv4Addr) -> AddressClass {
    let within =
        |net: [u8; 4], bits: u32| (u32::from(ip) ^ u32::from_be_bytes(net)).leading_zeros() >= bits;
    let row = V4_NETWORKS
        .iter()
        .find(|(net, bits, _)| within(*net, *bits));
    row.map_or(AddressClass::Forbidden, |(_, _, reach)| *reach)
}

/// How an IPv6 network is classified.
enum V6Network {
    Is(AddressClass),
    /// It embeds an IPv4 address, this many bits from the right.
    Carries(u32),
}

/// IPv6 networks; the first match counts, so narrower ones come first. Anything else is unassigned and forbidden.
const V6_NETWORKS: [(Ipv6Addr, u32, V6Network); 14] = [
    (
        Ipv6Addr::LOCALHOST,
        128,
        V6Network::Is(AddressClass::Private),
    ),
    (
        Ipv6Addr::UNSPECIFIED,
        128,
        V6Network::Is(AddressClass::Private),
    ),
    // IPv4-compatible, IPv4-mapped and IPv4-translated addresses.
    (v6([0, 0, 0, 0]), 96, V6Network::Carries(0)),
    (
        Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0),
        96,
        V6Network::Carries(0),
    ),
    (
        Ipv6Addr::new(0, 0, 0, 0, 0xffff, 0, 0, 0),
        96,
        V6Network::Carries(0),
    ),
    (v6([0x64, 0xff9b, 0, 0]), 96, V6Network::Carries(0)),
    (
        v6([0x64, 0xff9b, 1, 0]),
        48,
        V6Network::Is(AddressClass::Private),
    ),
    (v6([0x2002, 0, 0, 0]), 16, V6Network::Carries(80)),
    // Teredo, documentation, and Amazon's metadata service.
    (
        v6([0x2001, 0, 0, 0]),
        32,
        V6Network::Is(AddressClass::Forbidden),
    ),
    (
        v6([0x2001, 0x0db8, 0, 0]),
        32,
        V6Network::Is(AddressClass::Forbidden),
    ),
    (
        v6([0xfd00, 0x0ec2, 0, 0]),
        64,
        V6Network::Is(AddressClass::Forbidden),
    ),
    // Unique local and the former site-local addresses.
    (
        v6([0xfc00, 0, 0, 0]),
        7,
        V6Network::Is(AddressClass::Private),
    ),
    (
        v6([0xfec0, 0, 0, 0]),
        10,
        V6Network::Is(AddressClass::Private),
    ),
    (
        v6([0x2000, 0, 0, 0]),
        3,
        V6Network::Is(AddressClass::Public),
    ),
];

const fn v6([first, second, third, fourth]: [u16; 4]) -> Ipv6Addr {
    Ipv6Addr::new(first, second, third, fourth, 0, 0, 0, 0)
}

fn classify_v6(ip: Ipv6Addr) -> AddressClass {
    let within =
        |net: &Ipv6Addr, bits: u32| (u128::from(ip) ^ u128::from(*net)).leading_zeros() >= bits;
    let row = V6_NETWORKS.iter().find(|(net, bits, _)| within(net, *bits));
    match row {
        Some((_, _, V6Network::Is(reach))) => *reach,
        Some((_, _, V6Network::Carries(shift))) => {
            let low = u128::from(ip) >> shift & u128::from(u32::MAX);
            u32::try_from(low).map_or(AddressClass::Forbidden, |bits| classify_v4(bits.into()))
        }
        None => AddressClass::Forbidden,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_classified_by_their_embedded_ipv4_address() {
        use AddressClass::{Forbidden, Private, Public};
        for (address, expected) in [
            ("8.8.8.8", Public),
            ("172.15.0.1", Public),
            ("172.32.0.1", Public),
            ("100.63.0.1", Public),
            ("0.0.0.0", Private),
            ("127.0.0.1", Private),
            ("127.9.9.9", Private),
            ("10.1.2.3", Private),
            ("172.16.0.1", Private),
            ("192.168.1.1", Private),
            ("100.64.0.1", Private),
            ("169.254.169.254", Forbidden),
            ("100.100.100.200", Forbidden),
            ("192.0.0.192", Forbidden),
            ("224.0.0.1", Forbidden),
            ("255.255.255.255", Forbidden),
            ("2606:4700::1111", Public),
            ("::1", Private),
            ("::", Private),
            ("fc00::1", Private),
            ("fd12::1", Private),
            ("fd00:ec2::254", Forbidden),
            ("fe80::1", Forbidden),
            ("ff02::1", Forbidden),
            ("::ffff:169.254.169.254", Forbidden),
            ("::ffff:127.0.0.1", Private),
            ("::ffff:0:127.0.0.1", Private),
            ("::ffff:8.8.8.8", Public),
            ("::127.0.0.1", Private),
            ("64:ff9b::a9fe:a9fe", Forbidden),
            ("64:ff9b::808:808", Public),
            ("2002:7f00:1::", Private),
            ("2001:0:1::", Forbidden),
        ] {
            assert_eq!(
                classify_address(address.parse().expect(address)),
                expected,
                "{address}"
            );
        }
    }

    #[test]
    fn hosts_are_allowed_and_denied_by_name_domain_and_port() {
        let policy = |allow: &[&str], deny: &[&str]| HttpPolicy {
            allow_hosts: allow.iter().map(|&one| one.into()).collect(),
            deny_hosts: deny.iter().map(|&one| one.into()).collect(),
            ..HttpPolicy::default()
        };
        for (allow, deny, host, allowed) in [
            (&[][..], &[][..], "a.example", true),
            (&["a.example"], &[], "a.example", true),
            (&["a.example"], &[], "A.Example.", true),
            (&["a.example"], &[], "b.example", false),
            (&["a.example:443"], &[], "a.example", true),
            (&["a.example:80"], &[], "a.example", false),
            (&["a.example:http"], &[], "a.example", false),
            (&["*.example"], &[], "x.y.example", true),
            (&["*.example"], &[], "example", false),
            (&["*.example"], &[], "notexample", false),
            (&["*.example"], &["bad.example"], "bad.example", false),
            (&[], &["*.example"], "bad.example.", false),
            (&["[2606:4700::1111]:443"], &[], "[2606:4700::1111]", true),
            (&["2606:4700::1111"], &[], "[2606:4700::1111]", true),
        ] {
            let found = check_host(&policy(allow, deny), host, 443);
            assert_eq!(
                found.is_ok(),
                allowed,
                "{allow:?} {deny:?} {host}: {found:?}"
            );
        }
    }

    #[test]
    fn private_addresses_need_permission_and_link_local_ones_are_forbidden() {
        let open = HttpPolicy {
            allow_private: true,
            ..HttpPolicy::default()
        };
        let strict = HttpPolicy::default();
        assert!(check_host(&open, "127.0.0.1", 80).is_ok());
        assert!(check_host(&strict, "127.0.0.1", 80).is_err());
        assert!(check_host(&strict, "[::1]", 80).is_err());
        for policy in [open, strict] {
            for host in [
                "169.254.169.254",
                "[fe80::1]",
                "[fd00:ec2::254]",
                "100.100.100.200",
            ] {
                let refused = check_host(&policy, host, 80);
                assert!(
                    matches!(refused, Err(SsrfError::Never(_))),
                    "{host}: {refused:?}"
                );
            }
        }
    }
}
