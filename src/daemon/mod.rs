//! Everything in one process (`chancery daemon`): mail in, the judge, the clock, mail out, pages and the web.
//!
//! What it promises: a message that a listener acknowledged is on the disk; work goes on within a second of its arrival;
//! rounds are aligned to the machine's clock; several daemons and a cron `tick` may run at once, because every lock is in
//! the archive; SIGTERM finishes the commit in hand and nothing else.

pub mod edits;
mod systemd;

use crate::clerk::{Clerk, Followed, TickOptions};
use crate::mail::intake::Ourselves;
use crate::mail::listen::imap::Imap;
use crate::mail::listen::{self, Bound, Door, Incoming, Protocol, Store, Where};
use crate::pages::Asks;
use crate::site::value::Listen;
use crate::web::Link;
use chrono::{DateTime, Utc};
use futures_util::FutureExt;
use std::io;
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// Wakes the worker when mail has come.
#[derive(Default)]
struct Bell {
    rung: Mutex<bool>,
    heard: Condvar,
}

impl Bell {
    fn ring(&self) {
        if let Ok(mut rung) = self.rung.lock() {
            *rung = true;
            self.heard.notify_all();
        }
    }
    /// Waits for a ring, so long at most.
    fn wait(&self, most: Duration) {
        let Ok(rung) = self.rung.lock() else { return };
        if let Ok((mut rung, _)) = self.heard.wait_timeout_while(rung, most, |rung| !*rung) {
            *rung = false;
        }
    }
}

/// What a running daemon has opened.
#[derive(Clone, Debug, Default)]
pub struct Doors {
    /// Where pages are served.
    pub web: Option<String>,
    /// Where LMTP is spoken.
    pub lmtp: Option<String>,
    /// Where SMTP is spoken.
    pub smtp: Option<String>,
}

/// Runs until SIGTERM or SIGINT.
pub fn run(clerk: Arc<Clerk>) -> ExitCode {
    match serve(clerk, |doors| {
        for (what, where_) in [("web", &doors.web), ("LMTP", &doors.lmtp), ("SMTP", &doors.smtp)] {
            if let Some(address) = where_ {
                tracing::info!("{what} on {address}");
            }
        }
    }) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => crate::cli::common::fail(crate::cli::common::exit::FAILED, error),
    }
}

/// Opens all doors, calls `ready`, and works until a signal comes.
pub fn serve(clerk: Arc<Clerk>, ready: impl FnOnce(&Doors)) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|e| format!("no runtime: {e}"))?;
    let bell = Arc::new(Bell::default());
    let stop = Arc::new(AtomicBool::new(false));
    let (down, watch_down) = tokio::sync::watch::channel(false);
    let mut doors = Doors::default();
    let mut tasks = Vec::new();
    runtime.block_on(async {
        let incoming = &clerk.site.config.mail.incoming;
        for (protocol, place) in [(Protocol::Lmtp, &incoming.lmtp), (Protocol::Smtp, &incoming.smtp)] {
            let Some(place) = place else { continue };
            let place = match place {
                Listen::Tcp(address) => Where::Tcp(*address),
                Listen::Unix(path) => Where::Unix(clerk.site.root.join(path)),
            };
            let bound = Bound::bind(&place).await.map_err(|e| e.to_string())?;
            let name = match (&place, bound.local_addr()) {
                (_, Some(address)) => address.to_string(),
                (Where::Unix(path), None) => path.display().to_string(),
                (Where::Tcp(address), None) => address.to_string(),
            };
            match protocol {
                Protocol::Lmtp => doors.lmtp = Some(name),
                Protocol::Smtp => doors.smtp = Some(name),
            }
            let down = watch_down.clone();
            tasks.push(tokio::spawn(listen::serve(bound, door(&clerk, protocol, &bell), until(down))));
        }
        if let Some(imap) = clerk.imap().map_err(|e| e.to_string())? {
            let poll = incoming.imap.poll.0;
            tasks.push(tokio::spawn(poll_imap(imap, store(&clerk, &bell), poll, watch_down.clone())));
        }
        let listener = match &clerk.site.config.web.listen {
            Listen::Tcp(address) => {
                tokio::net::TcpListener::bind(address).await.map_err(|e| format!("web.listen {address}: {e}"))?
            }
            Listen::Unix(path) => return Err(format!("web.listen {}: want an address", path.display())),
        };
        doors.web = listener.local_addr().ok().map(|a| format!("http://{a}/"));
        let router = crate::web::router(clerk.site.layout.web.clone(), health(&clerk), links(&clerk, Utc::now));
        let down = watch_down.clone();
        tasks.push(tokio::spawn(async move {
            if let Err(error) = crate::web::serve(listener, router, until(down)).await {
                tracing::error!(%error, "web");
            }
        }));
        Ok::<(), String>(())
    })?;
    let maildir = watch_maildir(&clerk, &bell, &stop);
    let spool = watch_spool(&clerk, &bell);
    let edits = watch_edits(&clerk, &bell);
    let pulse = systemd::Pulse::default();
    let worker = std::thread::spawn({
        let (clerk, bell, stop) = (Arc::clone(&clerk), Arc::clone(&bell), Arc::clone(&stop));
        let pulse = pulse.clone();
        move || work(&clerk, &bell, &stop, &pulse)
    });
    ready(&doors);
    let manager = Arc::new(systemd::Manager::from_env());
    manager.tell("READY=1");
    runtime.spawn(Arc::clone(&manager).watch(pulse));
    runtime.block_on(signal());
    manager.tell("STOPPING=1");
    stop.store(true, Ordering::SeqCst);
    bell.ring();
    // The receivers are gone only when their tasks are.
    let _ = down.send(true);
    drop(spool);
    drop(edits);
    if worker.join().is_err() {
        return Err("the worker failed".into());
    }
    if let Some(maildir) = maildir {
        let _ = maildir.join();
    }
    runtime.shutdown_timeout(Duration::from_secs(2));
    Ok(())
}

/// Ready when the word is given to stop.
async fn until(mut down: tokio::sync::watch::Receiver<bool>) {
    // An error means the sender is gone, which is the same word.
    let _ = down.wait_for(|down| *down).await;
}

async fn signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut term), Ok(mut int)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt())) else {
        return;
    };
    tokio::select! {
        _ = term.recv() => {}
        _ = int.recv() => {}
    }
}

fn store(clerk: &Arc<Clerk>, bell: &Arc<Bell>) -> Store {
    let (store, bell) = (clerk.store(), Arc::clone(bell));
    Arc::new(move |mail: &Incoming| {
        store(mail)?;
        bell.ring();
        Ok(())
    })
}

/// Looks into the IMAP folder until the word is given to stop; after errors less and less often.
async fn poll_imap(mut imap: Imap, store: Store, poll: Duration, down: tokio::sync::watch::Receiver<bool>) {
    let mut failures = 0u32;
    loop {
        let looked = tokio::select! {
            // A message that was stored and not put away comes again: the ledger knows it.
            () = until(down.clone()) => return,
            // No answer of a server may end the polling.
            looked = AssertUnwindSafe(imap.fetch(&store)).catch_unwind() => looked,
        };
        match looked
            .map_err(|_| "the reader of its answers failed".to_owned())
            .and_then(|r| r.map_err(|e| e.to_string()))
        {
            Ok(taken) => {
                if failures > 0 || taken > 0 {
                    tracing::info!(taken, "IMAP");
                }
                failures = 0;
            }
            Err(error) => {
                failures = failures.saturating_add(1);
                tracing::error!(error, failures, "IMAP");
            }
        }
        tokio::select! {
            () = until(down.clone()) => return,
            () = tokio::time::sleep(listen::imap::pause(poll, failures)) => {}
        }
    }
}

fn door(clerk: &Arc<Clerk>, protocol: Protocol, bell: &Arc<Bell>) -> Door {
    let config = &clerk.site.config;
    let we = Ourselves {
        addresses: std::iter::once(&config.judge.address).chain(&config.judge.aliases).cloned().collect(),
        id: None,
    };
    let archive = clerk.archive.clone();
    Door {
        protocol,
        host: config.judge.address.rsplit('@').next().unwrap_or("localhost").to_string(),
        max_bytes: config.mail.incoming.max_message_bytes as usize,
        ours: Arc::new(move |address| we.own(address)),
        room: Arc::new(move || archive.check_room(0).is_ok()),
        store: store(clerk, bell),
    }
}

fn watch_maildir(clerk: &Arc<Clerk>, bell: &Arc<Bell>, stop: &Arc<AtomicBool>) -> Option<std::thread::JoinHandle<()>> {
    let maildir = clerk.site.layout.maildir.clone()?;
    let store = store(clerk, bell);
    let limit = clerk.site.config.mail.incoming.max_message_bytes as usize;
    let stop = Arc::clone(stop);
    Some(std::thread::spawn(move || {
        let mut trouble = |error: &io::Error| tracing::error!(%error, "maildir");
        if let Err(error) =
            listen::maildir::watch(&maildir, limit, &store, Duration::from_secs(60), &stop, &mut trouble)
        {
            tracing::error!(%error, maildir = %maildir.display(), "the Maildir cannot be watched");
        }
    }))
}

/// Hears of messages that another process (`chancery deliver`) has put into the spool.
fn watch_spool(clerk: &Arc<Clerk>, bell: &Arc<Bell>) -> Option<notify::RecommendedWatcher> {
    use notify::Watcher;
    let bell = Arc::clone(bell);
    let new = clerk.site.layout.spool.join("in/new");
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        if event.map_or(true, |e| e.kind.is_create() || e.kind.is_modify()) {
            bell.ring();
        }
    })
    .map_err(|error| tracing::warn!(%error, "the spool is looked at every minute only"))
    .ok()?;
    watcher.watch(&new, notify::RecursiveMode::NonRecursive).ok()?;
    Some(watcher)
}

/// Hears of status files that were edited by hand.
fn watch_edits(clerk: &Arc<Clerk>, bell: &Arc<Bell>) -> Option<edits::Edits> {
    let (looker, bell) = (Arc::clone(clerk), Arc::clone(bell));
    let changed = move |game: &crate::archive::GameName| match looker.look(game, Utc::now()) {
        Ok(crate::clerk::Sight::Untouched) => {}
        // There may be mail to send, or mail in the hold that can be worked off now.
        Ok(_) => bell.ring(),
        Err(error) => tracing::warn!(%game, %error, "a status file could not be looked at"),
    };
    edits::watch(&clerk.site.layout.games, changed)
        .map_err(|error| tracing::warn!(%error, "status files are looked at in each round only"))
        .ok()
}

/// The worker: mail first, then the clock, then what has to go out.
fn work(clerk: &Arc<Clerk>, bell: &Bell, stop: &AtomicBool, pulse: &systemd::Pulse) {
    let poll = clerk.site.config.sched.poll.0.max(Duration::from_secs(1));
    let mut tended: Option<Instant> = None;
    while !stop.load(Ordering::SeqCst) {
        pulse.beat();
        let now: DateTime<Utc> = Utc::now();
        let progress = match clerk.work(now) {
            Ok(worked) => worked.executed + worked.dropped + worked.dead > 0,
            Err(error) => {
                tracing::error!(%error, "working off the spool");
                false
            }
        };
        if tended.is_none_or(|at| at.elapsed() >= poll) {
            match clerk.tick(now, &TickOptions::default()) {
                Ok(ticked) => {
                    for (game, phase) in &ticked.processed {
                        tracing::info!(game, phase, "processed");
                    }
                }
                Err(error) => tracing::error!(%error, "round"),
            }
            clerk.tend(now);
            tended = Some(Instant::now());
        }
        match clerk.send(now) {
            Ok(round) if !round.sent.is_empty() => tracing::info!(sent = round.sent.len(), "mail out"),
            Ok(_) => {}
            Err(error) => tracing::error!(%error, "sending"),
        }
        // Mail that could not be worked off now (a lock, a fault) is tried again soon, not at once.
        let waits = clerk.has_mail().unwrap_or(false);
        if !(progress && waits) {
            bell.wait(if waits { Duration::from_secs(1) } else { poll });
        }
    }
}

/// Links of mails, followed by the clerk; the clock is passed in.
pub fn links(clerk: &Arc<Clerk>, clock: impl Fn() -> DateTime<Utc> + Send + Sync + 'static) -> crate::web::Links {
    let clerk = Arc::clone(clerk);
    Arc::new(move |link| {
        let now = clock();
        let (followed, asks) = match &link {
            Link::Unsubscribe(token, really) => (clerk.unsubscribe(token, *really, now), Asks::Nothing),
            Link::Password(token, new) => (clerk.choose_password(token, new.as_deref(), now), Asks::Password),
            Link::Forgotten(seat) => (clerk.forgotten(seat.as_deref(), now), Asks::Seat),
        };
        let (status, title, text, asks) = match followed {
            Ok(Followed::Done(said)) => (200, "Done", said, None),
            Ok(Followed::Good(said)) if asks == Asks::Seat => (200, "Password forgotten", said, Some(asks)),
            Ok(Followed::Good(said)) => (200, "From your mail", said, Some(asks)),
            Ok(Followed::Refused(said)) => (422, "Not yet", said, Some(asks)),
            Ok(Followed::Unknown) => (404, "Not here", "This link was used, is too old, or never worked.".into(), None),
            Err(error) => {
                tracing::error!(%error, "a link could not be followed");
                (503, "Busy", "The judge is at work on this. Try again in a moment.".into(), None)
            }
        };
        (status, crate::pages::link_page(clerk.house(), title, &text, asks))
    })
}

fn health(clerk: &Arc<Clerk>) -> crate::web::Health {
    let clerk = Arc::clone(clerk);
    Arc::new(move || clerk.condition(Utc::now()))
}
