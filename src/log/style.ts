// The marks with which the log sets words off on a terminal. chalk is loaded only where there is one.

/** Functions that return a text with the marks around it. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warning: (text: string) => string;
  /** Moves the cursor to the start of the emptied line above; `null` where written lines cannot be replaced. */
  readonly eraseLineAbove: string | null;
}

const plain = (text: string): string => text;

/** No marks: for files, pipes and users who want none. */
export const PLAIN_STYLE: Style = {
  bold: plain,
  dim: plain,
  bad: plain,
  warning: plain,
  eraseLineAbove: null,
};

/** Resolves to the marks of a terminal, in the colours of its own palette. */
export async function terminalStyle(): Promise<Style> {
  const { Chalk } = await import('chalk');
  const { bold, dim, red, yellow } = new Chalk({ level: 1 });
  return { bold, dim, bad: red, warning: yellow, eraseLineAbove: '\u001b[1A\u001b[2K' };
}
