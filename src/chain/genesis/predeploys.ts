// The genesis accounts of predeployed contracts and of system contracts.

import { fromHex } from '../../primitives/hex.ts';
import type { GenesisAccount } from '../../protocol/genesis.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { PREDEPLOY_STATE, type PredeployState } from './predeploy-state.ts';

/** Returns the nonce of a contract without creations. A contract's own creations start with 1 (EIP-161). */
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

/** Returns the accounts of the predeployed contracts, including contracts that they created. */
export function predeployAccounts(ruleSet: RuleSet): GenesisAccount[] {
  return PREDEPLOY_STATE.map((predeploy) => accountOf(predeploy, ruleSet));
}

/** Returns the accounts of the system contracts, as the transactions of their EIPs deploy them. */
export function systemAccounts({ systemContracts }: RuleSet): GenesisAccount[] {
  return systemContracts.map(({ address, code }) => ({
    address,
    balance: 0n,
    contract: { nonce: 1n, code, storage: [] },
  }));
}
