//! The API key reaches no file and no terminal, even where the service repeats it.

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE},
};
use inference_sim::SimConfig;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::{
    program::{files, program, run_with, sweep_args},
    services::{STREAM, always, scripted, sim},
};

const KEY: &str = "sk-Geheim/+7=nie&zeigen?0123456789";

/// The key as it stands and in every encoding that a service may repeat it in.
fn forms() -> Vec<String> {
    let mut forms = vec![KEY.to_owned(), utf8_percent_encode(KEY, NON_ALPHANUMERIC).to_string()];
    // In base64 the key looks different after 0, 1 and 2 bytes of something else; the ends depend on the neighbours.
    for before in ["", "x", "xx"] {
        for engine in [STANDARD, URL_SAFE] {
            let whole = engine.encode(format!("{before}{KEY}"));
            forms.push(whole[4..whole.len() - 4].to_owned());
        }
    }
    forms
}

/// Runs a command with the key, and looks for it everywhere.
fn check(name: &str, url: &str, carried_by_file: bool, json: bool, codes: &[i32]) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key");
    std::fs::write(&file, format!("{KEY}\n")).unwrap();
    let by_file = ["--api-key-file", file.to_str().unwrap()];
    check_carried(
        name,
        url,
        if carried_by_file { &by_file } else { &["--api-key-env", "THE_KEY"] },
        json,
        codes,
    );
}

/// The same with the key carried as the arguments say, in a file or in the variable `THE_KEY`.
fn check_carried(name: &str, url: &str, carried: &[&str], json: bool, codes: &[i32]) {
    for command in ["sweep", "probe"] {
        let mut args = match command {
            "sweep" => sweep_args(url, &[]),
            _ => vec!["probe", "--url", url, "--model", "sim-chat"],
        };
        args.extend(json.then_some("--json"));
        let mut program = program();
        args.extend(carried);
        program.env("THE_KEY", KEY);
        let ran = run_with(program, &args);
        ran.ends(if command == "probe" && codes == [1] { &[0] } else { codes });
        let mut places =
            vec![("stdout".into(), ran.stdout.into_bytes()), ("stderr".into(), ran.stderr.into_bytes())];
        if ran.out.exists() {
            places.extend(files(&ran.out));
        }
        for (place, bytes) in places {
            let text = String::from_utf8_lossy(&bytes);
            for form in forms() {
                assert!(!text.contains(&form), "{name}: {form} in {}: {text}", place.display());
            }
        }
    }
}

#[test]
fn a_service_that_repeats_the_header_gives_nothing_away() {
    let service = sim(SimConfig { echo_authorization: true, ..SimConfig::fast() });
    for by_file in [true, false] {
        for json in [true, false] {
            check("500", &service.base_url(), by_file, json, &[1]);
        }
    }
}

#[test]
fn repeated_in_any_encoding_it_is_taken_out() {
    let percent = utf8_percent_encode(KEY, NON_ALPHANUMERIC).to_string();
    let basic = STANDARD.encode(format!("user:{KEY}"));
    let forms = [KEY, &percent, &STANDARD.encode(KEY), &basic, &URL_SAFE.encode(format!("x{KEY}"))];
    for (told, json) in forms.into_iter().zip([true, false].into_iter().cycle()) {
        let error = serde_json::json!({ "error": { "message": format!("bad key <{told}>"), "code": told } })
            .to_string();
        for (status, kind, body, codes) in [
            ("401 Unauthorized", "application/json", error.clone(), &[5]),
            ("400 Bad Request", "application/json", error.clone(), &[5]),
            ("404 Not Found", "text/plain", format!("no {told}"), &[5]),
            ("200 OK", "text/html", format!("<html><title>{told}</title></html>"), &[5]),
            ("502 Bad Gateway", "text/html", format!("<html><title>{told}</title></html>"), &[1]),
            ("200 OK", "text/event-stream", format!("data: {error}\n\n"), &[1]),
        ] {
            let service = scripted(always(status, kind, &body));
            check(&format!("{status} {kind} {told}"), &service.url(), true, json, codes);
        }
    }
}

#[test]
fn what_a_service_says_of_itself_is_looked_through() {
    let json = true;
    // Every path gives the same answer: a model list, a version and a stream in one.
    let listed = serde_json::json!({ "data": [{ "id": KEY }], "version": KEY, "build_info": KEY });
    let service = scripted(always("200 OK", "application/json", &listed.to_string()));
    check("models and version", &service.url(), true, json, &[5]);
    let named = STREAM.replace("\"choices\"", &format!("\"id\":\"{KEY}\",\"choices\"")).replace("stop", KEY);
    let service = scripted(always(&format!("200 OK\r\nserver: {KEY}"), "text/event-stream", &named));
    check("server, id and finish reason", &service.url(), true, json, &[0, 3, 1]);
}

#[test]
fn the_value_of_a_further_header_is_as_secret_as_the_key() {
    let carried = ["--header-env", "x-gateway-key=THE_KEY"];
    let error = serde_json::json!({ "error": { "message": format!("bad key <{KEY}>") } }).to_string();
    for (status, codes) in [("401 Unauthorized", &[5]), ("502 Bad Gateway", &[1])] {
        for json in [true, false] {
            let service = scripted(always(status, "application/json", &error));
            check_carried(status, &service.url(), &carried, json, codes);
        }
    }
    let service = sim(SimConfig { echo_authorization: true, ..SimConfig::fast() });
    check_carried("echoed", &service.base_url(), &["--header-env", "authorization=THE_KEY"], true, &[1]);
}
