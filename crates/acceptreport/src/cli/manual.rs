//! Shell completions and manual pages, made from the very arguments that are parsed.

use clap::{Command, ValueEnum};
use clap_complete::Shell;

use super::{CommandError, terminal};
use crate::exit::Exit;

/// Prints what helps in using a program.
#[derive(Debug, clap::Args)]
pub struct Manual {
    /// Completions of a shell, or the manual page.
    #[arg(value_enum)]
    what: What,
    /// For the manual page: the command to describe; the program as a whole where left out.
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
    Man,
}

impl Manual {
    /// Prints it for the program that `command` describes.
    ///
    /// # Errors
    /// Where the page cannot be made.
    pub fn print(&self, mut command: Command) -> Result<Exit, CommandError> {
        let name = command.get_name().to_owned();
        let mut text = Vec::new();
        let mut complete = |shell| clap_complete::generate(shell, &mut command, name.clone(), &mut text);
        match self.what {
            What::Bash => complete(Shell::Bash),
            What::Elvish => complete(Shell::Elvish),
            What::Fish => complete(Shell::Fish),
            What::Powershell => complete(Shell::PowerShell),
            What::Zsh => complete(Shell::Zsh),
            What::Man => clap_mangen::Man::new(self.described(command)?)
                .render(&mut text)
                .map_err(|error| CommandError::new(Exit::Usage, format!("make the manual page: {error}")))?,
        }
        terminal::print(&String::from_utf8_lossy(&text));
        Ok(Exit::Passed)
    }

    /// The program, or the one command of it that was asked for, under the name by which manual pages are found.
    fn described(&self, command: Command) -> Result<Command, CommandError> {
        let Some(name) = &self.command else { return Ok(command) };
        let full = format!("{}-{name}", command.get_name());
        let found = command.find_subcommand(name).cloned().ok_or_else(|| {
            let message = format!("find a command {name:?} (see --help for those that there are)");
            CommandError::new(Exit::Usage, message)
        })?;
        Ok(found.name(full))
    }
}
