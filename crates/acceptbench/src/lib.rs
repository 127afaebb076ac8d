//! Measures a large-language-model inference service and keeps the evidence.
