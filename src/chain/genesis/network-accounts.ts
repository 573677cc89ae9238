import { fromHex } from '../../primitives/hex.ts';
import type { GenesisAccount } from '../../protocol/genesis.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';

/** The Bridge with its coins (wei): as many as there can be on the parent chain, since none of them has come over yet. */
const BRIDGE: GenesisAccount = {
  address: fromHex('0x0000000000000000000000000000000001000006'),
  balance: 21_000_000n * 10n ** 18n,
};

/** The accounts of native contracts that own something in the first block of the network. */
export function networkAccounts(ruleSet: RuleSet): readonly GenesisAccount[] {
  return ruleSet.name === 'rootstock' ? [BRIDGE] : [];
}
