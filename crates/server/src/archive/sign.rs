//! Requests to S3 stores are signed with the secret key: AWS Signature Version 4.
//!
//! https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html

use std::fmt::Write;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use types::datetime::Civil;
use types::datetime::calendar::{TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_MINUTE, TICKS_PER_SECOND};

/// Who asks.
#[derive(Clone, PartialEq, Eq)]
pub struct Keys {
    pub id: String,
    pub secret: String,
    /// Of keys that are good for a while.
    pub token: Option<String>,
}

impl std::fmt::Debug for Keys {
    /// Not the secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Keys({})", self.id)
    }
}

/// What is asked. `path` and the values of `query` are encoded; `query` and `headers` are sorted by name, and names are small letters.
pub struct Asked<'a> {
    pub method: &'a str,
    pub path: &'a str,
    pub query: &'a [(String, String)],
    pub headers: &'a [(String, String)],
    /// SHA-256 of the body, in hexadecimal digits.
    pub payload: &'a str,
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Into memory: it cannot fail.
        write!(text, "{byte:02x}").ok();
        text
    })
}

pub fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// `20130524T000000Z`, of ticks of 100 ns in UTC.
pub fn amz_date(utc_ticks: u64) -> String {
    let ticks = utc_ticks as i64;
    let Civil { year, month, day } = Civil::from_days(ticks / TICKS_PER_DAY);
    let time = ticks % TICKS_PER_DAY;
    let (hours, minutes, seconds) = (time / TICKS_PER_HOUR, time / TICKS_PER_MINUTE % 60, time / TICKS_PER_SECOND % 60);
    format!("{year:04}{month:02}{day:02}T{hours:02}{minutes:02}{seconds:02}Z")
}

/// Everything but letters, digits and `-._~` as `%XX`; in a path `/` stays.
pub fn encode(text: &str, is_path: bool) -> String {
    text.bytes().fold(String::with_capacity(text.len()), |mut encoded, byte| {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => encoded.push(char::from(byte)),
            b'/' if is_path => encoded.push('/'),
            // Into memory: it cannot fail.
            byte => write!(encoded, "%{byte:02X}").unwrap_or_default(),
        }
        encoded
    })
}

fn mac(key: &[u8], text: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key may have any length");
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

/// The value of `authorization`. `date`: as `amz_date` has it, and in the headers.
pub fn authorization(asked: &Asked<'_>, keys: &Keys, region: &str, date: &str) -> String {
    debug_assert!(asked.headers.is_sorted() && asked.query.is_sorted(), "sorted by name");
    let query: Vec<String> = asked.query.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let headers: String = asked.headers.iter().map(|(name, value)| format!("{name}:{}\n", value.trim())).collect();
    let names: Vec<&str> = asked.headers.iter().map(|(name, _)| name.as_str()).collect();
    let (names, query) = (names.join(";"), query.join("&"));
    let canonical = [asked.method, asked.path, &query, &headers, &names, asked.payload].join("\n");
    let day = &date[..8];
    let scope = format!("{day}/{region}/s3/aws4_request");
    let to_sign = format!("AWS4-HMAC-SHA256\n{date}\n{scope}\n{}", digest(canonical.as_bytes()));
    let key = [day, region, "s3", "aws4_request"]
        .iter()
        .fold(format!("AWS4{}", keys.secret).into_bytes(), |key, part| mac(&key, part));
    let signature = hex(&mac(&key, &to_sign));
    format!("AWS4-HMAC-SHA256 Credential={}/{scope},SignedHeaders={names},Signature={signature}", keys.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
    #[test]
    fn signatures_are_those_of_the_documentation() {
        let keys = Keys {
            id: "AKIAIOSFODNN7EXAMPLE".into(),
            secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".into(),
            token: None,
        };
        let date = "20130524T000000Z";
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let host = pair("host", "examplebucket.s3.amazonaws.com");
        let empty = digest(b"");
        let sign =
            |method: &str, path: &str, query: &[(String, String)], headers: &[(String, String)], payload: &str| {
                let text = authorization(&Asked { method, path, query, headers, payload }, &keys, "us-east-1", date);
                text.rsplit_once("Signature=").expect("a signature").1.to_owned()
            };
        let headers =
            [host.clone(), pair("range", "bytes=0-9"), pair("x-amz-content-sha256", &empty), pair("x-amz-date", date)];
        assert_eq!(
            sign("GET", "/test.txt", &[], &headers, &empty),
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        );
        let body = digest(b"Welcome to Amazon S3.");
        let headers = [
            pair("date", "Fri, 24 May 2013 00:00:00 GMT"),
            host.clone(),
            pair("x-amz-content-sha256", &body),
            pair("x-amz-date", date),
            pair("x-amz-storage-class", "REDUCED_REDUNDANCY"),
        ];
        assert_eq!(
            sign("PUT", &encode("/test$file.text", true), &[], &headers, &body),
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
        );
        let headers = [host, pair("x-amz-content-sha256", &empty), pair("x-amz-date", date)];
        assert_eq!(
            sign("GET", "/", &[pair("max-keys", "2"), pair("prefix", "J")], &headers, &empty),
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
        );
        assert_eq!(amz_date(635_049_504_000_000_000), date);
        assert_eq!(format!("{keys:?}"), "Keys(AKIAIOSFODNN7EXAMPLE)");
    }
}
