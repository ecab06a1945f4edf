//! Where the judge failed, for the keeper (N61): a panic that is caught has lost its place and its way there, so they are
//! written down while it happens.

use std::backtrace::Backtrace;
use std::cell::RefCell;
use std::sync::Once;

thread_local! {
    /// The last failure of this thread.
    static LAST: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Frames told; the rest is the way into the judge, always the same.
const FRAMES: usize = 60;

/// From now on places are written down; what was done about a panic before is still done.
pub fn watch() {
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let place = panic.location().map(|at| format!(" at {at}")).unwrap_or_default();
            let trace = Backtrace::force_capture().to_string();
            let trace: String = trace.lines().take(FRAMES).map(|line| format!("{line}\n")).collect();
            let said = text(panic.payload());
            // A panic while this thread ends has nowhere to write.
            let _ = LAST.try_with(|last| last.replace(Some(format!("{said}{place}\n\n{trace}"))));
            before(panic);
        }));
    });
}

/// What a caught panic said, where, and how it came there.
pub fn told(panic: &(dyn std::any::Any + Send)) -> String {
    LAST.with(RefCell::take).filter(|last| last.starts_with(&text(panic))).unwrap_or_else(|| text(panic))
}

fn text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "the judge failed".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caught_failure_has_its_place() {
        watch();
        let failing = || -> () { panic!("no {}", "king") };
        let caught = std::panic::catch_unwind(failing).expect_err("it fails");
        let told = told(caught.as_ref());
        assert!(told.starts_with("no king at ") && told.contains("failures.rs:"), "{told}");
        assert!(told.lines().count() > 3, "{told}");
    }
}
