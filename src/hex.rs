//! Bytes as lower-case hex digits: sums, stamps, marks, names that nobody foresees.

/// Two digits for each byte.
pub fn hex<'b>(bytes: impl IntoIterator<Item = &'b u8>) -> String {
    let mut text = String::with_capacity(64);
    write(&mut text, bytes);
    text
}

/// The same behind a text.
pub fn write<'b>(text: &mut String, bytes: impl IntoIterator<Item = &'b u8>) {
    let digits = bytes.into_iter().flat_map(|byte| [byte >> 4, byte & 15]);
    text.extend(digits.filter_map(|digit| char::from_digit(u32::from(digit), 16)));
}

#[cfg(test)]
mod tests {
    use super::hex;

    #[test]
    fn as_the_library_writes_them() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(hex(&all), all.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
        assert_eq!(hex(&[]), "");
    }
}
