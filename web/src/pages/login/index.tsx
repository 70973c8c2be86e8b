/** Logs in with the one-time code after the `#` of `becket ui`'s link, or explains how to get one. */
import { useEffect, useState } from "preact/hooks";
import { ApiError, errorMessage, fetchDaemon, isLoggedIn, request } from "../../api/client";
import { currentRoute, navigate } from "../../lib/router";
import { CopyableCommand } from "../../parts/page-states";

export function LoginPage() {
  const [problem, setProblem] = useState<string>();
  const [code] = useState(() => location.hash.slice(1));
  useEffect(() => {
    if (!code) return;
    // The code is valid once. Remove it from the history.
    history.replaceState(null, "", "/login");
    request("POST", "/api/login", { body: { code } }).then(
      () => {
        isLoggedIn.value = true;
        navigate("/live", "replace");
      },
      (error) => setProblem(error instanceof ApiError && error.status === 403 ? "used" : errorMessage(error)),
    );
  }, [code]);
  // `becket ui` may have logged in from another tab: check again when this tab becomes visible.
  useEffect(() => {
    const checkLogin = () => {
      if (!document.hidden && !code) void fetchDaemon("/api/v1/status").catch(() => {});
    };
    document.addEventListener("visibilitychange", checkLogin);
    return () => document.removeEventListener("visibilitychange", checkLogin);
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
        <p>Logging in…</p>
      ) : (
        <>
          <p>{loginMessage(problem)}</p>
          <p>In a terminal, run</p>
          <CopyableCommand>becket ui</CopyableCommand>
          <p class="quiet">It opens this page with a code that is valid once, for two minutes.</p>
          {currentRoute.value.path === "/login" && !problem && (
            <p>
              <a href="/live">Already logged in?</a>
            </p>
          )}
        </>
      )}
    </main>
  );
}

function loginMessage(problem: string | undefined): string {
  if (problem === "used") return "This link was already used, or is older than two minutes.";
  return problem ?? "This browser is not logged in.";
}
