//! Links of the old judge (web.md B13). A password in one is neither used nor repeated.

use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

/// Where an old link leads, if it is one.
pub fn answer(uri: &Uri) -> Option<Response> {
    let path = uri.path();
    if path == "/" || path == "/index.cgi" {
        let query = uri.query().filter(|q| q.contains('='));
        let Some(query) = query else { return (path == "/index.cgi").then(|| moved("/")) };
        let field = |name: &str| {
            let mut pairs = query.split('&').filter_map(|p| p.split_once('='));
            pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
        };
        if let Some(game) = field("game") {
            let game = name(game)?;
            let to = format!("/game/{game}/");
            // A seat asks for a sign-in: that answer may change, so it is not for ever.
            return Some(if field("power").is_some() { found(&to) } else { moved(&to) });
        }
        if let Some(variant) = field("variant") {
            return Some(moved(&format!("/games/{}.html", name(variant)?)));
        }
        let page = field("page")?;
        if let Some(map) = page.strip_prefix("about_") {
            return Some(moved(&format!("/maps/{}.html", name(map)?)));
        }
        let to = match page {
            "Rules" => "/rules.html",
            "Email" | "Format" => "/commands.html",
            "About" | "Policies" | "Questions" | "Tips" | "Status" | "Map" => "/about.html",
            _ => return None,
        };
        return Some(moved(to));
    }
    let file = path.strip_prefix("/maps/")?;
    if let Some(game) = file.strip_suffix("_.gif").or_else(|| file.strip_suffix(".pdf")) {
        return Some(moved(&format!("/game/{}/", name(game)?)));
    }
    let game = name(file.strip_suffix(".gif")?)?;
    Some(moved(&format!("/game/{game}/m/now.svg")))
}

/// A name as it may stand in a path.
fn name(text: &str) -> Option<String> {
    let good = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    (!text.is_empty() && text.len() <= 32 && text.bytes().all(good)).then(|| text.to_ascii_lowercase())
}

fn moved(to: &str) -> Response {
    (StatusCode::MOVED_PERMANENTLY, [(header::LOCATION, to.to_string())]).into_response()
}

fn found(to: &str) -> Response {
    (StatusCode::FOUND, [(header::LOCATION, to.to_string())]).into_response()
}
