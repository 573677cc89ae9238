import { address, passphrase } from '../../codecs/hex-values.ts';
import { defineMethod, type Method, param } from '../../method.ts';

export const EVM_ACCOUNTS: readonly Method[] = [
  /**
   * Adds an account without a key, as Ganache does. It is listed, and transactions from it need no key while
   * personal_unlockAccount keeps it unlocked. Returns false for a known account.
   */
  defineMethod({
    name: 'evm_addAccount',
    summary: 'Adds an account without a key, locked under a passphrase',
    params: [param('address', address), param('passphrase', passphrase)],
    hidesParams: true,
    needsKeys: true,
    result: { description: 'true if the account is new', schema: { type: 'boolean' } },
    handler: (context, account, words) => {
      return context.node.chain.wallet.addWithoutKey(account, words);
    },
  }),
  defineMethod({
    name: 'evm_removeAccount',
    summary: 'Removes an account of the node',
    params: [param('address', address), param('passphrase', passphrase)],
    hidesParams: true,
    needsKeys: true,
    result: { description: 'true if the account existed', schema: { type: 'boolean' } },
    handler: (context, account, words) => {
      return context.node.chain.wallet.remove(account, words);
    },
  }),
];
