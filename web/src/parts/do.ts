/** `await tried(() => setup.switchHook(hook, on), "Switched off")`: does something, and says in a toast how it went. */
import { words } from "../api/client";
import { toast } from "./toast";

/** Whether it worked; `said` is what is said then, if anything. */
export async function tried<T>(
  work: () => Promise<T>,
  said?: string | ((done: T) => string),
): Promise<boolean> {
  try {
    const done = await work();
    if (said) toast(typeof said === "string" ? said : said(done));
    return true;
  } catch (error) {
    toast(words(error), "deny");
    return false;
  }
}
