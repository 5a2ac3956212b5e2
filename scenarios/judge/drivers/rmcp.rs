//! Drives a client of rmcp, the Rust SDK of MCP, for each server.
mod lines;
use anyhow::{Context, Result, bail};
use rmcp::model::{CallToolRequest, CancelledNotificationParam, ClientRequest, ServerResult};
use rmcp::service::{PeerRequestOptions, RoleClient, RunningService, ServiceExt};
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use serde_json::{Value, from_value, json};
use std::{collections::HashMap, sync::LazyLock, time::Duration};
use tokio::{process::Command, select, sync::Mutex, task::JoinSet};

type Clients = Mutex<HashMap<String, RunningService<RoleClient, ()>>>;
static CLIENTS: LazyLock<Clients> = LazyLock::new(Clients::default);
async fn open((name, server): (String, Value)) -> Result<()> {
    let client = if let Some(url) = server["url"].as_str() {
        ().serve(StreamableHttpClientTransport::from_uri(url)).await?
    } else {
        let mut command = Command::new(server["command"].as_str().context("no command")?);
        command.args(from_value::<Vec<String>>(server["args"].clone())?);
        command.envs(from_value::<HashMap<String, String>>(server["env"].clone())?);
        ().serve(TokioChildProcess::new(command)?).await?
    };
    Ok(drop(CLIENTS.lock().await.insert(name, client)))
}
async fn call(order: Value, cancelled: lines::Cancelled) -> Result<Value> {
    let name = order["server"].as_str().unwrap_or_default();
    let client = CLIENTS.lock().await.get(name).context("it has not started")?.peer().clone();
    let params = from_value(json!({ "name": order["tool"], "arguments": order["args"] }))?;
    let mut options = PeerRequestOptions::no_options();
    options.timeout = order["timeoutMs"].as_u64().or(order["idleMs"].as_u64()).map(Duration::from_millis);
    options.reset_timeout_on_progress = order["idleMs"].is_u64();
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
    let handle = client.send_request_with_option(request, options).await?;
    let id = Some(handle.id.clone());
    let answer = select! {
        answer = handle.await_response() => answer?,
        Ok(()) = cancelled => bail!("cancelled, {:?}", client.notify_cancelled(CancelledNotificationParam::new(id, None)).await),
    };
    let ServerResult::CallToolResult(result) = answer else { bail!("the answer is no result") };
    Ok(lines::told(&json!(result)))
}
async fn take(order: Value, cancelled: lines::Cancelled) -> Result<Value> {
    match order["do"].as_str().unwrap_or_default() {
        "start" => {
            let servers: HashMap<String, Value> = from_value(order["servers"].clone())?;
            for opened in servers.into_iter().map(open).collect::<JoinSet<_>>().join_all().await { opened?; }
        }
        "call" => return call(order, cancelled).await,
        "stop" => for client in CLIENTS.lock().await.values_mut() { client.close().await?; },
        _ => {
            let peers: Vec<_> = CLIENTS.lock().await.values().map(|client| client.peer().clone()).collect();
            let mut tools = Vec::new();
            for peer in peers { tools.extend(peer.list_all_tools().await?); }
            return Ok(json!({ "tools": tools.iter().map(|tool| &tool.name).collect::<Vec<_>>() }));
        }
    }
    Ok(json!({}))
}
fn main() -> Result<()> {
    lines::drive("rmcp (Rust)", &["timeout", "cancel", "http", "idle"], take)
}
