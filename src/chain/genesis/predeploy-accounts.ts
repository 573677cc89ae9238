import { fromHex } from '../../primitives/hex.ts';
import type { GenesisAccount } from '../../protocol/genesis.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { PREDEPLOY_STATE, type PredeployState } from './predeploy-state.ts';

/** The nonce of a contract that has created nothing: on the network 0 for one that a transaction created (EIP-161: 1). */
function firstNonce(isCreatedByTransaction: boolean, ruleSet: RuleSet): number {
  return isCreatedByTransaction && ruleSet.name === 'rootstock' ? 0 : 1;
}

function accountOf(predeploy: PredeployState, ruleSet: RuleSet): GenesisAccount {
  const { address, isCreatedByTransaction, creations, codeHash, code, storage } = predeploy;
  return {
    address: fromHex(address),
    balance: 0n,
    contract: {
      nonce: BigInt(firstNonce(isCreatedByTransaction, ruleSet) + creations),
      code: { bytes: new Uint8Array(Buffer.from(code, 'base64')), hash: fromHex(codeHash) },
      storage: storage.map(([slot, value]) => ({ slot: fromHex(slot), value: fromHex(value) })),
    },
  };
}

/** The accounts of the contracts that a fresh chain has, and of those that they made when they were created. */
export function predeployAccounts(ruleSet: RuleSet): GenesisAccount[] {
  return PREDEPLOY_STATE.map((predeploy) => accountOf(predeploy, ruleSet));
}
