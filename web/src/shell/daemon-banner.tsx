/** The banner that is shown while the daemon does not answer. It polls the daemon and disappears when it is back. */
import { useEffect } from "preact/hooks";
import { fetchDaemon, isReachable } from "../api/client";
import { backoff } from "../lib/backoff";
import { CopyableCommand } from "../parts/page-states";

const HEARTBEAT_MS = 5000;

/** Detects a stopped daemon on pages that send no requests. */
export function useHeartbeat(): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden && isReachable.peek()) fetchDaemon("/api/health").catch(() => {});
    }, HEARTBEAT_MS);
    return () => clearInterval(timer);
  }, []);
}

export function DaemonBanner() {
  useEffect(() => {
    let attempts = 0;
    let timer = 0;
    const retry = () => {
      timer = window.setTimeout(() => {
        fetchDaemon("/api/health").catch(() => {
          attempts++;
          retry();
        });
      }, backoff(attempts));
    };
    retry();
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="banner" role="alert">
      <strong>The daemon is not running.</strong> It starts with the next event, or run{" "}
      <CopyableCommand>becket daemon start</CopyableCommand>
    </div>
  );
}
