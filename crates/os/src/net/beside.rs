//! What comes beside the bytes of a message of a Unix socket: a descriptor, or who sent it.
#![allow(unsafe_code)]

use super::NetResult;
use super::real::error_of;
use crate::sys::errno;

/// Room for the header and one value, aligned as the header needs it.
#[repr(C)]
pub union Control {
    header: libc::cmsghdr,
    bytes: [u8; 64],
}

impl Control {
    pub fn new() -> Control {
        Control { bytes: [0; 64] }
    }
}

/// A value that may come beside a message.
pub trait Beside: Copy {
    /// SCM_RIGHTS or SCM_CREDENTIALS: what the system puts there is of this type.
    const KIND: i32;
    const BYTES: u32 = {
        assert!(size_of::<libc::cmsghdr>() + size_of::<Self>().next_multiple_of(8) <= size_of::<Control>(), "room");
        size_of::<Self>() as u32
    };
}

/// An open file, the receiver's own.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Descriptor(pub i32);

impl Beside for Descriptor {
    const KIND: i32 = libc::SCM_RIGHTS;
}

impl Beside for libc::ucred {
    const KIND: i32 = libc::SCM_CREDENTIALS;
}

pub struct Received<B> {
    pub length: usize,
    /// `bytes` did not hold all of it.
    pub was_cut: bool,
    /// Of the name.
    pub name_length: libc::socklen_t,
    pub beside: Option<B>,
}

/// The next message of a socket, and into `name` who sent it.
pub fn receive<B: Beside>(
    from: i32,
    bytes: &mut [u8],
    name: Option<&mut libc::sockaddr_storage>,
) -> NetResult<Received<B>> {
    let mut part = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    let mut control = Control::new();
    // SAFETY: msghdr is plain data.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    if let Some(name) = name {
        message.msg_name = (&raw mut *name).cast();
        message.msg_namelen = size_of::<libc::sockaddr_storage>() as libc::socklen_t;
    }
    message.msg_iov = &mut part;
    message.msg_iovlen = 1;
    message.msg_control = (&raw mut control).cast();
    message.msg_controllen = size_of::<Control>();
    // SAFETY: `message` names live memory that may be written.
    let got = unsafe { libc::recvmsg(from, &mut message, libc::MSG_CMSG_CLOEXEC) };
    if got < 0 {
        return Err(error_of(errno()));
    }
    assert!(got as usize <= bytes.len(), "the system read {got} bytes into {}", bytes.len());
    // SAFETY: the header, if there is one, lies in `control`; with that kind such a value follows it.
    let beside = unsafe {
        let header = libc::CMSG_FIRSTHDR(&message);
        let is_there = !header.is_null()
            && (*header).cmsg_level == libc::SOL_SOCKET
            && (*header).cmsg_type == B::KIND
            && (*header).cmsg_len >= libc::CMSG_LEN(B::BYTES) as usize;
        is_there.then(|| libc::CMSG_DATA(header).cast::<B>().read_unaligned())
    };
    let was_cut = message.msg_flags & libc::MSG_TRUNC != 0;
    Ok(Received { length: got as usize, was_cut, name_length: message.msg_namelen, beside })
}
