// The accounts of native contracts and of predeployed contracts in the first block.

import { fromHex } from '../../primitives/hex.ts';
import type { GenesisAccount } from '../../protocol/genesis.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { PREDEPLOY_STATE, type PredeployState } from './predeploy-state.ts';

/** Returns the nonce of a contract that has created nothing. One that a contract created begins with 1 (EIP-161). */
function firstNonce(isCreatedByTransaction: boolean, { creations }: RuleSet): number {
  return isCreatedByTransaction ? creations.nonceByTransaction : 1;
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

/** Returns the accounts of the contracts on a fresh chain, and of those that they created in turn. */
export function predeployAccounts(ruleSet: RuleSet): GenesisAccount[] {
  return PREDEPLOY_STATE.map((predeploy) => accountOf(predeploy, ruleSet));
}

/** Returns the accounts of the contracts that the protocol itself calls, as the transactions of their EIPs deploy them. */
export function systemAccounts({ systemContracts }: RuleSet): GenesisAccount[] {
  return systemContracts.map(({ address, code }) => ({
    address,
    balance: 0n,
    contract: { nonce: 1n, code, storage: [] },
  }));
}
