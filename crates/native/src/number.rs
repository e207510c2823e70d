//! A variable's value as interpreter and machine code share it.

use std::mem::offset_of;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use types::Physical;

/// A variable that is a number, of up to 128 bits; of any other only whether it is NULL. New ones are NULL. One run at a time has
/// them: the atomics are for those who share the memory, not for an order.
#[derive(Debug)]
#[repr(C)]
pub struct Number {
    low: AtomicU64,
    high: AtomicU64,
    null: AtomicBool,
    class: Physical,
}

pub const NUMBER_BYTES: usize = size_of::<Number>();
/// Where machine code finds the value, if its class is I64 or F64, the upper half of one of class I128, and the byte that is 1 for NULL.
pub const VALUE_AT: usize = offset_of!(Number, low);
pub const HIGH_AT: usize = offset_of!(Number, high);
pub const NULL_AT: usize = offset_of!(Number, null);

impl Number {
    pub fn new(class: Physical) -> Number {
        Number { low: AtomicU64::new(0), high: AtomicU64::new(0), null: AtomicBool::new(true), class }
    }

    #[inline]
    pub fn class(&self) -> Physical {
        self.class
    }

    #[inline]
    pub fn is_null(&self) -> bool {
        self.null.load(Relaxed)
    }

    #[inline]
    pub fn set_null(&self, null: bool) {
        self.null.store(null, Relaxed);
    }

    #[inline]
    pub fn i64(&self) -> Option<i64> {
        (!self.null.load(Relaxed)).then(|| self.low.load(Relaxed) as i64)
    }

    #[inline]
    pub fn f64(&self) -> Option<f64> {
        (!self.null.load(Relaxed)).then(|| f64::from_bits(self.low.load(Relaxed)))
    }

    #[inline]
    pub fn i128(&self) -> Option<i128> {
        (!self.null.load(Relaxed))
            .then(|| (u128::from(self.high.load(Relaxed)) << 64 | u128::from(self.low.load(Relaxed))) as i128)
    }

    #[inline]
    pub fn set_i64(&self, value: i64) {
        self.low.store(value as u64, Relaxed);
        self.null.store(false, Relaxed);
    }

    #[inline]
    pub fn set_f64(&self, value: f64) {
        self.low.store(value.to_bits(), Relaxed);
        self.null.store(false, Relaxed);
    }

    #[inline]
    pub fn set_i128(&self, value: i128) {
        self.low.store(value as u64, Relaxed);
        self.high.store((value as u128 >> 64) as u64, Relaxed);
        self.null.store(false, Relaxed);
    }
}
