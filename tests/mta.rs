//! With real mail systems (operations.md 18, scenario 2): the first two phases of the sample game travel through Postfix
//! in three ways, through Exim, and through a folder on a Dovecot IMAP server that Postfix or Dovecot's own LMTP fills;
//! and once from people's mail programs (swaks, msmtp, s-nail) straight into the judge's SMTP and LMTP. The samples that
//! `chancery init` writes are what configures them. Each runs in a world of its own (tests/mta/stage.rs): nothing is
//! installed here.

#[path = "mta/play.rs"]
mod play;
#[path = "mta/programs.rs"]
mod programs;
#[path = "mta/stage.rs"]
mod stage;

use play::{daemon, kept, mails, once_more, settled, site, two_phases, two_phases_by};
use programs::{msmtp, run, s_nail, sink, swaks};
use stage::Cast::{Many, One};
use stage::{JUDGE, ROOT, append, as_judge, files, group, on_stage, sh, user, wait_for, write};

const PLAYER: u32 = 42_001;
const SYSTEM: u32 = 42_002;

/// The people of the stage.
fn people() {
    user("judge", JUDGE, ROOT);
    user("player", PLAYER, "/var/mail/players");
    sh("mkdir -p /var/mail/players && chown player:player /var/mail/players");
}

/// Postfix, with what the samples say; mail for players goes into their Maildir.
fn postfix(samples: &[&str], more: &[&str]) {
    user("postfix", SYSTEM, "/var/spool/postfix");
    group("postdrop", SYSTEM + 1);
    sh("cp /usr/share/postfix/master.cf.dist /etc/postfix/master.cf; mkdir -p /var/lib/postfix");
    sh("chown postfix:postfix /var/lib/postfix; chgrp postdrop /usr/sbin/postqueue /usr/sbin/postdrop");
    sh("chmod 2755 /usr/sbin/postqueue /usr/sbin/postdrop");
    write(
        "/etc/postfix/main.cf",
        "compatibility_level = 3.6\nmyhostname = mx.judge.example\nmydestination =\nalias_maps =\nalias_database =\n\
         inet_interfaces = loopback-only\ninet_protocols = ipv4\nmaillog_file = /var/log/postfix.log\n\
         smtpd_tls_security_level = none\ndefault_transport = players:\n\
         queue_run_delay = 1s\nminimal_backoff_time = 1s\nmaximal_backoff_time = 1s\n",
    );
    append(
        "/etc/postfix/master.cf",
        &format!(
            "players unix - n n - - virtual -o virtual_mailbox_base=/var/mail/players -o virtual_mailbox_maps=static:box/\n\
             \x20   -o virtual_uid_maps=static:{PLAYER} -o virtual_gid_maps=static:{PLAYER}\n"
        ),
    );
    for sample in samples {
        sh(&format!("sh {ROOT}/cron/{sample}"));
    }
    more.iter().for_each(|command| sh(command));
    sh("postfix start 2>/var/log/postfix.start || { cat /var/log/postfix.start /var/log/postfix.log; exit 1; }");
}

/// Whether a log has a line with all these words.
fn logged(log: &str, words: &[&str]) -> bool {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    text.lines().any(|line| words.iter().all(|word| line.contains(word)))
}

#[test]
fn postfix_pipe() {
    on_stage("postfix_pipe", &["postfix"], Many, || {
        people();
        site(&[]);
        postfix(&["postfix-pipe"], &[]);
        let _daemon = daemon(&[]);
        let mut writers = two_phases();
        once_more(&mut writers);
        // A spool that cannot be written to: 75, and one line beginning 4.3.0.
        sh(&format!("chmod 0 {ROOT}/spool/in/tmp"));
        let waits = || logged("/var/log/postfix.log", &["relay=chancery", "dsn=4.3.0", "status=deferred"]);
        kept(&mut writers, waits, || sh(&format!("chmod 750 {ROOT}/spool/in/tmp")));
    });
}

#[test]
fn postfix_lmtp() {
    on_stage("postfix_lmtp", &["postfix"], Many, || {
        people();
        site(&[("mail.in.lmtp", "\"127.0.0.1:2424\"")]);
        postfix(&["postfix-lmtp"], &[]);
        let running = daemon(&[]);
        let mut writers = two_phases();
        once_more(&mut writers);
        drop(running);
        let waits = || logged("/var/log/postfix.log", &["to=<judge@judge.example>", "status=deferred"]);
        let _again = kept(&mut writers, waits, || daemon(&[]));
    });
}

#[test]
fn postfix_maildir() {
    on_stage("postfix_maildir", &["postfix"], Many, || {
        people();
        site(&[("mail.in.maildir", "\"maildir\"")]);
        postfix(&["postfix-maildir"], &[]);
        let running = daemon(&[]);
        let mut writers = two_phases();
        once_more(&mut writers);
        drop(running);
        let _again = kept(&mut writers, || !files(&format!("{ROOT}/maildir/new")).is_empty(), || daemon(&[]));
    });
}

/// Exim with the samples where a keeper would paste them.
fn exim() {
    sh(&format!("cp {ROOT}/cron/exim-router {ROOT}/cron/exim-transport /etc/exim4/"));
    user("Debian-exim", SYSTEM, "/var/spool/exim4");
    sh("mkdir -p /var/spool/exim4 /var/log/exim4 && chown Debian-exim:Debian-exim /var/spool/exim4 /var/log/exim4");
    write(
        "/etc/exim4/exim4.conf",
        &format!(
            "primary_hostname = mx.judge.example\nlocal_interfaces = 127.0.0.1\ntls_advertise_hosts =\n\
             keep_environment =\nacl_smtp_rcpt = acl_check_rcpt\nqueue_run_max = 5\n\
             begin acl\nacl_check_rcpt:\n  accept domains = judge.example : player.example\n\
             begin routers\n.include /etc/exim4/exim-router\n\
             players:\n  driver = accept\n  domains = player.example\n  transport = players\n\
             begin transports\n.include /etc/exim4/exim-transport\n\
             players:\n  driver = appendfile\n  directory = {}\n  maildir_format\n  create_directory\n  user = player\n\
             \x20 group = player\n  envelope_to_add\n\
             begin retry\n* * F,2h,1s\n",
            play::BOX
        ),
    );
    sh("exim4 -bd -q1s >/var/log/exim4/start 2>&1 </dev/null || { cat /var/log/exim4/start; exit 1; }");
}

#[test]
fn exim_pipe() {
    on_stage("exim_pipe", &["exim"], Many, || {
        people();
        site(&[]);
        exim();
        let _daemon = daemon(&[]);
        let mut writers = two_phases();
        once_more(&mut writers);
        sh(&format!("chmod 0 {ROOT}/spool/in/tmp"));
        let waits = || logged("/var/log/exim4/mainlog", &["T=judge_pipe", "defer", "returned 75"]);
        kept(&mut writers, waits, || sh(&format!("chmod 750 {ROOT}/spool/in/tmp")));
    });
}

const IMAP_PASSWORD: (&str, &str) = ("CHANCERY_MAIL_IN_IMAP_PASSWORD_FILE", "/var/lib/chancery/imap-password");

/// Dovecot with a mailbox for the judge, which Postfix fills through Dovecot's delivery program.
fn dovecot() {
    user("dovecot", SYSTEM + 10, "/usr/lib/dovecot");
    user("dovenull", SYSTEM + 11, "/nonexistent");
    user("vmail", SYSTEM + 12, "/var/vmail");
    sh("mkdir -p /var/vmail && chown vmail:vmail /var/vmail");
    write(
        "/etc/dovecot/cert.cnf",
        "[req]\ndistinguished_name = dn\nx509_extensions = v3\nprompt = no\n[dn]\nCN = localhost\n\
         [v3]\nsubjectAltName = DNS:localhost\nbasicConstraints = critical,CA:FALSE\n",
    );
    sh(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -config /etc/dovecot/cert.cnf \
        -keyout /etc/dovecot/key.pem -out /etc/dovecot/cert.pem 2>/dev/null",
    );
    sh(&format!("cp /etc/dovecot/cert.pem {ROOT}/imap.pem && chmod 644 {ROOT}/imap.pem"));
    let id = SYSTEM + 12;
    write(
        "/etc/dovecot/dovecot.conf",
        &format!(
            "protocols = imap\nlisten = 127.0.0.1\nlog_path = /var/log/dovecot.log\nmail_location = maildir:/var/vmail/%n\n\
             mail_uid = {id}\nmail_gid = {id}\nssl = yes\nssl_cert = </etc/dovecot/cert.pem\nssl_key = </etc/dovecot/key.pem\n\
             passdb {{\n  driver = static\n  args = password=let-me-in\n}}\n\
             userdb {{\n  driver = static\n  args = uid={id} gid={id} home=/var/vmail/%n\n}}\n"
        ),
    );
    sh("touch /var/log/dovecot.log && chmod 666 /var/log/dovecot.log && dovecot </dev/null >/dev/null");
}

/// Postfix hands mail for the judge to Dovecot's delivery program.
const TO_DOVECOT: [&str; 2] = [
    "postconf -e 'recipient_delimiter = +' 'relay_domains = judge.example' \
     'transport_maps = inline:{ { judge.example = dovecot: } }' 'dovecot_destination_recipient_limit = 1'",
    "postconf -M 'dovecot/unix=dovecot unix - n n - - pipe flags=DRhu user=vmail:vmail '\
'argv=/usr/lib/dovecot/dovecot-lda -o stats_writer_socket_path= -f ${sender} -a ${recipient} -d ${user}'",
];

#[test]
fn dovecot_imap() {
    on_stage("dovecot_imap", &["postfix", "dovecot"], Many, || {
        people();
        site(&[
            ("mail.in.imap.host", "\"localhost\""),
            ("mail.in.imap.authorities", "\"imap.pem\""),
            ("mail.in.imap.user", "\"judge\""),
            ("mail.in.imap.poll", "\"1s\""),
            ("mail.in.imap.then", "\"move\""),
            ("mail.in.imap.move_to", "\"Read mail\""),
        ]);
        dovecot();
        postfix(&[], &TO_DOVECOT);
        let running = daemon(&[IMAP_PASSWORD]);
        let mut writers = two_phases();
        once_more(&mut writers);
        // What was taken lies in the other folder, nothing is left in the first.
        let there = |folder: &str| {
            files(&format!("/var/vmail/judge{folder}/cur")).len()
                + files(&format!("/var/vmail/judge{folder}/new")).len()
        };
        wait_for("an empty folder", || there("") == 0);
        assert_eq!(there("/.Read mail"), writers.sent);
        drop(running);
        // Without a daemon: one look by `work`, in clear on this machine, and the message is deleted.
        writers.send("ada@player.example", "judge@judge.example", "help", &["HELP".to_string()], 0);
        wait_for("a message in the folder", || there("") == 1);
        let clear = ("CHANCERY_MAIL_IN_IMAP_TLS", "none");
        // Once more with STARTTLS on the port for that.
        let starttls = ("CHANCERY_MAIL_IN_IMAP_TLS", "starttls");
        let delete = ("CHANCERY_MAIL_IN_IMAP_THEN", "delete");
        let helped =
            mails(&["To: ada@player.example", "auto-replied"]) + mails(&["To: <ada@player.example>", "auto-replied"]);
        for verb in ["work", "send"] {
            let ended = as_judge(&[verb], &[IMAP_PASSWORD, clear, delete]).wait().expect("its end");
            assert!(ended.success(), "{verb}: {ended}");
        }
        settled(&writers);
        assert_eq!(there("") + there("/.Read mail"), writers.sent - 1);
        writers.send("bo@player.example", "judge@judge.example", "help2", &["HELP".to_string()], 0);
        wait_for("a message in the folder", || there("") == 1);
        let ended = as_judge(&["work"], &[IMAP_PASSWORD, starttls, delete]).wait().expect("its end");
        assert!(ended.success(), "work: {ended}");
        settled(&writers);
        assert_eq!(there(""), 0);
        assert!(logged("/var/log/dovecot.log", &["imap-login: ", "Login", "TLS"]), "it was TLS");
        wait_for("the page of help", || {
            mails(&["To: ada@player.example", "auto-replied"]) + mails(&["To: <ada@player.example>", "auto-replied"])
                > helped
        });
    });
}

/// Dovecot as one user without rights has it, with LMTP; there is but the folder of the judge.
fn dovecot_of_one() {
    write(
        "/etc/dovecot/dovecot.conf",
        &format!(
            "protocols = imap lmtp\nlisten = 127.0.0.1\nlog_path = /var/log/dovecot.log\nmail_location = maildir:/var/mail/%n\n\
             mail_uid = {JUDGE}\nmail_gid = {JUDGE}\nssl = no\nhostname = mx.judge.example\n\
             default_internal_user = judge\ndefault_internal_group = judge\ndefault_login_user = judge\n\
             service anvil {{\n  chroot =\n}}\nservice imap-login {{\n  chroot =\n}}\n\
             service lmtp {{\n  inet_listener lmtp {{\n    port = 24\n  }}\n}}\n\
             passdb {{\n  driver = static\n  args = password=let-me-in\n}}\n\
             userdb {{\n  driver = static\n  args = uid={JUDGE} gid={JUDGE} home=/var/mail/%n allow_all_users=yes\n}}\n"
        ),
    );
    sh(
        "dovecot </dev/null >/var/log/dovecot.start 2>&1 || { cat /var/log/dovecot.start /var/log/dovecot.log; exit 1; }",
    );
}

/// Mail programs hand their messages to Dovecot's LMTP, and the judge fetches them from the folder that this fills.
#[test]
fn dovecot_lmtp() {
    on_stage("dovecot_lmtp", &["postfix", "dovecot", "programs"], One, || {
        user("judge", JUDGE, ROOT);
        site(&[
            ("mail.in.imap.host", "\"localhost\""),
            ("mail.in.imap.tls", "\"none\""),
            ("mail.in.imap.user", "\"judge\""),
            ("mail.in.imap.poll", "\"1s\""),
        ]);
        dovecot_of_one();
        sink();
        let running = daemon(&[IMAP_PASSWORD]);
        let mut writers = two_phases_by(&[(swaks, 24, "lmtp"), (msmtp, 24, "lmtp")]);
        once_more(&mut writers);
        let waiting = || files("/var/mail/judge/new").len() + files("/var/mail/judge/cur").len();
        wait_for("an empty folder", || waiting() == 0);
        drop(running);
        let _again = kept(&mut writers, || waiting() == 1, || daemon(&[IMAP_PASSWORD]));
    });
}

/// Without any mail server for the judge: people's programs talk to its own loopback SMTP and LMTP.
#[test]
fn mail_programs() {
    on_stage("mail_programs", &["postfix", "programs"], One, || {
        user("judge", JUDGE, ROOT);
        site(&[("mail.in.lmtp", "\"127.0.0.1:2424\""), ("mail.in.smtp", "\"127.0.0.1:2526\"")]);
        sink();
        let _daemon = daemon(&[]);
        let mut writers = two_phases_by(&[
            (msmtp, 2526, "smtp"),
            (s_nail, 2526, "smtp"),
            (swaks, 2526, "smtp"),
            (swaks, 2424, "lmtp"),
            (msmtp, 2424, "lmtp"),
        ]);
        once_more(&mut writers);
        // It relays nothing, and says so at once.
        for (port, protocol) in [("2526", "ESMTP"), ("2424", "LMTP")] {
            let to_whom = ["--server", "127.0.0.1", "--port", port, "--protocol", protocol];
            let message = ["--from", "ada@player.example", "--to", "bo@player.example", "--body", "HELP"];
            let said = run("swaks", &[to_whom.as_slice(), message.as_slice()].concat(), b"");
            let dialogue = String::from_utf8_lossy(&said.stdout).into_owned();
            assert!(!said.status.success() && dialogue.contains("<** 550 5.1.1"), "{protocol}: {dialogue}");
        }
        settled(&writers);
    });
}
