// Only the compiler checks this file (`npm run typecheck`). It checks the types of createNode for users of
// the package.
import { expectTypeOf } from 'vitest';
import { createNode, type LocalNode, type LocalNodeOptions, type LocalServer } from '../../src/index.ts';

expectTypeOf(createNode).parameters.toEqualTypeOf<[options?: LocalNodeOptions]>();
expectTypeOf(createNode).returns.resolves.toEqualTypeOf<LocalNode>();

// Numbers have any numeric type, bytes are hexadecimal strings, and lists are arrays or strings with commas.
expectTypeOf<LocalNodeOptions['accounts']>().toEqualTypeOf<number | bigint | string | undefined>();
expectTypeOf<LocalNodeOptions['balance']>().toEqualTypeOf<number | bigint | string | undefined>();
expectTypeOf<LocalNodeOptions['blockTime']>().toEqualTypeOf<number | bigint | string | null | undefined>();
expectTypeOf<LocalNodeOptions['coinbase']>().toEqualTypeOf<string | undefined>();
expectTypeOf<LocalNodeOptions['forkUrl']>().toEqualTypeOf<string | readonly string[] | undefined>();

// Options with fixed values accept these strings, and flags are booleans.
expectTypeOf<LocalNodeOptions['compat']>().toEqualTypeOf<
  'auto' | 'service' | 'anvil' | 'hardhat' | undefined
>();
expectTypeOf<LocalNodeOptions['noMining']>().toEqualTypeOf<boolean | undefined>();

// All options are optional. The options of the server and of the terminal do not apply to a node in the
// process.
expectTypeOf<Record<never, never>>().toExtend<LocalNodeOptions>();
expectTypeOf<LocalNodeOptions>().not.toHaveProperty('port');
expectTypeOf<LocalNodeOptions>().not.toHaveProperty('quiet');
// @ts-expect-error there is no such option
createNode({ acounts: 2 });
// @ts-expect-error no such word
createNode({ compat: 'geth' });
// @ts-expect-error a switch is no text
createNode({ noMining: 'true' });

expectTypeOf<LocalNode['listen']>().returns.resolves.toEqualTypeOf<LocalServer>();
expectTypeOf<LocalNode['request']>().returns.resolves.toBeUnknown();
