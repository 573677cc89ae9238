/** Builds the link of a position in a file from the template of `--editor-link`. */

/** Encodes a path for a URL. Slashes and the colon of a Windows drive stay. */
function encodedPath(path: string): string {
  const parts = path.replaceAll('\\', '/').split('/');
  return parts
    .map((part, index) => (index === 0 && /^[A-Za-z]:$/.test(part) ? part : encodeURIComponent(part)))
    .join('/');
}

/** Returns the URL for an absolute path, and a line and column from 1. */
export function editorUrl(template: string, path: string, line: number, column: number): string {
  const values: Readonly<Record<string, string>> = {
    path: encodedPath(path),
    line: String(line),
    column: String(column),
  };
  return template.replace(
    /\{(path|line|column)\}/g,
    (placeholder, name: string) => values[name] ?? placeholder,
  );
}
