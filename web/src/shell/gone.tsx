/** Says that the daemon does not answer, and keeps asking until it does; then it goes away. */
import { useEffect } from "preact/hooks";
import { reach, reachable } from "../api/client";
import { backoff } from "../lib/backoff";
import { Command } from "../parts/state";

const BEAT_MS = 5000;

/** Notices a daemon that went while nobody asked it for anything. */
export function useHeartbeat(): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden && reachable.peek()) reach("/api/health").catch(() => {});
    }, BEAT_MS);
    return () => clearInterval(timer);
  }, []);
}

export function Gone() {
  useEffect(() => {
    let tries = 0;
    let timer = 0;
    const again = () => {
      timer = window.setTimeout(() => {
        reach("/api/health").catch(() => {
          tries++;
          again();
        });
      }, backoff(tries));
    };
    again();
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="banner" role="alert">
      <strong>The daemon is not running.</strong> It starts with the next event, or with{" "}
      <Command>becket daemon start</Command>
    </div>
  );
}
