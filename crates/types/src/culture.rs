//! How a country writes numbers, amounts and dates: the cultures of FORMAT and PARSE, by the names that .NET has for them.
//!
//! A culture of SQL Server's that is not in the table is refused (9818), so that nothing is written as another country would.
//! Sources: SQL Server 2025 for iv, en-US, de-DE, fr-FR and ja-JP; else .NET on Windows, and of percent signs, months beside a day and
//! the youngest ones CLDR (https://cldr.unicode.org).

use crate::datetime::LanguageId;

/// Patterns of numbers have `n` for the digits and `$` for the sign of the currency; patterns of dates are .NET's.
#[derive(Debug)]
pub struct Culture {
    /// `de-DE`
    pub name: &'static str,
    /// Whose months and weekdays it has: an alias of `sys.syslanguages`.
    language: &'static str,
    pub decimal: &'static str,
    pub group: &'static str,
    pub currency: &'static str,
    /// Digits behind the point of an amount.
    pub currency_digits: usize,
    pub currency_positive: &'static str,
    pub currency_negative: &'static str,
    pub percent: &'static str,
    pub short_date: &'static str,
    pub long_date: &'static str,
    pub short_time: &'static str,
    pub long_time: &'static str,
    pub month_day: &'static str,
    pub year_month: &'static str,
    /// What `/` of a pattern stands for.
    pub date_separator: &'static str,
    /// What `:` of a pattern stands for.
    pub time_separator: &'static str,
    pub morning: &'static str,
    pub afternoon: &'static str,
    /// Monday to Sunday, apart by commas.
    short_days: &'static str,
    /// Where they are not the language's, else empty.
    days: &'static str,
    /// January to December where they are not the language's, else empty.
    months: &'static str,
    /// Beside the day's number where that form is another one, else empty.
    months_of_days: &'static str,
    short_months: &'static str,
}

const ENGLISH_DAYS: &str = "Mon,Tue,Wed,Thu,Fri,Sat,Sun";
// `sys.syslanguages` has these with capitals.
const SPANISH_DAYS: &str = "lunes,martes,miércoles,jueves,viernes,sábado,domingo";
const SPANISH_MONTHS: &str = "enero,febrero,marzo,abril,mayo,junio,julio,agosto,septiembre,octubre,noviembre,diciembre";
const PORTUGUESE_MONTHS: &str =
    "janeiro,fevereiro,março,abril,maio,junho,julho,agosto,setembro,outubro,novembro,dezembro";

const POLISH_MONTHS_OF_DAYS: &str =
    "stycznia,lutego,marca,kwietnia,maja,czerwca,lipca,sierpnia,września,października,listopada,grudnia";
const CZECH_MONTHS_OF_DAYS: &str =
    "ledna,února,března,dubna,května,června,července,srpna,září,října,listopadu,prosince";

/// What most have.
const USUAL: Culture = Culture {
    name: "",
    language: "English",
    decimal: ",",
    group: ".",
    currency: "€",
    currency_digits: 2,
    currency_positive: "n $",
    currency_negative: "-n $",
    percent: "n %",
    short_date: "dd/MM/yyyy",
    long_date: "dddd d MMMM yyyy",
    short_time: "HH:mm",
    long_time: "HH:mm:ss",
    month_day: "d MMMM",
    year_month: "MMMM yyyy",
    date_separator: "/",
    time_separator: ":",
    morning: "",
    afternoon: "",
    short_days: ENGLISH_DAYS,
    days: "",
    months: "",
    months_of_days: "",
    short_months: "",
};

const ENGLISH: Culture = Culture {
    decimal: ".",
    group: ",",
    currency: "$",
    currency_positive: "$n",
    currency_negative: "-$n",
    percent: "n%",
    short_time: "h:mm tt",
    long_time: "h:mm:ss tt",
    morning: "AM",
    afternoon: "PM",
    ..USUAL
};

const EAST_ASIAN: Culture = Culture { currency: "¥", short_time: "H:mm", long_time: "H:mm:ss", ..ENGLISH };

/// The first of a language is also found by its two letters alone.
const CULTURES: [Culture; 30] = [
    Culture {
        name: "en-US",
        currency_negative: "($n)",
        short_date: "M/d/yyyy",
        long_date: "dddd, MMMM d, yyyy",
        month_day: "MMMM d",
        ..ENGLISH
    },
    Culture {
        name: "en-GB",
        language: "British English",
        currency: "£",
        long_date: "dd MMMM yyyy",
        short_time: "HH:mm",
        long_time: "HH:mm:ss",
        ..ENGLISH
    },
    Culture { name: "en-AU", short_date: "d/MM/yyyy", long_date: "dddd, d MMMM yyyy", ..ENGLISH },
    Culture { name: "en-NZ", short_date: "d/MM/yyyy", long_date: "dddd, d MMMM yyyy", ..ENGLISH },
    Culture {
        name: "en-CA",
        short_date: "yyyy-MM-dd",
        long_date: "MMMM d, yyyy",
        month_day: "MMMM d",
        date_separator: "-",
        ..ENGLISH
    },
    Culture { name: "en-IE", currency: "€", short_time: "HH:mm", long_time: "HH:mm:ss", ..ENGLISH },
    Culture {
        name: "de-DE",
        language: "German",
        short_date: "dd.MM.yyyy",
        long_date: "dddd, d. MMMM yyyy",
        month_day: "d. MMMM",
        date_separator: ".",
        short_days: "Mo,Di,Mi,Do,Fr,Sa,So",
        ..USUAL
    },
    Culture {
        name: "fr-FR",
        language: "French",
        group: "\u{a0}",
        short_days: "lun.,mar.,mer.,jeu.,ven.,sam.,dim.",
        short_months: "janv.,févr.,mars,avr.,mai,juin,juil.,août,sept.,oct.,nov.,déc.",
        ..USUAL
    },
    Culture {
        name: "es-ES",
        language: "Spanish",
        long_date: "dddd, d 'de' MMMM 'de' yyyy",
        short_time: "H:mm",
        long_time: "H:mm:ss",
        month_day: "d 'de' MMMM",
        year_month: "MMMM 'de' yyyy",
        short_days: "lu.,ma.,mi.,ju.,vi.,sá.,do.",
        days: SPANISH_DAYS,
        months: SPANISH_MONTHS,
        short_months: "ene.,feb.,mar.,abr.,may.,jun.,jul.,ago.,sep.,oct.,nov.,dic.",
        ..USUAL
    },
    Culture {
        name: "es-MX",
        language: "Spanish",
        long_date: "dddd, d 'de' MMMM 'de' yyyy",
        short_time: "hh:mm tt",
        long_time: "hh:mm:ss tt",
        month_day: "d 'de' MMMM",
        year_month: "MMMM 'de' yyyy",
        morning: "a. m.",
        afternoon: "p. m.",
        short_days: "lun.,mar.,mié.,jue.,vie.,sáb.,dom.",
        days: SPANISH_DAYS,
        months: SPANISH_MONTHS,
        short_months: "ene.,feb.,mar.,abr.,may.,jun.,jul.,ago.,sep.,oct.,nov.,dic.",
        ..ENGLISH
    },
    Culture { name: "it-IT", language: "Italian", percent: "n%", short_days: "lun,mar,mer,gio,ven,sab,dom", ..USUAL },
    Culture {
        name: "nl-NL",
        language: "Dutch",
        percent: "n%",
        currency_positive: "$ n",
        currency_negative: "$ -n",
        short_date: "d-M-yyyy",
        date_separator: "-",
        short_days: "ma,di,wo,do,vr,za,zo",
        ..USUAL
    },
    Culture {
        name: "pt-BR",
        language: "Brazilian",
        percent: "n%",
        currency: "R$",
        currency_positive: "$ n",
        currency_negative: "-$ n",
        long_date: "dddd, d 'de' MMMM 'de' yyyy",
        month_day: "d 'de' MMMM",
        year_month: "MMMM 'de' yyyy",
        short_days: "seg,ter,qua,qui,sex,sáb,dom",
        months: PORTUGUESE_MONTHS,
        ..USUAL
    },
    Culture {
        name: "pt-PT",
        language: "Portuguese",
        percent: "n%",
        group: "\u{a0}",
        long_date: "d 'de' MMMM 'de' yyyy",
        month_day: "d 'de' MMMM",
        year_month: "MMMM 'de' yyyy",
        short_days: "seg,ter,qua,qui,sex,sáb,dom",
        months: PORTUGUESE_MONTHS,
        ..USUAL
    },
    Culture {
        name: "sv-SE",
        language: "Swedish",
        group: "\u{a0}",
        currency: "kr",
        short_date: "yyyy-MM-dd",
        long_date: "'den 'd MMMM yyyy",
        month_day: "'den 'd MMMM",
        date_separator: "-",
        short_days: "mån,tis,ons,tor,fre,lör,sön",
        ..USUAL
    },
    Culture {
        name: "da-DK",
        language: "Danish",
        currency: "kr.",
        short_date: "dd-MM-yyyy",
        long_date: "d. MMMM yyyy",
        month_day: "d. MMMM",
        date_separator: "-",
        short_days: "ma,ti,on,to,fr,lø,sø",
        ..USUAL
    },
    Culture {
        name: "nb-NO",
        language: "Norwegian",
        group: "\u{a0}",
        currency: "kr",
        currency_positive: "$ n",
        currency_negative: "-$ n",
        short_date: "dd.MM.yyyy",
        long_date: "dddd d. MMMM yyyy",
        month_day: "d. MMMM",
        date_separator: ".",
        short_days: "man.,tir.,ons.,tor.,fre.,lør.,søn.",
        ..USUAL
    },
    Culture {
        name: "fi-FI",
        language: "Finnish",
        group: "\u{a0}",
        short_date: "d.M.yyyy",
        long_date: "dddd d. MMMM yyyy",
        short_time: "H.mm",
        long_time: "H.mm.ss",
        month_day: "d. MMMM",
        date_separator: ".",
        time_separator: ".",
        short_days: "ma,ti,ke,to,pe,la,su",
        ..USUAL
    },
    Culture {
        name: "tr-TR",
        language: "Turkish",
        currency: "₺",
        currency_positive: "$n",
        currency_negative: "-$n",
        percent: "%n",
        short_date: "d.MM.yyyy",
        long_date: "d MMMM yyyy dddd",
        date_separator: ".",
        short_days: "Pzt,Sal,Çar,Per,Cum,Cmt,Paz",
        ..USUAL
    },
    Culture {
        name: "ja-JP",
        language: "Japanese",
        currency_digits: 0,
        short_date: "yyyy/MM/dd",
        long_date: "yyyy'年'M'月'd'日'",
        month_day: "M'月'd'日'",
        year_month: "yyyy'年'M'月'",
        morning: "午前",
        afternoon: "午後",
        short_days: "月,火,水,木,金,土,日",
        months: "1月,2月,3月,4月,5月,6月,7月,8月,9月,10月,11月,12月",
        short_months: "1,2,3,4,5,6,7,8,9,10,11,12",
        ..EAST_ASIAN
    },
    Culture {
        name: "zh-CN",
        language: "Simplified Chinese",
        short_date: "yyyy/M/d",
        long_date: "yyyy'年'M'月'd'日'",
        month_day: "M'月'd'日'",
        year_month: "yyyy'年'M'月'",
        morning: "上午",
        afternoon: "下午",
        short_days: "周一,周二,周三,周四,周五,周六,周日",
        months: "一月,二月,三月,四月,五月,六月,七月,八月,九月,十月,十一月,十二月",
        short_months: "1月,2月,3月,4月,5月,6月,7月,8月,9月,10月,11月,12月",
        ..EAST_ASIAN
    },
    Culture {
        name: "ko-KR",
        language: "Korean",
        currency: "₩",
        currency_digits: 0,
        short_date: "yyyy-MM-dd",
        long_date: "yyyy'년' M'월' d'일' dddd",
        short_time: "tt h:mm",
        long_time: "tt h:mm:ss",
        month_day: "M'월' d'일'",
        year_month: "yyyy'년' M'월'",
        date_separator: "-",
        morning: "오전",
        afternoon: "오후",
        short_days: "월,화,수,목,금,토,일",
        months: "1월,2월,3월,4월,5월,6월,7월,8월,9월,10월,11월,12월",
        short_months: "1,2,3,4,5,6,7,8,9,10,11,12",
        ..EAST_ASIAN
    },
    Culture {
        name: "zh-TW",
        language: "Traditional Chinese",
        currency: "NT$",
        short_date: "yyyy/M/d",
        long_date: "yyyy'年'M'月'd'日'",
        short_time: "tt hh:mm",
        long_time: "tt hh:mm:ss",
        month_day: "M'月'd'日'",
        year_month: "yyyy'年'M'月'",
        morning: "上午",
        afternoon: "下午",
        short_days: "週一,週二,週三,週四,週五,週六,週日",
        months: "一月,二月,三月,四月,五月,六月,七月,八月,九月,十月,十一月,十二月",
        short_months: "一月,二月,三月,四月,五月,六月,七月,八月,九月,十月,十一月,十二月",
        ..EAST_ASIAN
    },
    Culture {
        name: "de-AT",
        language: "German",
        group: "\u{a0}",
        currency_positive: "$ n",
        currency_negative: "-$ n",
        short_date: "dd.MM.yyyy",
        long_date: "dddd, d. MMMM yyyy",
        month_day: "d. MMMM",
        date_separator: ".",
        short_days: "Mo,Di,Mi,Do,Fr,Sa,So",
        ..USUAL
    },
    Culture {
        name: "de-CH",
        language: "German",
        decimal: ".",
        group: "\u{2019}",
        currency: "CHF",
        currency_positive: "$ n",
        currency_negative: "$-n",
        percent: "n%",
        short_date: "dd.MM.yyyy",
        long_date: "dddd, d. MMMM yyyy",
        month_day: "d. MMMM",
        date_separator: ".",
        short_days: "Mo,Di,Mi,Do,Fr,Sa,So",
        ..USUAL
    },
    Culture {
        name: "ru-RU",
        language: "Russian",
        group: "\u{a0}",
        currency: "₽",
        short_date: "dd.MM.yyyy",
        long_date: "d MMMM yyyy 'г.'",
        short_time: "H:mm",
        long_time: "H:mm:ss",
        date_separator: ".",
        short_days: "Пн,Вт,Ср,Чт,Пт,Сб,Вс",
        days: "понедельник,вторник,среда,четверг,пятница,суббота,воскресенье",
        months: "Январь,Февраль,Март,Апрель,Май,Июнь,Июль,Август,Сентябрь,Октябрь,Ноябрь,Декабрь",
        months_of_days: "января,февраля,марта,апреля,мая,июня,июля,августа,сентября,октября,ноября,декабря",
        short_months: "янв,фев,мар,апр,май,июн,июл,авг,сен,окт,ноя,дек",
        ..USUAL
    },
    Culture {
        name: "pl-PL",
        language: "Polish",
        group: "\u{a0}",
        currency: "zł",
        percent: "n%",
        short_date: "dd.MM.yyyy",
        long_date: "d MMMM yyyy",
        date_separator: ".",
        short_days: "pon.,wt.,śr.,czw.,pt.,sob.,niedz.",
        days: "poniedziałek,wtorek,środa,czwartek,piątek,sobota,niedziela",
        months: "styczeń,luty,marzec,kwiecień,maj,czerwiec,lipiec,sierpień,wrzesień,październik,listopad,grudzień",
        months_of_days: POLISH_MONTHS_OF_DAYS,
        short_months: "sty,lut,mar,kwi,maj,cze,lip,sie,wrz,paź,lis,gru",
        ..USUAL
    },
    Culture {
        name: "cs-CZ",
        language: "Czech",
        group: "\u{a0}",
        currency: "Kč",
        short_date: "dd.MM.yyyy",
        long_date: "dddd d. MMMM yyyy",
        short_time: "H:mm",
        long_time: "H:mm:ss",
        month_day: "d. MMMM",
        date_separator: ".",
        morning: "dop.",
        afternoon: "odp.",
        short_days: "po,út,st,čt,pá,so,ne",
        days: "pondělí,úterý,středa,čtvrtek,pátek,sobota,neděle",
        months: "leden,únor,březen,duben,květen,červen,červenec,srpen,září,říjen,listopad,prosinec",
        months_of_days: CZECH_MONTHS_OF_DAYS,
        short_months: "led,úno,bře,dub,kvě,čvn,čvc,srp,zář,říj,lis,pro",
        ..USUAL
    },
    Culture {
        name: "hu-HU",
        language: "Hungarian",
        group: "\u{a0}",
        currency: "Ft",
        percent: "n%",
        short_date: "yyyy. MM. dd.",
        long_date: "yyyy. MMMM d., dddd",
        short_time: "H:mm",
        long_time: "H:mm:ss",
        month_day: "MMMM d.",
        year_month: "yyyy. MMMM",
        date_separator: ". ",
        morning: "de.",
        afternoon: "du.",
        short_days: "H,K,Sze,Cs,P,Szo,V",
        days: "hétfő,kedd,szerda,csütörtök,péntek,szombat,vasárnap",
        months: "január,február,március,április,május,június,július,augusztus,szeptember,október,november,december",
        short_months: "jan.,febr.,márc.,ápr.,máj.,jún.,júl.,aug.,szept.,okt.,nov.,dec.",
        ..USUAL
    },
    // The invariant culture.
    Culture {
        name: "iv",
        currency: "¤",
        currency_negative: "($n)",
        percent: "n %",
        short_date: "MM/dd/yyyy",
        long_date: "dddd, dd MMMM yyyy",
        short_time: "HH:mm",
        long_time: "HH:mm:ss",
        month_day: "MMMM dd",
        year_month: "yyyy MMMM",
        ..ENGLISH
    },
];

impl Culture {
    pub fn invariant() -> &'static Culture {
        &CULTURES[CULTURES.len() - 1]
    }

    /// `en-US`, `en-us`, `en_US`, `en`; `iv` is the invariant culture. None: none that is known.
    pub fn named(name: &str) -> Option<&'static Culture> {
        let name = &*name.replace('_', "-");
        let exact = CULTURES.iter().find(|culture| culture.name.eq_ignore_ascii_case(name));
        exact.or_else(|| {
            let same = |culture: &&Culture| {
                culture.name.split_once('-').is_some_and(|(letters, _)| letters.eq_ignore_ascii_case(name))
            };
            CULTURES.iter().find(same).or_else(|| is_of_no_language(name).then(Culture::invariant))
        })
    }

    /// The one that a session's language stands for.
    pub fn of_language(language: LanguageId) -> Option<&'static Culture> {
        let alias = if language.get().alias == "Bokmål" { "Norwegian" } else { language.get().alias };
        CULTURES.iter().find(|culture| culture.language == alias)
    }

    pub fn language(&self) -> LanguageId {
        LanguageId::named(self.language).expect("each culture has a language of the table")
    }

    /// `month` is 1 to 12.
    pub fn month(&self, month: i64) -> &'static str {
        if self.months.is_empty() { self.language().month(month) } else { nth(self.months, month - 1) }
    }

    /// `month` is 1 to 12, in the form that stands beside a day.
    pub fn month_of_day(&self, month: i64) -> &'static str {
        if self.months_of_days.is_empty() { self.month(month) } else { nth(self.months_of_days, month - 1) }
    }

    /// `month` is 1 to 12.
    pub fn short_month(&self, month: i64) -> &'static str {
        if self.short_months.is_empty() {
            self.language().short_month(month)
        } else {
            nth(self.short_months, month - 1)
        }
    }

    /// `weekday` is 0 for Sunday.
    pub fn weekday(&self, weekday: i64) -> &'static str {
        if self.days.is_empty() { self.language().weekday(weekday) } else { nth(self.days, (weekday + 6) % 7) }
    }

    /// `weekday` is 0 for Sunday.
    pub fn short_weekday(&self, weekday: i64) -> &'static str {
        nth(self.short_days, (weekday + 6) % 7)
    }
}

/// A name that is well formed, of a language that Windows has no culture of: .NET takes it for the invariant culture.
fn is_of_no_language(name: &str) -> bool {
    let mut parts = name.split('-');
    let language = parts.next().unwrap_or_default();
    let is_language = matches!(language.len(), 2 | 3) && language.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_region = |part: &str| match part.len() {
        2 => part.bytes().all(|byte| byte.is_ascii_alphabetic()),
        3 => part.bytes().all(|byte| byte.is_ascii_digit()),
        _ => false,
    };
    is_language && parts.all(is_region) && !LANGUAGES.split(' ').any(|known| known.eq_ignore_ascii_case(language))
}

/// The languages of Windows' cultures, also of those that are not here: MS-LCID, 2.2.
const LANGUAGES: &str = "aa af agq ak am ar arn as asa ast az ba bas be bem bez bg bin bm bn bo br brx bs byn ca ce ceb cgg chr \
    ckb co cs cu cy da dav de dje dsb dua dv dyo dz ebu ee el en eo es et eu ewo fa ff fi fil fo fr fur fy ga gd gl gn gsw gu guz gv \
    ha haw he hi hr hsb hu hy ia ibb id ig ii io is it iu iv ja jbo jgo jmc jv ka kab kam kde kea khq ki kk kkj kl kln km kn ko kok kr ks \
    ksb ksf ksh ku kw ky la lag lb lg lkt ln lo lrc lt lu luo luy lv mas mer mfe mg mgh mgo mi mk ml mn mni moh mr ms mt mua my mzn \
    naq nb nd nds ne nl nmg nn nnh no nqo nr nso nus nyn oc om or os pa pap pl prg prs ps pt quc quz qps rm rn ro rof ru rw rwk sa \
    sah saq sbp sd se seh ses sg shi si sk sl sma smj smn sms sn so sq sr ss ssy st sv sw syr ta te teo tg th ti tig tk tn to tr ts tt \
    twq tzm ug uk ur uz vai ve vi vo vun wae wal wo xh xog yav yi yo zgh zh zu";

fn nth(names: &'static str, at: i64) -> &'static str {
    names.split(',').nth(at as usize).expect("every culture has twelve months and seven days")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_culture_has_its_names() {
        for culture in &CULTURES {
            assert!((1..=12).all(|month| !culture.month(month).is_empty() && !culture.short_month(month).is_empty()));
            assert!((0..7).all(|day| !culture.weekday(day).is_empty() && !culture.short_weekday(day).is_empty()));
        }
        assert_eq!(Culture::named("DE").map(|culture| culture.name), Some("de-DE"));
        assert_eq!(Culture::named("de_DE").map(|culture| culture.name), Some("de-DE"));
        assert_eq!(Culture::invariant().name, "iv");
        assert_eq!(Culture::named("").map(|culture| culture.name), None);
        assert_eq!(Culture::named("xx-YY").map(|culture| culture.name), Some("iv"));
        assert_eq!(Culture::named("en-IN").map(|culture| culture.name), None, "it has one of its own");
        assert_eq!(Culture::named("Klingon").map(|culture| culture.name), None);
        assert_eq!(Culture::named("en-USA").map(|culture| culture.name), None);
        assert_eq!(Culture::of_language(LanguageId::US_ENGLISH).map(|culture| culture.name), Some("en-US"));
    }
}
