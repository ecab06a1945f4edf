//! A hand that may be held up: jobs are done in a thread of its own, and whoever waits for one may give it up. Nothing can
//! be done to a thread that hangs; it is left to itself, and what it holds is free again when it ends.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

type Work<J, R> = dyn Fn(J) -> R + Send + Sync;

/// See the module.
pub(super) struct Hand<J, R> {
    work: Arc<Work<J, R>>,
    at_work: Option<(Sender<J>, Receiver<R>)>,
}

impl<J: Send + 'static, R: Send + 'static> Hand<J, R> {
    /// A hand for this work, which must not panic.
    pub fn new(work: impl Fn(J) -> R + Send + Sync + 'static) -> Hand<J, R> {
        Hand { work: Arc::new(work), at_work: None }
    }

    /// Does a job. While it takes longer than a second `meanwhile` is called, once. `None`: the job was given up after
    /// `limit`, or its thread has died.
    pub fn does(&mut self, job: J, limit: Duration, meanwhile: impl FnOnce()) -> Option<R> {
        let (jobs, done) = self.at_work.take().unwrap_or_else(|| self.thread());
        jobs.send(job).ok()?;
        let soon = limit.min(Duration::from_secs(1));
        let result = match done.recv_timeout(soon) {
            Err(RecvTimeoutError::Timeout) => {
                meanwhile();
                done.recv_timeout(limit - soon)
            }
            result => result,
        };
        let result = result.ok()?;
        self.at_work = Some((jobs, done));
        Some(result)
    }

    fn thread(&self) -> (Sender<J>, Receiver<R>) {
        let (jobs, mine) = channel::<J>();
        let (give, done) = channel();
        let work = Arc::clone(&self.work);
        std::thread::spawn(move || {
            for job in mine {
                // Nobody waits for a job that was given up.
                if give.send(work(job)).is_err() {
                    return;
                }
            }
        });
        (jobs, done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn a_job_that_hangs_is_given_up_and_the_next_is_done() {
        let (open, gate) = channel::<()>();
        let (tell, told) = channel();
        let gate = Mutex::new(gate);
        let mut hand = Hand::new(move |n: u32| {
            if n == 13 {
                // Hangs until the test lets it go.
                let _ = gate.lock().map(|gate| gate.recv());
                tell.send(n).unwrap_or_default();
            }
            n * 2
        });
        let long = Duration::from_secs(600);
        assert_eq!(hand.does(1, long, || ()), Some(2));
        assert_eq!(hand.does(13, Duration::from_millis(20), || ()), None);
        assert_eq!(hand.does(2, long, || ()), Some(4));
        assert_eq!(hand.does(3, long, || ()), Some(6));
        open.send(()).expect("the thread still waits");
        assert_eq!(told.recv_timeout(long), Ok(13), "and ends when it can");
    }

    #[test]
    fn a_thread_that_dies_takes_only_its_job_with_it() {
        let mut hand = Hand::new(|n: u32| 10 / n);
        assert_eq!(hand.does(0, Duration::from_secs(600), || ()), None);
        assert_eq!(hand.does(5, Duration::from_secs(600), || ()), Some(2));
    }
}
