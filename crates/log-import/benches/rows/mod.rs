//! The rows of the cases.

/// A log.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) format: &'static str,
    pub(crate) map: &'static [(&'static str, &'static str)],
    row: fn(u64) -> String,
}

/// Different rows of a case.
const ROWS: u64 = 5000;

impl Case {
    /// Some thousand rows.
    pub(crate) fn piece(&self) -> Vec<u8> {
        let mut piece = String::new();
        for at in 0..ROWS {
            piece.push_str(&(self.row)(at));
            piece.push('\n');
        }
        piece.into_bytes()
    }
}

pub(crate) fn cases() -> [Case; 5] {
    let case = |name, row| Case { name, format: name, map: &[], row };
    [
        Case {
            name: "jsonl",
            format: "jsonl",
            map: &[
                ("timestamp", "time"),
                ("input_tokens", "usage.prompt_tokens"),
                ("output_tokens", "usage.completion_tokens"),
                ("caller", "user"),
                ("session", "conversation"),
                ("duration", "latency"),
                ("status", "status"),
                ("stream", "stream"),
                ("model", "model"),
            ],
            row: mapped,
        },
        case("litellm", litellm),
        case("new-api", new_api),
        case("higress", higress),
        case("nginx-json", nginx),
    ]
}

/// Numbers without a pattern.
fn mixed(at: u64, salt: u64, below: u64) -> u64 {
    (at.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(salt.wrapping_mul(1_442_695_040_888_963_407))
        >> 33)
        % below
}

fn mapped(at: u64) -> String {
    format!(
        r#"{{"id":"req-{at:08x}","time":"2026-11-19T{:02}:{:02}:{:02}.{:06}+08:00","host":"gw-1","level":"info","user":"user-{}","conversation":"conv-{}","model":"qwen3-32b","stream":{},"status":200,"latency":{}.{:03},"usage":{{"prompt_tokens":{},"completion_tokens":{},"total_tokens":0}},"message":"request completed","upstream":"http://203.0.113.9:8000","trace":"{:032x}"}}"#,
        mixed(at, 1, 24),
        mixed(at, 2, 60),
        mixed(at, 3, 60),
        mixed(at, 4, 1_000_000),
        mixed(at, 5, 500),
        mixed(at, 6, 5000),
        !at.is_multiple_of(3),
        mixed(at, 7, 40),
        mixed(at, 8, 1000),
        1 + mixed(at, 9, 8000),
        1 + mixed(at, 10, 2000),
        u128::from(at) * 0x9e37_79b9_7f4a_7c15,
    )
}

fn litellm(at: u64) -> String {
    format!(
        r#"{{"request_id":"chatcmpl-{at:08x}","call_type":"acompletion","api_key":"{:064x}","spend":0.004445,"total_tokens":1142,"prompt_tokens":{},"completion_tokens":{},"startTime":"2026-11-19T{:02}:{:02}:10.{:06}Z","endTime":"2026-11-19T{:02}:{:02}:25.{:06}Z","request_duration_ms":null,"completionStartTime":"2026-11-19T{:02}:{:02}:11.640000Z","model":"azure/gpt-4o","model_id":"demo-model-id","model_group":"gpt-4o","custom_llm_provider":"azure","api_base":"https://demo.example.com/","user":"user-{}","metadata":{{"user_api_key_alias":"demo-alias","user_api_key_team_id":"team-demo","status":"success","additional_usage_values":{{"prompt_tokens_details":{{"cached_tokens":0}}}}}},"cache_hit":"False","cache_key":"Cache OFF","request_tags":["User-Agent: demo"],"team_id":"team-{}","end_user":"enduser-1","requester_ip_address":"198.51.100.1","messages":{{}},"response":{{}},"session_id":"sess-{}","status":"success"}}"#,
        at % 200,
        1 + mixed(at, 1, 8000),
        1 + mixed(at, 2, 2000),
        mixed(at, 3, 24),
        mixed(at, 4, 60),
        mixed(at, 5, 1_000_000),
        mixed(at, 3, 24),
        mixed(at, 4, 60),
        mixed(at, 6, 1_000_000),
        mixed(at, 3, 24),
        mixed(at, 4, 60),
        mixed(at, 7, 500),
        mixed(at, 8, 20),
        mixed(at, 9, 5000),
    )
}

fn new_api(at: u64) -> String {
    format!(
        r#"{{"id":{at},"user_id":11,"created_at":{},"type":2,"content":"","username":"user_{}","token_name":"token-{}","model_name":"qwen3-32b","quota":820,"prompt_tokens":{},"completion_tokens":{},"use_time":{},"is_stream":true,"channel":3,"channel_name":"demo-channel","token_id":111,"group":"default","ip":"192.0.2.11","other":"{{\"model_ratio\": 1, \"group_ratio\": 1, \"completion_ratio\": 4, \"cache_tokens\": 0, \"cache_ratio\": 1, \"model_price\": -1, \"user_group_ratio\": -1, \"frt\": {}, \"request_path\": \"/v1/chat/completions\", \"admin_info\": {{\"use_channel\": [\"3\"]}}, \"stream_status\": {{\"status\": \"ok\", \"end_reason\": \"done\"}}}}"}}"#,
        1_795_050_000 + mixed(at, 1, 86_400),
        mixed(at, 2, 500),
        mixed(at, 3, 500),
        1 + mixed(at, 4, 8000),
        1 + mixed(at, 5, 2000),
        1 + mixed(at, 6, 60),
        200 + mixed(at, 7, 700),
    )
}

fn higress(at: u64) -> String {
    format!(
        r#"{{"ai_log":"{{\"chat_id\":\"chat_{}\",\"response_type\":\"stream\",\"model\":\"qwen-turbo\",\"input_token\":{},\"output_token\":{},\"llm_first_token_duration\":{},\"llm_service_duration\":{}}}","authority":"gw.example.com","bytes_received":"1830","bytes_sent":"40211","downstream_local_address":"203.0.113.1:80","downstream_remote_address":"192.0.2.7:53214","duration":"{}","istio_policy_status":"-","method":"POST","path":"/v1/chat/completions","protocol":"HTTP/1.1","request_id":"{at:08x}-demo","requested_server_name":"-","response_code":"200","response_flags":"-","route_name":"ai-route-demo.internal","start_time":"2026-11-19T{:02}:{:02}:00.{:03}Z","trace_id":"-","upstream_cluster":"outbound|443||llm-demo.internal.dns","upstream_host":"203.0.113.9:443","upstream_local_address":"203.0.113.1:40112","upstream_service_time":"309","upstream_transport_failure_reason":"-","user_agent":"demo-agent/1.0","x_forwarded_for":"192.0.2.{}","response_code_details":"via_upstream"}}"#,
        mixed(at, 1, 5000),
        1 + mixed(at, 2, 8000),
        1 + mixed(at, 3, 2000),
        100 + mixed(at, 4, 500),
        1000 + mixed(at, 5, 9000),
        12_000 + mixed(at, 6, 9000),
        mixed(at, 7, 24),
        mixed(at, 8, 60),
        mixed(at, 9, 1000),
        mixed(at, 10, 250),
    )
}

fn nginx(at: u64) -> String {
    format!(
        r#"{{"time":"2026-11-19T09:00:05+08:00","msec":"{}.{:03}","remote_addr":"192.0.2.{}","request_method":"POST","uri":"/v1/chat/completions","status":"200","request_length":1823,"bytes_sent":"40211","request_time":"{}.{:03}","upstream_response_time":"5.131","upstream_header_time":"0.004","upstream_addr":"203.0.113.9:8000","http_authorization":"Bearer sk-demo-not-a-key-{}","http_user_agent":"demo","request_id":"{:032x}"}}"#,
        1_795_050_000 + mixed(at, 1, 86_400),
        mixed(at, 2, 1000),
        mixed(at, 3, 250),
        mixed(at, 4, 60),
        mixed(at, 5, 1000),
        mixed(at, 6, 100),
        u128::from(at) * 0x9e37_79b9_7f4a_7c15,
    )
}
