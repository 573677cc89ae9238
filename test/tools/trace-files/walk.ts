import type { TracedFunction } from './entry-calls.ts';

/** The size of the path that one request takes through the source. */
export interface Walk {
  readonly files: number;
  readonly modules: number;
  readonly functions: number;
  /** The number of calls. */
  readonly entries: number;
  /** Changes from one module to another between two calls, without the modules of the base layer. */
  readonly moves: number;
}

/** Modules that every other module uses; a call into them is no move. */
const BASE_LAYER: ReadonlySet<string> = new Set(['primitives', 'scheduling', 'json']);

/** Returns the module of a file: the first folder under src, or the file itself for an entry point. */
export function moduleOf(file: string): string {
  const [, module = file] = file.split('/');
  return module;
}

/** Measures the functions of a request, in call order. `oldNameOf` names the file that decides the module. */
export function walkOf(
  entered: readonly TracedFunction[],
  oldNameOf: (file: string) => string = (file) => file,
): Walk {
  const modules = entered.map(({ file }) => moduleOf(oldNameOf(file)));
  const outer = modules.filter((module) => !BASE_LAYER.has(module));
  return {
    files: new Set(entered.map(({ file }) => file)).size,
    modules: new Set(modules).size,
    functions: new Set(entered.map(({ file, name }) => `${file} ${name}`)).size,
    entries: entered.length,
    moves: outer.filter((module, index) => index > 0 && module !== outer[index - 1]).length,
  };
}
