//! `calibration.json`, in a package and as a file of its own.

use metrics_core::{CALIBRATION_VERSION, Calibration};

use crate::rows::parse_version;

/// The text is no calibration that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CalibrationFileError {
    /// It was written by a newer version of the tool.
    #[error("read a calibration of format {0}: this version knows {CALIBRATION_VERSION} (update the tool)")]
    NewerFormat(u32),
    /// It is not what it should be.
    #[error(
        "read a calibration: {0} (it is damaged or something else; make one with `acceptbench calibrate`)"
    )]
    Malformed(String),
}

impl CalibrationFileError {
    /// The text is not what it was, rather than of a newer format.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Malformed(_))
    }
}

/// Reads the text of a `calibration.json`.
///
/// # Errors
/// Where it is of a newer format, or has unknown or missing keys.
pub fn parse_calibration(json: &str) -> Result<Calibration, CalibrationFileError> {
    match parse_version(json.as_bytes()) {
        Some(CALIBRATION_VERSION) => {
            serde_json::from_str(json).map_err(|error| CalibrationFileError::Malformed(error.to_string()))
        }
        Some(newer) if newer > CALIBRATION_VERSION => Err(CalibrationFileError::NewerFormat(newer)),
        Some(other) => Err(CalibrationFileError::Malformed(format!("there is no version {other}"))),
        None => Err(CalibrationFileError::Malformed("it names no version".to_owned())),
    }
}

/// The text of a `calibration.json`.
///
/// # Errors
/// Where a number in it is not finite, for which JSON has no word.
pub fn calibration_json(calibration: &Calibration) -> Result<String, CalibrationFileError> {
    let malformed = |error: serde_json::Error| CalibrationFileError::Malformed(error.to_string());
    let text = serde_json::to_string_pretty(calibration).map_err(malformed)? + "\n";
    // A number that is not finite is written as null, and would not come back.
    parse_calibration(&text).map(|_| text)
}
