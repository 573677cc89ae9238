/** A governor with token votes, and the timelock that executes its decisions. */

import { encodeAbiParameters, type Hex, keccak256, toHex, zeroHash } from 'viem';
import { deploy, prepare, read, type Scene, type Step, send } from './scene.ts';

const MINTER = keccak256(toHex('MINTER'));
const PROPOSER = keccak256(toHex('PROPOSER_ROLE'));
const EXECUTOR = keccak256(toHex('EXECUTOR_ROLE'));
const NONE = zeroHash;
const DESCRIPTION = 'Mint';
const DESCRIPTION_HASH = keccak256(toHex(DESCRIPTION));
const SALT = `0x${'5a'.repeat(32)}`;

/** The set with one state of a proposal or operation, as in errors of both contracts. */
const only = (state: number): string => `0x${(1n << BigInt(state)).toString(16).padStart(64, '0')}`;
const PENDING = 0;
const ACTIVE = 1;
const SUCCEEDED = 4;
const EXECUTED = 7;
const OPERATION_READY = 2;

/** Stores the call of the proposal, its id, the id of the timelock operation, and the start of the vote. */
async function nameProposal(scene: Scene): Promise<void> {
  const data = scene.data('Shares', 'mint', ['$third', 5n]);
  const targets = [scene.filled('$token') as Hex];
  const types = [
    { type: 'address[]' },
    { type: 'uint256[]' },
    { type: 'bytes[]' },
    { type: 'bytes32' },
  ] as const;
  const id = keccak256(encodeAbiParameters(types, [targets, [0n], [data], DESCRIPTION_HASH]));
  const salt = BigInt(`${scene.filled('$council')}${'0'.repeat(24)}`) ^ BigInt(DESCRIPTION_HASH);
  const ofOperation = [...types, { type: 'bytes32' }] as const;
  const saltWord = toHex(salt, { size: 32 });
  const operation = keccak256(encodeAbiParameters(ofOperation, [targets, [0n], [data], zeroHash, saltWord]));
  const block = Number(await scene.call('eth_blockNumber')) + 1;
  for (const [name, value] of Object.entries({
    data,
    id: BigInt(id).toString(),
    salt: saltWord,
    operation,
    voteStart: String(block + 1),
    voteEnd: String(block + 6),
  })) {
    scene.names.set(name, value);
  }
}

/** Sets the time of the next block, and stores this time plus the delay in `$eta`. */
const setTime = (seconds: number): Step =>
  prepare(async (scene) => {
    const block = (await scene.call('eth_getBlockByNumber', ['latest', false])) as { timestamp: string };
    const next = Number(block.timestamp) + seconds;
    await scene.call('evm_setNextBlockTimestamp', [next]);
    scene.names.set('eta', String(next + 10));
  });

const PROPOSED = '(targets: [$token], values: [0], calldatas: [$data], ';
const proposed = (functionName: string): [string, unknown[]] => [
  `Council.${functionName}${PROPOSED}descriptionHash: ${DESCRIPTION_HASH})`,
  [['$token'], [0n], ['$data'], DESCRIPTION_HASH],
];
const unexpected = (current: number, expected: string): string =>
  `GovernorUnexpectedProposalState(proposalId: $id, current: ${current}, expectedStates: ${expected})`;

const BEGINNING: readonly Step[] = [
  deploy('token', 'new Shares(admin: $admin, cap: 1000)', ['$admin', 1000n], {
    events: [`RoleGranted(role: ${NONE}, account: $admin, sender: $admin)`],
  }),
  send('token', `Shares.grantRole(role: ${MINTER}, account: $admin)`, [MINTER, '$admin'], {
    events: [`RoleGranted(role: ${MINTER}, account: $admin, sender: $admin)`],
  }),
  send('token', 'Shares.mint(to: $admin, amount: 60)', ['$admin', 60n], {
    events: ['Transfer(from: $zero, to: $admin, value: 60)'],
  }),
  send('token', 'Shares.delegate(delegatee: $admin)', ['$admin'], {
    events: [
      'DelegateChanged(delegator: $admin, fromDelegate: $zero, toDelegate: $admin)',
      'DelegateVotesChanged(delegate: $admin, previousVotes: 0, newVotes: 60)',
    ],
  }),
  deploy('delay', 'new Delay(none: [], executors: [$zero], admin: $admin)', [[], ['$zero'], '$admin'], {
    events: [
      `RoleGranted(role: ${NONE}, account: $delay, sender: $admin)`,
      `RoleGranted(role: ${NONE}, account: $admin, sender: $admin)`,
      `RoleGranted(role: ${EXECUTOR}, account: $zero, sender: $admin)`,
      'MinDelayChange(oldDuration: 0, newDuration: 10)',
    ],
  }),
  deploy('council', 'new Council(token: $token, timelock: $delay)', ['$token', '$delay'], {
    events: ['TimelockChange(oldTimelock: $zero, newTimelock: $delay)'],
  }),
  send('delay', `Delay.grantRole(role: ${PROPOSER}, account: $council)`, [PROPOSER, '$council'], {
    events: [`RoleGranted(role: ${PROPOSER}, account: $council, sender: $admin)`],
  }),
];

const PROPOSAL: readonly Step[] = [
  prepare(nameProposal),
  send(
    'council',
    'Council.propose(targets: [$token], values: [], calldatas: [$data], description: "Mint")',
    [['$token'], [], ['$data'], DESCRIPTION],
    { fails: 'GovernorInvalidProposalLength(targets: 1, calldatas: 1, values: 0)' },
  ),
  send(
    'council',
    `Council.propose${PROPOSED}description: "For #proposer=$third")`,
    [['$token'], [0n], ['$data'], '$restricted'],
    { fails: 'GovernorRestrictedProposer(proposer: $admin)' },
  ),
  prepare(nameProposal),
  send(
    'council',
    `Council.propose${PROPOSED}description: "Mint")`,
    [['$token'], [0n], ['$data'], DESCRIPTION],
    {
      results: '$id',
      events: [
        'ProposalCreated(proposalId: $id, proposer: $admin, targets: [$token], values: [0], signatures: [""], ' +
          'calldatas: [$data], voteStart: $voteStart, voteEnd: $voteEnd, description: "Mint")',
      ],
    },
  ),
  send('council', 'Council.castVote(proposalId: $id, support: 1)', ['$id', 1], {
    fails: unexpected(PENDING, only(ACTIVE)),
  }),
  send(
    'council',
    `Council.propose${PROPOSED}description: "Mint")`,
    [['$token'], [0n], ['$data'], DESCRIPTION],
    {
      fails: unexpected(ACTIVE, zeroHash),
    },
  ),
  send('council', 'Council.castVote(proposalId: $id, support: 7)', ['$id', 7], {
    fails: 'GovernorInvalidVoteType()',
  }),
  send(
    'council',
    'Council.castVoteWithReason(proposalId: $id, support: 1, reason: "yes")',
    ['$id', 1, 'yes'],
    {
      results: '60',
      events: ['VoteCast(voter: $admin, proposalId: $id, support: 1, weight: 60, reason: "yes")'],
    },
  ),
  send('council', 'Council.castVote(proposalId: $id, support: 0)', ['$id', 0], {
    fails: 'GovernorAlreadyCastVote(voter: $admin)',
  }),
  send('council', ...proposed('queue'), { fails: unexpected(ACTIVE, only(SUCCEEDED)) }),
  send('council', ...proposed('execute'), {
    fails: `TimelockUnexpectedOperationState(operationId: $operation, expectedStates: ${only(OPERATION_READY)})`,
  }),
  setTime(5),
  send('council', ...proposed('queue'), {
    results: '$id',
    events: [
      `CallScheduled(id: $operation, index: 0, target: $token, value: 0, data: $data, predecessor: ${NONE}, delay: 10)`,
      'CallSalt(id: $operation, salt: $salt)',
      'ProposalQueued(proposalId: $id, etaSeconds: $eta)',
    ],
  }),
  send('council', ...proposed('execute'), {
    fails: `TimelockUnexpectedOperationState(operationId: $operation, expectedStates: ${only(OPERATION_READY)})`,
  }),
  setTime(20),
  // The timelock may not mint yet. The error of the token passes through both contracts.
  send('council', ...proposed('execute'), {
    fails: `AccessControlUnauthorizedAccount(account: $delay, neededRole: ${MINTER})`,
  }),
  send('token', `Shares.grantRole(role: ${MINTER}, account: $delay)`, [MINTER, '$delay'], {
    events: [`RoleGranted(role: ${MINTER}, account: $delay, sender: $admin)`],
  }),
  send('council', ...proposed('execute'), {
    results: '$id',
    events: [
      'Transfer(from: $zero, to: $third, value: 5)',
      'CallExecuted(id: $operation, index: 0, target: $token, value: 0, data: $data)',
      'ProposalExecuted(proposalId: $id)',
    ],
  }),
  send('council', ...proposed('cancel'), {
    from: 'other',
    fails: 'GovernorUnableToCancel(proposalId: $id, account: $other)',
  }),
  read('council', 'Council.state(id: $id)', ['$id'], { results: String(EXECUTED) }),
  read('council', 'Council.state(id: 999)', [999n], {
    fails: 'GovernorNonexistentProposal(proposalId: 999)',
  }),
  read('council', 'Council.proposalVotes(proposalId: $id)', ['$id'], {
    results: 'againstVotes: 0, forVotes: 60, abstainVotes: 0',
  }),
  read('council', 'Council.COUNTING_MODE()', [], { results: '"support=bravo&quorum=for,abstain"' }),
  send('council', 'Council.relay(target: $other, value: 0, data: 0x)', ['$other', 0n, '0x'], {
    fails: 'GovernorOnlyExecutor(account: $admin)',
  }),
];

const scheduled = (predecessor: string, delay: number): [string, unknown[]] => [
  `Delay.schedule(target: $other, value: 0, data: 0x, predecessor: ${predecessor}, salt: ${SALT}, delay: ${delay})`,
  ['$other', 0n, '0x', predecessor, SALT, BigInt(delay)],
];

const TIMELOCK: readonly Step[] = [
  send('delay', 'Delay.updateDelay(newDelay: 1)', [1n], {
    fails: 'TimelockUnauthorizedCaller(caller: $admin)',
  }),
  send('delay', ...scheduled(NONE, 10), {
    fails: `AccessControlUnauthorizedAccount(account: $admin, neededRole: ${PROPOSER})`,
  }),
  send('delay', `Delay.grantRole(role: ${PROPOSER}, account: $admin)`, [PROPOSER, '$admin'], {
    events: [`RoleGranted(role: ${PROPOSER}, account: $admin, sender: $admin)`],
  }),
  send('delay', ...scheduled(NONE, 1), { fails: 'TimelockInsufficientDelay(delay: 1, minDelay: 10)' }),
  send(
    'delay',
    `Delay.scheduleBatch(targets: [$other], values: [0], payloads: [], predecessor: ${NONE}, salt: ${SALT}, delay: 10)`,
    [['$other'], [0n], [], NONE, SALT, 10n],
    { fails: 'TimelockInvalidOperationLength(targets: 1, payloads: 0, values: 1)' },
  ),
  prepare(async (scene) => {
    const types = ['address', 'uint256', 'bytes', 'bytes32', 'bytes32'].map((type) => ({ type }));
    const values = [scene.filled('$other'), 0n, '0x', SALT, SALT];
    scene.names.set('waiting', keccak256(encodeAbiParameters(types, values)));
  }),
  send('delay', ...scheduled(SALT, 10), {
    events: [
      `CallScheduled(id: $waiting, index: 0, target: $other, value: 0, data: 0x, predecessor: ${SALT}, delay: 10)`,
      `CallSalt(id: $waiting, salt: ${SALT})`,
    ],
  }),
  read('delay', 'Delay.isOperationPending(id: $waiting)', ['$waiting'], { results: 'true' }),
  setTime(20),
  send(
    'delay',
    `Delay.execute(target: $other, value: 0, payload: 0x, predecessor: ${SALT}, salt: ${SALT})`,
    ['$other', 0n, '0x', SALT, SALT],
    { fails: `TimelockUnexecutedPredecessor(predecessorId: ${SALT})` },
  ),
  send('delay', 'Delay.cancel(id: $waiting)', ['$waiting'], {
    from: 'other',
    fails: `AccessControlUnauthorizedAccount(account: $other, neededRole: ${keccak256(toHex('CANCELLER_ROLE'))})`,
  }),
];

export const GOVERNANCE_STEPS: readonly Step[] = [
  ...BEGINNING,
  prepare(async (scene) => {
    scene.names.set('restricted', `For #proposer=${scene.filled('$third')}`);
  }),
  ...PROPOSAL,
  ...TIMELOCK,
];
