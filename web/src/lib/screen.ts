/** Whether the window is as narrow as a telephone's; follows it. */
import { signal } from "@preact/signals";

export const narrow = signal(false);

if (typeof matchMedia !== "undefined") {
  const query = matchMedia("(max-width: 760px)");
  narrow.value = query.matches;
  query.addEventListener("change", () => {
    narrow.value = query.matches;
  });
}
