//! Links that mails carry (WEB-030 `/unsubscribe`, `/password`), and the page that has one mailed (`/login/mail`): a page with one button, and what the button does. No
//! session and no cookie: the token is the proof, so that a mail program may press the button (RFC 8058).

use super::Served;
use axum::extract::{Form, Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A link that was followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Link {
    /// `/unsubscribe/<token>`; whether the button was pressed.
    Unsubscribe(String, bool),
    /// `/password/<token>`; the password that was sent.
    Password(String, Option<String>),
    /// `/login/mail`; the seat whose holder wants a new password.
    Forgotten(Option<String>),
}

/// Status and page.
pub type Answer = (u16, Vec<u8>);

/// Follows links.
pub type Links = Arc<dyn Fn(Link) -> Answer + Send + Sync>;

async fn follow(served: Served, link: Link) -> Response {
    let links = Arc::clone(&served.links);
    // It takes locks and writes: not on a thread that serves others.
    let answer = tokio::task::spawn_blocking(move || links(link)).await;
    let (status, page) = answer.unwrap_or_else(|_| (500, Vec::new()));
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CACHE_CONTROL, "no-store")];
    (status, headers, page).into_response()
}

pub(super) async fn see_unsubscribe(State(served): State<Served>, Path(token): Path<String>) -> Response {
    follow(served, Link::Unsubscribe(token, false)).await
}

/// The body is not asked: the post itself is the click.
pub(super) async fn unsubscribe(State(served): State<Served>, Path(token): Path<String>) -> Response {
    follow(served, Link::Unsubscribe(token, true)).await
}

pub(super) async fn see_password(State(served): State<Served>, Path(token): Path<String>) -> Response {
    follow(served, Link::Password(token, None)).await
}

pub(super) async fn password(
    State(served): State<Served>,
    Path(token): Path<String>,
    Form(fields): Form<BTreeMap<String, String>>,
) -> Response {
    let new = fields.get("password").cloned().unwrap_or_default();
    follow(served, Link::Password(token, Some(new))).await
}

pub(super) async fn see_forgotten(State(served): State<Served>) -> Response {
    follow(served, Link::Forgotten(None)).await
}

pub(super) async fn forgotten(State(served): State<Served>, Form(fields): Form<BTreeMap<String, String>>) -> Response {
    follow(served, Link::Forgotten(Some(fields.get("seat").cloned().unwrap_or_default()))).await
}
