/** `await runWithToast(() => setup.switchHook(hook, on), "Disabled")`: runs an action and shows the result as a toast. */
import { errorMessage } from "../api/client";
import { toast } from "./toast";

/** Returns whether the action succeeded. `message` is shown on success. */
export async function runWithToast<T>(
  work: () => Promise<T>,
  message?: string | ((done: T) => string),
): Promise<boolean> {
  try {
    const done = await work();
    if (message) toast(typeof message === "string" ? message : message(done));
    return true;
  } catch (error) {
    toast(errorMessage(error), "deny");
    return false;
  }
}
