//! Events with a name of their own: do they carry the answer, or something beside it?

/// Most names that are told apart; no service uses more than a few. Beyond them, every event counts as the answer's.
const NAMES: usize = 32;

/// What came under each name. Which names carry the answer shows at the end only, since the first event of a name may
/// be the one that cannot be decoded.
#[derive(Debug, Default)]
pub(crate) struct Named(Vec<Name>);

#[derive(Debug)]
struct Name {
    name: String,
    has_choices: bool,
    undecodable: u64,
}

impl Named {
    /// An event of this name carried choices.
    pub(crate) fn carried_choices(&mut self, name: &str) {
        self.of(name).has_choices = true;
    }

    /// An event of this name could not be decoded.
    pub(crate) fn undecodable(&mut self, name: &str) {
        self.of(name).undecodable += 1;
    }

    /// Undecodable events under names that carried the answer.
    pub(crate) fn holes(&self) -> u64 {
        self.0.iter().filter(|name| name.has_choices).map(|name| name.undecodable).sum()
    }

    fn of(&mut self, name: &str) -> &mut Name {
        let known = self.0.iter().position(|known| known.name == name);
        let place = known.unwrap_or_else(|| {
            if self.0.len() < NAMES {
                let has_choices = self.0.len() + 1 == NAMES;
                self.0.push(Name { name: name.to_owned(), has_choices, undecodable: 0 });
            }
            self.0.len() - 1
        });
        &mut self.0[place]
    }
}
