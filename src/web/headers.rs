//! Headers of every answer (WEB-038): nothing is loaded from elsewhere, nothing runs that is not ours.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;

const PAGE: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
    font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/// A picture opened by itself carries its own style, and nothing else.
const PICTURE: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

/// Adds them to an answer.
pub async fn add(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let picture = headers.get(header::CONTENT_TYPE).is_some_and(|t| t == "image/svg+xml");
    set(headers, header::CONTENT_SECURITY_POLICY, if picture { PICTURE } else { PAGE });
    set(headers, header::REFERRER_POLICY, "no-referrer");
    set(headers, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(headers, HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    set(headers, HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()");
    response
}

fn set(headers: &mut HeaderMap, name: HeaderName, value: &'static str) {
    headers.insert(name, HeaderValue::from_static(value));
}
