//! What AWS's tools are told of a store, by the same environment and files: keys, region, endpoint.
//!
//! https://docs.aws.amazon.com/sdkref/latest/guide/settings-reference.html

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::sign::Keys;

pub const REGION_DEFAULT: &str = "us-east-1";
const PROFILE_DEFAULT: &str = "default";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    pub keys: Keys,
    pub region: String,
    /// None: AWS itself.
    pub endpoint: Option<String>,
}

/// A profile's settings.
type Profile = BTreeMap<String, String>;

type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;
type Read<'a> = &'a dyn Fn(&Path) -> Option<String>;

/// The files, as far as they concern the profile in use.
struct Files {
    /// The profile's.
    name: String,
    credentials_at: PathBuf,
    credentials: Profile,
    config: Profile,
}

impl Files {
    fn of(environment: Environment<'_>, read: Read<'_>) -> Files {
        let home = environment("HOME").map(PathBuf::from).unwrap_or_default();
        let place = |variable: &str, name: &str| {
            environment(variable).map_or_else(|| home.join(".aws").join(name), PathBuf::from)
        };
        let name = environment("AWS_PROFILE").unwrap_or_else(|| PROFILE_DEFAULT.into());
        let credentials_at = place("AWS_SHARED_CREDENTIALS_FILE", "credentials");
        let credentials = read(&credentials_at).map(|text| profile(&text, &[&name])).unwrap_or_default();
        let of_config = format!("profile {name}");
        let config = read(&place("AWS_CONFIG_FILE", "config")).map(|text| profile(&text, &[&of_config, &name]));
        Files { name, credentials_at, credentials, config: config.unwrap_or_default() }
    }

    fn setting(&self, name: &str) -> Option<String> {
        self.credentials.get(name).or_else(|| self.config.get(name)).cloned()
    }
}

fn given(environment: Environment<'_>, variable: &str) -> Option<String> {
    environment(variable).filter(|value| !value.is_empty())
}

fn endpoint_of(environment: Environment<'_>, files: &Files) -> Option<String> {
    let given = |variable| given(environment, variable);
    given("AWS_ENDPOINT_URL_S3").or_else(|| given("AWS_ENDPOINT_URL")).or_else(|| files.setting("endpoint_url"))
}

/// The endpoint that the server is told of. None: AWS itself.
pub fn endpoint() -> Option<String> {
    let read = |path: &Path| os::fs::read_text(path).ok();
    endpoint_of(&os::env::var, &Files::of(&os::env::var, &read))
}

/// The environment wins over the files. Err: what is missing, and where it was looked for.
pub fn told(environment: Environment<'_>, read: Read<'_>) -> Result<Told, String> {
    let files = Files::of(environment, read);
    let given = |variable: &str| given(environment, variable);
    let in_files = |setting: &str| files.setting(setting);
    let keys = match (given("AWS_ACCESS_KEY_ID"), given("AWS_SECRET_ACCESS_KEY")) {
        (Some(id), Some(secret)) => Some(Keys { id, secret, token: given("AWS_SESSION_TOKEN") }),
        _ => in_files("aws_access_key_id").zip(in_files("aws_secret_access_key")).map(|(id, secret)| Keys {
            id,
            secret,
            token: in_files("aws_session_token"),
        }),
    };
    let keys = keys.ok_or_else(|| {
        format!(
            "no keys for S3: neither AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, nor profile '{}' in {}",
            files.name,
            files.credentials_at.display()
        )
    })?;
    let region = given("AWS_REGION").or_else(|| given("AWS_DEFAULT_REGION")).or_else(|| in_files("region"));
    let endpoint = endpoint_of(environment, &files);
    Ok(Told { keys, region: region.unwrap_or_else(|| REGION_DEFAULT.into()), endpoint })
}

/// The settings of the first section of one of these names.
fn profile(text: &str, names: &[&str]) -> Profile {
    let mut settings = Profile::new();
    let mut is_ours = false;
    for line in text.lines() {
        let line = line.trim();
        if let Some(section) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            is_ours = names.contains(&section.trim());
        } else if is_ours
            && !line.starts_with(['#', ';'])
            && let Some((name, value)) = line.split_once('=')
        {
            settings.entry(name.trim().to_ascii_lowercase()).or_insert_with(|| value.trim().to_owned());
        }
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(environment: &[(&str, &str)]) -> Result<Told, String> {
        let files = |path: &std::path::Path| match path.to_str()? {
            "/home/u/.aws/credentials" => Some(
                "[default]\naws_access_key_id = ID\naws_secret_access_key = SECRET\n\n[other]\n# a comment\n\
                 aws_access_key_id=OTHER\naws_secret_access_key=OTHER SECRET\naws_session_token=T\n"
                    .to_owned(),
            ),
            "/home/u/.aws/config" => {
                Some("[default]\nregion = eu-central-1\n[profile other]\nendpoint_url = http://store:9000\n".to_owned())
            }
            _ => None,
        };
        let found = |name: &str| environment.iter().find(|(of, _)| *of == name).map(|(_, value)| value.to_string());
        told(&found, &files)
    }

    #[test]
    fn the_environment_wins_over_the_files() {
        let of_files = with(&[("HOME", "/home/u")]).expect("of the files");
        assert_eq!((&*of_files.keys.id, &*of_files.keys.secret, &*of_files.region), ("ID", "SECRET", "eu-central-1"));
        assert_eq!(of_files.endpoint, None);
        let other = with(&[("HOME", "/home/u"), ("AWS_PROFILE", "other")]).expect("of the profile");
        assert_eq!((&*other.keys.id, other.keys.token.as_deref()), ("OTHER", Some("T")));
        assert_eq!((&*other.region, other.endpoint.as_deref()), ("us-east-1", Some("http://store:9000")));
        let given = [
            ("HOME", "/home/u"),
            ("AWS_ACCESS_KEY_ID", "A"),
            ("AWS_SECRET_ACCESS_KEY", "B"),
            ("AWS_DEFAULT_REGION", "r"),
            ("AWS_ENDPOINT_URL", "http://e"),
        ];
        let given = with(&given).expect("of the environment");
        assert_eq!((&*given.keys.id, &*given.keys.secret, given.keys.token), ("A", "B", None));
        assert_eq!((&*given.region, given.endpoint.as_deref()), ("r", Some("http://e")));
        let why = with(&[("HOME", "/nowhere")]).expect_err("nothing");
        assert!(why.contains("AWS_ACCESS_KEY_ID") && why.contains("/nowhere/.aws/credentials"), "{why}");
    }
}
