//! Files of the published tree (WEB-023): types, cache times, ETags, conditional requests. Names that begin with a dot
//! (markers, drafts) are not served, and no path leads out of the tree.

use crate::hex::hex;
use axum::body::Body;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// Answers with a file.
pub async fn answer(web: &Path, method: &Method, path: &str, asked: &HeaderMap) -> Response {
    if method != Method::GET && method != Method::HEAD {
        return (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, "GET, HEAD")], "").into_response();
    }
    let Some(names) = names(path) else { return missing(web).await };
    let mut file: PathBuf = names.iter().fold(web.to_owned(), |at, name| at.join(name));
    let Ok(mut facts) = tokio::fs::metadata(&file).await else { return missing(web).await };
    if facts.is_dir() {
        file = file.join("index.html");
        let Ok(inside) = tokio::fs::metadata(&file).await else { return missing(web).await };
        if !path.ends_with('/') {
            let to = format!("/{}/", names.join("/"));
            return (StatusCode::MOVED_PERMANENTLY, [(header::LOCATION, to)]).into_response();
        }
        facts = inside;
    } else if path.ends_with('/') {
        return missing(web).await;
    }
    let Ok(bytes) = tokio::fs::read(&file).await else { return missing(web).await };
    let extension = file.extension().and_then(|e| e.to_str()).unwrap_or("");
    let hashed = names.first().is_some_and(|n| n == "assets");
    let etag = etag(&bytes);
    let modified: Option<DateTime<Utc>> = facts.modified().ok().map(Into::into);
    let mut headers = HeaderMap::new();
    let mut put = |name, value: String| {
        if let Ok(value) = value.parse() {
            headers.insert(name, value);
        }
    };
    put(header::CONTENT_TYPE, kind(extension).into());
    put(header::CACHE_CONTROL, cache(extension, hashed).into());
    put(header::ETAG, etag.clone());
    if let Some(modified) = modified {
        put(header::LAST_MODIFIED, modified.format("%a, %d %b %Y %H:%M:%S GMT").to_string());
    }
    if is_known(asked, &etag, modified) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    if method == Method::HEAD {
        headers.insert(header::CONTENT_LENGTH, bytes.len().into());
        return (headers, Body::empty()).into_response();
    }
    (headers, bytes).into_response()
}

/// The page that says so.
pub async fn missing(web: &Path) -> Response {
    let page = tokio::fs::read(web.join("404.html")).await.unwrap_or_else(|_| b"There is no such page.\n".to_vec());
    let headers = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CACHE_CONTROL, "no-store")];
    (StatusCode::NOT_FOUND, headers, page).into_response()
}

/// The names of a path, decoded; `None`: it is no path of the tree.
fn names(path: &str) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for part in path.strip_prefix('/')?.split('/') {
        let name = decode(part)?;
        if name.is_empty() {
            continue;
        }
        if name.starts_with('.') || name.contains(['/', '\\', '\0']) {
            return None;
        }
        names.push(name);
    }
    Some(names)
}

fn decode(part: &str) -> Option<String> {
    let mut out = Vec::with_capacity(part.len());
    let mut bytes = part.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let digits = [bytes.next()?, bytes.next()?];
            let digits = std::str::from_utf8(&digits).ok()?;
            out.push(u8::from_str_radix(digits, 16).ok()?);
        } else {
            out.push(byte);
        }
    }
    String::from_utf8(out).ok()
}

fn kind(extension: &str) -> &'static str {
    match extension {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "json" => "application/json",
        "atom" => "application/atom+xml",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

fn cache(extension: &str, hashed: bool) -> &'static str {
    match extension {
        _ if hashed => "public, max-age=31536000, immutable",
        "json" | "atom" => "public, max-age=30",
        _ => "public, max-age=60",
    }
}

/// A strong tag: a prefix of the SHA-256.
fn etag(bytes: &[u8]) -> String {
    format!("\"{}\"", hex(Sha256::digest(bytes).iter().take(12)))
}

/// Whether the client has it already; `If-None-Match` decides where both are said (RFC 9110, 13.2.2).
fn is_known(headers: &HeaderMap, etag: &str, modified: Option<DateTime<Utc>>) -> bool {
    let said = |name| headers.get(name).and_then(|v: &axum::http::HeaderValue| v.to_str().ok());
    if let Some(tags) = said(header::IF_NONE_MATCH) {
        return tags.split(',').map(str::trim).any(|t| t == "*" || t.trim_start_matches("W/") == etag);
    }
    let since = said(header::IF_MODIFIED_SINCE).and_then(|text| DateTime::parse_from_rfc2822(text).ok());
    matches!((since, modified), (Some(since), Some(modified)) if modified.timestamp() <= since.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_leads_out() {
        for bad in [
            "/../x",
            "/%2e%2e/x",
            "/a/..%2Fb",
            "/.dirty/demo",
            "/game/.index.html.1",
            "/a%00b",
            "/a%",
            "/%ff",
            "/a%5cb",
        ] {
            assert_eq!(names(bad), None, "{bad}");
        }
        assert_eq!(names("/game//demo/"), Some(vec!["game".into(), "demo".into()]));
        assert_eq!(names("/p/S1~20.html"), Some(vec!["p".into(), "S1~20.html".into()]));
    }
}
