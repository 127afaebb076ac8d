//! All that a rule may look at.

use metrics_core::{Figures, Group, LimitEvidence, Summary, Tier};

use crate::agreement::Agreement;

/// Figures, agreement and plain facts about the evidence. Filled by whoever holds the package.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Case {
    /// Every figure.
    pub summary: Summary,
    /// What was agreed.
    pub agreement: Agreement,
    /// Tiers of the frozen plan: the agreed ones where the agreement names none.
    pub planned_tiers: Vec<u32>,
    /// What the check of the evidence found.
    pub evidence: Evidence,
    /// Whether the service was there all through.
    pub availability: Availability,
    /// One for each `[[sla]]` item of the agreement, in its order; `None` where the tier was not run.
    pub limits: Vec<Option<LimitEvidence>>,
    /// SHA-256 of the agreement's text, in hexadecimal; of the empty text where none was given.
    pub agreement_digest: String,
    /// An agreement was given; otherwise the defaults decide.
    pub agreed: bool,
}

impl Case {
    /// A case about whose evidence nothing has been found out yet, so that its acceptance cannot pass.
    #[must_use]
    pub fn new(summary: Summary, agreement: Agreement, planned_tiers: Vec<u32>) -> Self {
        let evidence = Evidence::default();
        let availability = Availability::default();
        Self {
            summary,
            agreement,
            planned_tiers,
            evidence,
            availability,
            limits: Vec::new(),
            agreement_digest: String::new(),
            agreed: false,
        }
    }

    /// The tiers that the acceptance asks for: the agreement's, else the plan's.
    #[must_use]
    pub fn agreed_tiers(&self) -> &[u32] {
        self.agreement.acceptance.tiers.as_deref().unwrap_or(&self.planned_tiers)
    }

    /// The tier of this concurrency, where it was planned.
    #[must_use]
    pub fn tier(&self, concurrency: u32) -> Option<&Tier> {
        self.summary.tiers.iter().find(|tier| tier.concurrency == concurrency)
    }

    /// The tiers that were planned, from the lowest concurrency up, whether they ran or not.
    #[must_use]
    pub fn ascending_tiers(&self) -> Vec<&Tier> {
        let mut tiers: Vec<&Tier> = self.summary.tiers.iter().collect();
        tiers.sort_by_key(|tier| tier.concurrency);
        tiers
    }

    /// The tiers of which at least one request finished, from the lowest concurrency up. Every planned tier stands in the
    /// summary; one that an interrupted run did not reach was not tested.
    #[must_use]
    pub fn tiers_run(&self) -> Vec<&Tier> {
        self.ascending_tiers().into_iter().filter(|tier| tier.figures.finished > 0).collect()
    }

    /// The tiers that were planned and did not finish, wholly or in part, from the lowest up: nothing is concluded about
    /// them.
    #[must_use]
    pub fn tiers_unfinished(&self) -> Vec<&Tier> {
        self.ascending_tiers()
            .into_iter()
            .filter(|tier| tier.figures.finished < tier.figures.planned)
            .collect()
    }

    /// The highest tier that finished what was planned.
    #[must_use]
    pub fn highest_finished(&self) -> Option<u32> {
        let whole = |tier: &&&Tier| tier.figures.finished >= tier.figures.planned;
        self.tiers_run().iter().rev().find(whole).map(|tier| tier.concurrency)
    }

    /// The run has several groups, each of which is held to its target.
    #[must_use]
    pub fn has_groups(&self) -> bool {
        self.summary.groups.len() > 1
    }

    /// A tier meets the agreed success rate, and so does every group within it.
    #[must_use]
    pub fn tier_met(&self, tier: &Tier) -> bool {
        self.tier_met_if(tier, |figures| figures.effective)
    }

    /// The same if so many requests of the tier, and of each of its groups, were effective.
    pub(crate) fn tier_met_if(&self, tier: &Tier, effective: impl Fn(&Figures) -> u64) -> bool {
        let figures = &tier.figures;
        let whole = reaches(effective(figures), figures.planned, self.target_over(&tier.groups));
        whole && self.groups_below(tier, effective).is_empty()
    }

    /// The groups of a tier that would miss their targets if so many requests of them were effective.
    pub(crate) fn groups_below<'t>(
        &self,
        tier: &'t Tier,
        effective: impl Fn(&Figures) -> u64,
    ) -> Vec<&'t str> {
        let met = |group: &Group| {
            reaches(effective(&group.figures), group.figures.planned, self.target_of(&group.name))
        };
        tier.groups.iter().filter(|group| !met(group)).map(|group| group.name.as_str()).collect()
    }

    /// The agreed success rate over all groups: where groups have targets of their own, the mean of all groups' targets,
    /// weighted by their planned requests.
    #[must_use]
    pub fn success_target(&self) -> f64 {
        self.target_over(&self.summary.groups)
    }

    /// The same over the groups of a tier; those of the run where the tier has none apart.
    fn target_over(&self, groups: &[Group]) -> f64 {
        let groups = if groups.is_empty() { &self.summary.groups } else { groups };
        let planned: u64 = groups.iter().map(|group| group.figures.planned).sum();
        let own = |name: &str| self.agreement.acceptance.group.iter().any(|group| group.name == name);
        if planned == 0 || !groups.iter().any(|group| own(&group.name)) {
            return self.agreement.acceptance.success_rate;
        }
        let wanted = groups.iter().map(|group| self.target_of(&group.name) * group.figures.planned as f64);
        wanted.sum::<f64>() / planned as f64
    }

    /// The agreed success rate of a group.
    #[must_use]
    pub fn target_of(&self, group: &str) -> f64 {
        let own = self.agreement.acceptance.group.iter().find(|target| target.name == group);
        own.map_or(self.agreement.acceptance.success_rate, |target| target.success_rate)
    }

    /// The figures of a group within a tier, or of the whole tier where no group is given; `None` where the tier has no
    /// request of it.
    #[must_use]
    pub fn figures_in<'t>(&self, tier: &'t Tier, group: Option<&str>) -> Option<&'t Figures> {
        let Some(name) = group else { return Some(&tier.figures) };
        match &self.summary.groups[..] {
            // The only group is the whole of every tier.
            [only] => (only.name == name).then_some(&tier.figures),
            _ => tier.groups.iter().find(|group| group.name == name).map(|group| &group.figures),
        }
    }

    /// How many requests of a tier and a group were planned and how many finished, over all where neither is given; `None`
    /// where the run has no such tier or group.
    #[must_use]
    pub fn planned_and_finished(&self, tier: Option<u32>, group: Option<&str>) -> Option<(u64, u64)> {
        let figures = match (tier, group) {
            (None, None) => return Some((self.summary.totals.planned, self.summary.totals.finished)),
            (Some(tier), group) => self.figures_in(self.tier(tier)?, group)?,
            (None, Some(name)) => &self.summary.groups.iter().find(|group| group.name == name)?.figures,
        };
        Some((figures.planned, figures.finished))
    }

    /// The rows are not those of the frozen schedule: some are missing, or there are others.
    ///
    /// Then nothing passes any more, whatever a rule finds: taking rows away can never earn a pass.
    #[must_use]
    pub fn rows_differ(&self) -> bool {
        self.evidence.rows_missing > 0 || self.evidence.rows_unplanned > 0
    }

    /// Planned requests did not finish: the run was interrupted or stopped, or their rows are missing.
    ///
    /// Then nothing passes but traceability, for rows that say so are whole evidence of a run that was cut short.
    #[must_use]
    pub fn unfinished(&self) -> bool {
        let Summary { totals, tiers, .. } = &self.summary;
        totals.finished != totals.planned
            || tiers.iter().any(|tier| tier.figures.finished != tier.figures.planned)
    }
}

/// So many of the planned requests reach a share. Compared by count, since a printed rate is rounded. Nothing planned reaches nothing.
pub(crate) fn reaches(effective: u64, planned: u64, share: f64) -> bool {
    // A weighted mean of shares may be off in its last bits.
    let last_bits = 1e-12;
    let rate = effective as f64 / planned as f64;
    planned > 0 && (rate >= share || (effective < planned && rate >= share - last_bits && share < 1.0))
}

/// What the check of the evidence found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Evidence {
    /// The hash chain of every raw file holds; `None` when it was not checked.
    pub chain_intact: Option<bool>,
    /// Every digest of the evidence matches; `None` when it was not checked.
    pub digests_match: Option<bool>,
    /// The figures are those that the raw rows give; `None` when they were not compared.
    pub figures_match: Option<bool>,
    /// Rows of the frozen schedule that are not there.
    pub rows_missing: u64,
    /// Rows that no schedule asked for, or that are there twice.
    pub rows_unplanned: u64,
    /// The run was cut short.
    pub interrupted: bool,
    /// What is wrong, in words, for the explanation. Anything that stands here fails traceability.
    pub problems: Vec<String>,
}

/// Whether the service was there all through the measured stages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Availability {
    /// How often its health was asked; 0 where it offers no way to. The sum of the three that follow.
    pub health_checks: u64,
    /// Checks that it answered as ready. Only these speak for it.
    pub ready: u64,
    /// Checks that found it not ready: refused, or answered by a server error.
    pub unready: u64,
    /// Checks without an answer that says either: timed out, 401, 404 and the like.
    pub unanswered: u64,
    /// Spells of unready checks. One without an answer neither begins nor ends a spell.
    pub unready_spells: u64,
    /// Longest row of consecutive requests whose connection was refused.
    pub refusals_in_a_row: u64,
    /// Requests with the outcome `malformed` that brought no token event: they are no answer of the model.
    pub malformed_without_tokens: u64,
    /// Its start time changed during the run.
    pub restarts: u64,
    /// It told its start time at least twice, and always as one process does.
    pub start_time_known: bool,
}
