//! Sample sets as folders, what they hold, how two of them differ, and whether one still matches a profile.

mod diff;
mod drift;
mod folder;
mod holdings;

pub use diff::{FactDiff, GroupDiff, SetDiff, diff};
pub use drift::{Comparison, Drift, Finding, Quantity, Verdict, drift};
pub use folder::{FolderTexts, SetError};
pub use holdings::{GroupHoldings, Holdings, SHARED_STEP, holdings};
