//! Tells systemd how the daemon is (`Type=notify`, `WatchdogSec=`): that it is ready, that it lives, that it stops.
//! Where no service manager listens nothing is said.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A worker that has not come round for so long hangs; one turn may process many games and send many mails.
const LONGEST_TURN: Duration = Duration::from_secs(15 * 60);

/// The worker's sign of life.
#[derive(Clone, Debug)]
pub struct Pulse {
    start: Instant,
    last: Arc<AtomicU64>,
}

impl Default for Pulse {
    fn default() -> Pulse {
        Pulse { start: Instant::now(), last: Arc::default() }
    }
}

impl Pulse {
    /// The worker has come round.
    pub fn beat(&self) {
        self.last.store(self.start.elapsed().as_secs(), Ordering::Relaxed);
    }

    fn is_alive(&self) -> bool {
        let since = self.start.elapsed().as_secs().saturating_sub(self.last.load(Ordering::Relaxed));
        since < LONGEST_TURN.as_secs()
    }
}

/// The service manager, if there is one.
#[derive(Debug)]
pub struct Manager {
    door: Option<(UnixDatagram, SocketAddr)>,
    /// A sign of life is wanted at least so often.
    watchdog: Option<Duration>,
}

impl Manager {
    /// As the environment names it.
    pub fn from_env() -> Manager {
        let door = std::env::var("NOTIFY_SOCKET").ok().and_then(|name| {
            let address = match name.strip_prefix('@') {
                Some(name) => SocketAddr::from_abstract_name(name),
                None => SocketAddr::from_pathname(&name),
            };
            Some((UnixDatagram::unbound().ok()?, address.ok()?))
        });
        let micros = std::env::var("WATCHDOG_USEC").ok().and_then(|text| text.parse().ok());
        let meant = std::env::var("WATCHDOG_PID").map_or(true, |pid| pid == std::process::id().to_string());
        Manager { door, watchdog: micros.filter(|_| meant).map(Duration::from_micros) }
    }

    /// Says a word.
    pub fn tell(&self, word: &str) {
        if let Some((socket, address)) = &self.door
            && let Err(error) = socket.send_to_addr(word.as_bytes(), address)
        {
            tracing::warn!(%error, word, "the service manager does not hear");
        }
    }

    /// Gives a sign of life three times in each interval, as long as the worker comes round.
    pub async fn watch(self: Arc<Manager>, pulse: Pulse) {
        let Some(interval) = self.watchdog.filter(|interval| !interval.is_zero()) else { return };
        loop {
            if pulse.is_alive() {
                self.tell("WATCHDOG=1");
            }
            tokio::time::sleep(interval / 3).await;
        }
    }
}
