import { readFile } from 'node:fs/promises';
import * as z from 'zod/mini';
import { bigIntToFixedBytes } from '../../src/primitives/bytes.ts';
import { fromHex } from '../../src/primitives/hex.ts';

/*
 * Files of the public state tests (github.com/ethereum/tests, "General State Tests"). Each case has a state,
 * a block and a transaction in several variants. By fork and variant, it has the state root after the
 * transaction.
 */

/** Prefix of a number that does not fit into its field, for example a value over 256 bits. */
const OVERSIZED = '0x:bigint ';

const integer = z.pipe(
  z.string(),
  z.transform((text: string) => {
    const digits = text.startsWith(OVERSIZED) ? text.slice(OVERSIZED.length) : text;
    return BigInt(digits === '0x' || digits === '' ? '0x0' : digits);
  }),
);
const data = z.pipe(
  z.string(),
  z.transform((text: string) => fromHex(text === '' ? '0x' : text)),
);
const word = z.pipe(
  integer,
  z.transform((value: bigint) => bigIntToFixedBytes(value, 32)),
);

const accessList = z.array(z.object({ address: data, storageKeys: z.array(word) }));

const authorization = z.object({
  chainId: integer,
  address: data,
  nonce: integer,
  v: z.optional(integer),
  yParity: z.optional(integer),
  r: integer,
  s: integer,
});

const environment = z.object({
  currentCoinbase: data,
  currentDifficulty: z.optional(integer),
  currentGasLimit: integer,
  currentNumber: integer,
  currentTimestamp: integer,
  currentBaseFee: z.optional(integer),
  currentRandom: z.optional(word),
  currentExcessBlobGas: z.optional(integer),
});

const account = z.object({
  balance: integer,
  nonce: integer,
  code: data,
  storage: z.record(z.string(), z.string()),
});

const transaction = z.object({
  data: z.array(data),
  gasLimit: z.array(integer),
  value: z.array(integer),
  nonce: integer,
  to: z.string(),
  gasPrice: z.optional(integer),
  maxFeePerGas: z.optional(integer),
  maxPriorityFeePerGas: z.optional(integer),
  maxFeePerBlobGas: z.optional(integer),
  blobVersionedHashes: z.optional(z.array(data)),
  accessLists: z.optional(z.array(z.nullable(accessList))),
  authorizationList: z.optional(z.array(authorization)),
  sender: z.optional(data),
  secretKey: data,
});

const expectation = z.object({
  hash: data,
  logs: data,
  indexes: z.object({ data: z.number(), gas: z.number(), value: z.number() }),
  expectException: z.optional(z.string()),
});

const stateTest = z.object({
  env: environment,
  pre: z.record(z.string(), account),
  transaction,
  post: z.record(z.string(), z.array(expectation)),
});

const stateTestFile = z.record(z.string(), stateTest);

/** A case of a file: its initial state and the outcome of each variant, by fork. */
export type StateTest = z.infer<typeof stateTest>;

/** The outcome of one variant of a case: roots or a rejection. */
export type Expectation = z.infer<typeof expectation>;

/** The cases of a file by name. Throws the schema errors. */
export async function readStateTests(file: string): Promise<Readonly<Record<string, StateTest>>> {
  return stateTestFile.parse(JSON.parse(await readFile(file, 'utf8')));
}
