/** How words are set off on a terminal. Each function gives the text with the marks around it. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warning: (text: string) => string;
  /** Puts the cursor at the start of the emptied line above; `null` where the output cannot take lines back. */
  readonly eraseLineAbove: string | null;
}

function asIs(text: string): string {
  return text;
}

/** No marks at all: for files, pipes and people who asked for none. */
export const PLAIN_STYLE: Style = {
  bold: asIs,
  dim: asIs,
  good: asIs,
  bad: asIs,
  warning: asIs,
  eraseLineAbove: null,
};

/** Colours of the terminal's own palette. The colour library is loaded only here. */
export async function terminalStyle(): Promise<Style> {
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  return {
    bold: chalk.bold,
    dim: chalk.dim,
    good: chalk.green,
    bad: chalk.red,
    warning: chalk.yellow,
    eraseLineAbove: '\u001b[1A\u001b[2K',
  };
}
