/** `<Source file="/home/ana/shop/becket.toml" line={12} />`: where something stands; the title has all of it. */
import { CopyButton } from "./code";

/** The last two parts of a path, which is what people know it by. */
export function shortPath(path: string): string {
  const parts = path.split("/").filter(Boolean);
  return parts.length > 2 ? `…/${parts.slice(-2).join("/")}` : path;
}

export function Source({ file, line, whole = false }: { file: string; line?: number; whole?: boolean }) {
  const place = line ? `${file}:${line}` : file;
  return (
    <span class="source" title={place}>
      <code>
        {whole ? file : shortPath(file)}
        {line ? `:${line}` : ""}
      </code>
      <CopyButton text={place} label={`Copy ${place}`} />
    </span>
  );
}
