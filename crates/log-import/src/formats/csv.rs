//! A table of the user's own.

use super::{
    columns::{Column, Role, asked, choice, well_known},
    mapped::{Fields, Mapped},
    rows::hand_on,
};
use crate::{
    Framing, Importer, Opening, RowReader, Sink, Start, StartError, Unit,
    detect::{is_data, listed},
    value::Field,
};

/// A table whose columns are mapped by their names or places, or are well known by their names.
pub(super) struct Csv;

impl Importer for Csv {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn framing(&self, _: &Opening<'_>) -> Framing {
        Framing::Table
    }

    fn recognise(&self, opening: &Opening<'_>) -> Option<String> {
        let names: Vec<String> = opening.header.iter().map(|name| (*name).to_owned()).collect();
        let columns = well_known(&names);
        let is_table = opening.json.is_none() && !columns.is_empty();
        is_table.then(|| format!("its columns have well-known names: {}", choice(&columns)))
    }

    fn open_fields(&self) -> &[&str] {
        super::jsonl::OPEN_FIELDS
    }

    fn is_general(&self) -> bool {
        true
    }

    fn start<'i>(&'i self, start: &Start<'_>) -> Result<Box<dyn RowReader + 'i>, StartError> {
        let names: Vec<String> = start.header.iter().map(|name| (*name).to_owned()).collect();
        let mut columns = asked(start.options)?;
        if columns.is_empty() {
            columns = well_known(&names);
        }
        if columns.is_empty() {
            return Err(unknown_columns(&names));
        }
        let places = columns.iter().map(|column| Ok((column.role, place(column, &names)?)));
        let places = places.collect::<Result<Vec<_>, StartError>>()?;
        let by_place = columns.iter().all(|column| column.place().is_some());
        let row = (by_place && is_data(&names)).then_some(names);
        let comma = start.separator == Some(';');
        Ok(Box::new(Reader { mapped: Mapped::new(columns, start.options), places, comma, row }))
    }
}

struct Reader {
    mapped: Mapped,
    places: Vec<(Role, usize)>,
    comma: bool,
    /// What stands where a header should, until it was read as the row that it is.
    row: Option<Vec<String>>,
}

impl Reader {
    fn row(&mut self, line: u64, record: &[&str], sink: &mut dyn Sink) {
        let mut fields = Fields::default();
        for (role, place) in &self.places {
            if let (Some(field), Some(raw)) = (fields.get_mut(*role as usize), record.get(*place)) {
                *field = Field::plain(raw, self.comma);
            }
        }
        hand_on(line, self.mapped.entry(&fields), sink);
    }

    fn first_row(&mut self, sink: &mut dyn Sink) {
        if let Some(row) = self.row.take() {
            let row: Vec<&str> = row.iter().map(String::as_str).collect();
            self.row(1, &row, sink);
        }
    }
}

impl RowReader for Reader {
    fn read(&mut self, unit: Unit<'_>, sink: &mut dyn Sink) {
        self.first_row(sink);
        match unit {
            Unit::Record { line, fields } => self.row(line, fields, sink),
            Unit::Text { line, .. } => hand_on(line, Err(super::table::no_record()), sink),
        }
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        self.first_row(sink);
    }
}

/// Where a column stands, from 0.
fn place(column: &Column, names: &[String]) -> Result<usize, StartError> {
    let refuse = |reason: String| StartError { reason, hint: format!("its columns are {}", listed(names)) };
    let same = |fold: bool| {
        let equal = move |name: &String| match fold {
            true => name.to_lowercase() == column.name.to_lowercase(),
            false => *name == column.name,
        };
        names.iter().enumerate().filter(move |(_, name)| equal(name)).map(|(at, _)| at)
    };
    let found: Vec<usize> = same(false).collect();
    let found = if found.is_empty() { same(true).collect() } else { found };
    match (found.as_slice(), column.place()) {
        ([at], _) => Ok(*at),
        ([], Some(at)) if at < names.len() => Ok(at),
        ([], Some(_)) => {
            Err(refuse(format!("there is no {}. column, but {}", &column.name[1..], names.len())))
        }
        ([], None) if is_data(names) => Err(refuse(format!(
            "there is no column `{}`: the first line is data and names none (use places: {}=#1)",
            column.name,
            column.role.key()
        ))),
        ([], None) => Err(refuse(format!("there is no column `{}`", column.name))),
        (several, _) => {
            let places: Vec<String> = several.iter().map(|at| format!("#{}", at + 1)).collect();
            Err(refuse(format!(
                "{} columns are named `{}` (name one by its place: {})",
                several.len(),
                column.name,
                places.join(" or ")
            )))
        }
    }
}

fn unknown_columns(names: &[String]) -> StartError {
    let (reason, column) = match is_data(names) {
        true => ("its first line is data and names no columns", "#1"),
        false => ("none of its columns has a well-known name for a time and for tokens", "NAME"),
    };
    StartError {
        reason: reason.to_owned(),
        hint: format!(
            "say what they hold: --map timestamp={column},input_tokens=…,output_tokens=…; its columns are {}",
            listed(names)
        ),
    }
}
