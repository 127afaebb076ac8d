//! Services that cannot be reached, or refuse to serve at all: said before anything is measured.

use inference_sim::{ApiKey, FaultKind, RunningSim, SimConfig, scripted::Step};

use crate::{
    program::{program, run_with, sweep_args},
    services::{Scripted, always, faulty, scripted, sim},
};

enum At {
    Address(&'static str),
    Nobody,
    Sim(Box<SimConfig>),
    Script(Vec<Step>),
}

struct Case {
    name: &'static str,
    at: At,
    more: &'static [&'static str],
    key: Option<&'static str>,
    code: i32,
    says: &'static [&'static str],
}

fn case(name: &'static str, at: At, code: i32, says: &'static [&'static str]) -> Case {
    Case { name, at, more: &[], key: None, code, says }
}

fn simulated(config: SimConfig) -> At {
    At::Sim(Box::new(config))
}

fn keyed() -> At {
    simulated(SimConfig { api_key: Some(ApiKey::new("sk-right-0123456789")), ..SimConfig::fast() })
}

/// What must live for as long as the program runs.
enum Alive {
    Nothing,
    Sim { _service: RunningSim },
    Script { _service: Scripted },
}

fn serve(at: At) -> (String, Alive) {
    match at {
        At::Address(url) => (url.to_owned(), Alive::Nothing),
        At::Nobody => {
            let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            (format!("http://{}/v1", taken.local_addr().unwrap()), Alive::Nothing)
        }
        At::Sim(config) => {
            let service = sim(*config);
            (service.base_url(), Alive::Sim { _service: service })
        }
        At::Script(script) => {
            let service = scripted(script);
            (service.url(), Alive::Script { _service: service })
        }
    }
}

/// A sweep and a probe end alike: with the code, and with words that say what to do. No package is begun.
fn check(case: Case) {
    let (mut url, _alive) = serve(case.at);
    if case.more.contains(&"https") {
        url = url.replace("http://", "https://");
    }
    for command in ["sweep", "probe"] {
        let mut args = vec![command, "--url", &url];
        args.extend(case.more.iter().filter(|arg| **arg != "https"));
        if !case.more.contains(&"--model") {
            args.extend(["--model", "sim-chat"]);
        }
        if command == "sweep" {
            args.extend(["--out", "OUT"]);
        }
        let mut program = program();
        if let Some(key) = case.key {
            program.env("OPENAI_API_KEY", key);
        }
        let ran = run_with(program, &args);
        ran.ends(&[case.code]).says(case.says);
        assert!(!ran.out.exists(), "{}: a package was begun", case.name);
        assert_eq!(ran.stdout, "", "{}", case.name);
        for secret in ["hunter2", "sk-wrong"] {
            assert!(!ran.stderr.contains(secret), "{}: {}", case.name, ran.stderr);
        }
    }
}

#[test]
fn addresses_that_cannot_be_used() {
    for (url, says) in [
        ("10.0.0.5:8000/v1", &["starts with http:// or https://"][..]),
        ("ftp://h/v1", &["ftp", "http or https"]),
        ("http://user:hunter2@h/v1", &["user name or password", "--api-key-file"]),
        ("http://h/v1?key=hunter2", &["query or fragment", "up to and including /v1"]),
        ("http://h:99999/v1", &["http://host:8000/v1"]),
    ] {
        check(case(url, At::Address(url), 2, says));
    }
}

#[test]
fn services_that_are_not_there() {
    check(case("refused", At::Nobody, 5, &["reach the service", "refused", "is the service running"]));
    let says = &["resolve nowhere.invalid", "check the host name"];
    check(case("dns", At::Address("http://nowhere.invalid/v1"), 5, says));
    let ssh = vec![Step::write("SSH-2.0-OpenSSH_9.6\r\n"), Step::Hang];
    check(case("no HTTP", At::Script(ssh), 5, &["reach the service"]));
    check(case("closes at once", At::Script(vec![Step::WaitRequest]), 5, &["reach the service"]));
}

#[test]
fn credentials_that_do_not_let_in() {
    let says = &["be let in: status 401", "--api-key-env", "--api-key-file"];
    check(case("no key", keyed(), 5, says));
    check(Case { key: Some("sk-wrong-0123456789"), ..case("wrong key", keyed(), 5, says) });
    check(Case { key: Some(""), ..case("empty key", keyed(), 5, says) });
    let forbidden = always("403 Forbidden", "application/json", r#"{"error":{"message":"not for you"}}"#);
    check(case("403", At::Script(forbidden), 5, &["be let in: status 403: not for you"]));
}

#[test]
fn keys_and_certificates_that_cannot_be_read() {
    let with = |name, more, says| Case { more, ..case(name, simulated(SimConfig::fast()), 2, says) };
    check(with(
        "no key file",
        &["--api-key-file", "/no/such/key"],
        &["/no/such/key", "holds the key and nothing else"],
    ));
    check(with(
        "no variable",
        &["--api-key-env", "NO_SUCH_VARIABLE"],
        &["NO_SUCH_VARIABLE is not set", "export it"],
    ));
    let says = &["read certificates from /no/such/ca.pem", "PEM"];
    check(with("no certificates", &["--ca-file", "/no/such/ca.pem", "https"], says));
    let says = &["no certificate in it", "BEGIN CERTIFICATE"];
    check(with("empty certificates", &["--ca-file", "/dev/null", "https"], says));
    let missing = &["--client-cert", "/no/such/me.pem", "https"];
    check(with("no client certificate", missing, &["read certificates from /no/such/me.pem"]));
    let says = &["header x-key from its variable: no such variable is set", "export it"];
    check(with("no variable for a header", &["--header-env", "x-key=NO_SUCH_VARIABLE"], says));
    let says = &["it is NAME=VAR"];
    check(with("a value instead of a variable", &["--header-env", "x-key=sk-0123-4567"], says));
    check(with("no pair", &["--header-env", "x-key"], says));
    let says = &["send header \"content-length\""];
    check(with("a header of the client's own", &["--header-env", "content-length=PATH"], says));
    check(Case {
        key: Some("sk-wrong\n0123"),
        ..with("a key with a line break", &[], &["send the API key"])
    });
}

#[test]
fn services_that_refuse_this_kind_of_request() {
    let unknown = Case {
        more: &["--model", "gpt-9"],
        ..case(
            "model",
            simulated(SimConfig::fast()),
            5,
            &["find \"gpt-9\"", "404", "it lists sim-chat", "--model"],
        )
    };
    check(unknown);
    let json = |status, body| At::Script(always(status, "application/json", body));
    let missing = json("404 Not Found", r#"{"detail":"Not Found"}"#);
    check(case("no such path", missing, 5, &["/v1/chat/completions", "status 404", "check --url"]));
    let bad = json("400 Bad Request", r#"{"error":{"message":"no template"}}"#);
    check(case("400", bad, 5, &["status 400: no template", "refuses"]));
    let moved = json("301 Moved Permanently", "{}");
    check(case("redirect", moved, 5, &["status 301", "redirect", "--url"]));
}

#[test]
fn answers_that_are_no_stream() {
    let whole = r#"{"choices":[{"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}"#;
    let json = At::Script(always("200 OK", "application/json", whole));
    check(case("a whole answer", json, 5, &["get a stream", "no first token to measure"]));
    check(case("a page", simulated(faulty(FaultKind::HtmlPage)), 5, &["get a stream", "proxy"]));
}

#[cfg(target_os = "linux")]
#[test]
fn a_limit_on_open_files_is_told_of_before_anything_is_sent() {
    let service = sim(SimConfig::fast());
    let url = service.base_url();
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "ulimit -n 100; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_acceptbench")]);
    let ran = run_with(shell, &sweep_args(&url, &["--tiers", "1,64", "--requests", "64"]));
    ran.ends(&[2]).says(&["hold 64 connections", "100 files", "`ulimit -n 128`"]);
    assert!(service.truth().is_empty());
    assert!(!ran.out.exists());
}

#[test]
fn a_service_that_does_not_speak_http2_is_told_of() {
    let service = sim(SimConfig::fast());
    let ran = run_with(program(), &sweep_args(&service.base_url(), &["--http", "2"]));
    ran.ends(&[5]).says(&["speak HTTP/2 with 127.0.0.1", "--http 1.1"]);
}
