//! Numbers in texts, as .NET's round-trip format writes them.

/// Fifteen digits where they are read back as the same number, else seventeen; an exponent from 10^15 on and below 10^-5.
pub fn push(value: f64, out: &mut String) {
    use std::fmt::Write;
    if value == 0.0 {
        out.push('0');
        return;
    }
    let short = format!("{value:.14e}");
    let (text, precision) = match short.parse::<f64>() {
        Ok(read) if read == value => (short, 15),
        _ => (format!("{value:.16e}"), 17),
    };
    let (mantissa, exponent) = text.split_once('e').expect("written with an exponent");
    let exponent: i32 = exponent.parse().expect("a whole number");
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let digits = mantissa.replace('.', "");
    let digits = digits.trim_end_matches('0');
    out.push_str(sign);
    if exponent >= precision || exponent < -4 {
        out.push_str(&digits[..1]);
        if digits.len() > 1 {
            out.push('.');
            out.push_str(&digits[1..]);
        }
        let mark = if exponent < 0 { '-' } else { '+' };
        write!(out, "E{mark}{:02}", exponent.abs()).expect("a String takes any text");
    } else if exponent < 0 {
        out.push_str("0.");
        (1..-exponent).for_each(|_| out.push('0'));
        out.push_str(digits);
    } else {
        let whole = exponent as usize + 1;
        if digits.len() <= whole {
            out.push_str(digits);
            (digits.len()..whole).for_each(|_| out.push('0'));
        } else {
            out.push_str(&digits[..whole]);
            out.push('.');
            out.push_str(&digits[whole..]);
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbers_are_written_as_net_writes_them() {
        let cases = [
            (0.0, "0"),
            (-122.349, "-122.349"),
            (1e15, "1E+15"),
            (123456789012345.0, "123456789012345"),
            (0.0001, "0.0001"),
            (0.00001, "1E-05"),
            (0.1 + 0.7, "0.79999999999999993"),
            (100.0, "100"),
            (2.5, "2.5"),
        ];
        for (value, wanted) in cases {
            let mut text = String::new();
            super::push(value, &mut text);
            assert_eq!(text, wanted);
        }
    }
}
