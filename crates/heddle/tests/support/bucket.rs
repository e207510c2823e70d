//! A bucket of an S3 store for tests: it checks signatures, keeps objects in memory, and fails as it is told.
//!
//! https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use server::archive::sign::{Asked, Keys, authorization, digest};

pub const KEY: &str = "TESTKEY";
pub const SECRET: &str = "test/secret+key";
pub const REGION: &str = "test-region-1";
pub const NAME: &str = "shelf";
/// Names in an answer to a list; more come with the next.
const LISTED: usize = 5;

/// What the store does with a request that is signed well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    Well,
    /// 500 to everything.
    Broken,
    /// Every other request.
    Shaky,
    /// Takes no more objects.
    Full,
    /// Answers late.
    Slow,
    /// Takes what is put, and closes the connection without an answer.
    Mute,
    /// Reads, and does not answer.
    Silent,
    /// Takes a part or two, and no more.
    Filling,
    /// Takes all parts, and does not make an object of them.
    Unending,
}

/// Parts that are to be an object.
#[derive(Default)]
struct Upload {
    name: String,
    parts: BTreeMap<u32, Vec<u8>>,
}

#[derive(Default)]
struct State {
    objects: BTreeMap<String, Vec<u8>>,
    mood: Option<Mood>,
    requests: u64,
    /// Objects that were to be put a second time, without `If-None-Match`.
    replaced: Vec<String>,
    refused_signatures: u64,
    uploads: BTreeMap<u64, Upload>,
    uploads_begun: u64,
    parts_put: u64,
    part_bytes_max: usize,
}

pub struct Bucket {
    pub port: u16,
    state: Arc<Mutex<State>>,
}

struct Request {
    method: String,
    path: String,
    query: Vec<(String, String)>,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

impl Bucket {
    pub fn start() -> Bucket {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let state = Arc::new(Mutex::new(State::default()));
        let shared = state.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = shared.clone();
                std::thread::spawn(move || serve(&stream, &state));
            }
        });
        Bucket { port, state }
    }

    /// What a server and its tools are told.
    pub fn environment(&self) -> [(&'static str, String); 4] {
        [
            ("AWS_ENDPOINT_URL_S3", format!("http://127.0.0.1:{}", self.port)),
            ("AWS_ACCESS_KEY_ID", KEY.into()),
            ("AWS_SECRET_ACCESS_KEY", SECRET.into()),
            ("AWS_REGION", REGION.into()),
        ]
    }

    pub fn set(&self, mood: Mood) {
        self.state.lock().expect("the state").mood = Some(mood);
    }

    /// Uploads that were begun and neither completed nor aborted.
    pub fn open_uploads(&self) -> usize {
        self.state.lock().expect("the state").uploads.len()
    }

    /// Parts that were put, and the bytes of the longest.
    pub fn parts(&self) -> (u64, usize) {
        let state = self.state.lock().expect("the state");
        (state.parts_put, state.part_bytes_max)
    }

    /// The bytes of an object.
    pub fn object(&self, name: &str) -> Vec<u8> {
        self.state.lock().expect("the state").objects.get(name).expect("an object").clone()
    }

    pub fn requests(&self) -> u64 {
        self.state.lock().expect("the state").requests
    }

    pub fn refused_signatures(&self) -> u64 {
        self.state.lock().expect("the state").refused_signatures
    }

    pub fn replaced(&self) -> Vec<String> {
        self.state.lock().expect("the state").replaced.clone()
    }

    pub fn names(&self) -> Vec<String> {
        self.state.lock().expect("the state").objects.keys().cloned().collect()
    }

    /// Changes an object behind everybody's back; None removes it.
    pub fn change(&self, name: &str, change: impl FnOnce(Vec<u8>) -> Option<Vec<u8>>) {
        let mut state = self.state.lock().expect("the state");
        let bytes = state.objects.remove(name).expect("an object");
        if let Some(bytes) = change(bytes) {
            state.objects.insert(name.to_owned(), bytes);
        }
    }
}

fn read(reader: &mut BufReader<&TcpStream>) -> Option<Request> {
    let mut line = String::new();
    if reader.read_line(&mut line).ok()? == 0 {
        return None;
    }
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?);
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let query = query.split('&').filter_map(|pair| pair.split_once('='));
    let query = query.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let path = path.to_owned();
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { method, path, query, headers, body })
}

/// As the client should have signed it, by the headers that it says it has signed.
fn is_signed(request: &Request) -> bool {
    let Some(given) = request.headers.get("authorization") else { return false };
    let Some((_, names)) = given.split_once("SignedHeaders=") else { return false };
    let names: Vec<&str> = names.split(',').next().unwrap_or("").split(';').collect();
    let all_of_amz =
        request.headers.keys().filter(|name| name.starts_with("x-amz-")).all(|name| names.contains(&name.as_str()));
    let value = |name: &str| (name.to_owned(), request.headers.get(name).cloned().unwrap_or_default());
    let headers: Vec<(String, String)> = names.iter().map(|name| value(name)).collect();
    let keys = Keys { id: KEY.into(), secret: SECRET.into(), token: None };
    let payload = digest(&request.body);
    let asked = Asked {
        method: &request.method,
        path: &request.path,
        query: &request.query,
        headers: &headers,
        payload: &payload,
    };
    all_of_amz
        && names.contains(&"host")
        && request.headers.get("x-amz-content-sha256") == Some(&payload)
        && *given == authorization(&asked, &keys, REGION, &value("x-amz-date").1)
}

fn error(code: &str, message: &str) -> Vec<u8> {
    format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>{message}</Message></Error>").into_bytes()
}

fn plain(encoded: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = encoded.as_bytes();
    while let [first, after @ ..] = rest {
        match (first, after) {
            (b'%', [high, low, after @ ..]) => {
                let digits = [*high, *low];
                let text = std::str::from_utf8(&digits).expect("digits");
                bytes.push(u8::from_str_radix(text, 16).expect("hexadecimal"));
                rest = after;
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).expect("UTF-8")
}

/// The value of a field of the query.
fn field(request: &Request, name: &str) -> Option<String> {
    request.query.iter().find(|(of, _)| of == name).map(|(_, value)| plain(value))
}

fn etag(bytes: &[u8]) -> String {
    format!("\"{}\"", &digest(bytes)[..32])
}

/// https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateMultipartUpload.html and its siblings
fn multipart(request: &Request, name: &str, state: &mut State) -> Option<(u16, Vec<u8>)> {
    let mood = state.mood.unwrap_or(Mood::Well);
    if request.method == "POST" && field(request, "uploads").is_some() {
        state.uploads_begun += 1;
        let id = state.uploads_begun;
        state.uploads.insert(id, Upload { name: name.to_owned(), parts: BTreeMap::new() });
        let said = format!("<InitiateMultipartUploadResult><UploadId>{id}</UploadId></InitiateMultipartUploadResult>");
        return Some((200, said.into_bytes()));
    }
    let id = field(request, "uploadId")?;
    let Some(id) = id.parse().ok().filter(|id| state.uploads.get(id).is_some_and(|upload| upload.name == name)) else {
        return Some((404, error("NoSuchUpload", "The specified upload does not exist.")));
    };
    match &*request.method {
        "PUT" => {
            let taken: usize = state.uploads.values().map(|upload| upload.parts.len()).sum();
            if mood == Mood::Full || mood == Mood::Filling && taken > 0 {
                return Some((507, error("InsufficientStorage", "The disk is full")));
            }
            let number: u32 = field(request, "partNumber")?.parse().ok()?;
            state.parts_put += 1;
            state.part_bytes_max = state.part_bytes_max.max(request.body.len());
            state.uploads.get_mut(&id).expect("it is there").parts.insert(number, request.body.clone());
            Some((200, Vec::new()))
        }
        "POST" => {
            if mood == Mood::Unending {
                // The status is sent before it is known how it ends.
                return Some((200, error("InternalError", "It could not be completed")));
            }
            if request.headers.contains_key("if-none-match") && state.objects.contains_key(name) {
                return Some((412, error("PreconditionFailed", "At least one of the pre-conditions did not hold")));
            }
            let upload = &state.uploads[&id];
            let body = String::from_utf8_lossy(&request.body).replace("&quot;", "\"");
            let is_named = |(number, part): (&u32, &Vec<u8>)| {
                body.contains(&format!("<Part><PartNumber>{number}</PartNumber><ETag>{}</ETag></Part>", etag(part)))
            };
            if upload.parts.is_empty() || !upload.parts.iter().all(is_named) {
                return Some((400, error("InvalidPart", "One or more of the specified parts could not be found.")));
            }
            // All but the last are of five megabytes at least.
            let short = upload.parts.values().rev().skip(1).any(|part| part.len() < 5 << 20);
            if short {
                return Some((400, error("EntityTooSmall", "A part is too small")));
            }
            let whole = upload.parts.values().flatten().copied().collect();
            state.objects.insert(name.to_owned(), whole);
            state.uploads.remove(&id);
            Some((200, b"<CompleteMultipartUploadResult></CompleteMultipartUploadResult>".to_vec()))
        }
        "DELETE" => {
            state.uploads.remove(&id);
            Some((204, Vec::new()))
        }
        _ => None,
    }
}

/// The part of an object that is asked for, and where it lies.
fn part(request: &Request, bytes: &[u8]) -> (u16, Vec<u8>, Option<String>) {
    let range = request.headers.get("range").and_then(|range| range.strip_prefix("bytes=")?.split_once('-'));
    let Some((from, to)) = range else { return (200, bytes.to_vec(), None) };
    let (from, to): (usize, usize) = (from.parse().expect("a number"), to.parse().expect("a number"));
    if from >= bytes.len() {
        return (416, error("InvalidRange", "The requested range is not satisfiable"), None);
    }
    let to = to.min(bytes.len() - 1);
    (206, bytes[from..=to].to_vec(), Some(format!("bytes {from}-{to}/{}", bytes.len())))
}

/// With headers of its own.
fn answer(request: &Request, state: &mut State) -> (u16, Vec<u8>, Vec<(&'static str, String)>) {
    let path = plain(&request.path);
    let name = path.strip_prefix(&format!("/{NAME}/")).unwrap_or("").to_owned();
    let (status, body) = answer_plainly(request, state);
    let mut headers = Vec::new();
    if request.method == "PUT" && status == 200 {
        headers.push(("ETag", etag(&request.body)));
    }
    let object = state.objects.get(&name).filter(|_| request.method == "GET" && status == 200 && !name.is_empty());
    let Some(object) = object else { return (status, body, headers) };
    if request.headers.get("if-match").is_some_and(|wanted| *wanted != etag(object)) {
        return (412, error("PreconditionFailed", "At least one of the pre-conditions did not hold"), headers);
    }
    let (status, body, range) = part(request, object);
    headers.push(("ETag", etag(object)));
    headers.extend(range.map(|range| ("Content-Range", range)));
    (status, body, headers)
}

fn answer_plainly(request: &Request, state: &mut State) -> (u16, Vec<u8>) {
    state.requests += 1;
    if !is_signed(request) {
        state.refused_signatures += 1;
        return (403, error("SignatureDoesNotMatch", "The request signature we calculated does not match"));
    }
    let mood = state.mood.unwrap_or(Mood::Well);
    if mood == Mood::Broken || mood == Mood::Shaky && state.requests.is_multiple_of(2) {
        return (500, error("InternalError", "We encountered an internal error. Please try again."));
    }
    let path = plain(&request.path);
    let Some(name) = path.strip_prefix(&format!("/{NAME}")) else {
        return (404, error("NoSuchBucket", "The specified bucket does not exist"));
    };
    let name = name.trim_start_matches('/').to_owned();
    if let Some(answer) = multipart(request, &name, state) {
        return answer;
    }
    match (&*request.method, name.is_empty()) {
        ("GET", true) => (200, list(request, state)),
        ("GET", false) => match state.objects.get(&name) {
            Some(bytes) => (200, bytes.clone()),
            None => (404, error("NoSuchKey", "The specified key does not exist.")),
        },
        ("PUT", false) if mood == Mood::Full => (507, error("InsufficientStorage", "The disk is full")),
        ("PUT", false) => {
            if request.headers.get("if-none-match").is_some_and(|value| value == "*") {
                if state.objects.contains_key(&name) {
                    return (412, error("PreconditionFailed", "At least one of the pre-conditions did not hold"));
                }
            } else if state.objects.contains_key(&name) {
                state.replaced.push(name.clone());
            }
            state.objects.insert(name, request.body.clone());
            (200, Vec::new())
        }
        ("DELETE", false) => {
            state.objects.remove(&name);
            (204, Vec::new())
        }
        _ => (405, error("MethodNotAllowed", "It is not allowed")),
    }
}

fn list(request: &Request, state: &State) -> Vec<u8> {
    let value = |name: &str| request.query.iter().find(|(of, _)| of == name).map(|(_, value)| plain(value));
    let (prefix, after) = (value("prefix").unwrap_or_default(), value("continuation-token"));
    let names: Vec<&String> = state
        .objects
        .keys()
        .filter(|name| name.starts_with(&prefix) && after.as_ref().is_none_or(|after| *name > after))
        .collect();
    let shown = &names[..names.len().min(LISTED)];
    let keys: String = shown.iter().map(|name| format!("<Contents><Key>{name}</Key></Contents>")).collect();
    let token = shown.last().filter(|_| names.len() > LISTED);
    let token = token.map_or(String::new(), |name| format!("<NextContinuationToken>{name}</NextContinuationToken>"));
    let truncated = names.len() > LISTED;
    format!("<?xml version=\"1.0\"?><ListBucketResult><IsTruncated>{truncated}</IsTruncated>{token}{keys}</ListBucketResult>").into_bytes()
}

fn serve(stream: &TcpStream, state: &Mutex<State>) {
    let mut reader = BufReader::new(stream);
    while let Some(request) = read(&mut reader) {
        let ((status, body, headers), mood) = {
            let mut state = state.lock().expect("the state");
            let answer = answer(&request, &mut state);
            (answer, state.mood.unwrap_or(Mood::Well))
        };
        match mood {
            Mood::Slow => std::thread::sleep(Duration::from_millis(700)),
            Mood::Mute if request.method == "PUT" => return,
            Mood::Silent => std::thread::sleep(Duration::from_secs(120)),
            _ => {}
        }
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let head = format!("HTTP/1.1 {status} It is so\r\n{headers}Content-Length: {}\r\n\r\n", body.len());
        let mut out = stream;
        if out.write_all(head.as_bytes()).and_then(|()| out.write_all(&body)).is_err() {
            return;
        }
    }
}
