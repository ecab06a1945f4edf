//! `chancery mail`: read one message and say what the judge makes of it (OPS-016).

use crate::mail::intake::{self, Disposition, Limits, Ourselves};
use std::io::{Read, Write};
use std::process::ExitCode;

/// Read one message and say what the judge makes of it.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand, Debug)]
enum What {
    /// One message on stdin, one JSON object on stdout; nothing is executed
    Read {
        /// An address of the judge (may be given several times)
        #[arg(long = "judge-address", value_name = "ADDRESS")]
        judge_address: Vec<String>,
        /// The judge's id
        #[arg(long = "judge-id", value_name = "ID")]
        judge_id: Option<String>,
    },
}

/// Runs the verb.
pub fn run(args: Args) -> ExitCode {
    let What::Read { judge_address, judge_id } = args.what;
    let limits = Limits::default();
    let mut bytes = Vec::new();
    // One byte more than the limit is enough to know that it is passed.
    let most = u64::try_from(limits.message).unwrap_or(u64::MAX).saturating_add(1);
    if let Err(error) = std::io::stdin().lock().take(most).read_to_end(&mut bytes) {
        eprintln!("chancery mail read: standard input: {error}");
        return ExitCode::FAILURE;
    }
    let we = Ourselves { addresses: judge_address, id: judge_id };
    let line = report(&bytes, &we, &limits);
    match writeln!(std::io::stdout(), "{line}") {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// The object of OPS-016.
fn report(bytes: &[u8], we: &Ourselves, limits: &Limits) -> serde_json::Value {
    let read = match intake::read(bytes, we, limits) {
        Ok(read) => read,
        Err(panic) => {
            eprintln!("chancery mail read: {panic}");
            return serde_json::json!({
                "intake": "reply-only", "sender": null, "lines": [], "flags": ["broken-mime"], "message_id": null,
            });
        }
    };
    let mut object = serde_json::Map::new();
    let (intake, reason) = match read.disposition {
        Disposition::Process => ("process", None),
        Disposition::Drop(reason) => ("drop", Some(reason.word())),
        Disposition::ReplyOnly(_) => ("reply-only", None),
    };
    object.insert("intake".into(), intake.into());
    if let Some(reason) = reason {
        object.insert("reason".into(), reason.into());
    }
    object.insert("sender".into(), read.sender.into());
    object.insert("lines".into(), read.lines.into_iter().map(|l| l.text).collect::<Vec<_>>().into());
    object.insert("flags".into(), read.flags.iter().map(|f| f.word()).collect::<Vec<_>>().into());
    object.insert("message_id".into(), read.message_id.into());
    object.into()
}
