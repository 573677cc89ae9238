import type { BlockEnvironment, Engine, ExecutionResult, Message } from '../../src/evm/engine.ts';
import { UnexecutableError } from '../../src/evm/engine.ts';
import { HALT_REASONS } from '../../src/evm/halt-reasons.ts';
import { bigIntToBytes, bigIntToFixedBytes, equalBytes } from '../../src/primitives/bytes.ts';
import { fromHex, toHex } from '../../src/primitives/hex.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { encodeRlp } from '../../src/primitives/rlp.ts';
import { addressOfPrivateKey } from '../../src/primitives/secp256k1/curve.ts';
import { blobBaseFee } from '../../src/protocol/blobs.ts';
import type { RuleSet } from '../../src/protocol/hardforks/rule-set.ts';
import type { Log } from '../../src/protocol/receipt.ts';
import type { TransactionType } from '../../src/protocol/transaction.ts';
import { fieldFault } from '../../src/protocol/transaction.ts';
import { Overlay } from '../../src/state/overlay.ts';
import { WorldState } from '../../src/state/world-state.ts';
import type { Expectation, StateTest } from './state-test-file.ts';

/** Why a variant is not run under a rule set; `null` when it is. */
export function skipReason({ transaction }: StateTest, ruleSet: RuleSet): string | null {
  const type = typeOf(transaction);
  return ruleSet.transactionTypes.includes(type)
    ? null
    : `the rules have no transactions of type ${type}, of which the case is one`;
}

function typeOf(transaction: StateTest['transaction']): TransactionType {
  if (transaction.maxFeePerBlobGas !== undefined || transaction.blobVersionedHashes !== undefined) return 3;
  if (transaction.authorizationList !== undefined) return 4;
  if (transaction.maxFeePerGas !== undefined) return 2;
  return transaction.accessLists === undefined ? 0 : 1;
}

function stateBefore({ pre }: StateTest): WorldState {
  const overlay = new Overlay(WorldState.empty());
  for (const [name, { balance, nonce, code, storage }] of Object.entries(pre)) {
    const address = fromHex(name);
    overlay.setAccount(address, { balance, nonce });
    overlay.setCode(address, code);
    for (const [slot, value] of Object.entries(storage)) {
      overlay.setStorage(address, bigIntToFixedBytes(BigInt(slot), 32), bigIntToBytes(BigInt(value)));
    }
  }
  return overlay.toWorldState();
}

/** In these tests a block's hash is the keccak of its number in decimal digits. */
function blockHash(number: number): Uint8Array {
  return keccak256(new TextEncoder().encode(number.toString()));
}

function environmentOf({ env }: StateTest, ruleSet: RuleSet): BlockEnvironment {
  const number = Number(env.currentNumber);
  return {
    number,
    timestamp: Number(env.currentTimestamp),
    coinbase: env.currentCoinbase,
    difficulty: ruleSet.isProofOfStake ? 0n : (env.currentDifficulty ?? 0n),
    gasLimit: env.currentGasLimit,
    minimumGasPrice: 0n,
    baseFeePerGas: ruleSet.fees.baseFee(env.currentBaseFee ?? 10n),
    excessBlobGas: ruleSet.blobs === null ? null : (env.currentExcessBlobGas ?? 0n),
    blobBaseFee: blobBaseFee(env.currentExcessBlobGas ?? 0n, ruleSet.blobs),
    prevRandao: env.currentRandom ?? bigIntToFixedBytes(env.currentDifficulty ?? 0n, 32),
    parentBeaconBlockRoot: null,
    slotNumber: null,
    blockHash: (asked) => (asked < number && asked >= number - 256 ? blockHash(asked) : new Uint8Array(32)),
    ancestor: () => undefined,
  };
}

function variant<T>(variants: readonly T[], index: number): T {
  const chosen = variants[index];
  if (chosen === undefined) throw new Error(`the test has no variant ${index}`);
  return chosen;
}

function messageOf({ transaction }: StateTest, { indexes }: Expectation): Message {
  const { gasPrice = 0n, maxFeePerGas = gasPrice, maxPriorityFeePerGas = maxFeePerGas } = transaction;
  const accessList = transaction.accessLists?.[indexes.data] ?? [];
  return {
    sender: transaction.sender ?? addressOfPrivateKey(transaction.secretKey),
    to: transaction.to === '' ? null : fromHex(transaction.to),
    value: variant(transaction.value, indexes.value),
    data: variant(transaction.data, indexes.data),
    gasLimit: variant(transaction.gasLimit, indexes.gas),
    nonce: transaction.nonce,
    maxFeePerGas,
    maxPriorityFeePerGas,
    accessList,
    maxFeePerBlobGas: transaction.maxFeePerBlobGas ?? 0n,
    blobVersionedHashes: transaction.blobVersionedHashes ?? [],
    authorizationList: (transaction.authorizationList ?? []).map(({ v, yParity, ...rest }) => ({
      ...rest,
      yParity: yParity ?? v ?? 0n,
    })),
  };
}

function logsHash(logs: readonly Log[]): Uint8Array {
  return keccak256(encodeRlp(logs.map(({ address, topics, data }) => [address, topics, data])));
}

/** Runs the message as a transaction; `null` when it is refused, by the rules for fields or by the engine. */
async function transact(
  engine: Engine,
  environment: BlockEnvironment,
  state: Overlay,
  message: Message,
  type: TransactionType,
): Promise<ExecutionResult | null> {
  if (fieldFault({ ...message, type, chainId: 1n }) !== null) return null;
  try {
    return await engine.transact(environment, state, message);
  } catch (error) {
    if (error instanceof UnexecutableError) return null;
    throw error;
  }
}

/** The answer for a variant that needs more memory than an execution may have. */
export const MORE_MEMORY = 'it takes more memory than an execution may have here';

/**
 * Runs one variant of a case on the engine. Gives what differs from the expectation, in words; `null` for nothing, {@link MORE_MEMORY} where
 * nobody can tell.
 */
export async function runVariant(
  engine: Engine,
  ruleSet: RuleSet,
  test: StateTest,
  expectation: Expectation,
): Promise<string | null> {
  const state = new Overlay(stateBefore(test));
  const environment = environmentOf(test, ruleSet);
  const message = messageOf(test, expectation);
  const result = await transact(engine, environment, state, message, typeOf(test.transaction));
  if (result?.haltReason === HALT_REASONS.outOfMemory) return MORE_MEMORY;
  const { expectException } = expectation;
  if ((result === null) !== (expectException !== undefined)) {
    return result === null
      ? 'refused, but should have been executed'
      : `executed, but should have been refused: ${expectException}`;
  }
  const logs = logsHash(result?.logs ?? []);
  if (!equalBytes(logs, expectation.logs)) return 'other logs';
  const { root } = state.toWorldState();
  if (equalBytes(root, expectation.hash)) return null;
  return `state root ${toHex(root)}, expected ${toHex(expectation.hash)}; ${result?.outcome}, ${result?.haltReason ?? 'no halt'}, gas used ${result?.gasUsed}`;
}
