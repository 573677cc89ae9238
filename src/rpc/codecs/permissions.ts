import { objectOf, refined } from './codec.ts';

const ACCOUNTS = 'eth_accounts';

/** The permissions that a wallet is asked for (EIP-2255). The node has one to give: to see its accounts. */
export const permissionRequest = refined(
  objectOf({ [ACCOUNTS]: objectOf({}, 'an object of caveats') }, `an object with ${ACCOUNTS}`),
  (fields) =>
    fields[ACCOUNTS] === null
      ? { path: [ACCOUNTS], expected: 'an object, as this is the one permission that the node has to give' }
      : { value: ACCOUNTS },
);
