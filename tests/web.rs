//! The router as a service, without a socket.

use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::{Request, Response, StatusCode, header};
use chancery::clerk::Condition;
use chancery::web::{Answer, Link, router};
use std::net::SocketAddr;
use std::sync::Arc;
use tower::ServiceExt;

fn site() -> tempfile::TempDir {
    let web = tempfile::tempdir().expect("a directory");
    let put = |path: &str, text: &str| {
        let path = web.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, text).expect("written");
    };
    put("index.html", "<!doctype html><title>front</title>");
    put("404.html", "<!doctype html><title>none</title>");
    put("game/demo/index.html", "<!doctype html><title>demo</title>");
    put("game/demo/status.json", "{}");
    put("game/demo/feed.atom", "<feed/>");
    put("game/demo/m/now.svg", "<svg/>");
    put("game/demo/results.txt", "results");
    put("assets/chancery.12345678.css", "p{}");
    put(".dirty/demo", "secret");
    web
}

/// Says what was asked of it.
fn link(link: Link) -> Answer {
    (200, format!("{link:?}").into_bytes())
}

fn condition(trouble: bool) -> Condition {
    Condition {
        troubles: if trouble { vec!["the last round was long ago".into()] } else { Vec::new() },
        warnings: Vec::new(),
        numbers: vec![("chancery_games", 3.0)],
    }
}

async fn ask(web: &tempfile::TempDir, request: Request<Body>) -> (Response<()>, String) {
    let router = router(web.path().to_owned(), Arc::new(|| condition(false)), Arc::new(link));
    answer(router, request).await
}

async fn answer(router: axum::Router, request: Request<Body>) -> (Response<()>, String) {
    let response = router.oneshot(request).await.expect("an answer");
    let (parts, body) = response.into_parts();
    let bytes = to_bytes(body, 1 << 20).await.expect("a body");
    (Response::from_parts(parts, ()), String::from_utf8_lossy(&bytes).into_owned())
}

fn get(path: &str) -> Request<Body> {
    Request::get(path).body(Body::empty()).expect("a request")
}

fn head(response: &Response<()>, name: header::HeaderName) -> &str {
    response.headers().get(name).and_then(|v| v.to_str().ok()).unwrap_or("")
}

#[tokio::test]
async fn files_have_types_cache_times_and_headers() {
    let web = site();
    for (path, kind, cache) in [
        ("/", "text/html; charset=utf-8", "public, max-age=60"),
        ("/game/demo/", "text/html; charset=utf-8", "public, max-age=60"),
        ("/game/demo/status.json", "application/json", "public, max-age=30"),
        ("/game/demo/feed.atom", "application/atom+xml", "public, max-age=30"),
        ("/game/demo/m/now.svg", "image/svg+xml", "public, max-age=60"),
        ("/game/demo/results.txt", "text/plain; charset=utf-8", "public, max-age=60"),
        ("/assets/chancery.12345678.css", "text/css; charset=utf-8", "public, max-age=31536000, immutable"),
    ] {
        let (response, _) = ask(&web, get(path)).await;
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        assert_eq!(head(&response, header::CONTENT_TYPE), kind, "{path}");
        assert_eq!(head(&response, header::CACHE_CONTROL), cache, "{path}");
        assert_eq!(head(&response, header::X_CONTENT_TYPE_OPTIONS), "nosniff", "{path}");
        assert!(head(&response, header::CONTENT_SECURITY_POLICY).starts_with("default-src 'none'"), "{path}");
        assert!(head(&response, header::ETAG).starts_with('"') && !head(&response, header::LAST_MODIFIED).is_empty());
    }
}

#[tokio::test]
async fn what_the_client_has_is_not_sent_again() {
    let web = site();
    let path = "/game/demo/status.json";
    let (first, _) = ask(&web, get(path)).await;
    let etag = head(&first, header::ETAG).to_string();
    let again = Request::get(path).header(header::IF_NONE_MATCH, &etag).body(Body::empty()).expect("a request");
    let (response, body) = ask(&web, again).await;
    assert_eq!((response.status(), body.as_str()), (StatusCode::NOT_MODIFIED, ""));
    let since = head(&first, header::LAST_MODIFIED).to_string();
    let again = Request::get(path).header(header::IF_MODIFIED_SINCE, since).body(Body::empty()).expect("a request");
    assert_eq!(ask(&web, again).await.0.status(), StatusCode::NOT_MODIFIED);
    std::fs::write(web.path().join("game/demo/status.json"), "{\"seq\":2}").expect("written");
    let again = Request::get(path).header(header::IF_NONE_MATCH, &etag).body(Body::empty()).expect("a request");
    let (response, body) = ask(&web, again).await;
    assert_eq!((response.status(), body.as_str()), (StatusCode::OK, "{\"seq\":2}"));
    assert_ne!(head(&response, header::ETAG), etag);
}

#[tokio::test]
async fn nothing_outside_the_tree_is_served() {
    let web = site();
    for path in [
        "/.dirty/demo",
        "/%2edirty/demo",
        "/game/..%2F..%2Fetc/passwd",
        "/game/nobody/",
        "/index.html/",
        "/game/demo/m/",
    ] {
        let (response, body) = ask(&web, get(path)).await;
        assert_eq!(response.status(), StatusCode::NOT_FOUND, "{path}");
        assert!(body.contains("<title>none</title>"), "{path}");
    }
    let post = Request::post("/").body(Body::empty()).expect("a request");
    assert_eq!(ask(&web, post).await.0.status(), StatusCode::METHOD_NOT_ALLOWED);
    let (response, body) = ask(&web, Request::head("/").body(Body::empty()).expect("a request")).await;
    assert_eq!((response.status(), body.as_str()), (StatusCode::OK, ""));
}

#[tokio::test]
async fn old_links_find_their_pages() {
    let web = site();
    for (old, status, new) in [
        ("/?game=demo", 301, "/game/demo/"),
        ("/index.cgi?game=Demo", 301, "/game/demo/"),
        ("/?game=demo&power=FRANCE&password=secret", 302, "/game/demo/"),
        ("/?variant=payola", 301, "/games/payola.html"),
        ("/?page=Rules", 301, "/rules.html"),
        ("/?page=about_standard", 301, "/maps/standard.html"),
        ("/maps/demo.gif", 301, "/game/demo/m/now.svg"),
        ("/game/demo", 301, "/game/demo/"),
    ] {
        let (response, body) = ask(&web, get(old)).await;
        assert_eq!(response.status().as_u16(), status, "{old}");
        assert_eq!(head(&response, header::LOCATION), new, "{old}");
        assert!(!body.contains("secret"));
    }
}

#[tokio::test]
async fn health_is_told_to_this_machine_only() {
    let web = site();
    assert_eq!(ask(&web, get("/healthz")).await.0.status(), StatusCode::NOT_FOUND);
    let from = |path: &str, peer: &str| {
        let mut request = get(path);
        request.extensions_mut().insert(ConnectInfo(peer.parse::<SocketAddr>().expect("an address")));
        request
    };
    assert_eq!(ask(&web, from("/metrics", "192.0.2.1:9")).await.0.status(), StatusCode::NOT_FOUND);
    let (response, body) = ask(&web, from("/healthz", "127.0.0.1:9")).await;
    assert_eq!(response.status(), StatusCode::OK);
    assert!(body.contains("\"status\":\"ok\""));
    let (_, body) = ask(&web, from("/metrics", "[::1]:9")).await;
    assert!(body.contains("# TYPE chancery_games gauge\nchancery_games 3\n"), "{body}");
    let mut proxied = from("/healthz", "127.0.0.1:9");
    proxied.headers_mut().insert("x-forwarded-for", "192.0.2.1".parse().expect("a value"));
    assert_eq!(ask(&web, proxied).await.0.status(), StatusCode::NOT_FOUND);
    let ill = router(web.path().to_owned(), Arc::new(|| condition(true)), Arc::new(link));
    assert_eq!(answer(ill, from("/healthz", "127.0.0.1:9")).await.0.status(), StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test]
async fn links_of_mails_are_looked_at_and_followed() {
    let web = site();
    let post = |path: &str, body: &'static str| {
        Request::post(path)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Body::from(body))
            .expect("a request")
    };
    let get = |path: &str| Request::get(path).body(Body::empty()).expect("a request");
    let (head, body) = ask(&web, get("/unsubscribe/demo.1a")).await;
    assert_eq!((head.status(), body.as_str()), (StatusCode::OK, "Unsubscribe(\"demo.1a\", false)"));
    assert_eq!(head.headers()[header::CACHE_CONTROL], "no-store");
    // RFC 8058, 3.1; and a mail program that sends no body at all.
    for body in ["List-Unsubscribe=One-Click", ""] {
        let (head, body) = ask(&web, post("/unsubscribe/demo.1a", body)).await;
        assert_eq!((head.status(), body.as_str()), (StatusCode::OK, "Unsubscribe(\"demo.1a\", true)"));
    }
    let (_, body) = ask(&web, get("/login/mail")).await;
    assert_eq!(body, "Forgotten(None)");
    let (_, body) = ask(&web, post("/login/mail", "seat=france%40demo")).await;
    assert_eq!(body, "Forgotten(Some(\"france@demo\"))");
    let (_, body) = ask(&web, get("/password/demo.france.1.2")).await;
    assert_eq!(body, "Password(\"demo.france.1.2\", None)");
    let (_, body) = ask(&web, post("/password/demo.france.1.2", "password=new+word")).await;
    assert_eq!(body, "Password(\"demo.france.1.2\", Some(\"new word\"))");
}
