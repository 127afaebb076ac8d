//! Files are cut the same in whatever pieces they are handed over, and nothing long is held.

use std::io::Read;

use proptest::prelude::*;

use super::{Buffer, Lines, Piece, Table, first_value, lines, values};
use crate::{Unit, source::Text};

/// A piece in words: its line, and what it is.
type Told = (u64, String);

#[derive(Clone, Copy)]
enum Way {
    Lines,
    Json,
    Table,
}

/// Hands over a few bytes at a time.
struct Drops<'b>(&'b [u8], usize);

impl Read for Drops<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let length = self.1.min(into.len()).min(self.0.len());
        let (now, later) = self.0.split_at(length);
        into[..length].copy_from_slice(now);
        self.0 = later;
        Ok(length)
    }
}

fn cut_from<'b>(bytes: impl Read + 'b, way: Way, most: usize) -> (Vec<Told>, Lines) {
    let mut told = Vec::new();
    let mut each = |piece: Piece<'_>| {
        told.push(match piece {
            Piece::Unit(Unit::Text { line, text }) => (line, text.to_owned()),
            Piece::Unit(Unit::Record { line, fields }) => (line, fields.join("¦")),
            Piece::Bad { line, reason, .. } => (line, format!("<{}>", reason.as_str())),
        });
        true
    };
    let mut count = Lines::default();
    let text = Text::new(Box::new(bytes), None).expect("a text");
    let Ok(mut buffer) = Buffer::new(text) else { return (Vec::new(), count) };
    match way {
        Way::Lines => lines(&mut buffer, most, &mut count, &mut each),
        Way::Json => values(&mut buffer, most, &mut count, &mut each),
        Way::Table => match Table::new(&mut buffer, most, &mut count).expect("a table") {
            Some(mut table) => table.read(&mut buffer, most, &mut count, &mut each),
            None => Ok(()),
        },
    }
    .expect("a whole text");
    (told, count)
}

fn cut(text: &str, way: Way) -> Vec<Told> {
    cut_from(text.as_bytes(), way, 1 << 20).0
}

fn told(pieces: &[(u64, &str)]) -> Vec<Told> {
    pieces.iter().map(|(line, text)| (*line, (*text).to_owned())).collect()
}

#[test]
fn lines_end_in_every_way_and_blank_ones_are_none() {
    let (pieces, count) = cut_from(&b"\xef\xbb\xbfa\r\n\r\n \n  b \n\xff\nc"[..], Way::Lines, 100);
    assert_eq!(pieces, told(&[(1, "a"), (4, "b"), (5, "<bad_encoding>"), (6, "c")]));
    assert_eq!((count.all, count.blank), (6, 2));
}

#[test]
fn json_stands_one_a_line() {
    assert_eq!(cut("{\"a\":1}\n\n{\"a\":2}", Way::Json), told(&[(1, r#"{"a":1}"#), (3, r#"{"a":2}"#)]));
    // Whatever a line holds is that line's matter.
    let odd = "{\"a\":1}\nnot json\n[1,2]\n{\"a\":2}{\"a\":3}\n{\"a\":";
    let lines: Vec<Told> = odd.lines().zip(1..).map(|(line, at)| (at, line.to_owned())).collect();
    assert_eq!(cut(odd, Way::Json), lines);
    // The first line of a rotated log may be cut at either end.
    for first in ["\":1}", "{\"a\":1,", "{\"a\":1,\"b\":\"c", "{\"a\":1,\"b\":{\"c\":2}"] {
        let text = format!("{first}\n{{\"a\":2}}\n{{\"a\":3}}");
        assert_eq!(cut(&text, Way::Json).len(), 3, "{text}");
    }
}

#[test]
fn a_list_is_handed_over_by_its_elements() {
    let same = told(&[(1, r#"{"a":[1,"]"]}"#), (1, r#"{"b":"\"}"}"#)]);
    assert_eq!(cut(r#"[{"a":[1,"]"]},{"b":"\"}"}]"#, Way::Json), same);
    let text = "[\n  {\n    \"a\": 1\n  },\n  {\"a\": 2}, 3\n]\n";
    assert_eq!(cut(text, Way::Json), told(&[(2, "{\n    \"a\": 1\n  }"), (5, "{\"a\": 2}"), (5, "3")]));
    assert_eq!(cut("[]", Way::Json), []);
}

#[test]
fn a_value_over_many_lines_is_one() {
    let text = "{\n \"data\": [\n{\"a\": 1}\n ]\n}\n\n{\n}\n";
    let pieces = told(&[(1, "{\n \"data\": [\n{\"a\": 1}\n ]\n}"), (7, "{\n}")]);
    assert_eq!(cut(text, Way::Json), pieces);
    let text = "{\"data\": [\n{\"a\": 1},\n{\"a\": 2}\n]}";
    assert_eq!(cut(text, Way::Json), told(&[(1, text)]));
    // Cut short, it is what there is of it.
    assert_eq!(cut("{\n \"a\": 1,\n", Way::Json), told(&[(1, "{\n \"a\": 1,")]));
}

#[test]
fn a_string_that_a_line_breaks_costs_its_own_element() {
    let text = "[\n{\"a\": 1},\n{\n \"a\": \"b\n},\n{\"a\": 3}\n]";
    assert_eq!(cut(text, Way::Json), told(&[(2, "{\"a\": 1}"), (3, "{\n \"a\": \"b"), (6, "{\"a\": 3}")]));
}

#[test]
fn records_keep_their_lines() {
    let text = "\na,b\r\n1,\"x\r\ny\"\r\n\r\n2,\"q\"\"\"\r\n3\r\n4,5,6\r\n7,8";
    let pieces = [(3, "1¦x\r\ny"), (6, "2¦q\""), (7, "<field_count>"), (8, "<field_count>"), (9, "7¦8")];
    assert_eq!(cut(text, Way::Table), told(&pieces));
}

#[test]
fn a_quote_that_is_not_closed_swallows_no_other_record() {
    let text = "a,b\n1,\"x\n2,y\n3,z\n4,\"w\"\n5,v\n";
    let pieces = [(2, "<field_count>"), (3, "2¦y"), (4, "3¦z"), (5, "4¦w"), (6, "5¦v")];
    assert_eq!(cut(text, Way::Table), told(&pieces));
}

#[test]
fn separators_are_found_out() {
    for sign in [",", ";", "\t", "|"] {
        let text = format!("\"a, b; c\"{sign}d\n1{sign}2\n");
        assert_eq!(cut(&text, Way::Table), told(&[(2, "1¦2")]), "{sign}");
    }
    assert_eq!(cut("sep=;\na,b;c\n1;2\n", Way::Table), told(&[(3, "1¦2")]));
    assert_eq!(cut("a\n1\n \n2\n", Way::Table), told(&[(2, "1"), (4, "2")]));
}

#[test]
fn bytes_that_mean_nothing_cost_their_own_record() {
    let (pieces, _) = cut_from(&b"a,b\n1,\xff\n2,x\n\xe4,\xb8\xad\n3,y\n"[..], Way::Table, 100);
    assert_eq!(pieces, told(&[(2, "<bad_encoding>"), (3, "2¦x"), (4, "<bad_encoding>"), (5, "3¦y")]));
}

#[test]
fn what_is_too_long_is_passed_over() {
    let long = "x".repeat(300);
    let cases = [
        (Way::Lines, format!("a\n{long}\nb")),
        (Way::Json, format!("{{\"a\":1}}\n{{\"a\":\"{long}\"}}\n{{\"a\":2}}")),
        (Way::Json, format!("[{{\"a\":1}},\n{{\"a\":\"{long}\\\"\"}},\n{{\"a\":2}}]")),
        (Way::Table, format!("a,b\n1,2\n{long},3\n4,5\n")),
        (Way::Table, format!("a,b\n1,2\n\"{long}\",3\n4,5\n")),
    ];
    for (way, text) in cases {
        let (pieces, _) = cut_from(text.as_bytes(), way, 200);
        assert_eq!(pieces.len(), 3, "{pieces:?}");
        assert_eq!(pieces[1].1, "<too_long>");
    }
}

/// So many copies of a text, one after the other, without holding them.
struct Copies(&'static [u8], usize, usize);

impl Read for Copies {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let mut length = 0;
        while length < into.len() && self.1 > 0 {
            let rest = &self.0[self.2..];
            let now = rest.len().min(into.len() - length);
            into[length..length + now].copy_from_slice(&rest[..now]);
            length += now;
            self.2 += now;
            if self.2 == self.0.len() {
                (self.1, self.2) = (self.1 - 1, 0);
            }
        }
        Ok(length)
    }
}

#[test]
fn a_line_without_end_is_not_held() {
    const MOST: usize = 1 << 16;
    let long = || Copies(b"0123456789abcdef", 1 << 20, 0);
    for (way, before, after) in [
        (Way::Lines, "a\n", "\nb\n"),
        (Way::Json, "{\"a\":1}\n{\"b\":\"", "\"}\n{\"a\":1}\n"),
        (Way::Json, "[{\"a\":1},\n{\"b\":\"", "\"},{\"a\":1}\n]"),
        (Way::Table, "a,b\n1,2\n", ",2\n3,4\n"),
    ] {
        let bytes = before.as_bytes().chain(long()).chain(after.as_bytes());
        let mut pieces = 0;
        let mut count = Lines::default();
        let text = Text::new(Box::new(bytes), None).expect("a text");
        let mut buffer = Buffer::new(text).expect("a first chunk");
        let mut each = |_: Piece<'_>| {
            pieces += 1;
            true
        };
        match way {
            Way::Lines => lines(&mut buffer, MOST, &mut count, &mut each),
            Way::Json => values(&mut buffer, MOST, &mut count, &mut each),
            Way::Table => {
                let table = Table::new(&mut buffer, MOST, &mut count).expect("a table");
                table.expect("a header").read(&mut buffer, MOST, &mut count, &mut each)
            }
        }
        .expect("a whole text");
        let held = buffer.capacity();
        assert_eq!(pieces, 3, "{before}");
        assert!(held <= MOST + 8 * crate::source::CHUNK, "{before}: {held} bytes");
    }
}

#[test]
fn the_first_value_is_found_wherever_it_stands() {
    for text in
        ["{\"a\":1}\n", "  [{\"a\":1}, {", "[\n{\"a\":1}\n]", "{\n\"a\":1\n}\n{", "cut\"}\n{\"a\":1}\n"]
    {
        assert_eq!(first_value(text), Some(serde_json::json!({"a": 1})), "{text}");
    }
    assert_eq!(first_value("a,b\n1,2\n"), None);
}

proptest! {
    /// However few bytes come at once, the pieces are the same, and none of a text is left out of its lines.
    #[test]
    fn pieces_do_not_depend_on_how_bytes_come(
        text in "([a-z0-9,;\"\\\\{}\\[\\]: \t]|\r?\n|\u{4e2d}|\u{feff}){0,80}",
        at_once in 1_usize..9,
        most in 4_usize..90,
    ) {
        for way in [Way::Lines, Way::Json, Way::Table] {
            let whole = cut_from(text.as_bytes(), way, most);
            prop_assert_eq!(&cut_from(Drops(text.as_bytes(), at_once), way, most), &whole);
        }
    }

    #[test]
    fn no_bytes_are_too_odd(bytes in proptest::collection::vec(any::<u8>(), 0..200), most in 1_usize..300) {
        for way in [Way::Lines, Way::Json, Way::Table] {
            let mut text = bytes.clone();
            text.insert(0, b'a');
            if Text::new(Box::new(&text[..]), None).and_then(Buffer::new).is_ok() {
                let (pieces, count) = cut_from(&text[..], way, most);
                prop_assert!(pieces.iter().all(|(line, _)| (1..=count.all.max(1)).contains(line)));
            }
        }
    }
}
