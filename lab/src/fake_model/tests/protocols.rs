//! Tests of the protocols other than Anthropic's, which the server tests use.

use serde_json::{Value, json};

use super::{Connection, HttpAnswer};
use crate::fake_model::{FakeModel, PromptPart, RecordedRequest, ScriptPosition, ToolResult};
use crate::scenario::{Scenario, ScriptedCall, Step};
use crate::tools::ToolTable;

fn start(client: &str, steps: impl IntoIterator<Item = Step>) -> FakeModel {
    let tools = ToolTable::of(client).unwrap();
    let work = std::path::Path::new("/scratch/work");
    FakeModel::start(&Scenario::new(steps), &tools, work).unwrap()
}

fn post(model: &FakeModel, path: &str, body: &Value) -> HttpAnswer {
    Connection::open(model).post(path, &body.to_string())
}

/// The data of unnamed events, without OpenAI's end marker.
fn data(answer: &HttpAnswer) -> Vec<Value> {
    let events = answer.body.split_terminator("\n\n");
    events
        .map(|event| event.strip_prefix("data: ").unwrap())
        .filter(|data| *data != "[DONE]")
        .map(|data| serde_json::from_str(data).unwrap())
        .collect()
}

fn last(model: &FakeModel) -> RecordedRequest {
    model.requests().pop().unwrap()
}

fn position(model: &FakeModel) -> ScriptPosition {
    last(model).exchange().unwrap().position
}

fn results(model: &FakeModel) -> Vec<ToolResult> {
    last(model).exchange().unwrap().conversation.results.clone()
}

fn result(id: &str, text: &str, is_error: bool) -> ToolResult {
    ToolResult {
        id: id.to_owned(),
        text: text.to_owned(),
        is_error,
    }
}

mod chat {
    use super::*;

    const PATH: &str = "/v1/chat/completions";

    fn body(messages: &Value) -> Value {
        let tools = json!([{"type": "function", "function": {"name": "run_shell_command"}}]);
        json!({"model": "m", "tools": tools, "messages": messages})
    }

    fn two_calls() -> FakeModel {
        let both = [
            ScriptedCall::shell("echo a"),
            ScriptedCall::read("${WORK}/a.txt"),
        ];
        start("qwen", [Step::calls(both), Step::say("Done.")])
    }

    #[test]
    fn complete_answer_is_rendered() {
        let model = two_calls();
        let answer = post(
            &model,
            PATH,
            &body(&json!([{"role": "user", "content": "go"}])),
        );
        let choice = &answer.json()["choices"][0];
        assert_eq!(choice["finish_reason"], "tool_calls");
        let calls = choice["message"]["tool_calls"].as_array().unwrap();
        let names = calls.iter().map(|call| &call["function"]["name"]);
        assert_eq!(
            names.collect::<Vec<_>>(),
            ["run_shell_command", "read_file"]
        );
        let arguments = calls[1]["function"]["arguments"].as_str().unwrap();
        let arguments: Value = serde_json::from_str(arguments).unwrap();
        assert_eq!(arguments, json!({"file_path": "/scratch/work/a.txt"}));
        assert_ne!(calls[0]["id"], calls[1]["id"]);
    }

    #[test]
    fn answer_is_streamed_on_request() {
        let model = two_calls();
        let mut body = body(&json!([{"role": "user", "content": "go"}]));
        body["stream"] = true.into();
        let answer = post(&model, PATH, &body);
        assert!(answer.body.ends_with("data: [DONE]\n\n"), "{}", answer.body);
        let chunks = data(&answer);
        let deltas = chunks.iter().map(|chunk| &chunk["choices"][0]["delta"]);
        let indexes = deltas.filter_map(|delta| delta["tool_calls"][0]["index"].as_u64());
        assert_eq!(indexes.collect::<Vec<_>>(), [0, 1]);
        let finish = chunks.iter().map(|it| &it["choices"][0]["finish_reason"]);
        let finish: Vec<_> = finish.filter(|it| it.is_string()).collect();
        assert_eq!(finish, ["tool_calls"]);
        assert_eq!(chunks.last().unwrap()["usage"]["total_tokens"], 120);
    }

    #[test]
    fn conversation_is_parsed() {
        let model = two_calls();
        let messages = json!([
            {"role": "system", "content": "SYSTEM_MARK"},
            {"role": "developer", "content": [{"type": "text", "text": "DEVELOPER_MARK"}]},
            {"role": "user", "content": [{"type": "text", "text": "aside"}, {"type": "text", "text": "USER_MARK"}]},
            {"role": "assistant", "content": "Looking."},
            {"role": "assistant", "content": null, "tool_calls": [{"id": "one"}]},
            {"role": "tool", "tool_call_id": "one", "content": "RESULT_MARK"},
        ]);
        let answer = post(&model, PATH, &body(&messages));
        let said = &answer.json()["choices"][0]["message"]["content"];
        assert_eq!(said, "Done.");
        assert_eq!(position(&model), ScriptPosition::Step(1));
        assert_eq!(results(&model), [result("one", "RESULT_MARK", false)]);
        let recorded = last(&model);
        let conversation = &recorded.exchange().unwrap().conversation;
        assert_eq!(conversation.user, ["aside", "USER_MARK"]);
        assert_eq!(conversation.system, "SYSTEM_MARK\nDEVELOPER_MARK");
        assert_eq!(conversation.tools, ["run_shell_command"]);
    }

    #[test]
    fn side_request_for_json_gets_json() {
        let model = two_calls();
        let format = json!({"type": "json_object"});
        let body =
            json!({"messages": [{"role": "user", "content": "title?"}], "response_format": format});
        let answer = post(&model, PATH, &body);
        let said = answer.json()["choices"][0]["message"]["content"].clone();
        let said: Value = serde_json::from_str(said.as_str().unwrap()).unwrap();
        assert!(said.is_object(), "{said}");
        assert_eq!(position(&model), ScriptPosition::Side);
    }

    #[test]
    fn error_uses_the_protocols_format() {
        let model = start(
            "qwen",
            [Step::fail(429, "rate_limit_exceeded", "slow down")],
        );
        let answer = post(&model, PATH, &body(&json!([])));
        assert_eq!(answer.status, 429);
        assert_eq!(answer.json()["error"]["message"], "slow down");
        assert_eq!(answer.json()["error"]["code"], "rate_limit_exceeded");
    }
}

mod responses {
    use super::*;

    const PATH: &str = "/v1/responses";

    fn body(input: &Value) -> Value {
        let tools = json!([{"type": "function", "name": "exec_command"}, {"type": "web_search"}]);
        json!({"model": "m", "instructions": "INSTRUCTIONS_MARK", "tools": tools, "input": input})
    }

    fn message(role: &str, text: &str) -> Value {
        json!({"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]})
    }

    fn model() -> FakeModel {
        let patch = ScriptedCall::write("${WORK}/a.txt", "one\ntwo");
        start(
            "codex",
            [
                Step::calls([ScriptedCall::shell("echo a"), patch]),
                Step::say("Done."),
            ],
        )
    }

    #[test]
    fn functions_and_free_form_tools_use_their_call_types() {
        let model = model();
        let answer = post(&model, PATH, &body(&json!([message("user", "go")])));
        let output = &answer.json()["output"];
        assert_eq!(output[0]["type"], "function_call");
        assert_eq!(output[0]["arguments"], r#"{"cmd":"echo a"}"#);
        assert_eq!(output[1]["type"], "custom_tool_call");
        let patch =
            "*** Begin Patch\n*** Add File: /scratch/work/a.txt\n+one\n+two\n*** End Patch\n";
        assert_eq!(output[1]["input"], patch);
    }

    #[test]
    fn answer_is_streamed_item_by_item() {
        let model = model();
        let mut body = body(&json!([message("user", "go")]));
        body["stream"] = true.into();
        let events = post(&model, PATH, &body).events();
        let names = events.iter().map(|event| event["type"].as_str().unwrap());
        let item = ["response.output_item.added", "response.output_item.done"];
        let expected = [
            &["response.created"],
            &item[..],
            &item,
            &["response.completed"],
        ]
        .concat();
        assert_eq!(names.collect::<Vec<_>>(), expected);
        let whole = &events.last().unwrap()["response"];
        assert_eq!(whole["status"], "completed");
        assert_eq!(whole["output"][1], events[4]["item"]);
    }

    #[test]
    fn text_is_streamed_as_a_message() {
        let model = start("codex", [Step::say("Hello.")]);
        let mut body = body(&json!("go"));
        body["stream"] = true.into();
        let events = post(&model, PATH, &body).events();
        assert_eq!(events[2]["delta"], "Hello.");
        assert_eq!(events[3]["item"]["content"][0]["text"], "Hello.");
    }

    #[test]
    fn answer_of_several_items_counts_once() {
        let model = model();
        let opening = message("user", "go");
        let first = post(&model, PATH, &body(&json!([opening]))).json();
        let call = |index: usize| first["output"][index].clone();
        let output = |index: usize, kind: &str, text: &str| json!({"type": kind, "call_id": call(index)["call_id"], "output": text});
        let input = json!([
            message("developer", "DEVELOPER_MARK"),
            opening,
            message("assistant", "Let me see."),
            {"type": "reasoning", "summary": []},
            call(0),
            message("developer", "from a hook"),
            output(0, "function_call_output", "a"),
            call(1),
            output(1, "custom_tool_call_output", "written"),
        ]);
        post(&model, PATH, &body(&input));
        assert_eq!(position(&model), ScriptPosition::Step(1));
        let texts: Vec<_> = results(&model).into_iter().map(|it| it.text).collect();
        assert_eq!(texts, ["a", "written"]);
        let recorded = last(&model);
        let conversation = &recorded.exchange().unwrap().conversation;
        assert_eq!(conversation.tools, ["exec_command", "web_search"]);
        for mark in ["INSTRUCTIONS_MARK", "DEVELOPER_MARK"] {
            let told = super::super::marker_sightings(std::slice::from_ref(&recorded), mark);
            assert_eq!(told[0].place, PromptPart::System, "{mark}");
        }
        let mut further = input.as_array().unwrap().clone();
        further.extend([message("assistant", "Done."), message("user", "more")]);
        post(&model, PATH, &body(&further.into()));
        assert_eq!(position(&model), ScriptPosition::After(2));
    }
}

mod gemini {
    use super::*;

    const WHOLE: &str = "/v1beta/models/gemini-2.5-pro:generateContent";
    const STREAM: &str = "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse";

    fn body(contents: &Value) -> Value {
        let tools = json!([{"functionDeclarations": [{"name": "run_shell_command"}]}]);
        let system = json!({"role": "user", "parts": [{"text": "SYSTEM_MARK"}]});
        json!({"contents": contents, "tools": tools, "systemInstruction": system})
    }

    fn model() -> FakeModel {
        start("gemini", [Step::shell("echo a"), Step::say("Done.")])
    }

    #[test]
    fn path_selects_a_complete_or_streamed_answer() {
        let model = model();
        let asked = body(&json!([{"role": "user", "parts": [{"text": "go"}]}]));
        let whole = post(&model, WHOLE, &asked).json();
        let streamed = data(&post(&model, STREAM, &asked));
        assert_eq!(streamed.len(), 1);
        for answer in [&whole, &streamed[0]] {
            let call = &answer["candidates"][0]["content"]["parts"][0]["functionCall"];
            assert_eq!(call["name"], "run_shell_command");
            assert_eq!(call["args"]["command"], "echo a");
            assert_eq!(answer["modelVersion"], "gemini-2.5-pro");
        }
    }

    #[test]
    fn tool_results_and_errors_are_distinguished() {
        let model = model();
        let response = |id: &str, given: Value| json!({"functionResponse": {"id": id, "name": "x", "response": given}});
        let contents = json!([
            {"role": "user", "parts": [{"text": "aside"}, {"text": "go"}]},
            {"role": "model", "parts": [{"functionCall": {}}]},
            {"role": "user", "parts": [
                response("one", json!({"output": "fine"})),
                response("two", json!({"error": "blocked"})),
                response("three", json!({"rows": 3})),
            ]},
        ]);
        let answer = post(&model, WHOLE, &body(&contents)).json();
        let said = &answer["candidates"][0]["content"]["parts"][0]["text"];
        assert_eq!(said, "Done.");
        let expected = [
            result("one", "fine", false),
            result("two", "blocked", true),
            result("three", r#"{"rows":3}"#, false),
        ];
        assert_eq!(results(&model), expected);
        let recorded = last(&model);
        let conversation = &recorded.exchange().unwrap().conversation;
        assert_eq!(conversation.user, ["aside", "go"]);
        assert_eq!(conversation.system, "SYSTEM_MARK");
    }

    #[test]
    fn token_count_is_answered_and_other_methods_are_not_routed() {
        let model = model();
        let count = post(&model, "/v1beta/models/m:countTokens", &json!({}));
        assert_eq!(count.json()["totalTokens"], 100);
        post(&model, "/v1beta/models/m:embedContent", &json!({}));
        assert!(model.requests().iter().all(|it| it.exchange().is_none()));
    }

    #[test]
    fn error_uses_the_protocols_format() {
        let model = start("gemini", [Step::fail(400, "INVALID_ARGUMENT", "no")]);
        let answer = post(&model, STREAM, &body(&json!([])));
        assert_eq!(answer.status, 400);
        let expected = json!({"code": 400, "message": "no", "status": "INVALID_ARGUMENT"});
        assert_eq!(answer.json()["error"], expected);
    }
}
