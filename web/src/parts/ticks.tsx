/** `<Ticks text="Run `npm ci` first" />`: what stands between backticks is shown as code. */

export function Ticks({ text }: { text: string }) {
  // A text split at pairs of backticks has what stood between them at the odd places.
  const pieces = text.split(/`([^`\n]+)`/);
  return <>{pieces.map((piece, i) => (i % 2 ? <code key={i}>{piece}</code> : piece))}</>;
}
