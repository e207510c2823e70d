//! The languages of SET LANGUAGE and `sys.syslanguages`: what months and weekdays are called, and how a country writes dates.

/// SET DATEFORMAT.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DateFormat {
    #[default]
    Mdy,
    Dmy,
    Ymd,
    Ydm,
    Myd,
    Dym,
}

impl DateFormat {
    pub fn from_name(name: &str) -> Option<DateFormat> {
        use DateFormat::*;
        let all = [("mdy", Mdy), ("dmy", Dmy), ("ymd", Ymd), ("ydm", Ydm), ("myd", Myd), ("dym", Dym)];
        all.iter().find(|(text, _)| text.eq_ignore_ascii_case(name)).map(|(_, format)| *format)
    }

    pub fn name(self) -> &'static str {
        match self {
            DateFormat::Mdy => "mdy",
            DateFormat::Dmy => "dmy",
            DateFormat::Ymd => "ymd",
            DateFormat::Ydm => "ydm",
            DateFormat::Myd => "myd",
            DateFormat::Dym => "dym",
        }
    }

    /// Which of a date's three numbers is the year.
    pub(super) fn year_at(self) -> usize {
        match self {
            DateFormat::Ymd | DateFormat::Ydm => 0,
            DateFormat::Myd | DateFormat::Dym => 1,
            DateFormat::Mdy | DateFormat::Dmy => 2,
        }
    }

    /// Day before month.
    pub(super) fn day_first(self) -> bool {
        matches!(self, DateFormat::Dmy | DateFormat::Ydm | DateFormat::Dym)
    }
}

/// One row of `sys.syslanguages`. Its position is its `langid`.
#[derive(Debug)]
pub struct Language {
    /// What the language calls itself; @@LANGUAGE.
    pub name: &'static str,
    /// Its English name, which SET LANGUAGE takes too.
    pub alias: &'static str,
    pub date_format: DateFormat,
    /// 1 Monday to 7 Sunday.
    pub date_first: u8,
    pub lcid: i32,
    /// Of the language its messages come in: that of another where it has none.
    pub message_lcid: i32,
    /// January to December, apart by commas.
    months: &'static str,
    short_months: &'static str,
    /// Monday to Sunday, apart by commas.
    days: &'static str,
}

/// Position in `sys.syslanguages`; us_english is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct LanguageId(u8);

impl LanguageId {
    pub const US_ENGLISH: LanguageId = LanguageId(0);
    /// No month of it is called as in English: what both read alike depends on no language.
    pub const CZECH: LanguageId = LanguageId(12);

    /// By name or alias.
    pub fn named(name: &str) -> Option<LanguageId> {
        let wanted = name.trim().to_lowercase();
        let found = LANGUAGES.iter().position(|l| l.name.to_lowercase() == wanted || l.alias.to_lowercase() == wanted);
        found.map(|at| LanguageId(at as u8))
    }

    pub fn all() -> impl Iterator<Item = LanguageId> {
        (0..LANGUAGES.len() as u8).map(LanguageId)
    }

    /// @@LANGID.
    pub fn number(self) -> i16 {
        self.0.into()
    }

    pub fn get(self) -> &'static Language {
        &LANGUAGES[usize::from(self.0)]
    }

    /// `month` is 1 to 12.
    pub fn month(self, month: i64) -> &'static str {
        nth(self.get().months, month - 1)
    }

    /// As the styles of CONVERT with a name have it.
    pub fn short_month(self, month: i64) -> &'static str {
        nth(self.get().short_months, month - 1)
    }

    /// `weekday` is 0 for Sunday.
    pub fn weekday(self, weekday: i64) -> &'static str {
        nth(self.get().days, (weekday + 6) % 7)
    }

    /// The month of a name or short name, whatever its case.
    pub fn month_named(self, word: &str) -> Option<i64> {
        let language = self.get();
        let same = |name: &str| {
            name.eq_ignore_ascii_case(word) || !word.is_ascii() && name.to_lowercase() == word.to_lowercase()
        };
        let find = |names: &'static str| names.split(',').position(same);
        find(language.short_months).or_else(|| find(language.months)).map(|at| at as i64 + 1)
    }
}

impl Language {
    pub fn months(&self) -> &'static str {
        self.months
    }

    pub fn short_months(&self) -> &'static str {
        self.short_months
    }

    pub fn days(&self) -> &'static str {
        self.days
    }
}

fn nth(names: &'static str, at: i64) -> &'static str {
    names.split(',').nth(at as usize).expect("every language has twelve months and seven days")
}

const LANGUAGES: [Language; 34] = [
    Language {
        name: "us_english",
        alias: "English",
        date_format: DateFormat::Mdy,
        date_first: 7,
        lcid: 1033,
        message_lcid: 1033,
        months: "January,February,March,April,May,June,July,August,September,October,November,December",
        short_months: "Jan,Feb,Mar,Apr,May,Jun,Jul,Aug,Sep,Oct,Nov,Dec",
        days: "Monday,Tuesday,Wednesday,Thursday,Friday,Saturday,Sunday",
    },
    Language {
        name: "Deutsch",
        alias: "German",
        date_format: DateFormat::Dmy,
        date_first: 1,
        lcid: 1031,
        message_lcid: 1031,
        months: "Januar,Februar,März,April,Mai,Juni,Juli,August,September,Oktober,November,Dezember",
        short_months: "Jan,Feb,Mär,Apr,Mai,Jun,Jul,Aug,Sep,Okt,Nov,Dez",
        days: "Montag,Dienstag,Mittwoch,Donnerstag,Freitag,Samstag,Sonntag",
    },
    Language {
        name: "Français",
        alias: "French",
        date_format: DateFormat::Dmy,
        date_first: 1,
        lcid: 1036,
        message_lcid: 1036,
        months: "janvier,février,mars,avril,mai,juin,juillet,août,septembre,octobre,novembre,décembre",
        short_months: "janv,févr,mars,avr,mai,juin,juil,août,sept,oct,nov,déc",
        days: "lundi,mardi,mercredi,jeudi,vendredi,samedi,dimanche",
    },
    Language {
        name: "日本語",
        alias: "Japanese",
        date_format: DateFormat::Ymd,
        date_first: 7,
        lcid: 1041,
        message_lcid: 1041,
        months: "01,02,03,04,05,06,07,08,09,10,11,12",
        short_months: "01,02,03,04,05,06,07,08,09,10,11,12",
        days: "月曜日,火曜日,水曜日,木曜日,金曜日,土曜日,日曜日",
    },
    Language {
        name: "Dansk",
        alias: "Danish",
        date_format: DateFormat::Dmy,
        date_first: 1,
        lcid: 1030,
        message_lcid: 1030,
        months: "januar,februar,marts,april,maj,juni,juli,august,september,oktober,november,december",
        short_months: "jan,feb,mar,apr,maj,jun,jul,aug,sep,okt,nov,dec",
        days: "mandag,tirsdag,onsdag,torsdag,fredag,lørdag,søndag",
    },
    Language {
        name: "Español",
        alias: "Spanish",
        date_format: DateFormat::Dmy,
        date_first: 1,
        lcid: 3082,
        message_lcid: 3082,
        months: "Enero,Febrero,Marzo,Abril,Mayo,Junio,Julio,Agosto,Septiembre,Octubre,Noviembre,Diciembre",
        short_months: "Ene,Feb,Mar,Abr,May,Jun,Jul,Ago,Sep,Oct,Nov,Dic",
        days: "Lunes,Martes,Miércoles,Jueves,Viernes,Sábado,Domingo",
    },
    Language {
        name: "Italiano",
        alias: "Italian",
        date_format: DateFormat::Dmy,
        date_first: 1,
        lcid: 1040,
        message_lcid: 1040,
        months: "gennaio,febbraio,marzo,aprile,maggio,giugno,luglio,agosto,settembre,ottobre,novembre,dicembre",
        short_months: "gen,feb,mar,apr,mag,giu,lug,ago,set,ott,nov,dic",
        days: "lunedì,martedì,mercoledì,giovedì,venerdì,sabato,domenica",
    },
    Language {
        name: "Nederlands",
        alias: "Dutch",
        date_format: DateFormat::Dmy,
        date_first: 1,
        lcid: 1043,
        message_lcid: 1043,
        months: "januari,februari,maart,april,mei,juni,juli,augustus,september,oktober,november,december",
        short_months: "jan,feb,mrt,apr,mei,jun,jul,aug,sep,okt,nov,dec",
        days: "maandag,dinsdag,woensdag,donderdag,vrijdag,zaterdag,zondag",
    },
    Language {
        name: "Norsk",
        alias: "Norwegian",
        date_format: DateFormat::Dmy,
        date_first: 1,
        lcid: 2068,
        message_lcid: 2068,
        months: "januar,februar,mars,april,mai,juni,juli,august,september,oktober,november,desember",
        short_months: "jan,feb,mar,apr,mai,jun,jul,aug,sep,okt,nov,des",
        days: "mandag,tirsdag,onsdag,torsdag,fredag,lørdag,søndag",
    },
    Language {
        name: "Português",
        alias: "Portuguese",
        date_format: DateFormat::Dmy,
        date_first: 7,
        lcid: 2070,
        message_lcid: 2070,
        months: "Janeiro,Fevereiro,Março,Abril,Maio,Junho,Julho,Agosto,Setembro,Outubro,Novembro,Dezembro",
        short_months: "jan,fev,mar,abr,mai,jun,jul,ago,set,out,nov,dez",
        days: "segunda-feira,terça-feira,quarta-feira,quinta-feira,sexta-feira,sábado,domingo",
    },
    Language {
        name: "Suomi",
        alias: "Finnish",
        date_format: DateFormat::Dmy,
        date_first: 1,
        lcid: 1035,
        message_lcid: 1035,
        months: "tammikuuta,helmikuuta,maaliskuuta,huhtikuuta,toukokuuta,kesäkuuta,heinäkuuta,elokuuta,syyskuuta,lokakuuta,marraskuuta,joulukuuta",
        short_months: "tammi,helmi,maalis,huhti,touko,kesä,heinä,elo,syys,loka,marras,joulu",
        days: "maanantai,tiistai,keskiviikko,torstai,perjantai,lauantai,sunnuntai",
    },
    Language {
        name: "Svenska",
        alias: "Swedish",
        date_format: DateFormat::Ymd,
        date_first: 1,
        lcid: 1053,
        message_lcid: 1053,
        months: "januari,februari,mars,april,maj,juni,juli,augusti,september,oktober,november,december",
        short_months: "jan,feb,mar,apr,maj,jun,jul,aug,sep,okt,nov,dec",
        days: "måndag,tisdag,onsdag,torsdag,fredag,lördag,söndag",
    },
    Language {
        name: "čeština",
        alias: "Czech",
        date_format: DateFormat::Dmy,
        date_first: 1,
        lcid: 1029,
        message_lcid: 1029,
        months: "leden,únor,březen,duben,květen,červen,červenec,srpen,září,říjen,listopad,prosinec",
        short_months: "I,II,III,IV,V,VI,VII,VIII,IX,X,XI,XII",
        days: "pondělí,úterý,středa,čtvrtek,pátek,sobota,neděle",
    },
    Language {
        name: "magyar",
        alias: "Hungarian",
        date_format: DateFormat::Ymd,
        date_first: 1,
        lcid: 1038,
        message_lcid: 1038,
        months: "január,február,március,április,május,június,július,augusztus,szeptember,október,november,december",
        short_months: "jan,febr,márc,ápr,máj,jún,júl,aug,szept,okt,nov,dec",
        days: "hétfő,kedd,szerda,csütörtök,péntek,szombat,vasárnap",
    },
    Language {
        name: "polski",
        alias: "Polish",
        date_format: DateFormat::Dmy,
        date_first: 1,
        lcid: 1045,
        message_lcid: 1045,
        months: "styczeń,luty,marzec,kwiecień,maj,czerwiec,lipiec,sierpień,wrzesień,październik,listopad,grudzień",
        short_months: "I,II,III,IV,V,VI,VII,VIII,IX,X,XI,XII",
        days: "poniedziałek,wtorek,środa,czwartek,piątek,sobota,niedziela",
    },
    Language {
        name: "română",
        alias: "Romanian",
        date_format: DateFormat::Dmy,
        date_first: 1,
        lcid: 1048,
        message_lcid: 1048,
        months: "ianuarie,februarie,martie,aprilie,mai,iunie,iulie,august,septembrie,octombrie,noiembrie,decembrie",
        short_months: "Ian,Feb,Mar,Apr,Mai,Iun,Iul,Aug,Sep,Oct,Nov,Dec",
        days: "luni,marţi,miercuri,joi,vineri,sîmbătă,duminică",
    },
    Language {
        name: "hrvatski",
        alias: "Croatian",
        date_format: DateFormat::Ymd,
        date_first: 1,
        lcid: 1050,
        message_lcid: 1050,
        months: "siječanj,veljača,ožujak,travanj,svibanj,lipanj,srpanj,kolovoz,rujan,listopad,studeni,prosinac",
        short_months: "sij,vel,ožu,tra,svi,lip,srp,kol,ruj,lis,stu,pro",
        days: "ponedjeljak,utorak,srijeda,četvrtak,petak,subota,nedjelja",
    },
    Language {
        name: "slovenčina",
        alias: "Slovak",
        date_format: DateFormat::Dmy,
        date_first: 1,
        lcid: 1051,
        message_lcid: 1051,
        months: "január,február,marec,apríl,máj,jún,júl,august,september,október,november,december",
        short_months: "I,II,III,IV,V,VI,VII,VIII,IX,X,XI,XII",
        days: "pondelok,utorok,streda,štvrtok,piatok,sobota,nedeľa",
    },
    Language {
        name: "slovenski",
        alias: "Slovenian",
        date_format: DateFormat::Dmy,
        date_first: 1,
        lcid: 1060,
        message_lcid: 1060,
        months: "januar,februar,marec,april,maj,junij,julij,avgust,september,oktober,november,december",
        short_months: "jan,feb,mar,apr,maj,jun,jul,avg,sept,okt,nov,dec",
        days: "ponedeljek,torek,sreda,četrtek,petek,sobota,nedelja",
    },
    Language {
        name: "ελληνικά",
        alias: "Greek",
        date_format: DateFormat::Dmy,
        date_first: 1,
        lcid: 1032,
        message_lcid: 1032,
        months: "Ιανουαρίου,Φεβρουαρίου,Μαρτίου,Απριλίου,Μαΐου,Ιουνίου,Ιουλίου,Αυγούστου,Σεπτεμβρίου,Οκτωβρίου,Νοεμβρίου,Δεκεμβρίου",
        short_months: "Ιαν,Φεβ,Μαρ,Απρ,Μαϊ,Ιουν,Ιουλ,Αυγ,Σεπ,Οκτ,Νοε,Δεκ",
        days: "Δευτέρα,Τρίτη,Τετάρτη,Πέμπτη,Παρασκευή,Σάββατο,Κυριακή",
    },
    Language {
        name: "български",
        alias: "Bulgarian",
        date_format: DateFormat::Dmy,
        date_first: 1,
        lcid: 1026,
        message_lcid: 1026,
        months: "януари,февруари,март,април,май,юни,юли,август,септември,октомври,ноември,декември",
        short_months: "януари,февруари,март,април,май,юни,юли,август,септември,октомври,ноември,декември",
        days: "понеделник,вторник,сряда,четвъртък,петък,събота,неделя",
    },
    Language {
        name: "русский",
        alias: "Russian",
        date_format: DateFormat::Dmy,
        date_first: 1,
        lcid: 1049,
        message_lcid: 1049,
        months: "Январь,Февраль,Март,Апрель,Май,Июнь,Июль,Август,Сентябрь,Октябрь,Ноябрь,Декабрь",
        short_months: "янв,фев,мар,апр,май,июн,июл,авг,сен,окт,ноя,дек",
        days: "понедельник,вторник,среда,четверг,пятница,суббота,воскресенье",
    },
    Language {
        name: "Türkçe",
        alias: "Turkish",
        date_format: DateFormat::Dmy,
        date_first: 1,
        lcid: 1055,
        message_lcid: 1055,
        months: "Ocak,Şubat,Mart,Nisan,Mayıs,Haziran,Temmuz,Ağustos,Eylül,Ekim,Kasım,Aralık",
        short_months: "Oca,Şub,Mar,Nis,May,Haz,Tem,Ağu,Eyl,Eki,Kas,Ara",
        days: "Pazartesi,Salı,Çarşamba,Perşembe,Cuma,Cumartesi,Pazar",
    },
    Language {
        name: "British",
        alias: "British English",
        date_format: DateFormat::Dmy,
        date_first: 1,
        lcid: 2057,
        message_lcid: 1033,
        months: "January,February,March,April,May,June,July,August,September,October,November,December",
        short_months: "Jan,Feb,Mar,Apr,May,Jun,Jul,Aug,Sep,Oct,Nov,Dec",
        days: "Monday,Tuesday,Wednesday,Thursday,Friday,Saturday,Sunday",
    },
    Language {
        name: "eesti",
        alias: "Estonian",
        date_format: DateFormat::Dmy,
        date_first: 1,
        lcid: 1061,
        message_lcid: 1061,
        months: "jaanuar,veebruar,märts,aprill,mai,juuni,juuli,august,september,oktoober,november,detsember",
        short_months: "jaan,veebr,märts,apr,mai,juuni,juuli,aug,sept,okt,nov,dets",
        days: "esmaspäev,teisipäev,kolmapäev,neljapäev,reede,laupäev,pühapäev",
    },
    Language {
        name: "latviešu",
        alias: "Latvian",
        date_format: DateFormat::Ymd,
        date_first: 1,
        lcid: 1062,
        message_lcid: 1062,
        months: "janvāris,februāris,marts,aprīlis,maijs,jūnijs,jūlijs,augusts,septembris,oktobris,novembris,decembris",
        short_months: "jan,feb,mar,apr,mai,jūn,jūl,aug,sep,okt,nov,dec",
        days: "pirmdiena,otrdiena,trešdiena,ceturtdiena,piektdiena,sestdiena,svētdiena",
    },
    Language {
        name: "lietuvių",
        alias: "Lithuanian",
        date_format: DateFormat::Ymd,
        date_first: 1,
        lcid: 1063,
        message_lcid: 1063,
        months: "sausis,vasaris,kovas,balandis,gegužė,birželis,liepa,rugpjūtis,rugsėjis,spalis,lapkritis,gruodis",
        short_months: "sau,vas,kov,bal,geg,bir,lie,rgp,rgs,spl,lap,grd",
        days: "pirmadienis,antradienis,trečiadienis,ketvirtadienis,penktadienis,šeštadienis,sekmadienis",
    },
    Language {
        name: "Português (Brasil)",
        alias: "Brazilian",
        date_format: DateFormat::Dmy,
        date_first: 7,
        lcid: 1046,
        message_lcid: 1046,
        months: "Janeiro,Fevereiro,Março,Abril,Maio,Junho,Julho,Agosto,Setembro,Outubro,Novembro,Dezembro",
        short_months: "jan,fev,mar,abr,mai,jun,jul,ago,set,out,nov,dez",
        days: "segunda-feira,terça-feira,quarta-feira,quinta-feira,sexta-feira,sábado,domingo",
    },
    Language {
        name: "繁體中文",
        alias: "Traditional Chinese",
        date_format: DateFormat::Ymd,
        date_first: 7,
        lcid: 1028,
        message_lcid: 1028,
        months: "01,02,03,04,05,06,07,08,09,10,11,12",
        short_months: "01,02,03,04,05,06,07,08,09,10,11,12",
        days: "星期一,星期二,星期三,星期四,星期五,星期六,星期日",
    },
    Language {
        name: "한국어",
        alias: "Korean",
        date_format: DateFormat::Ymd,
        date_first: 7,
        lcid: 1042,
        message_lcid: 1042,
        months: "01,02,03,04,05,06,07,08,09,10,11,12",
        short_months: "01,02,03,04,05,06,07,08,09,10,11,12",
        days: "월요일,화요일,수요일,목요일,금요일,토요일,일요일",
    },
    Language {
        name: "简体中文",
        alias: "Simplified Chinese",
        date_format: DateFormat::Ymd,
        date_first: 7,
        lcid: 2052,
        message_lcid: 2052,
        months: "01,02,03,04,05,06,07,08,09,10,11,12",
        short_months: "01,02,03,04,05,06,07,08,09,10,11,12",
        days: "星期一,星期二,星期三,星期四,星期五,星期六,星期日",
    },
    Language {
        name: "Arabic",
        alias: "Arabic",
        date_format: DateFormat::Dmy,
        date_first: 1,
        lcid: 1025,
        message_lcid: 1025,
        months: "Muharram,Safar,Rabie I,Rabie II,Jumada I,Jumada II,Rajab,Shaaban,Ramadan,Shawwal,Thou Alqadah,Thou Alhajja",
        short_months: "Muharram,Safar,Rabie I,Rabie II,Jumada I,Jumada II,Rajab,Shaaban,Ramadan,Shawwal,Thou Alqadah,Thou Alhajja",
        days: "Monday,Tuesday,Wednesday,Thursday,Friday,Saturday,Sunday",
    },
    Language {
        name: "ไทย",
        alias: "Thai",
        date_format: DateFormat::Dmy,
        date_first: 7,
        lcid: 1054,
        message_lcid: 1054,
        months: "มกราคม,กุมภาพันธ์,มีนาคม,เมษายน,พฤษภาคม,มิถุนายน,กรกฎาคม,สิงหาคม,กันยายน,ตุลาคม,พฤศจิกายน,ธันวาคม",
        short_months: "ม.ค.,ก.พ.,มี.ค.,เม.ย.,พ.ค.,มิ.ย.,ก.ค.,ส.ค.,ก.ย.,ต.ค.,พ.ย.,ธ.ค.",
        days: "จันทร์,อังคาร,พุธ,พฤหัสบดี,ศุกร์,เสาร์,อาทิตย์",
    },
    Language {
        name: "norsk (bokmål)",
        alias: "Bokmål",
        date_format: DateFormat::Dmy,
        date_first: 1,
        lcid: 1044,
        message_lcid: 2068,
        months: "januar,februar,mars,april,mai,juni,juli,august,september,oktober,november,desember",
        short_months: "jan,feb,mar,apr,mai,jun,jul,aug,sep,okt,nov,des",
        days: "mandag,tirsdag,onsdag,torsdag,fredag,lørdag,søndag",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_its_names() {
        for language in LanguageId::all() {
            let names = language.get();
            assert_eq!(names.months.split(',').count(), 12, "{}", names.name);
            assert_eq!(names.short_months.split(',').count(), 12, "{}", names.name);
            assert_eq!(names.days.split(',').count(), 7, "{}", names.name);
            assert_eq!(LanguageId::named(names.alias), Some(language));
            assert_eq!(LanguageId::named(&names.name.to_uppercase()), Some(language));
        }
        assert_eq!(LanguageId::named("Klingon"), None);
    }

    #[test]
    fn months_are_found_in_any_case() {
        let russian = LanguageId::named("Russian").expect("a language");
        assert_eq!(russian.month_named("июл"), Some(7));
        assert_eq!(russian.month_named("ИЮЛЬ"), Some(7));
        assert_eq!(russian.month_named("Jul"), None);
        assert_eq!(russian.weekday(0), "воскресенье");
        assert!((1..=12).all(|month| LanguageId::CZECH.month_named(LanguageId::US_ENGLISH.month(month)).is_none()));
    }
}
