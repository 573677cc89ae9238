import { address, passphrase } from '../../codecs/hex-values.ts';
import { defineMethod, type Method, param } from '../../method.ts';

export const EVM_ACCOUNTS: readonly Method[] = [
  /**
   * Ganache's way to impersonate an account: it is listed, and while personal_unlockAccount keeps it unlocked,
   * transactions are sent in its name without its key. False for an account that the node knows already.
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
  /** Forgets an account and its key; false for one that the node does not know. */
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
