import { MethodNotFoundError } from './errors.ts';

const NO_COMPILERS = 'the node has no compilers; compile with solc and send the code';
const NO_WHISPER = 'the Whisper protocol is not supported';
const NO_DATABASE = 'the methods of the local database are deprecated; keep such data in your own storage';

/** Names that a caller may try because other nodes had them, and why they are not served (service document). */
const REASONS: ReadonlyMap<string, string> = new Map([
  ...['eth_getCompilers', 'eth_compileLLL', 'eth_compileSolidity', 'eth_compileSerpent'].map(
    (name) => [name, NO_COMPILERS] as const,
  ),
  ...['db_putString', 'db_getString', 'db_putHex', 'db_getHex'].map((name) => [name, NO_DATABASE] as const),
]);

/** The error for a method that is not served, with the reason where the service document gives one. */
export function methodNotFound(method: string): MethodNotFoundError {
  const reason = method.startsWith('shh_') ? NO_WHISPER : REASONS.get(method);
  return new MethodNotFoundError(method, reason);
}
