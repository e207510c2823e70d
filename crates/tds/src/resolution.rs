//! SQL Server Resolution Protocol (MC-SQLR): a client that knows an instance only by its name asks for its port, by UDP. Both sides, as
//! pure functions of bytes. https://learn.microsoft.com/openspecs/windows_protocols/mc-sqlr

/// The port that clients ask.
pub const PORT: u16 = 1434;
/// Longest request: an operation, a version and a name with its zero (2.2.4).
pub const REQUEST_BYTES_MAX: usize = 2 + NAME_BYTES_MAX + 1;
/// Longest name of an instance in a request, without its zero (2.2.3).
const NAME_BYTES_MAX: usize = 32;
/// What an answer tells at most: its length is a u16, and a datagram holds 65,507 bytes.
const DATA_BYTES_MAX: usize = 65_507 - 3;

const BROADCAST: u8 = 0x02;
const ALL: u8 = 0x03;
const ONE: u8 = 0x04;
const ADMIN: u8 = 0x0F;
const RESPONSE: u8 = 0x05;
const ADMIN_VERSION: u8 = 0x01;

/// What a client asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question<'a> {
    /// CLNT_BCAST_EX, CLNT_UCAST_EX: every instance.
    All,
    /// CLNT_UCAST_INST: the instance of that name, in the bytes that came.
    One(&'a [u8]),
    /// CLNT_UCAST_DAC: the port of that instance's administrator connection.
    Admin(&'a [u8]),
}

impl<'a> Question<'a> {
    /// None: no request of this protocol, which is not answered (3.2.5.5).
    pub fn decode(datagram: &'a [u8]) -> Option<Question<'a>> {
        match datagram {
            [BROADCAST | ALL] => Some(Question::All),
            // Some clients pad it.
            [ALL, 0] => Some(Question::All),
            [ONE, name @ ..] => name_of(name).map(Question::One),
            [ADMIN, ADMIN_VERSION, name @ ..] => name_of(name).map(Question::Admin),
            _ => None,
        }
    }
}

/// Up to the zero, which mssql-jdbc leaves out.
fn name_of(bytes: &[u8]) -> Option<&[u8]> {
    let name = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    (1..=NAME_BYTES_MAX).contains(&name.len()).then_some(name)
}

/// An instance as clients are told of it. Names have no semicolon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// The machine's name.
    pub server: String,
    pub name: String,
    /// `16.0.4003.1`
    pub version: String,
    pub tcp_port: u16,
    /// Of the administrator connection. None: there is none.
    pub admin_port: Option<u16>,
}

impl Instance {
    fn text(&self) -> String {
        let Instance { server, name, version, tcp_port, .. } = self;
        format!("ServerName;{server};InstanceName;{name};IsClustered;No;Version;{version};tcp;{tcp_port};;")
    }
}

/// SVR_RESP (2.2.5): as many of the instances as a datagram holds.
pub fn response<'a>(instances: impl IntoIterator<Item = &'a Instance>) -> Vec<u8> {
    let mut datagram = vec![RESPONSE, 0, 0];
    for text in instances.into_iter().map(Instance::text) {
        if datagram.len() - 3 + text.len() <= DATA_BYTES_MAX {
            datagram.extend_from_slice(text.as_bytes());
        }
    }
    let length = (datagram.len() - 3) as u16;
    datagram[1..3].copy_from_slice(&length.to_le_bytes());
    datagram
}

/// SVR_RESP (DAC) (2.2.6): its length is that of all of it.
pub fn admin_response(port: u16) -> Vec<u8> {
    let [low, high] = port.to_le_bytes();
    vec![RESPONSE, 6, 0, ADMIN_VERSION, low, high]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_those_of_the_specification() {
        assert_eq!(Question::decode(&[2]), Some(Question::All));
        assert_eq!(Question::decode(&[3]), Some(Question::All));
        assert_eq!(Question::decode(b"\x04SALES\0"), Some(Question::One(b"SALES")));
        assert_eq!(Question::decode(b"\x04SALES"), Some(Question::One(b"SALES")));
        assert_eq!(Question::decode(b"\x0f\x01SALES\0"), Some(Question::Admin(b"SALES")));
        let long = [&[4u8][..], &[b'x'; 33]].concat();
        for wrong in [&b""[..], b"\x04", b"\x04\0", b"\x0f", b"\x0f\x02SALES\0", b"\x05SALES", b"\x02x", &long] {
            assert_eq!(Question::decode(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn answers_are_those_of_the_specification() {
        let instance = Instance {
            server: "LOOM".into(),
            name: "SALES".into(),
            version: "16.0.4003.1".into(),
            tcp_port: 50_123,
            admin_port: Some(50_124),
        };
        let text = "ServerName;LOOM;InstanceName;SALES;IsClustered;No;Version;16.0.4003.1;tcp;50123;;";
        let one = response([&instance]);
        assert_eq!(one[..3], [5, text.len() as u8, 0]);
        assert_eq!(one[3..], *text.as_bytes());
        assert_eq!(response(std::iter::empty()), [5, 0, 0]);
        let many = response(std::iter::repeat_n(&instance, 2_000));
        assert_eq!(many.len() - 3, usize::from(u16::from_le_bytes([many[1], many[2]])));
        assert_eq!((many.len() - 3) % text.len(), 0);
        assert_eq!(admin_response(1434), [5, 6, 0, 1, 0x9A, 0x05]);
    }
}
