//! Names, each once: schedules are long.

use std::{collections::BTreeMap, sync::Arc};

#[derive(Default)]
pub(super) struct Names(BTreeMap<String, Arc<str>>);

impl Names {
    pub(super) fn of(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.0.get(name) {
            return Arc::clone(known);
        }
        Arc::clone(self.0.entry(name.to_owned()).or_insert_with(|| name.into()))
    }
}
