/** Says that the daemon does not answer, and keeps asking until it does; then it goes away. */
import { useEffect } from "preact/hooks";
import { reach } from "../api/client";
import { backoff } from "../lib/backoff";
import { Command } from "../parts/state";

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
