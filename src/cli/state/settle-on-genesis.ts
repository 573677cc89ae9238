import type { GenesisFile } from '../../chain/genesis/genesis-file.ts';
import { StartError } from '../../config/errors.ts';
import { flagOf, type NodeOptions, OPTIONS } from '../../config/options.ts';

/** What a genesis file says that an option says too. */
const SHARED = { chainId: 'config.chainId', timestamp: 'timestamp', gasLimit: 'gasLimit' } as const;

/**
 * The options with what the genesis file says in the place of those that nobody gave, and in words those that were given
 * and go before it. Throws a {@link StartError} for a value that the option does not take.
 */
export function settleOnGenesis(
  options: NodeOptions,
  genesis: GenesisFile,
  file: string,
): { readonly options: NodeOptions; readonly notices: readonly string[] } {
  const taken: Record<string, unknown> = {};
  const notices: string[] = [];
  for (const key of ['chainId', 'timestamp', 'gasLimit'] as const) {
    const found = genesis[key];
    if (found === null) continue;
    if (options.given.has(key)) {
      if (options[key] !== found)
        notices.push(`${flagOf(key)} goes before ${file}: ${options[key]}, not ${found}`);
      continue;
    }
    const { form } = OPTIONS[key];
    if (form.parse(String(found)) === undefined) {
      throw new StartError(`--init ${file}: ${SHARED[key]}: expected ${form.allowed}, got ${found}`);
    }
    taken[key] = found;
  }
  return { options: { ...options, ...taken }, notices };
}
