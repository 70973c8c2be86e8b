//! Rules of the `git` pack.

use crate::packs::tool::rules;

rules! {
    RESET_HARD = Severe "git.reset-hard": "throws away uncommitted work, which nothing can bring back",
        "`git stash` first, or `git reset --keep`, which refuses to lose changes";
    CLEAN = Severe "git.clean": "deletes untracked files, which git cannot bring back",
        "`git clean -n` shows what would go; `git stash -u` keeps it";
    CLEAN_IGNORED = Doubtful "git.clean-ignored": "deletes ignored files: build output, but also local settings",
        "`git clean -nX` shows what would go";
    DISCARD = Severe "git.discard": "overwrites uncommitted changes in the working tree",
        "`git stash` first, or `git diff > saved.patch`";
    STASH_DROP = Severe "git.stash-drop": "deletes stashed work",
        "`git stash show -p` first; `git stash branch` turns it into a branch";
    BRANCH_DELETE = Doubtful "git.branch-delete": "deletes a branch even though its commits are merged nowhere",
        "`git branch -d` refuses to lose commits";
    BRANCH_DELETE_MAIN = Severe "git.branch-delete-main": "deletes the main branch",
        "delete only your own branches, with `git branch -d`";
    BRANCH_MOVE = Doubtful "git.branch-move": "moves a branch away from its commits",
        "make a new branch instead";
    PUSH_FORCE = Severe "git.push-force": "overwrites published history, and with it commits of others",
        "`git push --force-with-lease` on your own branch, after a fetch";
    PUSH_FORCE_MAIN = Severe "git.push-force-main": "overwrites the history of a branch that everybody builds on",
        "`git revert` what is wrong and push that";
    PUSH_LEASE_MAIN = Doubtful "git.push-lease-main": "rewrites the history of a branch that everybody builds on",
        "`git revert` what is wrong and push that";
    PUSH_MIRROR = Severe "git.push-mirror": "makes the remote a copy of this clone, deleting every branch and tag that is only there",
        "push the branches you mean by name";
    PUSH_DELETE = Doubtful "git.push-delete": "deletes a branch or a tag on the remote",
        "let a person delete it, or the merge do so";
    PUSH_DELETE_MAIN = Severe "git.push-delete-main": "deletes the main branch on the remote",
        "let a person do this";
    PUSH_URL = Doubtful "git.push-to-url": "pushes the repository to an address that is not one of its remotes",
        "push to a configured remote";
    REMOTE_URL = Doubtful "git.remote-url": "changes where pushes and fetches go",
        "let a person change remotes";
    REFLOG = Severe "git.reflog": "deletes the record that brings lost commits back",
        "leave it; it expires by itself";
    GC_NOW = Severe "git.gc-now": "deletes every unreachable commit at once, for good",
        "`git gc` keeps what is younger than two weeks";
    PRUNE = Doubtful "git.prune": "deletes unreachable objects",
        "`git prune -n` shows what would go";
    REWRITE = Severe "git.rewrite-history": "rewrites every commit of the repository",
        "work on a fresh clone, and let a person decide";
    UPDATE_REF = Severe "git.update-ref": "deletes a ref without any check",
        "`git branch -d`, `git tag -d`";
    MOVE_REF = Doubtful "git.move-ref": "changes a ref without any check",
        "use `git branch`, `git switch`, `git tag`";
    WORKTREE = Severe "git.worktree-remove": "deletes a working tree with its uncommitted work",
        "`git worktree remove` without `--force` refuses to lose work";
    TAG_DELETE = Doubtful "git.tag-delete": "deletes a tag",
        "note the commit first: `git rev-parse TAG`";
    REMOVE_FORCED = Doubtful "git.remove-forced": "deletes tracked files with their uncommitted changes",
        "`git rm` without `-f` refuses to lose changes; `--cached` keeps the files";
    REMOVE_ALL = Severe "git.remove-all": "deletes every tracked file of the working tree",
        "`git rm -n` shows what would go; `--cached` keeps the files";
    REMOVE = Notice "git.remove": "deletes tracked files",
        "`git rm -n` shows what would go";
    REBASE = Notice "git.rebase": "rewrites commits, which matters once they are published",
        "rebase only commits that you have not shared";
    SUBMODULE = Severe "git.submodule-deinit": "deletes the working trees of submodules with their changes",
        "without `-f` it refuses to lose work";
    SUBMODULE_FORCED = Doubtful "git.submodule-forced": "overwrites changes in submodules",
        "`git submodule foreach git status` first";
    LFS = Doubtful "git.lfs": "deletes local copies of large files or rewrites history for them",
        "`git lfs prune --dry-run --verify-remote` first";
    CLEAN_UNFORCED = Doubtful "git.clean-unforced": "lets `git clean` delete without `-f`",
        "leave it, and use `git clean -n` first";
    CONFIG_EXECUTES = Doubtful "git.config-executes": "sets something that git runs as a program, or sends credentials and fetches elsewhere",
        "let a person change this setting";
    ALIAS = Doubtful "git.alias": "gives a command another name, behind which anything may run",
        "run the command itself";
    EXECUTES = Severe "git.executes": "makes git start another program as a transport",
        "use an ordinary https or ssh address";
    UNKNOWN_COMMAND = Doubtful "git.unknown-command": "runs a git command that is only known at run time",
        "write the command out";
    OTHER_DISCARD = Severe "git.other-discard": "throws away uncommitted work or published history in another version control system",
        "shelve or commit it first";
    OTHER_REWRITE = Doubtful "git.other-rewrite": "rewrites or deletes recorded history in another version control system",
        "let a person decide";
    CREDENTIAL = Severe "secrets.git-credential": "prints a stored password",
        "let git use it by itself";
    NO_VERIFY = Doubtful "guard.no-verify": "skips the checks that the project runs before a commit or a push",
        "fix what the hook reports, or let a person skip it";
    HOOKS_OFF = Doubtful "guard.git-hooks-off": "switches off or replaces the project's git hooks",
        "leave the hooks on, or let a person switch them off";
}
