//! How a country writes numbers, amounts and dates: the cultures of FORMAT and PARSE, by the names that .NET has for them.
//!
//! One that is not in the table is refused (9818), so that nothing is written as another country would.

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
    short_months: &'static str,
}

const ENGLISH_DAYS: &str = "Mon,Tue,Wed,Thu,Fri,Sat,Sun";
// `sys.syslanguages` has these with capitals.
const SPANISH_DAYS: &str = "lunes,martes,miércoles,jueves,viernes,sábado,domingo";
const SPANISH_MONTHS: &str = "enero,febrero,marzo,abril,mayo,junio,julio,agosto,septiembre,octubre,noviembre,diciembre";
const PORTUGUESE_MONTHS: &str =
    "janeiro,fevereiro,março,abril,maio,junho,julho,agosto,setembro,outubro,novembro,dezembro";

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
    short_months: "",
};

const ENGLISH: Culture = Culture {
    decimal: ".",
    group: ",",
    currency: "$",
    currency_positive: "$n",
    currency_negative: "-$n",
    short_time: "h:mm tt",
    long_time: "h:mm:ss tt",
    morning: "AM",
    afternoon: "PM",
    ..USUAL
};

const EAST_ASIAN: Culture =
    Culture { currency: "¥", short_time: "H:mm", long_time: "H:mm:ss", percent: "n%", ..ENGLISH };

/// The first of a language is also found by its two letters alone.
const CULTURES: [Culture; 23] = [
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
    Culture { name: "it-IT", language: "Italian", short_days: "lun,mar,mer,gio,ven,sab,dom", ..USUAL },
    Culture {
        name: "nl-NL",
        language: "Dutch",
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
    // The invariant culture.
    Culture {
        name: "",
        currency: "¤",
        currency_negative: "($n)",
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
    /// `en-US`, `en-us`, `en`; `` is the invariant culture. None: none that is known.
    pub fn named(name: &str) -> Option<&'static Culture> {
        let exact = CULTURES.iter().find(|culture| culture.name.eq_ignore_ascii_case(name));
        exact.or_else(|| {
            let same = |culture: &&Culture| {
                culture.name.split_once('-').is_some_and(|(letters, _)| letters.eq_ignore_ascii_case(name))
            };
            CULTURES.iter().find(same)
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
        assert_eq!(Culture::named("xx-YY").map(|culture| culture.name), None);
        assert_eq!(Culture::of_language(LanguageId::US_ENGLISH).map(|culture| culture.name), Some("en-US"));
    }
}
