import type { NodeOptions } from '../config/options.ts';
import type { Host } from './host.ts';

/**
 * True if output has colours: with `--color always`, or on a terminal unless `--color never`, `--no-color` or the
 * environment disables them in all programs (no-color.org).
 */
export function hasColors(
  { color, noColor }: Pick<NodeOptions, 'color' | 'noColor'>,
  { output, environment }: Pick<Host, 'output' | 'environment'>,
): boolean {
  if (color !== 'auto') return color === 'always';
  return output.isTerminal && !noColor && (environment.NO_COLOR ?? '') === '';
}
