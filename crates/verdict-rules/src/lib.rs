//! From figures and an agreement to findings and a decision; add your own rules through a trait.
