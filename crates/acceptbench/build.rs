//! Tells the program how it was built, so that an unoptimised client can be marked as such in every document.

fn main() {
    for key in ["OPT_LEVEL", "PROFILE", "TARGET"] {
        let value = std::env::var(key).unwrap_or_default();
        println!("cargo::rustc-env=ACCEPTBENCH_{key}={value}");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
