//! Several media as one: each holds a stripe of the bytes.
//!
//! ```text
//! stripe: head, then every nth chunk of the bytes, n the number of stripes. The first chunk of each is shorter by its head.
//! head:   magic "HSTR" u32, format u32, stripes u32, number of this one u32 (from 1), bytes of a chunk u32, id of the media set 16 bytes,
//!         zeros to byte 508, crc32 u32 of all before
//! ```

use super::blocks::damaged;
use super::media::Media;
use super::set::Words;
use crate::error::{StorageError, StorageResult};
use crate::pages::page::{put_u32, u32_at};

const STRIPE_MAGIC: u32 = u32::from_le_bytes(*b"HSTR");
const STRIPE_FORMAT: u32 = 1;
const STRIPE_HEAD: usize = 512;
/// A chunk is at least as long as this, and at most that.
const CHUNK_MIN: u32 = 64 << 10;
const CHUNK_MAX: u32 = 64 << 20;

/// What a stripe says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StripeHead {
    pub count: u32,
    /// From 1.
    pub number: u32,
    pub chunk: u32,
    /// Of the media set.
    pub media: [u8; 16],
}

impl StripeHead {
    fn encode(&self) -> [u8; STRIPE_HEAD] {
        let mut bytes = [0; STRIPE_HEAD];
        for (at, number) in [STRIPE_MAGIC, STRIPE_FORMAT, self.count, self.number, self.chunk].into_iter().enumerate() {
            put_u32(&mut bytes, at * 4, number);
        }
        bytes[20..36].copy_from_slice(&self.media);
        let crc = crc32fast::hash(&bytes[..STRIPE_HEAD - 4]);
        put_u32(&mut bytes, STRIPE_HEAD - 4, crc);
        bytes
    }

    /// None: the medium is no stripe, but all there is.
    pub fn read(media: &dyn Media) -> StorageResult<Option<StripeHead>> {
        let mut bytes = [0; STRIPE_HEAD];
        media.read_at(&mut bytes, 0)?;
        if u32_at(&bytes, 0) != STRIPE_MAGIC {
            return Ok(None);
        }
        if crc32fast::hash(&bytes[..STRIPE_HEAD - 4]) != u32_at(&bytes, STRIPE_HEAD - 4) {
            return Err(damaged("the head of a stripe"));
        }
        let mut words = Words(&bytes[4..36]);
        let mut next = || words.u32().unwrap_or_default();
        let (format, count, number, chunk) = (next(), next(), next(), next());
        if format > STRIPE_FORMAT {
            return Err(StorageError::NewerFormat { found: format, known: STRIPE_FORMAT });
        }
        let is_sound = (1..=count).contains(&number) && (CHUNK_MIN..=CHUNK_MAX).contains(&chunk);
        let media = words.bytes(16).and_then(|id| id.try_into().ok());
        let media = media.filter(|_| is_sound).ok_or_else(|| damaged("the head of a stripe"))?;
        Ok(Some(StripeHead { count, number, chunk, media }))
    }
}

/// Several media as one.
pub struct Striped {
    stripes: Vec<Box<dyn Media>>,
    chunk: u64,
    id: [u8; 16],
}

/// A run of bytes that lies in one stripe.
struct Run {
    stripe: usize,
    at: u64,
    length: usize,
}

impl Striped {
    /// New stripes, which have nothing yet.
    pub fn new(stripes: Vec<Box<dyn Media>>, chunk: u32, id: [u8; 16]) -> Striped {
        assert!(!stripes.is_empty() && (CHUNK_MIN..=CHUNK_MAX).contains(&chunk), "{chunk} bytes a chunk");
        Striped { stripes, chunk: chunk.into(), id }
    }

    /// Those of a media set, whose heads say where each belongs. Err: one is missing, or none of them; in words.
    pub fn existing(stripes: Vec<(Box<dyn Media>, StripeHead)>) -> Result<Striped, String> {
        let first = stripes[0].1;
        let mut stripes = stripes;
        stripes.sort_by_key(|(_, head)| head.number);
        let fits = |(at, (_, head)): (usize, &(Box<dyn Media>, StripeHead))| {
            head.media == first.media && head.number as usize == at + 1 && head.chunk == first.chunk
        };
        if stripes.len() != first.count as usize || !stripes.iter().enumerate().all(fits) {
            return Err(format!("{} stripes of {}", stripes.len(), first.count));
        }
        let media = stripes.into_iter().map(|(media, _)| media).collect();
        Ok(Striped::new(media, first.chunk, first.media))
    }

    /// Where the bytes at `at` lie, as many of them as lie together.
    fn run(&self, at: u64, most: usize) -> Run {
        let (count, head) = (self.stripes.len() as u64, STRIPE_HEAD as u64);
        let short = self.chunk - head;
        let (row, within, stripe, lead) = if at < short * count {
            (0, at % short, at / short, head)
        } else {
            let after = at - short * count;
            (1 + after / (self.chunk * count), after % self.chunk, after / self.chunk % count, 0)
        };
        let left = self.chunk - lead - within;
        let length = most.min(usize::try_from(left).unwrap_or(usize::MAX));
        Run { stripe: stripe as usize, at: row * self.chunk + lead + within, length }
    }

    /// The bytes that a stripe has of the first `length`.
    fn part(&self, stripe: usize, length: u64) -> u64 {
        let (count, head) = (self.stripes.len() as u64, STRIPE_HEAD as u64);
        let (short, stripe) = (self.chunk - head, stripe as u64);
        if length <= short * count {
            return length.saturating_sub(stripe * short).min(short);
        }
        let after = length - short * count;
        let (rows, rest) = (after / (self.chunk * count), after % (self.chunk * count));
        short + rows * self.chunk + rest.saturating_sub(stripe * self.chunk).min(self.chunk)
    }
}

impl Media for Striped {
    fn len(&self) -> StorageResult<u64> {
        let mut length = 0;
        for stripe in &self.stripes {
            length += stripe.len()?.saturating_sub(STRIPE_HEAD as u64);
        }
        Ok(length)
    }

    fn read_at(&self, bytes: &mut [u8], at: u64) -> StorageResult<()> {
        let mut done = 0;
        while done < bytes.len() {
            let run = self.run(at + done as u64, bytes.len() - done);
            self.stripes[run.stripe].read_at(&mut bytes[done..done + run.length], run.at)?;
            done += run.length;
        }
        Ok(())
    }

    fn write_at(&self, bytes: &[u8], at: u64) -> StorageResult<()> {
        let mut done = 0;
        while done < bytes.len() {
            let run = self.run(at + done as u64, bytes.len() - done);
            self.stripes[run.stripe].write_at(&bytes[done..done + run.length], run.at)?;
            done += run.length;
        }
        Ok(())
    }

    /// The heads are written with the first of it: to end at 0 is to begin anew.
    fn set_len(&self, length: u64) -> StorageResult<()> {
        for (at, stripe) in self.stripes.iter().enumerate() {
            let held = self.part(at, length) + STRIPE_HEAD as u64;
            if length > 0 {
                stripe.set_len(held)?;
                continue;
            }
            stripe.set_len(0)?;
            let head = StripeHead {
                count: self.stripes.len() as u32,
                number: at as u32 + 1,
                chunk: self.chunk as u32,
                media: self.id,
            };
            stripe.write_at(&head.encode(), 0)?;
        }
        Ok(())
    }

    fn sync(&self) -> StorageResult<()> {
        self.stripes.iter().try_for_each(|stripe| stripe.sync())
    }

    fn is_busy(&self) -> bool {
        self.stripes.iter().any(|stripe| stripe.is_busy())
    }

    /// The first stripe, without which there is no head of a set, is the last to be there.
    fn end(&self) -> StorageResult<bool> {
        let mut all = true;
        for stripe in self.stripes.iter().skip(1) {
            all &= stripe.end()?;
        }
        Ok(all && self.stripes[0].end()?)
    }

    fn holds_one(&self) -> bool {
        self.stripes.iter().any(|stripe| stripe.holds_one())
    }
}

#[cfg(test)]
mod tests {
    use os::disk::{Disk, Open};

    use super::*;

    #[test]
    fn stripes_are_one_medium_in_any_order_and_none_is_missing() {
        let disk = Disk::memory();
        let open = |number: u32| -> Box<dyn Media> {
            Box::new(disk.open(&format!("stripe{number}"), Open::ExistingOrNew).expect("a file"))
        };
        for length in [1_usize, 65_000, 200_000, 700_001] {
            let media = Striped::new((0..3).map(open).collect(), CHUNK_MIN, [7; 16]);
            media.set_len(0).expect("it begins");
            let bytes: Vec<u8> = (0..length).map(|at| (at * 7 + at / 251) as u8).collect();
            for (at, piece) in bytes.chunks(10_007).enumerate() {
                media.write_at(piece, at as u64 * 10_007).expect("it is written");
            }
            assert_eq!(media.len().expect("a length"), length as u64);
            let found = |number: u32| {
                let media = open(number);
                let head = StripeHead::read(&*media).expect("a head").expect("a stripe");
                (media, head)
            };
            let again = Striped::existing(vec![found(2), found(0), found(1)]).expect("all of them");
            let mut read = vec![0; length];
            again.read_at(&mut read, 0).expect("it is read");
            assert!(read == bytes, "{length} bytes come back");
            assert!(Striped::existing(vec![found(0), found(1)]).is_err());
            assert!(Striped::existing(vec![found(0), found(1), found(1)]).is_err());
            again.set_len(length as u64 / 2).expect("it ends earlier");
            assert_eq!(again.len().expect("a length"), length as u64 / 2);
        }
    }
}
