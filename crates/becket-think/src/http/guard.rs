//! Where a hook may post to: checked by name before anything is looked up, and by the very address that is then
//! connected to, so that a name which changes its mind in between gains nothing.

use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};

use becket_agents::config::HttpPolicy;

/// Finds the addresses of a host.
pub trait Names: fmt::Debug + Send + Sync {
    /// All addresses of a host. May block.
    fn look_up(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>>;
}

/// The system's way to find them.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemNames;

impl Names for SystemNames {
    fn look_up(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        Ok((host, port).to_socket_addrs()?.collect())
    }
}

/// How far away an address is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Somewhere on the internet.
    Public,
    /// This machine or a network that is not the internet.
    Private,
    /// Nothing that a hook could want: link-local (where clouds hand out credentials), multicast, reserved.
    Never,
}

/// Why a host or an address may not be reached.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error(
        "the `[http]` table of your configuration has errors; no http hook runs until it is mended"
    )]
    Broken,
    #[error("`{0}` is not among `allow_hosts`")]
    NotAllowed(String),
    #[error("`{0}` is among `deny_hosts`")]
    Denied(String),
    #[error(
        "{0} is on this machine or a private network, which `[http]` in the person's own configuration does not allow"
    )]
    Private(IpAddr),
    #[error("{0} is an address that hooks never reach")]
    Never(IpAddr),
}

/// Checks the name of a host.
pub(crate) fn check_host(policy: &HttpPolicy, host: &str, port: u16) -> Result<(), Refusal> {
    if policy.broken {
        return Err(Refusal::Broken);
    }
    let host = plain(host);
    let among = |patterns: &[String]| patterns.iter().any(|one| names(one, &host, port));
    if among(&policy.deny_hosts) {
        return Err(Refusal::Denied(host));
    }
    if !policy.allow_hosts.is_empty() && !among(&policy.allow_hosts) {
        return Err(Refusal::NotAllowed(host));
    }
    match host.parse::<IpAddr>() {
        Ok(ip) => check_address(policy, ip),
        Err(_) => Ok(()),
    }
}

/// Checks an address that is about to be connected to.
pub(crate) fn check_address(policy: &HttpPolicy, ip: IpAddr) -> Result<(), Refusal> {
    match reach(ip) {
        Reach::Public => Ok(()),
        Reach::Private if policy.allow_private => Ok(()),
        Reach::Private => Err(Refusal::Private(ip)),
        Reach::Never => Err(Refusal::Never(ip)),
    }
}

/// Lower case, without the brackets of IPv6 and the dot of the root.
fn plain(host: &str) -> String {
    host.trim_start_matches('[')
        .trim_end_matches(']')
        .trim_end_matches('.')
        .to_ascii_lowercase()
}

/// `host`, `*.domain`, `[::1]`, each with `:port` or without.
fn names(pattern: &str, host: &str, port: u16) -> bool {
    let (wanted, wanted_port) = match pattern.rsplit_once(':') {
        // A bare IPv6 address has colons of its own.
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
    let wanted = plain(wanted.trim());
    match wanted.strip_prefix("*.") {
        Some(domain) => host
            .strip_suffix(domain)
            .is_some_and(|rest| rest.len() > 1 && rest.ends_with('.')),
        None => wanted == host,
    }
}

/// How far away an address is. Addresses that carry an IPv4 address inside are as far as that one.
pub fn reach(ip: IpAddr) -> Reach {
    match ip {
        IpAddr::V4(ip) => reach_v4(ip),
        IpAddr::V6(ip) => reach_v6(ip),
    }
}

/// Networks that are not the internet, the narrower before the wider.
const V4: [([u8; 4], u32, Reach); 18] = [
    // Where clouds hand out credentials.
    ([169, 254, 0, 0], 16, Reach::Never),
    ([100, 100, 100, 200], 32, Reach::Never),
    ([192, 0, 0, 0], 24, Reach::Never),
    // Documentation.
    ([192, 0, 2, 0], 24, Reach::Never),
    ([198, 51, 100, 0], 24, Reach::Never),
    ([203, 0, 113, 0], 24, Reach::Never),
    // Old relays from IPv6, multicast, reserved, broadcast.
    ([192, 88, 99, 0], 24, Reach::Never),
    ([224, 0, 0, 0], 4, Reach::Never),
    ([240, 0, 0, 0], 4, Reach::Never),
    // This machine.
    ([0, 0, 0, 0], 8, Reach::Private),
    ([127, 0, 0, 0], 8, Reach::Private),
    // Private networks, those of carriers, and those for measurements.
    ([10, 0, 0, 0], 8, Reach::Private),
    ([172, 16, 0, 0], 12, Reach::Private),
    ([192, 168, 0, 0], 16, Reach::Private),
    ([100, 64, 0, 0], 10, Reach::Private),
    ([198, 18, 0, 0], 15, Reach::Private),
    // All others.
    ([0, 0, 0, 0], 1, Reach::Public),
    ([128, 0, 0, 0], 1, Reach::Public),
];

fn reach_v4(ip: Ipv4Addr) -> Reach {
    let within =
        |net: [u8; 4], bits: u32| (u32::from(ip) ^ u32::from_be_bytes(net)).leading_zeros() >= bits;
    let row = V4.iter().find(|(net, bits, _)| within(*net, *bits));
    row.map_or(Reach::Never, |(_, _, reach)| *reach)
}

/// What an IPv6 network is.
enum V6 {
    Is(Reach),
    /// It carries an IPv4 address, this many bits from the right.
    Carries(u32),
}

/// Networks of IPv6, the narrower before the wider. What is in none of them was never given out.
const NETS_V6: [(Ipv6Addr, u32, V6); 14] = [
    (Ipv6Addr::LOCALHOST, 128, V6::Is(Reach::Private)),
    (Ipv6Addr::UNSPECIFIED, 128, V6::Is(Reach::Private)),
    // Compatible, mapped and translated IPv4.
    (v6([0, 0, 0, 0]), 96, V6::Carries(0)),
    (
        Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0),
        96,
        V6::Carries(0),
    ),
    (
        Ipv6Addr::new(0, 0, 0, 0, 0xffff, 0, 0, 0),
        96,
        V6::Carries(0),
    ),
    (v6([0x64, 0xff9b, 0, 0]), 96, V6::Carries(0)),
    (v6([0x64, 0xff9b, 1, 0]), 48, V6::Is(Reach::Private)),
    (v6([0x2002, 0, 0, 0]), 16, V6::Carries(80)),
    // Teredo, documentation, and where Amazon hands out credentials.
    (v6([0x2001, 0, 0, 0]), 32, V6::Is(Reach::Never)),
    (v6([0x2001, 0x0db8, 0, 0]), 32, V6::Is(Reach::Never)),
    (v6([0xfd00, 0x0ec2, 0, 0]), 64, V6::Is(Reach::Never)),
    // Private networks, now and formerly.
    (v6([0xfc00, 0, 0, 0]), 7, V6::Is(Reach::Private)),
    (v6([0xfec0, 0, 0, 0]), 10, V6::Is(Reach::Private)),
    (v6([0x2000, 0, 0, 0]), 3, V6::Is(Reach::Public)),
];

const fn v6([first, second, third, fourth]: [u16; 4]) -> Ipv6Addr {
    Ipv6Addr::new(first, second, third, fourth, 0, 0, 0, 0)
}

fn reach_v6(ip: Ipv6Addr) -> Reach {
    let within =
        |net: &Ipv6Addr, bits: u32| (u128::from(ip) ^ u128::from(*net)).leading_zeros() >= bits;
    let row = NETS_V6.iter().find(|(net, bits, _)| within(net, *bits));
    match row {
        Some((_, _, V6::Is(reach))) => *reach,
        Some((_, _, V6::Carries(shift))) => {
            let low = u128::from(ip) >> shift & u128::from(u32::MAX);
            u32::try_from(low).map_or(Reach::Never, |bits| reach_v4(bits.into()))
        }
        None => Reach::Never,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_as_far_away_as_what_they_carry() {
        use Reach::{Never, Private, Public};
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
            ("169.254.169.254", Never),
            ("100.100.100.200", Never),
            ("192.0.0.192", Never),
            ("224.0.0.1", Never),
            ("255.255.255.255", Never),
            ("2606:4700::1111", Public),
            ("::1", Private),
            ("::", Private),
            ("fc00::1", Private),
            ("fd12::1", Private),
            ("fd00:ec2::254", Never),
            ("fe80::1", Never),
            ("ff02::1", Never),
            ("::ffff:169.254.169.254", Never),
            ("::ffff:127.0.0.1", Private),
            ("::ffff:0:127.0.0.1", Private),
            ("::ffff:8.8.8.8", Public),
            ("::127.0.0.1", Private),
            ("64:ff9b::a9fe:a9fe", Never),
            ("64:ff9b::808:808", Public),
            ("2002:7f00:1::", Private),
            ("2001:0:1::", Never),
        ] {
            assert_eq!(
                reach(address.parse().expect(address)),
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
    fn private_addresses_need_leave_and_link_local_ones_get_none() {
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
                    matches!(refused, Err(Refusal::Never(_))),
                    "{host}: {refused:?}"
                );
            }
        }
    }
}
