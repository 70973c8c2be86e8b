/** `<InlineCode text="Run `npm ci` first" />`: renders text in backticks as code. */

export function InlineCode({ text }: { text: string }) {
  // The odd pieces were between backticks.
  const pieces = text.split(/`([^`\n]+)`/);
  return <>{pieces.map((piece, i) => (i % 2 ? <code key={i}>{piece}</code> : piece))}</>;
}
