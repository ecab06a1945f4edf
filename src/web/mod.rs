//! The web server: hands out the published tree, says how the judge is, and sends old links where their pages are now
//! (web.md B4, B5, B13). It reads; nothing a visitor does here changes a game, but for the links that mails carry.

mod headers;
mod links;
mod old_links;
mod tree;

pub use links::{Answer, Link, Links};

use crate::clerk::Condition;
use axum::Router;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::collections::BTreeMap;
use std::future::Future;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tower_http::limit::RequestBodyLimitLayer;
use tower_http::timeout::TimeoutLayer;

/// Says how the judge is; asked by `/healthz` and `/metrics`.
pub type Health = Arc<dyn Fn() -> Condition + Send + Sync>;

/// Longest answer (WEB-042).
const PATIENCE: Duration = Duration::from_secs(30);
/// Largest body (WEB-031).
const BODY: usize = 256 * 1024;

#[derive(Clone)]
struct Served {
    web: Arc<PathBuf>,
    health: Health,
    links: Links,
    answers: Arc<Mutex<BTreeMap<u16, u64>>>,
}

/// The routes over a published tree.
pub fn router(web: PathBuf, health: Health, links: Links) -> Router {
    let served = Served { web: Arc::new(web), health, links, answers: Arc::default() };
    Router::new()
        .route("/healthz", get(healthz))
        .route("/metrics", get(metrics))
        .route("/unsubscribe/{token}", get(links::see_unsubscribe).post(links::unsubscribe))
        .route("/password/{token}", get(links::see_password).post(links::password))
        .route("/login/mail", get(links::see_forgotten).post(links::forgotten))
        .fallback(page)
        .layer(middleware::from_fn_with_state(served.clone(), count))
        .layer(middleware::from_fn(headers::add))
        .layer(TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, PATIENCE))
        .layer(RequestBodyLimitLayer::new(BODY))
        .with_state(served)
}

/// Serves until the word to stop is given; requests in hand are finished.
pub async fn serve(
    listener: tokio::net::TcpListener,
    router: Router,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    axum::serve(listener, service).with_graceful_shutdown(shutdown).await
}

async fn count(State(served): State<Served>, request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    if let Ok(mut answers) = served.answers.lock() {
        *answers.entry(response.status().as_u16()).or_default() += 1;
    }
    response
}

async fn page(State(served): State<Served>, request: Request) -> Response {
    if let Some(redirect) = old_links::answer(request.uri()) {
        return redirect;
    }
    let (parts, _) = request.into_parts();
    tree::answer(&served.web, &parts.method, parts.uri.path(), &parts.headers).await
}

/// Whether the request comes from this machine, and not through a proxy on it (B5: loopback only).
fn is_local(request: &Request) -> bool {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let forwarded =
        |headers: &HeaderMap| headers.contains_key(header::FORWARDED) || headers.contains_key("x-forwarded-for");
    peer.is_some_and(|ConnectInfo(peer)| peer.ip().to_canonical().is_loopback()) && !forwarded(request.headers())
}

async fn ask(served: &Served) -> Condition {
    let health = Arc::clone(&served.health);
    // It reads directories: not on a thread that serves others.
    tokio::task::spawn_blocking(move || health()).await.unwrap_or_else(|error| Condition {
        troubles: vec![format!("the judge could not be asked: {error}")],
        ..Condition::default()
    })
}

async fn healthz(State(served): State<Served>, request: Request) -> Response {
    if !is_local(&request) {
        return tree::missing(&served.web).await;
    }
    let condition = ask(&served).await;
    let body = condition.report();
    let status = if condition.is_well() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    (status, headers, format!("{body}\n")).into_response()
}

async fn metrics(State(served): State<Served>, request: Request) -> Response {
    if !is_local(&request) {
        return tree::missing(&served.web).await;
    }
    let condition = ask(&served).await;
    let mut text = String::new();
    let mut told = "";
    for (name, value) in &condition.numbers {
        // Labels are part of the name: chancery_games{state="active"}.
        let family = name.split('{').next().unwrap_or(name);
        if family != told {
            let kind = if family.ends_with("_total") { "counter" } else { "gauge" };
            text += &format!("# TYPE {family} {kind}\n");
            told = family;
        }
        text += &format!("{name} {value}\n");
    }
    text += "# TYPE chancery_http_requests_total counter\n";
    if let Ok(answers) = served.answers.lock() {
        for (code, count) in answers.iter() {
            text += &format!("chancery_http_requests_total{{code=\"{code}\"}} {count}\n");
        }
    }
    text += &format!("# TYPE chancery_healthy gauge\nchancery_healthy {}\n", u8::from(condition.troubles.is_empty()));
    let headers =
        [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8"), (header::CACHE_CONTROL, "no-store")];
    (headers, text).into_response()
}
