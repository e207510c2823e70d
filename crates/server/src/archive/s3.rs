//! A bucket of an S3 store. Calls block in code not ours, so they run off the scheduler; each is bounded in time.
//!
//! https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html, with `If-None-Match: *` for what must not be there yet

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use os::sync::Mutex;
use os::wait::WaitType;
use storage::archive::{Store, StoreError, StoreResult};

use super::sign::{Asked, Keys, amz_date, authorization, digest, encode};

const CONNECT: Duration = Duration::from_secs(5);
/// Of a request with all of its object.
const REQUEST: Duration = Duration::from_secs(60);
/// An object is read up to this.
const OBJECT_BYTES_MAX: u64 = 1 << 30;
/// Of an answer that is an error.
const ERROR_BYTES_MAX: u64 = 64 << 10;
/// Of what an answer says in messages.
const SAID_CHARS_MAX: usize = 300;

/// A bucket, or a part of it.
#[derive(Debug, Clone)]
pub struct Bucket {
    /// `http://host:port` or `https://host:port`, with the bucket's name before the host or not.
    pub origin: String,
    /// Before each object's name, as it is sent: `/bucket/prefix/` or `/prefix/`.
    pub path: String,
    /// The bucket's own path, for lists, and what its objects' names begin with: `/bucket` or `/`, and `prefix/`.
    pub root: String,
    pub prefix: String,
    pub region: String,
    pub keys: Keys,
}

impl Bucket {
    /// `place`: bucket and prefix, `bucket/a/b`. Err: why it is no place.
    pub fn new(place: &str, endpoint: Option<&str>, region: &str, keys: Keys) -> Result<Bucket, String> {
        let (bucket, prefix) = place.split_once('/').unwrap_or((place, ""));
        let is_name = bucket.len() >= 3
            && bucket
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.'));
        if !is_name {
            return Err(format!("'{bucket}' is not the name of a bucket"));
        }
        let prefix = prefix.trim_matches('/');
        let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
        let (origin, root) = match endpoint {
            Some(endpoint) => {
                let origin = usual(endpoint.trim_end_matches('/'));
                let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
                if host.is_none_or(|host| host.is_empty() || host.contains('/')) {
                    return Err(format!("'{endpoint}' is not an endpoint, such as https://host:port"));
                }
                (origin.to_owned(), format!("/{bucket}"))
            }
            None => (format!("https://{bucket}.s3.{region}.amazonaws.com"), "/".to_owned()),
        };
        let path = format!("{}/{}", root.trim_end_matches('/'), encode(&prefix, true));
        Ok(Bucket { origin, path, root, prefix, region: region.to_owned(), keys })
    }

    /// All that lies behind a host, whose names begin with the bucket's or are those of a bucket that the host is named after.
    pub fn of_host(origin: &str, region: &str, keys: Keys) -> Bucket {
        let origin = usual(origin);
        let (path, root, prefix) = ("/".to_owned(), "/".to_owned(), String::new());
        Bucket { origin: origin.to_owned(), path, root, prefix, region: region.to_owned(), keys }
    }
}

/// An origin as clients name it, whose signature has the host: without the port that is meant anyway.
fn usual(origin: &str) -> &str {
    let port = if origin.starts_with("https://") { ":443" } else { ":80" };
    origin.strip_suffix(port).unwrap_or(origin)
}

pub struct Answer {
    pub status: u16,
    pub etag: Option<String>,
    /// Of the whole object, where a part of it was asked for.
    pub length: Option<u64>,
    pub body: Vec<u8>,
}

/// A request that no answer came to.
pub struct Unanswered {
    /// Of Windows' HTTP client, whose numbers SQL Server's messages have.
    pub number: u32,
    pub why: String,
}

impl From<ureq::Error> for Unanswered {
    fn from(error: ureq::Error) -> Unanswered {
        // https://learn.microsoft.com/windows/win32/winhttp/error-messages
        let number = match &error {
            ureq::Error::Timeout(_) => 12_002,
            ureq::Error::HostNotFound => 12_007,
            ureq::Error::Tls(_) | ureq::Error::Pem(_) | ureq::Error::Rustls(_) => 12_175,
            // What TLS refuses comes as an error of the connection.
            ureq::Error::Io(error) if error.get_ref().is_some_and(|inner| inner.is::<rustls::Error>()) => 12_175,
            ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => 12_029,
            ureq::Error::ConnectionFailed => 12_029,
            _ => 12_030,
        };
        let why = error.to_string();
        Unanswered { number, why: why.strip_prefix("io: ").map_or(why.clone(), str::to_owned) }
    }
}

/// Connections of a process, by its number: after a fork they are the other's.
struct Agent {
    process: u32,
    agent: ureq::Agent,
}

pub struct S3Store {
    bucket: Bucket,
    place: String,
    agent: Mutex<Option<Arc<Agent>>>,
    /// A time on `os::clock` by which all answers must be there.
    deadline: AtomicU64,
}

impl S3Store {
    /// `place`: as the user has named it.
    pub fn new(bucket: Bucket, place: &str) -> S3Store {
        let agent = Mutex::new(WaitType::BACKUPIO, None);
        S3Store { bucket, place: place.to_owned(), agent, deadline: AtomicU64::new(u64::MAX) }
    }

    fn agent(&self) -> Arc<Agent> {
        let process = os::env::process_id();
        let mut kept = self.agent.lock();
        match &*kept {
            Some(agent) if agent.process == process => agent.clone(),
            _ => {
                let tls = ureq::tls::TlsConfig::builder().root_certs(roots(&self.bucket.origin)).build();
                let config = ureq::Agent::config_builder()
                    .tls_config(tls)
                    .http_status_as_error(false)
                    .timeout_connect(Some(CONNECT))
                    .max_redirects(0)
                    .proxy(None)
                    .build();
                kept.insert(Arc::new(Agent { process, agent: config.into() })).clone()
            }
        }
    }

    /// As `send`, with an error that names the store.
    fn ask(
        &self,
        method: &str,
        name: &str,
        query: &[(&str, &str)],
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> StoreResult<Answer> {
        let answer = self.send(method, name, query, headers, body);
        answer.map_err(|unanswered| StoreError::World(format!("{}: {}", self.place, unanswered.why)))
    }

    /// A request for an object, by its name in the store; an empty one is the bucket.
    pub fn send(
        &self,
        method: &str,
        name: &str,
        query: &[(&str, &str)],
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Result<Answer, Unanswered> {
        let bucket = &self.bucket;
        let path = if name.is_empty() { bucket.root.clone() } else { format!("{}{}", bucket.path, encode(name, true)) };
        let mut query: Vec<(String, String)> =
            query.iter().map(|(name, value)| (encode(name, false), encode(value, false))).collect();
        query.sort();
        let host = bucket.origin.split_once("://").map_or("", |(_, host)| host);
        let (payload, date) = (digest(body), amz_date(os::clock::utc_ticks()));
        let mut headers: Vec<(String, String)> =
            headers.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        let own = [("host", host), ("x-amz-content-sha256", &payload), ("x-amz-date", &date)];
        headers.extend(own.map(|(name, value)| (name.to_owned(), value.to_owned())));
        headers.extend(bucket.keys.token.iter().map(|token| ("x-amz-security-token".to_owned(), token.clone())));
        headers.sort();
        let asked = Asked { method, path: &path, query: &query, headers: &headers, payload: &payload };
        let signed = authorization(&asked, &bucket.keys, &bucket.region, &date);
        let mut url = format!("{}{path}", bucket.origin);
        for (at, (name, value)) in query.iter().enumerate() {
            url.push(if at == 0 { '?' } else { '&' });
            url.push_str(&format!("{name}={value}"));
        }
        let mut request = ureq::http::Request::builder().method(method).uri(&url).header("authorization", signed);
        for (name, value) in headers.iter().filter(|(name, _)| name != "host") {
            request = request.header(name, value);
        }
        let agent = self.agent();
        let left = Duration::from_nanos(self.deadline.load(Ordering::Relaxed).saturating_sub(os::clock::now()));
        let most = Some(REQUEST.min(left));
        let run = || -> Result<Answer, ureq::Error> {
            let agent = &agent.agent;
            let mut answer = match method {
                "PUT" | "POST" => agent.run(agent.configure_request(request.body(body)?).timeout_global(most).build()),
                _ => agent.run(agent.configure_request(request.body(())?).timeout_global(most).build()),
            }?;
            let status = answer.status().as_u16();
            let header =
                |name: &str| answer.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
            let range = header("content-range");
            let length = range.as_deref().and_then(|range| range.rsplit_once('/')?.1.parse().ok());
            let etag = header("etag");
            let limit = if status < 300 { OBJECT_BYTES_MAX } else { ERROR_BYTES_MAX };
            let body = match method {
                "HEAD" => Vec::new(),
                _ => answer.body_mut().with_config().limit(limit).read_to_vec()?,
            };
            Ok(Answer { status, etag, length, body })
        };
        Ok(os::sched::preemptive(WaitType::PREEMPTIVE_OTHER, run)?)
    }

    fn error(&self, name: &str, answer: &Answer) -> StoreError {
        let (code, said) = answer.said();
        if answer.status == 412 {
            return StoreError::Exists;
        }
        if answer.status == 404 && code != "NoSuchBucket" {
            return StoreError::NotFound;
        }
        StoreError::World(format!("{}, {name}: {} {code} {said}", self.place, answer.status).trim_end().to_owned())
    }

    fn expect(&self, name: &str, answer: Answer) -> StoreResult<Answer> {
        if (200..300).contains(&answer.status) { Ok(answer) } else { Err(self.error(name, &answer)) }
    }
}

impl Answer {
    /// What an answer that is an error says: its code and its words.
    pub fn said(&self) -> (String, String) {
        let text = String::from_utf8_lossy(&self.body);
        let code: String = element(&text, "Code").unwrap_or_default();
        let said = element(&text, "Message").unwrap_or_default();
        let plain = |text: &str| text.chars().filter(|c| !c.is_control()).take(SAID_CHARS_MAX).collect();
        (plain(&code), plain(&said))
    }
}

/// Where systems keep the certificates that they trust; the first is told to everybody who asks OpenSSL.
const ROOTS: [&str; 5] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// The system's, or those of the file that SSL_CERT_FILE names. Where a system has none, Mozilla's.
fn roots(origin: &str) -> ureq::tls::RootCerts {
    if !origin.starts_with("https://") {
        return ureq::tls::RootCerts::WebPki;
    }
    let given = os::env::var("SSL_CERT_FILE");
    let places = given.iter().map(String::as_str).chain(ROOTS.iter().copied().filter(|_| given.is_none()));
    for place in places {
        let Ok(bytes) = os::fs::read(std::path::Path::new(place)) else { continue };
        let certificates: Vec<_> = ureq::tls::parse_pem(&bytes)
            .filter_map(|item| match item {
                Ok(ureq::tls::PemItem::Certificate(certificate)) => Some(certificate),
                _ => None,
            })
            .collect();
        if !certificates.is_empty() {
            return certificates.into();
        }
    }
    ureq::tls::RootCerts::WebPki
}

/// The text of the first element of this name.
pub fn element(xml: &str, name: &str) -> Option<String> {
    elements(xml, name).next()
}

fn elements<'a>(xml: &'a str, name: &str) -> impl Iterator<Item = String> + 'a {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let mut rest = xml;
    std::iter::from_fn(move || {
        let from = rest.find(&open)? + open.len();
        let to = from + rest[from..].find(&close)?;
        let text = &rest[from..to];
        rest = &rest[to + close.len()..];
        let plain = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#34;", "\""), ("&amp;", "&")];
        Some(plain.iter().fold(text.to_owned(), |text, (entity, character)| text.replace(entity, character)))
    })
}

impl Store for S3Store {
    fn put_new(&self, name: &str, bytes: &[u8]) -> StoreResult<()> {
        let answer = self.ask("PUT", name, &[], &[("if-none-match", "*")], bytes)?;
        self.expect(name, answer).map(drop)
    }

    fn put(&self, name: &str, bytes: &[u8]) -> StoreResult<()> {
        let answer = self.ask("PUT", name, &[], &[], bytes)?;
        self.expect(name, answer).map(drop)
    }

    fn get(&self, name: &str) -> StoreResult<Vec<u8>> {
        let answer = self.ask("GET", name, &[], &[], &[])?;
        self.expect(name, answer).map(|answer| answer.body)
    }

    fn list(&self, directory: &str) -> StoreResult<Vec<String>> {
        let prefix = format!("{}{directory}/", self.bucket.prefix);
        let (mut names, mut token) = (Vec::new(), None::<String>);
        loop {
            let mut query = vec![("list-type", "2"), ("prefix", &prefix)];
            if let Some(token) = &token {
                query.push(("continuation-token", token));
            }
            let answer = self.ask("GET", "", &query, &[], &[])?;
            let answer = match self.expect(directory, answer) {
                // Of a bucket it is an error of the world.
                Err(StoreError::NotFound) => {
                    return Err(StoreError::World(format!("{}: there is no such bucket", self.place)));
                }
                answer => answer?,
            };
            let text = String::from_utf8_lossy(&answer.body);
            names.extend(elements(&text, "Key").filter_map(|key| key.strip_prefix(&prefix).map(str::to_owned)));
            token = element(&text, "NextContinuationToken");
            if element(&text, "IsTruncated").as_deref() != Some("true") || token.is_none() {
                names.sort();
                return Ok(names);
            }
        }
    }

    fn delete(&self, name: &str) -> StoreResult<()> {
        let answer = self.ask("DELETE", name, &[], &[], &[])?;
        match self.expect(name, answer) {
            Ok(_) | Err(StoreError::NotFound) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn place(&self) -> &str {
        &self.place
    }

    fn end_by(&self, deadline: u64) {
        self.deadline.store(deadline, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_named_in_the_path_or_before_the_host() {
        let keys = || Keys { id: "id".into(), secret: "secret".into(), token: None };
        let own = Bucket::new("shop/a b/", Some("http://127.0.0.1:9000/"), "r", keys()).expect("a bucket");
        assert_eq!((&*own.origin, &*own.path, &*own.root), ("http://127.0.0.1:9000", "/shop/a%20b/", "/shop"));
        let aws = Bucket::new("shop", None, "eu-west-1", keys()).expect("a bucket");
        assert_eq!((&*aws.origin, &*aws.path), ("https://shop.s3.eu-west-1.amazonaws.com", "/"));
        assert_eq!((&*aws.root, &*aws.prefix), ("/", ""));
        assert_eq!(usual("https://store:443"), "https://store");
        assert_eq!((usual("http://store:443"), usual("http://store:80")), ("http://store:443", "http://store"));
        assert!(Bucket::new("Shop", None, "r", keys()).is_err_and(|why| why.contains("'Shop'")));
        assert!(Bucket::new("shop", Some("store:9000"), "r", keys()).is_err_and(|why| why.contains("'store:9000'")));
        let listed = "<a><Key>x/1</Key><Key>x/2&amp;&lt;</Key><IsTruncated>true</IsTruncated></a>";
        assert_eq!(elements(listed, "Key").collect::<Vec<_>>(), ["x/1", "x/2&<"]);
        assert_eq!(element(listed, "Code"), None);
    }
}
