import deployments from '../../fixtures/predeploys/deployments.json' with { type: 'json' };
import { concatBytes } from '../../src/primitives/bytes.ts';
import { fromHex } from '../../src/primitives/hex.ts';
import type { RuleSetName } from '../../src/protocol/hardforks/registry.ts';
import type { Account } from '../../src/state/account.ts';
import { createTestChain, testAccount, transfer } from './test-chain.ts';

/**
 * The public deployment of a contract: a transaction that anybody may send, or a call of the CREATE2
 * deployer.
 */
export type PredeployDeployment = {
  readonly name: string;
  readonly address: string;
  /** Source of the bytes. */
  readonly source: string;
} & ({ readonly transaction: string } | { readonly salt: string; readonly creationCode: string });

/** The deployments of the fixtures, in the required order. */
export const PREDEPLOY_DEPLOYMENTS = deployments as readonly PredeployDeployment[];

const CREATE2_DEPLOYER = fromHex('0x4e59b44847b379578588920cA78FbF26c0B4956C');
const FUNDS = 10n ** 18n;

/**
 * Replays all deployments on an empty chain with id 33. Returns the accounts with code, including contracts
 * created by constructors.
 */
export async function replayPredeploys(ruleSet: RuleSetName = 'rootstock'): Promise<Account[]> {
  const { chain } = await createTestChain({ ruleSet, balance: 10n ** 24n });
  for (const deployment of PREDEPLOY_DEPLOYMENTS) {
    if ('transaction' in deployment) {
      const transaction = chain.decode(fromHex(deployment.transaction));
      await chain.cheats.setBalance(transaction.sender, FUNDS);
      await chain.send(transaction);
    } else {
      const data = concatBytes(fromHex(deployment.salt), fromHex(deployment.creationCode));
      const maxFeePerGas = chain.fees.gasPrice();
      const call = { to: CREATE2_DEPLOYER, value: 0n, data, gasLimit: 10_000_000n, maxFeePerGas };
      await chain.sendFrom(testAccount(0).address, transfer(call));
    }
  }
  const { state } = await chain.view({ tag: 'latest' });
  return Array.from(state.accounts()).filter(({ code }) => code.bytes.length > 0);
}
