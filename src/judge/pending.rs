//! The files of a game as they will be: what is filed, and over it what the decision in the making has done to it so far. So
//! the second command of a mail sees what the first one did (mail-commands.md 4.1): HISTORY behind PROCESS shows the phase
//! just played, PROCESS behind ROLLBACK finds the branch that it closes.

use super::decision::FileEdit;
use super::session::Desk;
use super::table::Records;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Filed records with edits over them.
struct Pending<'a> {
    under: Rc<dyn Records + 'a>,
    /// What each file that was touched holds now; `None`: it is gone.
    over: BTreeMap<String, Option<String>>,
}

impl<'a> Pending<'a> {
    fn new(under: Rc<dyn Records + 'a>, edits: &[FileEdit]) -> Pending<'a> {
        let mut pending = Pending { under, over: BTreeMap::new() };
        for edit in edits {
            pending.apply(edit);
        }
        pending
    }

    fn apply(&mut self, edit: &FileEdit) {
        match edit {
            FileEdit::Append(name, text) => {
                let whole = self.text(name).unwrap_or_default() + text;
                self.put(name, Some(whole));
            }
            FileEdit::Replace(name, text) => self.put(name, Some(text.clone())),
            // The status file itself is written with the commit, not before.
            FileEdit::KeepStatus(name) => self.put(name, self.under.file("status")),
            FileEdit::KeepGame(name, game) => self.put(name, Some(crate::status::canonical(game))),
            FileEdit::Rename(from, to) => {
                let text = self.text(from);
                self.put(from, None);
                self.put(to, text);
            }
            FileEdit::Remove(name) => self.put(name, None),
        }
    }

    fn put(&mut self, name: &str, text: Option<String>) {
        self.over.insert(name.to_owned(), text);
    }

    fn text(&self, name: &str) -> Option<String> {
        match self.over.get(name) {
            Some(text) => text.clone(),
            None => self.under.file(name),
        }
    }
}

impl Records for Pending<'_> {
    fn results(&self) -> String {
        match self.over.get("results") {
            Some(text) => text.clone().unwrap_or_default(),
            None => self.under.results(),
        }
    }

    fn phases(&self) -> Vec<serde_json::Value> {
        match self.over.get("results.jsonl") {
            Some(text) => {
                text.iter().flat_map(|text| text.lines()).filter_map(|line| serde_json::from_str(line).ok()).collect()
            }
            None => self.under.phases(),
        }
    }

    fn file(&self, name: &str) -> Option<String> {
        self.text(name)
    }

    fn names(&self) -> Vec<String> {
        let mut names = self.under.names();
        names.retain(|name| !self.over.contains_key(name));
        names.extend(self.over.iter().filter(|(_, text)| text.is_some()).map(|(name, _)| name.clone()));
        names.sort();
        names
    }
}

/// Does something at a desk whose records are those of this moment. Not to be nested: what is done sees the edits once.
pub fn seeing<T>(desk: &mut Desk, act: impl FnOnce(&mut Desk) -> T) -> T {
    if desk.decision.files.is_empty() {
        return act(desk);
    }
    let filed = Rc::clone(&desk.table.records);
    desk.table.records = Rc::new(Pending::new(Rc::clone(&filed), &desk.decision.files));
    let done = act(desk);
    desk.table.records = filed;
    done
}
