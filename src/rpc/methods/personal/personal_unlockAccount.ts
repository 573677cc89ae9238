import { DEFAULT_UNLOCK_DURATION } from '../../../wallet/wallet.ts';
import { requireKeys } from '../../accounts.ts';
import { address } from '../../codecs/data.ts';
import { passphrase, unlockDuration } from '../../codecs/secrets.ts';
import { defineMethod, optional, param } from '../../method.ts';

/**
 * Unlocks an account for a duration in milliseconds of the chain's time: 30 minutes where none is given, until it is
 * locked for 0. Accounts of the start and of seeds have no passphrase and take the empty one; an account that is
 * unlocked for good stays so. False for an address that the node has no key of.
 */
export const personal_unlockAccount = defineMethod({
  name: 'personal_unlockAccount',
  summary: 'Unlocks an account for some time',
  params: [
    param('address', address),
    param('passphrase', passphrase),
    optional('duration', unlockDuration, null),
  ],
  hidesParams: true,
  result: { description: 'True when the account is unlocked', schema: { type: 'boolean' } },
  example: {
    before: [{ method: 'personal_lockAccount', params: ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'] }],
    params: ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', '', '0x927c0'],
    result: true,
  },
  handler: (context, account, words, duration) => {
    requireKeys(context, 'personal_unlockAccount');
    return context.chain.wallet.unlock(account, words, duration ?? DEFAULT_UNLOCK_DURATION);
  },
});
