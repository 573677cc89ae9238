// Checked by the compiler alone (`npm run typecheck`): what createNode takes and gives, as users of the package write it.
import { expectTypeOf } from 'vitest';
import { createNode, type LocalNode, type LocalNodeOptions, type LocalServer } from '../../src/index.ts';

expectTypeOf(createNode).parameters.toEqualTypeOf<[options?: LocalNodeOptions]>();
expectTypeOf(createNode).returns.resolves.toEqualTypeOf<LocalNode>();

// Numbers are written in any form, bytes as hexadecimal text, lists as a list or with commas.
expectTypeOf<LocalNodeOptions['accounts']>().toEqualTypeOf<number | bigint | string | undefined>();
expectTypeOf<LocalNodeOptions['balance']>().toEqualTypeOf<number | bigint | string | undefined>();
expectTypeOf<LocalNodeOptions['blockTime']>().toEqualTypeOf<number | bigint | string | null | undefined>();
expectTypeOf<LocalNodeOptions['coinbase']>().toEqualTypeOf<string | undefined>();
expectTypeOf<LocalNodeOptions['forkUrl']>().toEqualTypeOf<string | readonly string[] | undefined>();

// Words are those of the option, and switches are booleans.
expectTypeOf<LocalNodeOptions['compat']>().toEqualTypeOf<
  'auto' | 'service' | 'anvil' | 'hardhat' | undefined
>();
expectTypeOf<LocalNodeOptions['noMining']>().toEqualTypeOf<boolean | undefined>();

// All options may be left out, and those of the server and the terminal are none of a node in process.
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
