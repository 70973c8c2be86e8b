// Sample turns for the seed: prompts, tool calls, outcomes. The projects are fictional.

const run = (command, output, more = {}) => ({ tool: "Bash", input: { command }, output, ...more });
const read = (path) => ({
  tool: "Read",
  input: { file_path: path },
  output: `     1\t// ${path}\n     2\t…\n`,
});
const grep = (pattern, files) => ({ tool: "Grep", input: { pattern }, output: files.join("\n") });
const edit = (path, before, after) => ({
  tool: "Edit",
  input: { file_path: path, old_string: before, new_string: after },
  output: "The file was changed.",
});
const write = (path, content) => ({
  tool: "Write",
  input: { file_path: path, content },
  output: "The file was written.",
});
const denied = (command, rule, reason) => ({
  ...run(command, ""),
  verdict: "deny",
  rule,
  reason: `${rule}: ${reason}`,
});

const LONG_LOG = Array.from({ length: 160 }, (_, i) => `test parse::case_${i} ... ok`).join("\n");

export const SAMPLE_TURNS = [
  {
    project: "shop",
    prompt: "The parser drops the last field of a line. Find out why and fix it.",
    answer: "The loop ended one field early. It is fixed, and a test says so.",
    steps: [
      grep("split_last", ["src/parse.rs", "src/lib.rs"]),
      read("src/parse.rs"),
      edit(
        "src/parse.rs",
        "    for i in 0..fields.len() - 1 {\n        row.push(fields[i]);\n    }",
        "    for field in &fields {\n        row.push(field);\n    }",
      ),
      run("cargo test parse", "test parse::last_field ... FAILED\n\nassertion failed: row.len() == 4", {
        failed: true,
        ms: 4200,
      }),
      edit("src/parse.rs", "    row.pop();\n    row", "    row"),
      run("cargo test parse", LONG_LOG, { ms: 3900 }),
      denied(
        "git push --force origin main",
        "git.push-force-main",
        "`git push --force origin main` overwrites the history of a branch that everybody builds on\ninstead: `git revert` what is wrong and push that",
      ),
      run(
        "git push origin fix-last-field",
        "To github.com:ana/shop.git\n * [new branch]      fix-last-field",
        { ms: 1800 },
      ),
    ],
  },
  {
    project: "shop",
    prompt: "Add a discount code field to the checkout form, with validation and tests.",
    answer:
      "The checkout form has a discount code now. Unknown and expired codes are explained beside the field; eleven tests cover it.",
    plan: "# Discount codes at checkout\n\n1. A `discount` column for orders, nullable\n2. `POST /api/discounts/check`, which says what a code is worth\n3. The field in the form, checked when it loses focus\n4. Tests: unknown, expired, used twice",
    steps: [
      {
        subagent: "Explore",
        about: "Where is the checkout form?",
        steps: [
          grep("checkout", ["web/checkout.tsx", "api/orders.ts", "api/orders.test.ts"]),
          read("web/checkout.tsx"),
          read("api/orders.ts"),
        ],
      },
      write(
        "api/discounts.ts",
        "export interface Discount {\n  code: string;\n  percent: number;\n  until: Date;\n}\n\nexport function worth(code: string, all: Discount[], now: Date): number {\n  const found = all.find((one) => one.code === code && one.until > now);\n  return found?.percent ?? 0;\n}\n",
      ),
      edit(
        "web/checkout.tsx",
        "      <Total value={total} />",
        "      <DiscountField onCheck={check} />\n      <Total value={total - discount} />",
      ),
      run("npm test -- discounts", "Tests: 2 failed, 9 passed, 11 total", { failed: true, ms: 6100 }),
      edit("api/discounts.ts", "one.until > now", "one.until >= now"),
      {
        ...run("npm test -- discounts", "Tests: 11 passed, 11 total", { ms: 5800 }),
        rewritten: { command: "npm test -- discounts --silent" },
        rule: "quiet-tests",
      },
      denied(
        "cat .env.production",
        "secrets.read",
        "`.env.production` holds secrets\ninstead: ask for the one value that is needed",
      ),
    ],
  },
  {
    project: "blog",
    prompt: "Build the site and show me broken links",
    answer: "Three links are broken: two in `posts/2024-03.md`, one in the footer.",
    steps: [
      run("make site", "rendered 214 pages in 1.9 s", { ms: 2300 }),
      run("npx linkinator public --silent", "404 /posts/old-name\n404 /img/hero.webp\n404 /feed.xml", {
        ms: 9200,
        failed: true,
      }),
      {
        tool: "WebFetch",
        input: { url: "https://example.com/feed.xml", prompt: "Does it exist?" },
        output: "404 Not Found",
      },
      grep("old-name", ["posts/2024-03.md", "templates/footer.html"]),
    ],
  },
  {
    project: "infra",
    prompt: "Why is the staging deployment stuck? Do not change anything yet.",
    answer: "The new image asks for 6 GiB of memory and the nodes have 4 GiB free. Nothing was changed.",
    steps: [
      run(
        "kubectl -n staging get pods",
        "NAME              READY   STATUS    RESTARTS   AGE\napi-7d9c6-4xk2p   0/1     Pending   0          14m",
        { ms: 900 },
      ),
      run(
        "kubectl -n staging describe pod api-7d9c6-4xk2p",
        "Warning  FailedScheduling  0/3 nodes are available: 3 Insufficient memory.",
        { ms: 1100 },
      ),
      denied(
        "kubectl delete namespace staging",
        "kubernetes.delete-many",
        "`kubectl delete namespace staging` deletes everything in it\ninstead: delete the one thing that is in the way",
      ),
      {
        ...run("terraform plan -out plan.bin", "Plan: 0 to add, 1 to change, 0 to destroy.", { ms: 12400 }),
        verdict: "ask",
        rule: "core.environment",
        reason: "core.environment: plans are looked at by somebody",
      },
      read("deploy/api.yaml"),
    ],
  },
  {
    project: "shop",
    prompt: "Upgrade the date library and fix whatever breaks",
    answer: "The library is at 4.1; nine calls changed their names. All tests pass.",
    steps: [
      run("npm outdated", "date-kit  3.2.0  4.1.0", { ms: 1500 }),
      run("npm install date-kit@4.1.0", "added 1 package, changed 1 package", { ms: 7700 }),
      run("npx tsc --noEmit", "src/report.ts(14,7): error TS2551: Property 'formatISO' does not exist", {
        failed: true,
        ms: 5200,
      }),
      edit("src/report.ts", "formatISO(day)", "iso(day)"),
      {
        tool: "ApplyPatch",
        input: {
          command:
            "*** Begin Patch\n*** Update File: src/calendar.ts\n@@\n-import { addDays } from 'date-kit';\n+import { plusDays } from 'date-kit';\n*** End Patch\n",
        },
        output: "Success. Updated the following files:\nM src/calendar.ts",
      },
      run("npm test", "Tests: 312 passed, 312 total", { ms: 21000 }),
      denied(
        "rm -rf node_modules ~/.cache",
        "core.delete-personal",
        "`rm -rf ~/.cache` deletes in the home directory\ninstead: `rm -rf node_modules` alone",
      ),
    ],
  },
  {
    project: "notes-app",
    prompt: "Search feels slow with 20 000 notes. Measure first, then make it fast.",
    answer:
      "It took 840 ms for a search; it takes 9 ms with an index. The measurements are in `bench/search.md`.",
    steps: [
      {
        subagent: "Plan",
        about: "How could search be made fast?",
        steps: [
          read("lib/search.dart"),
          grep("contains\\(", ["lib/search.dart", "lib/store.dart"]),
          { tool: "WebSearch", input: { query: "sqlite fts5 trigram tokenizer latency" }, output: "…" },
        ],
      },
      run("dart run bench/search.dart", "20 000 notes: 840 ms", { ms: 3100 }),
      write(
        "lib/index.dart",
        "/// An index of words.\nclass Index {\n  final Map<String, Set<int>> _notes = {};\n}\n",
      ),
      run("dart run bench/search.dart", "20 000 notes: 9 ms", { ms: 2600 }),
      {
        tool: "mcp__tracker__create_issue",
        input: { title: "Search: index is rebuilt at every start", labels: ["performance"] },
        output: '{"id": 412}',
      },
    ],
  },
  {
    project: "blog",
    prompt: "Draft a short post about the new search, in the tone of the others",
    answer: "The draft is in `posts/2026-11-search.md`. I kept it under 300 words.",
    steps: [
      { tool: "Glob", input: { pattern: "posts/2026-*.md" }, output: "posts/2026-08.md\nposts/2026-10.md" },
      read("posts/2026-10.md"),
      write("posts/2026-11-search.md", "---\ntitle: Search that keeps up\n---\n\nYou type, it is there.\n"),
    ],
  },
];
