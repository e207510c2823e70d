//! The stack of another thread of this process, for a report of one that does not yield.
//!
//! The thread is interrupted by a signal and walks its own stack in the handler, on its signal stack, into a buffer that exists
//! already: nothing is allocated, no lock taken (the unwinder finds its tables by `_dl_find_object`). The names are looked up
//! afterwards, by the asking thread, in the symbol table of the program's file.
#![allow(unsafe_code)]

use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, Once};

const FRAMES_MAX: usize = 48;
/// How long the thread may take to answer: it may have no CPU.
const ANSWER_MAX_MS: u64 = 500;
/// A symbol table larger than this is not read.
const TABLE_BYTES_MAX: u64 = 256 << 20;

/// What the handler fills. `ASKED` names the thread that may; it is 0 when nobody asks, so a late answer goes nowhere.
static ASKED: AtomicU32 = AtomicU32::new(0);
static FRAMES: [AtomicUsize; FRAMES_MAX] = [const { AtomicUsize::new(0) }; FRAMES_MAX];
static COUNT: AtomicUsize = AtomicUsize::new(0);
static DONE: AtomicU32 = AtomicU32::new(0);

fn signal() -> i32 {
    libc::SIGRTMIN() + 5
}

unsafe extern "C" {
    fn _Unwind_Backtrace(
        each: extern "C" fn(*mut libc::c_void, *mut libc::c_void) -> i32,
        data: *mut libc::c_void,
    ) -> i32;
    fn _Unwind_GetIP(context: *mut libc::c_void) -> usize;
}

/// The return addresses on the stack of `thread` (its number in the system), innermost first. Empty: it did not answer.
pub fn of_thread(thread: u32) -> Vec<usize> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    static INSTALL: Once = Once::new();
    let _one = ONE_AT_A_TIME.lock().expect("no panic while it is held");
    INSTALL.call_once(|| {
        // SAFETY: installs a handler of the right signature; what it does is async-signal-safe, see the top of the file.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_signal as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
            let failed = libc::sigaction(signal(), &action, std::ptr::null_mut());
            assert!(failed == 0, "sigaction: errno {}", crate::sys::errno());
        }
        // The unwinder is loaded and set up by its first use, which must not be in the handler.
        // SAFETY: `skip` looks at nothing.
        unsafe { _Unwind_Backtrace(skip, std::ptr::null_mut()) };
    });
    COUNT.store(0, Ordering::Relaxed);
    DONE.store(0, Ordering::Relaxed);
    ASKED.store(thread, Ordering::SeqCst);
    // SAFETY: no pointers are passed; a thread that has ended meanwhile is an error nobody needs.
    unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), thread as libc::pid_t, signal()) };
    for _ in 0..ANSWER_MAX_MS {
        if DONE.load(Ordering::Acquire) != 0 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    ASKED.store(0, Ordering::SeqCst);
    match DONE.load(Ordering::Acquire) {
        0 => Vec::new(),
        _ => FRAMES[..COUNT.load(Ordering::Relaxed)].iter().map(|frame| frame.load(Ordering::Relaxed)).collect(),
    }
}

extern "C" fn skip(_context: *mut libc::c_void, _data: *mut libc::c_void) -> i32 {
    // _URC_END_OF_STACK
    5
}

extern "C" fn on_signal(_signal: i32, _info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    // SAFETY: no pointers are passed.
    let me = unsafe { libc::gettid() } as u32;
    if ASKED.compare_exchange(me, u32::MAX, Ordering::SeqCst, Ordering::SeqCst).is_err() {
        return;
    }
    // SAFETY: `keep` only writes to statics.
    unsafe { _Unwind_Backtrace(keep, std::ptr::null_mut()) };
    DONE.store(1, Ordering::Release);
}

extern "C" fn keep(context: *mut libc::c_void, _data: *mut libc::c_void) -> i32 {
    let at = COUNT.load(Ordering::Relaxed);
    if at == FRAMES_MAX {
        return 5;
    }
    // SAFETY: the unwinder passes its own context.
    FRAMES[at].store(unsafe { _Unwind_GetIP(context) }, Ordering::Relaxed);
    COUNT.store(at + 1, Ordering::Relaxed);
    0
}

/// What a person reads of `frames`: names of functions where the program's file has them, else addresses in it.
pub fn names(frames: &[usize]) -> Vec<String> {
    let bias = load_bias();
    let symbols = Symbols::of_this_program().unwrap_or_default();
    let name = |frame: &usize| {
        // A return address may already belong to the next function.
        let address = (*frame as u64).wrapping_sub(bias).wrapping_sub(1);
        symbols.find(address).unwrap_or_else(|| format!("{address:#x}"))
    };
    frames.iter().map(name).collect()
}

/// Where the program was loaded, less where its file says.
fn load_bias() -> u64 {
    unsafe extern "C" fn first(info: *mut libc::dl_phdr_info, _size: usize, bias: *mut libc::c_void) -> i32 {
        // SAFETY: the loader passes a valid info, and `bias` is the u64 given below.
        unsafe { *bias.cast::<u64>() = (*info).dlpi_addr };
        1
    }
    let mut bias = 0u64;
    // SAFETY: `bias` is live for the call. The first object is the program itself.
    unsafe { libc::dl_iterate_phdr(Some(first), (&raw mut bias).cast()) };
    bias
}

/// The functions of an ELF file.
#[derive(Default)]
struct Symbols {
    /// `Elf64_Sym`s.
    table: Vec<u8>,
    strings: Vec<u8>,
}

const SYMBOL_BYTES: usize = 24;
const SECTION_BYTES: usize = 64;
const SECTION_SYMBOLS: u32 = 2;
const SYMBOL_FUNCTION: u8 = 2;

impl Symbols {
    fn of_this_program() -> Option<Symbols> {
        let file = std::fs::File::open("/proc/self/exe").ok()?;
        let read = |offset: u64, bytes: u64| {
            let mut buffer = vec![0; usize::try_from(bytes).ok().filter(|_| bytes <= TABLE_BYTES_MAX)?];
            file.read_exact_at(&mut buffer, offset).ok()?;
            Some(buffer)
        };
        let header = read(0, 64)?;
        if header[..5] != *b"\x7fELF\x02" {
            return None;
        }
        let sections = read(u64_at(&header, 40)?, u64::from(u16_at(&header, 60)?) * SECTION_BYTES as u64)?;
        let section = |index: usize| sections.get(index * SECTION_BYTES..(index + 1) * SECTION_BYTES);
        let symbols = sections.chunks(SECTION_BYTES).find(|section| u32_at(section, 4) == Some(SECTION_SYMBOLS))?;
        let strings = section(u32_at(symbols, 40)? as usize)?;
        let contents = |section: &[u8]| read(u64_at(section, 24)?, u64_at(section, 32)?);
        Some(Symbols { table: contents(symbols)?, strings: contents(strings)? })
    }

    fn find(&self, address: u64) -> Option<String> {
        let holds = |symbol: &&[u8]| {
            let (Some(value), Some(size)) = (u64_at(symbol, 8), u64_at(symbol, 16)) else { return false };
            symbol[4] & 15 == SYMBOL_FUNCTION && address >= value && address - value < size
        };
        let symbol = self.table.chunks_exact(SYMBOL_BYTES).find(holds)?;
        let name = self.strings.get(u32_at(symbol, 0)? as usize..)?;
        let end = name.iter().position(|byte| *byte == 0)?;
        Some(readable(&String::from_utf8_lossy(&name[..end])))
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

/// `_ZN2os4wait4park17h0123456789abcdefE` as `os::wait::park`; other names stay as they are.
fn readable(mangled: &str) -> String {
    const ESCAPES: [(&str, &str); 9] = [
        ("$LT$", "<"),
        ("$GT$", ">"),
        ("$RF$", "&"),
        ("$C$", ","),
        ("$u20$", " "),
        ("$u7b$", "{"),
        ("$u7d$", "}"),
        ("$BP$", "*"),
        ("..", "::"),
    ];
    let Some(mut rest) = mangled.strip_prefix("_ZN").and_then(|rest| rest.strip_suffix('E')) else {
        return mangled.into();
    };
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
        let Ok(length) = rest[..digits].parse::<usize>() else { return mangled.into() };
        let Some(part) = rest.get(digits..digits + length) else { return mangled.into() };
        parts.push(part);
        rest = &rest[digits + length..];
    }
    if parts.last().is_some_and(|last| last.len() == 17 && last.starts_with('h')) {
        parts.pop();
    }
    ESCAPES.iter().fold(parts.join("::"), |name, (from, to)| name.replace(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_readable() {
        assert_eq!(readable("_ZN2os4wait4park17h0123456789abcdefE"), "os::wait::park");
        assert_eq!(readable("_ZN3foo9$LT$T$GT$17h0123456789abcdefE"), "foo::<T>");
        assert_eq!(readable("memcpy"), "memcpy");
        assert_eq!(readable("_ZN99999E"), "_ZN99999E");
    }

    #[test]
    fn a_thread_that_is_gone_has_no_stack() {
        let gone = std::thread::spawn(crate::sys::thread_id).join().expect("ends");
        assert_eq!(of_thread(gone), Vec::<usize>::new());
    }
}
