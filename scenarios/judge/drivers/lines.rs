//! The driver's half of the line protocol (docs/judge.md) for Rust: one JSON object a line, on stdin and stdout.
use anyhow::Result;
use serde_json::{Value, json};
use std::collections::HashMap;
use tokio::io::{AsyncBufReadExt, BufReader, stdin};
use tokio::sync::oneshot;

/// Resolves when a call is cancelled.
pub type Cancelled = oneshot::Receiver<()>;

/// Says hello and answers orders until stdin ends; an error of `take` is an answer, too. The judge gives the crate of a
/// driver the version of its host.
#[tokio::main]
pub async fn drive<Taken>(name: &str, can: &[&str], take: fn(Value, Cancelled) -> Taken) -> Result<()>
where
    Taken: Future<Output = Result<Value>> + Send + 'static,
{
    let version = env!("CARGO_PKG_VERSION");
    println!("{}", json!({ "hello": { "name": name, "version": version, "pid": std::process::id(), "can": can } }));
    let mut lines = BufReader::new(stdin()).lines();
    let mut running = HashMap::new();
    while let Some(line) = lines.next_line().await? {
        let order: Value = serde_json::from_str(&line)?;
        let id = order["id"].clone();
        let (cancel, cancelled) = oneshot::channel();
        running.insert(id.clone(), cancel);
        if let Some(call) = running.remove(&order["of"]) {
            let _ = call.send(());
        }
        let taken = take(order, cancelled);
        tokio::spawn(async move {
            let mut answer = taken.await.unwrap_or_else(|error| json!({ "error": format!("{error:#}") }));
            answer["ok"] = answer["error"].is_null().into();
            answer["id"] = id;
            println!("{answer}");
        });
    }
    std::process::exit(0)
}

/// Converts a `CallToolResult` to an answer of the line protocol.
pub fn told(result: &Value) -> Value {
    let contents = result["content"].as_array().into_iter().flatten();
    let text: String = contents.filter_map(|content| content["text"].as_str()).collect();
    let start: String = text.chars().take(300).collect();
    json!({ "text": start, "bytes": text.len(), "isError": result["isError"] == true })
}
