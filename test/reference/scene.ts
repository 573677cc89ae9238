import { getCreateAddress } from 'ethers';
import type { BlockEnvironment, Engine, ExecutionResult, Message } from '../../src/evm/engine.ts';
import {
  bigIntToBytes,
  bigIntToFixedBytes,
  bytesToBigInt,
  concatBytes,
  EMPTY_BYTES,
} from '../../src/primitives/bytes.ts';
import { fromHex, toHex } from '../../src/primitives/hex.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { encodeRlp } from '../../src/primitives/rlp.ts';
import { curve } from '../../src/primitives/secp256k1/curve.ts';
import { type RuleSetName, ruleSetNamed } from '../../src/protocol/hardforks/registry.ts';
import type { RuleSet } from '../../src/protocol/hardforks/rule-set.ts';
import { type Authorization, NO_BLOBS } from '../../src/protocol/transaction.ts';
import { Overlay } from '../../src/state/overlay.ts';
import { WorldState } from '../../src/state/world-state.ts';
import { createReferenceEngine, type EngineOptions } from '../support/evm/engines.ts';
import { wordBytes } from '../support/words.ts';

/** A 20-byte address that ends with the number. */
export function addressOf(number: number): Uint8Array {
  return bigIntToFixedBytes(BigInt(number) + (0xaan << 152n), 20);
}

/** Bytes of hexadecimal digits. White space is ignored. */
export function code(digits: string): Uint8Array {
  return new Uint8Array(Buffer.from(digits.replaceAll(/\s/g, ''), 'hex'));
}

/** Code that returns the word that the given code leaves on the stack. */
export function returning(digits: string): Uint8Array {
  return code(`${digits} 600052 60206000f3`);
}

/** Code that deploys the given code, of at most 255 bytes. */
export function deploying(runtime: Uint8Array): Uint8Array {
  const length = runtime.length.toString(16).padStart(2, '0');
  return code(`60${length} 600c 6000 39 60${length} 6000 f3 ${Buffer.from(runtime).toString('hex')}`);
}

export function contractAddress(sender: Uint8Array, nonce: bigint): Uint8Array {
  return fromHex(getCreateAddress({ from: toHex(sender), nonce }));
}

export const SENDER = addressOf(1);
export const RECIPIENT = addressOf(2);
export const CONTRACT = addressOf(3);
export const COINBASE = addressOf(4);
export const ETHER = 10n ** 18n;

const AUTHORITY_KEY = wordBytes(0xabcdef);
/** An account that does not exist before its first authorization. */
export const AUTHORITY = keccak256(curve.publicKey(AUTHORITY_KEY)).subarray(12);

/** An authorization by {@link AUTHORITY} for the code of an address. */
export function authorize(address: Uint8Array, nonce: bigint, chainId = 33n): Authorization {
  const signed = encodeRlp([bigIntToBytes(chainId), address, bigIntToBytes(nonce)]);
  const { compact, recovery } = curve.sign(keccak256(concatBytes(Uint8Array.of(5), signed)), AUTHORITY_KEY);
  return {
    chainId,
    address,
    nonce,
    yParity: BigInt(recovery),
    r: bytesToBigInt(compact.subarray(0, 32)),
    s: bytesToBigInt(compact.subarray(32)),
  };
}

const BASE_FEE = 7n;

/** A block environment whose values are all different. */
export function environmentOf(name: RuleSetName, fields: Partial<BlockEnvironment> = {}): BlockEnvironment {
  return {
    number: 1_000,
    timestamp: 1_700_000_000,
    coinbase: COINBASE,
    difficulty: 17n,
    gasLimit: 30_000_000n,
    minimumGasPrice: 5n,
    baseFeePerGas: ruleSetNamed(name).fees.baseFee(BASE_FEE),
    excessBlobGas: ruleSetNamed(name).blobs === null ? null : 19_000_000n,
    blobBaseFee: ruleSetNamed(name).blobs === null ? null : 11n,
    prevRandao: wordBytes(0xabcdefn),
    parentBeaconBlockRoot: null,
    slotNumber: ruleSetNamed(name).hasSlotNumbers ? 12n : null,
    blockHash: (number) => wordBytes(BigInt(number) << 128n),
    ancestor: () => undefined,
    ...fields,
  };
}

/** A message of {@link SENDER} with a maximum fee of 10 wei and a priority fee of 2 wei. */
export function messageOf(fields: Partial<Message>): Message {
  return {
    sender: SENDER,
    to: CONTRACT,
    value: 0n,
    data: EMPTY_BYTES,
    gasLimit: 1_000_000n,
    nonce: 0n,
    maxFeePerGas: 10n,
    maxPriorityFeePerGas: 2n,
    accessList: [],
    authorizationList: [],
    ...NO_BLOBS,
    ...fields,
  };
}

/** An engine, an environment, and a state with one ether for {@link SENDER}. */
export interface Scene {
  readonly engine: Engine;
  readonly state: Overlay;
  readonly environment: BlockEnvironment;
  /** Runs a message as a transaction. */
  transact(fields: Partial<Message>): Promise<ExecutionResult>;
  /** Runs a message as a call, on a copy of the state. */
  call(fields: Partial<Message>): Promise<ExecutionResult>;
  /** Runs code as a call at {@link CONTRACT}, on a copy of the state. */
  run(runtime: Uint8Array, fields?: Partial<Message>): Promise<ExecutionResult>;
}

export interface SceneOptions {
  readonly codeSizeLimit?: number | null;
  readonly environment?: Partial<BlockEnvironment>;
  /** Default: the reference engine. */
  createEngine?(ruleSet: RuleSet, options: EngineOptions): Engine | Promise<Engine>;
}

export async function setScene(name: RuleSetName, options: SceneOptions = {}): Promise<Scene> {
  const { codeSizeLimit = 24_576, createEngine = createReferenceEngine } = options;
  const engine = await createEngine(ruleSetNamed(name), { chainId: 33, codeSizeLimit });
  const state = new Overlay(WorldState.empty());
  state.setAccount(SENDER, { nonce: 0n, balance: ETHER });
  const environment = environmentOf(name, options.environment);
  return {
    engine,
    state,
    environment,
    transact: async (fields) => engine.transact(environment, state, messageOf(fields)),
    call: async (fields) => engine.call(environment, new Overlay(state.toWorldState()), messageOf(fields)),
    async run(runtime, fields = {}) {
      const overlay = new Overlay(state.toWorldState());
      overlay.setCode(CONTRACT, runtime);
      return engine.call(environment, overlay, messageOf(fields));
    },
  };
}
