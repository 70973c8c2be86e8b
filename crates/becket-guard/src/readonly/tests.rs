use super::is_proven_read_only;
use crate::command::{
    Doubt, DoubtKind, Invocation, Launcher, Redirect, RedirectKind, Script, Span, UNKNOWN, Word,
};
use crate::facts::RunLocation;
use crate::plain_shell;

fn location() -> RunLocation {
    RunLocation {
        cwd: "/home/dev/app".to_owned(),
        home: "/home/dev".to_owned(),
        project: Some("/home/dev/app".to_owned()),
        becket_paths: Vec::new(),
    }
}

fn is_secret(word: &Word, _: &Invocation) -> bool {
    let name = word.text.rsplit('/').next().unwrap_or_default();
    name == ".env" || name == "id_rsa" || word.text.starts_with(".e*")
}

fn reads(script: &Script) -> bool {
    is_proven_read_only(script, &location(), &is_secret)
}

fn line_reads(line: &str) -> bool {
    reads(&plain_shell::script(line).unwrap_or_else(|| panic!("not plain: {line}")))
}

#[test]
fn read_only_commands_are_proven() {
    for line in [
        "ls",
        "ls -la src",
        "cat README.md",
        "cat src/main.rs | head -50",
        "head -n 20 x",
        "tail -f log/x.log",
        "wc -l src/main.rs",
        "grep -rn 'rm -rf' scripts",
        "rg -n 'git push --force' -g '*.rs'",
        "rg --files | head",
        "find . -name '*.rs' -not -path './target/*'",
        "find . -type f -mtime -7 -size +1M -print",
        "find src -name '*.rs' | xargs wc -l",
        "fd -e rs main",
        "tree -L 2",
        "sed -n '1,20p' x",
        "sed 's/a/b/g' x",
        "sed -n -e '1p' -e '$p' x",
        "awk '{print}' x",
        "awk -F: 'NR==5' x",
        "sort -rn x | uniq -c | sort -k2",
        "jq .scripts package.json",
        "jq -r '.items[].name' x.json",
        "diff -u a b",
        "stat x",
        "file x",
        "du -sh .",
        "df -h",
        "ps aux",
        "ps -ef",
        "lsof -i:3000",
        "base64 -d x",
        "uname -a",
        "date",
        "date -u +%s",
        "pwd",
        "which node",
        "type git",
        "command -v cargo",
        "echo hello",
        "printf '%s' x",
        "test -f x && echo yes",
        "[ -d src ]",
        "cd src && ls",
        "true",
        "sleep 1",
        "git status",
        "git status --short",
        "git diff",
        "git diff --stat HEAD~1 -- src",
        "git log --oneline -10",
        "git log -p -S 'x' -- a",
        "git show HEAD:src/main.rs",
        "git blame -L 1,5 x",
        "git branch",
        "git branch -a",
        "git branch --list 'feat*'",
        "git branch --show-current",
        "git tag",
        "git tag -l 'v1*'",
        "git remote -v",
        "git remote get-url origin",
        "git stash list",
        "git stash show -p",
        "git rev-parse HEAD",
        "git ls-files",
        "git --no-pager log -5",
        "git -c core.pager=cat diff",
        "git -C crates/x status",
        "git config user.name",
        "git config --get user.email",
        "git reflog",
        "git worktree list",
        "git grep -n TODO",
        "git --version",
        "git describe --tags",
        "GIT_PAGER=cat git log",
        "LC_ALL=C sort x",
        "NO_COLOR=1 cargo test",
        "cargo check",
        "cargo build --release",
        "cargo test -p x -- --nocapture",
        "cargo clippy --all-targets -- -D warnings",
        "cargo fmt --check",
        "cargo tree -i serde",
        "cargo metadata --format-version 1",
        "cargo doc --no-deps",
        "cargo +nightly check",
        "cargo --version",
        "RUST_BACKTRACE=1 cargo test",
        "npm ls --depth=0",
        "npm view react version",
        "npm outdated",
        "go vet ./...",
        "go list -m all",
        "go version",
        "go test ./... -run TestX -race",
        "go build ./...",
        "git clean -nd",
        "kubectl auth can-i delete pods",
        "python --version",
        "node --version",
        "node -v",
        "docker ps -a",
        "docker images",
        "docker logs --tail 10 web",
        "docker inspect web",
        "docker compose ps",
        "kubectl get pods -A",
        "kubectl describe pod x",
        "kubectl logs web --tail=5",
        "kubectl get deploy -o yaml",
        "terraform plan",
        "terraform validate",
        "terraform show",
        "terraform fmt -check",
        "gh pr view 12",
        "gh pr list --state open",
        "gh pr diff 3",
        "gh run view 1 --log",
        "gh api repos/x/y --jq .name",
        "systemctl status nginx",
        "/usr/bin/ls -l",
        "pip list",
    ] {
        assert!(line_reads(line), "{line}");
    }
}

#[test]
fn commands_that_may_write_execute_or_leak_are_not_proven() {
    for line in [
        "rm x",
        "touch x",
        "cp a b",
        "tee x",
        "make",
        "npm test",
        "npm run build",
        "npm install",
        "./ls",
        "/tmp/ls",
        "src/cat x",
        "foo",
        "bash x.sh",
        "sh",
        "cat .env",
        "grep KEY .env",
        "cat .e*",
        "head -n1 config/.env",
        "git show HEAD:.env",
        "git diff --no-index a .env",
        "jq . --rawfile=.env",
        "find . -delete",
        "find . -exec rm x +",
        "find . -fprint x",
        "find . -ok rm x",
        "find . -name x -execdir id +",
        "sort -o x y",
        "sort --output=x y",
        "sort --o=x y",
        "sort --compress-program=sh x",
        "uniq a b",
        "xxd a b",
        "tree -o x",
        "rg --pre sh x",
        "rg --pre=sh x",
        "fd -x rm",
        "fd . -X rm",
        "fd --exec rm",
        "sed -i s/a/b/ x",
        "sed -n 'w out' x",
        "sed 's/a/b/e' x",
        "sed --in-place s/a/b/ x",
        "sed -f x y",
        "sed -ni p x",
        "awk '{print > \"x\"}' y",
        "awk 'BEGIN{system(\"id\")}'",
        "awk -f x y",
        "awk '{print ENVIRON[\"A\"]}' x",
        "gawk -i inplace '{print}' x",
        "jq env x",
        "jq '$ENV.X' x",
        "jq -n 'env.HOME'",
        "date -s 10:00",
        "date 010100002030",
        "hostname x",
        "ps auxe",
        "ps -E",
        "ss -K",
        "file -C -m x",
        "env",
        "printenv",
        "set",
        "export A=b",
        "less x",
        "vim x",
        "xargs rm",
        "ls | xargs cat",
        "ls | xargs rm",
        "find . | xargs grep x",
        "command ls -o",
        "command rm x",
        "git push",
        "git commit -m x",
        "git branch x",
        "git branch -d x",
        "git branch -D x",
        "git tag v1",
        "git tag -d v1",
        "git stash",
        "git stash drop",
        "git checkout x",
        "git fetch",
        "git pull",
        "git diff --output=x",
        "git log --output x",
        "git diff --outp=x",
        "git diff --ext-diff",
        "git grep -O x",
        "git grep --open-files-in-pager=sh x",
        "git -c core.pager=sh log",
        "git -c core.fsmonitor=./x status",
        "git -c alias.x=y x",
        "git --git-dir=/tmp/x status",
        "git -C /tmp/x status",
        "git -C ../x status",
        "git --exec-path=/tmp log",
        "git remote add x y",
        "git remote show origin",
        "git config user.name x",
        "git config --list",
        "git config --get http.x.extraheader",
        "git worktree add x",
        "git reflog expire --all",
        "git ls-remote x",
        "git cat-file --textconv HEAD:x",
        "git symbolic-ref HEAD x",
        "git x",
        "git",
        "git notes add",
        "git submodule update",
        "git lfs prune",
        "git status *",
        "GIT_EXTERNAL_DIFF=./x git diff",
        "PAGER=sh git log",
        "LD_PRELOAD=./x ls",
        "PATH=. ls",
        "NODE_OPTIONS=x node --version",
        "RUSTC_WRAPPER=./x cargo check",
        "GIT_PAGER='sh x' git log",
        "cargo run",
        "cargo fmt",
        "cargo clippy --fix",
        "cargo test --config x",
        "cargo check --config=x",
        "cargo clippy -- -C linker=x",
        "cargo install x",
        "cargo publish",
        "cargo build --target-dir /etc",
        "cargo doc --open",
        "cargo check -Z x",
        "npm view x --registry=y",
        "npm config get x",
        "npx x --version",
        "go vet -vettool=./x ./...",
        "go env -w X=y",
        "go test -exec ./x ./...",
        "go test -toolexec=x ./...",
        "go test -c -o x",
        "go build",
        "go build -o x ./...",
        "git clean -f",
        "git clean -nf",
        "git clean",
        "go run .",
        "go list -toolexec=x ./...",
        "python -c 'print(1)'",
        "node -e 1",
        "docker rm x",
        "docker -H x ps",
        "docker exec x ls -l x",
        "docker run x",
        "kubectl get secrets",
        "kubectl get secret/x -o yaml",
        "kubectl describe secret x",
        "kubectl delete pod x",
        "kubectl get --raw /x",
        "kubectl --kubeconfig x get pods",
        "kubectl exec x",
        "terraform plan -out=x",
        "terraform apply",
        "terraform fmt",
        "terraform destroy",
        "terraform state rm x",
        "terraform state show x",
        "gh pr merge 1",
        "gh pr view --web",
        "gh pr view -w",
        "gh api -X DELETE x",
        "gh api x -f a=b",
        "gh api graphql",
        "gh auth token",
        "gh repo delete",
        "gh api x --input y",
        "systemctl stop x",
        "base64 -o x y",
        "go list -mod=mod ./...",
        "uv tree",
        "awk 'BEGIN{ARGV[1]=\"x\";ARGC=2}{print}'",
        "git branch -l x",
        "git -c log.showSignature=true log",
        "systemctl cat x",
        "pip install x",
        "curl x",
        "wget x",
        "sudoedit x",
        "echo $HOME",
        "cat $X",
        "ls \"$X\"",
    ] {
        let Some(script) = plain_shell::script(line) else {
            continue;
        };
        assert!(!reads(&script), "{line}");
    }
}

fn one(line: &str) -> Script {
    plain_shell::script(line).expect("plain")
}

#[test]
fn redirections_prevent_the_proof_except_to_dev_null() {
    let with = |kind, target: &str| {
        let mut script = one("ls");
        script.commands[0].redirects.push(Redirect {
            kind,
            target: Word::literal(target),
        });
        reads(&script)
    };
    assert!(with(RedirectKind::Truncate, "/dev/null"));
    assert!(with(RedirectKind::Read, "x"));
    assert!(!with(RedirectKind::Truncate, "x"));
    assert!(!with(RedirectKind::Append, "x"));
    assert!(!with(RedirectKind::Read, ".env"));
    assert!(!with(RedirectKind::Read, &UNKNOWN.to_string()));
    assert!(!with(RedirectKind::ReadWrite, "/dev/null"));
}

#[test]
fn incompletely_analyzed_commands_are_not_proven() {
    assert!(!reads(&Script::default()));
    let mut doubtful = one("ls");
    doubtful.doubts.push(Doubt {
        kind: DoubtKind::Bounds,
        message: "too deep".to_owned(),
        span: Span::default(),
    });
    assert!(!reads(&doubtful));
    let mut lost = one("ls");
    lost.commands[0].cwd = None;
    assert!(!reads(&lost));
}

#[test]
fn only_known_wrappers_keep_the_proof() {
    let via = |via: Launcher| {
        let mut script = one("ls");
        script.commands[0].via.push(via);
        reads(&script)
    };
    assert!(via(Launcher::Wrapper("timeout".to_owned())));
    assert!(!via(Launcher::Root("sudo".to_owned())));
    assert!(!via(Launcher::Remote("ssh".to_owned())));
    assert!(!via(Launcher::Interpreter("python".to_owned())));

    let wrapping = |outer: &str, inner: &str| {
        let mut script = one(&format!("{outer}; {inner}"));
        script.commands[1]
            .via
            .push(Launcher::Wrapper("wrapper".to_owned()));
        reads(&script)
    };
    assert!(wrapping("timeout 5 ls", "ls"));
    assert!(wrapping("bash -c ls", "ls"));
    assert!(wrapping("bash -lc 'git status'", "git status"));
    assert!(wrapping("time -p ls", "ls"));
    assert!(!wrapping("time -o x ls", "ls"));
    assert!(!wrapping("timeout 5 rm x", "rm x"));
    assert!(!wrapping("bash -c 'rm x'", "rm x"));
    assert!(!wrapping("bash --rcfile x -c ls", "ls"));
    assert!(!line_reads("bash -c ls"), "nothing shows what it runs");
}

/// A command that a rule stops is never proven read-only.
#[test]
fn dangerous_commands_are_never_proven_read_only() {
    const DANGEROUS: &str = include_str!("../../tests/corpus/dangerous.txt");
    let lines = DANGEROUS
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with("# "));
    for line in lines {
        let (_, command) = line.split_once(' ').expect("a rule, then a command");
        if let Some(script) = plain_shell::script(command) {
            assert!(!reads(&script), "{command}");
        }
    }
}
