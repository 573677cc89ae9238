/** ERC-20 with roles, a cap, a pause, permits and votes. */

import { keccak256, maxUint256, toHex } from 'viem';
import { deploy, prepare, read, type Scene, type Step, send } from './scene.ts';

const MINTER = keccak256(toHex('MINTER'));
const DEFAULT_ADMIN = `0x${'00'.repeat(32)}`;
const DEADLINE = 99_999_999_999n;
const WORD = `0x${'11'.repeat(32)}`;
/** Above half of the curve order. */
const HIGH_S = `0x${'ff'.repeat(32)}`;

/** Signs as `$other` for the token, and stores `$v`, `$r` and `$s`. */
async function sign(scene: Scene, primaryType: string, fields: object, message: object): Promise<void> {
  const chainId = Number(await scene.call('eth_chainId'));
  const domain = { name: 'Shares', version: '1', chainId, verifyingContract: scene.filled('$token') };
  const types = {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'version', type: 'string' },
      { name: 'chainId', type: 'uint256' },
      { name: 'verifyingContract', type: 'address' },
    ],
    [primaryType]: Object.entries(fields).map(([name, type]) => ({ name, type })),
  };
  const typed = { types, domain, primaryType, message };
  const signature = (await scene.call('eth_signTypedData_v4', [scene.filled('$other'), typed])) as string;
  scene.names.set('r', signature.slice(0, 66));
  scene.names.set('s', `0x${signature.slice(66, 130)}`);
  scene.names.set('v', String(Number(`0x${signature.slice(130)}`)));
}

const signPermit = (scene: Scene): Promise<void> =>
  sign(
    scene,
    'Permit',
    { owner: 'address', spender: 'address', value: 'uint256', nonce: 'uint256', deadline: 'uint256' },
    {
      owner: scene.filled('$other'),
      spender: scene.filled('$third'),
      value: 7,
      nonce: 0,
      deadline: String(DEADLINE),
    },
  );

const signDelegation = (scene: Scene): Promise<void> =>
  sign(
    scene,
    'Delegation',
    { delegatee: 'address', nonce: 'uint256', expiry: 'uint256' },
    { delegatee: scene.filled('$third'), nonce: 1, expiry: String(DEADLINE) },
  );

const SHARES: readonly Step[] = [
  deploy('none', 'new Shares(admin: $admin, cap: 0)', ['$admin', 0n], { fails: 'ERC20InvalidCap(cap: 0)' }),
  deploy('token', 'new Shares(admin: $admin, cap: 100)', ['$admin', 100n], {
    events: [`RoleGranted(role: ${DEFAULT_ADMIN}, account: $admin, sender: $admin)`],
  }),
  read('token', 'Shares.name()', [], { results: '"Shares"' }),
  read('token', 'Shares.cap()', [], { results: '100' }),
  read('token', `Shares.hasRole(role: ${MINTER}, account: $admin)`, [MINTER, '$admin'], { results: 'false' }),
  read('token', 'Shares.supportsInterface(interfaceId: 0x01ffc9a7)', ['0x01ffc9a7'], { results: 'true' }),
  send('token', 'Shares.mint(to: $other, amount: 5)', ['$other', 5n], {
    fails: `AccessControlUnauthorizedAccount(account: $admin, neededRole: ${MINTER})`,
    frames: ['Shares._checkRole', 'Shares._checkRole', 'Shares.onlyRole', 'Shares.mint'],
  }),
  send('token', `Shares.grantRole(role: ${MINTER}, account: $admin)`, [MINTER, '$admin'], {
    events: [`RoleGranted(role: ${MINTER}, account: $admin, sender: $admin)`],
  }),
  send('token', `Shares.grantRole(role: ${MINTER}, account: $other)`, [MINTER, '$other'], {
    from: 'other',
    fails: `AccessControlUnauthorizedAccount(account: $other, neededRole: ${DEFAULT_ADMIN})`,
  }),
  send('token', `Shares.renounceRole(role: ${MINTER}, callerConfirmation: $other)`, [MINTER, '$other'], {
    fails: 'AccessControlBadConfirmation()',
    frames: ['Shares.renounceRole'],
  }),
  send('token', 'Shares.mint(to: $admin, amount: 60)', ['$admin', 60n], {
    events: ['Transfer(from: $zero, to: $admin, value: 60)'],
  }),
  send('token', 'Shares.mint(to: $other, amount: 41)', ['$other', 41n], {
    fails: 'ERC20ExceededCap(increasedSupply: 101, cap: 100)',
  }),
  send('token', 'Shares.mint(to: $zero, amount: 1)', ['$zero', 1n], {
    fails: 'ERC20InvalidReceiver(receiver: $zero)',
  }),
  send('token', 'Shares.delegate(delegatee: $other)', ['$other'], {
    events: [
      'DelegateChanged(delegator: $admin, fromDelegate: $zero, toDelegate: $other)',
      'DelegateVotesChanged(delegate: $other, previousVotes: 0, newVotes: 60)',
    ],
  }),
  read('token', 'Shares.getVotes(account: $other)', ['$other'], { results: '60' }),
  read('token', 'Shares.numCheckpoints(account: $other)', ['$other'], { results: '1' }),
  send('token', 'Shares.transfer(to: $other, value: 10)', ['$other', 10n], {
    results: 'true',
    events: [
      'Transfer(from: $admin, to: $other, value: 10)',
      'DelegateVotesChanged(delegate: $other, previousVotes: 60, newVotes: 50)',
    ],
  }),
  send('token', 'Shares.transfer(to: $other, value: 51)', ['$other', 51n], {
    fails: 'ERC20InsufficientBalance(sender: $admin, balance: 50, needed: 51)',
  }),
  send('token', 'Shares.transfer(to: $zero, value: 1)', ['$zero', 1n], {
    fails: 'ERC20InvalidReceiver(receiver: $zero)',
    frames: ['Shares._transfer', 'Shares.transfer'],
  }),
  send('token', 'Shares.transferFrom(from: $admin, to: $other, value: 1)', ['$admin', '$other', 1n], {
    from: 'other',
    fails: 'ERC20InsufficientAllowance(spender: $other, allowance: 0, needed: 1)',
    frames: ['Shares._spendAllowance', 'Shares.transferFrom'],
  }),
  send('token', 'Shares.approve(spender: $zero, value: 1)', ['$zero', 1n], {
    fails: 'ERC20InvalidSpender(spender: $zero)',
  }),
  send('token', `Shares.approve(spender: $other, value: ${maxUint256})`, ['$other', maxUint256], {
    results: 'true',
    events: [`Approval(owner: $admin, spender: $other, value: ${maxUint256})`],
  }),
  send('token', 'Shares.transferFrom(from: $admin, to: $other, value: 2)', ['$admin', '$other', 2n], {
    from: 'other',
    results: 'true',
    events: [
      'Transfer(from: $admin, to: $other, value: 2)',
      'DelegateVotesChanged(delegate: $other, previousVotes: 50, newVotes: 48)',
    ],
  }),
  read('token', 'Shares.balanceOf(account: $other)', ['$other'], { results: '12' }),
  read('token', 'Shares.getPastVotes(account: $other, timepoint: 99999)', ['$other', 99_999n], {
    fails: 'ERC5805FutureLookup(timepoint: 99999, clock: $clock)',
  }),
  send('token', 'Shares.pause()', [], { events: ['Paused(account: $admin)'] }),
  send('token', 'Shares.pause()', [], { fails: 'EnforcedPause()' }),
  send('token', 'Shares.transfer(to: $other, value: 1)', ['$other', 1n], { fails: 'EnforcedPause()' }),
  send('token', 'Shares.unpause()', [], { events: ['Unpaused(account: $admin)'] }),
  send('token', 'Shares.unpause()', [], { fails: 'ExpectedPause()' }),
];

const permit = (value: bigint, deadline: bigint, v: string, r: string, s: string) =>
  [
    'token',
    `Shares.permit(owner: $other, spender: $third, value: ${value}, deadline: ${deadline}, v: ${v}, r: ${r}, s: ${s})`,
    ['$other', '$third', value, deadline, v, r, s],
  ] as const;

const SIGNED: readonly Step[] = [
  send(...permit(1n, 1n, '27', WORD, WORD), { fails: 'ERC2612ExpiredSignature(deadline: 1)' }),
  send(...permit(1n, DEADLINE, '29', WORD, WORD), { fails: 'ECDSAInvalidSignature()' }),
  send(...permit(1n, DEADLINE, '27', WORD, HIGH_S), { fails: `ECDSAInvalidSignatureS(s: ${HIGH_S})` }),
  prepare(signPermit),
  send(...permit(7n, DEADLINE, '$v', '$r', '$s'), {
    events: ['Approval(owner: $other, spender: $third, value: 7)'],
  }),
  read('token', 'Shares.allowance(owner: $other, spender: $third)', ['$other', '$third'], { results: '7' }),
  read('token', 'Shares.nonces(owner: $other)', ['$other'], { results: '1' }),
  prepare(signDelegation),
  send(
    'token',
    `Shares.delegateBySig(delegatee: $third, nonce: 1, expiry: 1, v: $v, r: $r, s: $s)`,
    ['$third', 1n, 1n, '$v', '$r', '$s'],
    { fails: 'VotesExpiredSignature(expiry: 1)' },
  ),
  send(
    'token',
    `Shares.delegateBySig(delegatee: $third, nonce: 1, expiry: ${DEADLINE}, v: $v, r: $r, s: $s)`,
    ['$third', 1n, DEADLINE, '$v', '$r', '$s'],
    {
      events: [
        'DelegateChanged(delegator: $other, fromDelegate: $zero, toDelegate: $third)',
        'DelegateVotesChanged(delegate: $third, previousVotes: 0, newVotes: 12)',
      ],
    },
  ),
  send(
    'token',
    `Shares.delegateBySig(delegatee: $third, nonce: 1, expiry: ${DEADLINE}, v: $v, r: $r, s: $s)`,
    ['$third', 1n, DEADLINE, '$v', '$r', '$s'],
    { fails: 'InvalidAccountNonce(account: $other, currentNonce: 2)' },
  ),
];

/** Stores the number of the latest block in `$clock`. */
const clock = prepare(async (scene) => {
  scene.names.set('clock', String(Number(await scene.call('eth_blockNumber'))));
});

/** The clock of the token is read in the last step before the pause. */
export const SHARES_STEPS: readonly Step[] = [
  ...SHARES.flatMap((step) => ('fails' in step && step.fails?.includes('$clock') ? [clock, step] : [step])),
  ...SIGNED,
];
