import ts from 'typescript';

/** A function of the source, by its number in the records of entries. */
export interface TracedFunction {
  /** Path of its file, from the root of the project. */
  readonly file: string;
  /** Name and line. */
  readonly name: string;
}

/** The name of the global function that each function calls with its number. */
export const ENTER = '__entered';

type WithBody = ts.FunctionLikeDeclaration & { readonly body: ts.Node };

function nameOf(node: WithBody): string {
  if (ts.isConstructorDeclaration(node)) return 'constructor';
  const own = node.name?.getText();
  if (own !== undefined) return own;
  const { parent } = node;
  if (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)) return parent.name.getText();
  return '(anonymous)';
}

/**
 * Inserts a call of {@link ENTER} at the start of each function. `add` receives each function and returns its
 * number.
 */
export function withEntryCalls(
  file: string,
  source: string,
  add: (traced: TracedFunction) => number,
): string {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const inserts: { readonly at: number; readonly text: string }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const traced = node as WithBody;
      const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
      const call = `${ENTER}(${add({ file, name: `${nameOf(traced)}:${line + 1}` })})`;
      if (ts.isBlock(traced.body)) inserts.push({ at: traced.body.getStart() + 1, text: `${call};` });
      else
        inserts.push(
          { at: traced.body.getStart(), text: `(${call},(` },
          { at: traced.body.getEnd(), text: '))' },
        );
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  // The inserts at one place keep their order: an outer function is entered before an inner one.
  const sorted = inserts.map((insert, index) => ({ ...insert, index }));
  sorted.sort((a, b) => a.at - b.at || a.index - b.index);
  let written = '';
  let last = 0;
  for (const { at, text } of sorted) {
    written += source.slice(last, at) + text;
    last = at;
  }
  return written + source.slice(last);
}
