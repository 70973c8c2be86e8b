/** Validates settings while the user types. Returns an error message, or `undefined`. */

/** A number of days or weeks (`90d`, `12w`); empty means forever. */
export function validateRetention(text: string): string | undefined {
  const keep = text.trim();
  if (!keep) return undefined;
  const [, number, unit] = /^(\d+)\s*([a-z]*)$/i.exec(keep) ?? [];
  if (!number) return "Enter a number of days or weeks, such as 90d.";
  if (unit !== "d" && unit !== "w") return `Add d for days or w for weeks: ${number}d.`;
  if (Number(number) === 0) return "Must be at least one day.";
  return undefined;
}

export function validatePort(text: string): string | undefined {
  const port = text.trim();
  if (!port) return undefined;
  if (!/^\d+$/.test(port) || Number(port) > 65_535)
    return "Enter a number from 1024 to 65535, or leave it empty.";
  if (Number(port) !== 0 && Number(port) < 1024) return "Ports below 1024 are reserved for the system.";
  return undefined;
}
