import type { Host } from './host.ts';
import { JsonLog } from './json-log.ts';
import type { LogWriter } from './log-writer.ts';
import type { Environment, NodeOptions } from './options.ts';
import { PlainLog } from './plain-log.ts';
import { PLAIN_STYLE, terminalStyle } from './style.ts';

/** True when the person asked for no colours in any program (no-color.org). */
function asksForNoColor(environment: Environment): boolean {
  return (environment.NO_COLOR ?? '') !== '';
}

/** The log that the options ask for, in colours only where a person looks at a terminal and did not refuse them. */
export async function createLog(options: NodeOptions, host: Host): Promise<LogWriter> {
  const { output, errorOutput, clock } = host;
  if (options.json) return new JsonLog({ output, errorOutput, clock });
  const hasColors = output.isTerminal && !options.noColor && !asksForNoColor(host.environment);
  const style = hasColors ? await terminalStyle() : PLAIN_STYLE;
  return new PlainLog({ output, errorOutput, style, isVerbose: options.verbose });
}
