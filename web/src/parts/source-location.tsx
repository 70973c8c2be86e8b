/** `<SourceLocation file="/home/ana/shop/becket.toml" line={12} />`: a file and line; the tooltip has the full path. */
import { CopyButton } from "./code";

/** The last two segments of a path. */
export function shortPath(path: string): string {
  const parts = path.split("/").filter(Boolean);
  return parts.length > 2 ? `…/${parts.slice(-2).join("/")}` : path;
}

export function SourceLocation({
  file,
  line,
  full = false,
}: {
  file: string;
  line?: number;
  full?: boolean;
}) {
  const place = line ? `${file}:${line}` : file;
  return (
    <span class="source" title={place}>
      <code>
        {full ? file : shortPath(file)}
        {line ? `:${line}` : ""}
      </code>
      <CopyButton text={place} label={`Copy ${place}`} />
    </span>
  );
}
