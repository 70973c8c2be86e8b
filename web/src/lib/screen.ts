/** Whether the window is as narrow as a phone's. */
import { signal } from "@preact/signals";

export const isNarrow = signal(false);

if (typeof matchMedia !== "undefined") {
  const query = matchMedia("(max-width: 760px)");
  isNarrow.value = query.matches;
  query.addEventListener("change", () => {
    isNarrow.value = query.matches;
  });
}
