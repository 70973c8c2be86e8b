/** Gets in with the one-time code that `becket ui` puts after the `#`, or says how to get one. */
import { useEffect, useState } from "preact/hooks";
import { ApiError, ask, loggedIn, reach, words } from "../../api/client";
import { go, place } from "../../lib/router";
import { Command } from "../../parts/state";

export function Login() {
  const [problem, setProblem] = useState<string>();
  const [code] = useState(() => location.hash.slice(1));
  useEffect(() => {
    if (!code) return;
    // The code is good for one use, and has no business in the history.
    history.replaceState(null, "", "/login");
    ask("POST", "/api/login", { body: { code } }).then(
      () => {
        loggedIn.value = true;
        go("/live", "replace");
      },
      (error) => setProblem(error instanceof ApiError && error.status === 403 ? "used" : words(error)),
    );
  }, [code]);
  // `becket ui` opens a page of its own; whoever comes back to this one is let in as well.
  useEffect(() => {
    const look = () => {
      if (!document.hidden && !code) void reach("/api/v1/status").catch(() => {});
    };
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [code]);
  const isBusy = code && !problem;
  return (
    <main class="login">
      <svg viewBox="0 0 32 32" aria-hidden="true">
        <path d="M11 5v16a5.5 5.5 0 0 0 11 0v-2" />
        <circle cx="22" cy="12.5" r="2.8" />
      </svg>
      <h1>Becket</h1>
      {isBusy ? (
        <p>One moment…</p>
      ) : (
        <>
          <p>{reason(problem)}</p>
          <p>In a terminal, run</p>
          <Command>becket ui</Command>
          <p class="quiet">It opens this page with a code that is good for one use and two minutes.</p>
          {place.value.path === "/login" && !problem && (
            <p>
              <a href="/live">Already logged in?</a>
            </p>
          )}
        </>
      )}
    </main>
  );
}

function reason(problem: string | undefined): string {
  if (problem === "used") return "This link was used before, or is older than two minutes.";
  return problem ?? "What your agents do is shown to you alone, so this browser has to be let in.";
}
