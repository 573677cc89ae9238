import type { Environment, NodeOptions } from '../config/options.ts';
import { JsonLog } from '../log/json-log.ts';
import type { LogWriter } from '../log/log-writer.ts';
import { PlainLog } from '../log/plain-log.ts';
import { PLAIN_STYLE, terminalStyle } from '../log/style.ts';
import type { Host } from './host.ts';

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
