const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Verbs of looking. No nouns: whatever is done to a `status` or a `history` would count as reading. */
export const readWords = words(`
  read list get show view fetch search find query
  browse cat count describe diff exists explain glob grep inspect lookup ls peek preview retrieve stat
`);

/**
 * Verbs of changing, which win over those of looking in one name. A name with neither is a write anyway, so that
 * what stands here is what a name of reading could hold besides (`get_or_create`). Nouns that go with reading every
 * day are left out: `get_commit`, `list_pull_requests`, `get_issue`.
 */
export const writeWords = words(`
  write create update delete modify edit remove add insert save execute run call move copy mkdir rmdir
  abort accept activate alter append apply approve archive assign attach ban bump buy cancel change charge chmod
  chown clean cleanup clear click clone close configure cp deactivate decrement del deploy destroy detach disable
  disconnect discard dismiss download drag drop empty enable erase eval evaluate exec export fill flush forward
  generate grant import increment install invite invoke join kill launch leave lock make mark merge migrate mount mv
  navigate notify overwrite patch pay persist post prepend press prune publish purchase purge push put reboot rebase
  refund register reject rename reorder replace reply reset resize resolve respond restart restore revert revoke rm
  rollback schedule seed sell send set share shell shuffle shutdown spawn squash start stop store submit subscribe
  swap sync terminate toggle touch transfer trigger truncate unarchive unassign uninstall unlink unlock unmark
  unmount unregister unshare unsubscribe upload upsert vote wipe
`);
