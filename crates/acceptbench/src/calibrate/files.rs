//! Whether the process may open the files that a calibration needs: said before anything is measured.

use load_engine::{FILES_BESIDE, Room};

use super::{CalibrateError, SINGLE_STREAMS};

/// Both ends of every connection are in this process. What is not known is no hindrance.
pub(super) fn enough(room: &Room) -> Result<(), CalibrateError> {
    let needed = 2 * u64::from(SINGLE_STREAMS) + FILES_BESIDE;
    match (room.descriptors, room.open_files) {
        (Some(free), Some(allowed)) if free < needed => {
            Err(CalibrateError::OpenFiles { free, needed, limit: allowed + needed - free })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(open_files: Option<u64>, descriptors: Option<u64>) -> Room {
        Room { open_files, descriptors, ..Room::default() }
    }

    #[test]
    fn too_few_files_are_told_of_with_the_command_that_helps() {
        let said = enough(&room(Some(256), Some(240))).expect_err("too few").to_string();
        assert!(said.contains("240 more files") && said.contains("`ulimit -n 280`"), "{said}");
        for plenty in [room(Some(280), Some(264)), room(None, None), room(Some(8), None)] {
            assert!(enough(&plenty).is_ok(), "{plenty:?}");
        }
    }
}
