import { SigningKey, Transaction } from 'ethers';
import * as fc from 'fast-check';
import { DEV_ACCOUNTS } from '../support/dev-accounts.ts';

/** A method in the format of `rpc.discover`. */
export interface DescribedMethod {
  readonly name: string;
  readonly params: readonly { readonly name: string }[];
}

/** Hashes and addresses that exist on the chain, so that some requests find items. */
export interface KnownThings {
  readonly addresses: readonly string[];
  readonly hashes: readonly string[];
}

const hexDigits = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF'), minLength, maxLength });

/** A value or a common mistake: another prefix, lost digits, other case, spaces. */
function roughly(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 8, arbitrary: text },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          text,
          fc.constantFrom(
            (value: string) => value.replace('0x', '0X'),
            (value: string) => value.replace('0x', ''),
            (value: string) => value.replace('0x', '-0x'),
            (value: string) => value.slice(0, -1),
            (value: string) => `${value}0`,
            (value: string) => `${value}zz`,
            (value: string) => ` ${value} `,
            (value: string) => value.toUpperCase(),
          ),
        )
        .map(([value, change]) => change(value)),
    },
  );
}

const anything = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  {
    weight: 1,
    arbitrary: fc.dictionary(
      fc.constantFrom('__proto__', 'constructor', 'toString', 'length', 'to', 'data', ''),
      fc.jsonValue({ maxDepth: 2 }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>(
      null,
      true,
      '',
      '0x',
      -1,
      1e308,
      2 ** 53,
      [[[[]]]],
      {},
      '\u0000',
      '\ud800',
      'x'.repeat(5000),
    ),
  },
);

const number = fc.oneof(
  fc.bigInt({ min: 0n, max: 20n }),
  fc.constantFrom(
    2n ** 31n,
    2n ** 53n - 1n,
    2n ** 53n,
    2n ** 63n,
    2n ** 64n - 1n,
    2n ** 64n,
    2n ** 256n - 1n,
    2n ** 256n,
  ),
);

const quantity = fc.oneof(
  { weight: 6, arbitrary: roughly(number.map((value) => `0x${value.toString(16)}`)) },
  { weight: 1, arbitrary: number.map((value) => `0x000${value.toString(16)}`) },
  { weight: 1, arbitrary: number.map(String) },
  { weight: 1, arbitrary: fc.oneof(fc.integer(), fc.double()) },
);

const data = roughly(fc.oneof(hexDigits(0, 200), hexDigits(64, 64)).map((digits) => `0x${digits}`));

const tag = fc.constantFrom(
  'latest',
  'earliest',
  'pending',
  'safe',
  'finalized',
  'LATEST',
  'newest',
  'latest ',
);

interface Leaves {
  readonly address: fc.Arbitrary<unknown>;
  readonly hash: fc.Arbitrary<unknown>;
}

function leavesOf({ addresses, hashes }: KnownThings): Leaves {
  const freshAddress = hexDigits(40, 40).map((digits) => `0x${digits}`);
  const freshHash = hexDigits(64, 64).map((digits) => `0x${digits}`);
  return {
    address: roughly(fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...addresses) }, freshAddress)),
    hash: roughly(fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...hashes) }, freshHash)),
  };
}

/** An object with some of these fields, valid or invalid, and unknown fields. */
function objectWith(fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> {
  const rough = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      fc.oneof({ weight: 12, arbitrary: value }, { weight: 1, arbitrary: anything }),
    ]),
  );
  const oddFields = fc.dictionary(fc.constantFrom('__proto__', 'constructor', 'extra', ''), anything, {
    maxKeys: 1,
  });
  return fc
    .tuple(
      fc.record(rough, { requiredKeys: [] }),
      fc.oneof({ weight: 6, arbitrary: fc.constant({}) }, oddFields),
    )
    .map(([known, odd]) => Object.fromEntries([...Object.entries(known), ...Object.entries(odd)]));
}

const JUMPS = new Set([0x56, 0x57]);

/** Code of random instructions without jumps, so that it ends, with many small pushed numbers. */
const code = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.nat(255).map((value) => [0x60, value]) },
      { weight: 3, arbitrary: fc.nat(255).map((opcode) => (JUMPS.has(opcode) ? [] : [opcode])) },
    ),
    { minLength: 1, maxLength: 60 },
  )
  .map((instructions) => `0x${Buffer.from(instructions.flat()).toString('hex')}`);

const smallQuantity = fc.nat(1000).map((value) => `0x${value.toString(16)}`);
const gas = fc.constantFrom(21_000, 60_000, 500_000, 2_000_000).map((value) => `0x${value.toString(16)}`);

/** An existing contract, a predeployed one, or an account. */
function targets({ addresses }: KnownThings): fc.Arbitrary<string> {
  const provided = fc
    .integer({ min: 1, max: 18 })
    .map((value) => `0x${value.toString(16).padStart(40, '0')}`);
  return fc.oneof(fc.constantFrom(...addresses), provided);
}

/** A valid transaction: a creation of random code, or a call with random data. */
function soundTransaction(known: KnownThings): fc.Arbitrary<Record<string, string>> {
  const paid = { value: smallQuantity, gas, gasPrice: smallQuantity };
  const from = fc.constantFrom(...DEV_ACCOUNTS.map(({ address }) => address));
  return fc.oneof(
    fc.record({ from, data: code, ...paid }, { requiredKeys: ['from', 'data', 'gas'] }),
    fc.record({ from, to: targets(known), data: code, ...paid }, { requiredKeys: ['from', 'to', 'gas'] }),
  );
}

/** Signed transactions of each type, for this chain and others, some with past or future nonces. */
function signedTransaction(known: KnownThings): fc.Arbitrary<string> {
  const fields = fc.record({
    type: fc.constantFrom(0, 0, 0, 1, 2),
    chainId: fc.constantFrom(33, 33, 33, 1, 0),
    nonce: fc.nat(30),
    gasLimit: fc.constantFrom(0, 21_000, 60_000, 2_000_000),
    to: fc.option(targets(known)),
    value: number.filter((value) => value < 2n ** 256n),
    data: code,
  });
  const signer = fc.constantFrom(...DEV_ACCOUNTS.map(({ privateKey }) => new SigningKey(privateKey)));
  return fc.tuple(fields, signer, fc.nat(3)).map(([{ type, ...rest }, key, price]) => {
    const prices = type === 2 ? { maxFeePerGas: price, maxPriorityFeePerGas: price } : { gasPrice: price };
    const transaction = Transaction.from({ ...rest, type, ...prices });
    transaction.signature = key.sign(transaction.unsignedHash);
    return transaction.serialized;
  });
}

/** Values for each parameter name of the node's methods. */
function valuesByName(known: KnownThings): Record<string, fc.Arbitrary<unknown>> {
  const { address, hash } = leavesOf(known);
  const block = fc.oneof(
    { weight: 3, arbitrary: tag },
    { weight: 3, arbitrary: quantity },
    { weight: 1, arbitrary: hash },
    {
      weight: 2,
      arbitrary: objectWith({ blockHash: hash, blockNumber: quantity, requireCanonical: fc.boolean() }),
    },
  );
  const topics = fc.array(fc.oneof(hash, fc.constant(null), fc.array(hash, { maxLength: 3 })), {
    maxLength: 5,
  });
  const roughTransaction = objectWith({
    from: address,
    to: address,
    gas: quantity,
    gasPrice: quantity,
    value: quantity,
    data,
    input: data,
    nonce: quantity,
    chainId: quantity,
    type: quantity,
    accessList: fc.array(objectWith({ address, storageKeys: fc.array(hash, { maxLength: 2 }) }), {
      maxLength: 2,
    }),
    maxFeePerGas: quantity,
  });
  const transaction = fc.oneof({ weight: 2, arbitrary: soundTransaction(known) }, roughTransaction);
  return {
    address,
    block,
    blockHash: hash,
    transactionHash: hash,
    index: quantity,
    position: fc.oneof(quantity, hash),
    seconds: quantity,
    snapshot: quantity,
    subscription: quantity,
    data,
    message: data,
    call: transaction,
    transaction: fc.oneof(transaction, roughly(signedTransaction(known))),
    fullTransactions: fc.boolean(),
    kind: fc.constantFrom('newHeads', 'logs', 'newPendingTransactions', 'syncing', 'newheads', '__proto__'),
    filter: objectWith({
      fromBlock: block,
      toBlock: block,
      blockHash: hash,
      address: fc.oneof(address, fc.array(address, { maxLength: 3 })),
      topics,
    }),
    options: fc.oneof(
      quantity,
      objectWith({ blocks: fc.oneof(smallQuantity, quantity), timestamp: quantity }),
    ),
  };
}

/** Parameter lists for a method: usually one value per parameter; some short, long, by name, or invalid. */
function paramsOf(
  method: DescribedMethod,
  values: Record<string, fc.Arbitrary<unknown>>,
): fc.Arbitrary<unknown> {
  const each = method.params.map(({ name }) =>
    fc.oneof({ weight: 8, arbitrary: values[name] ?? anything }, { weight: 1, arbitrary: anything }),
  );
  const byPosition = fc.tuple(...each);
  const byName = byPosition.map((list) =>
    Object.fromEntries(list.map((value, position) => [method.params[position]?.name ?? '', value])),
  );
  return fc.oneof(
    { weight: 8, arbitrary: byPosition },
    { weight: 1, arbitrary: byPosition.map((list) => list.slice(0, -1)) },
    { weight: 1, arbitrary: fc.tuple(byPosition, anything).map(([list, surplus]) => [...list, surplus]) },
    { weight: 1, arbitrary: byName },
    { weight: 1, arbitrary: fc.array(anything, { maxLength: 3 }) },
  );
}

const unknownMethod = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    'eth_',
    'ETH_CHAINID',
    ' eth_chainId',
    'eth_getCompilers',
    'shh_post',
  ),
);

const id = fc.oneof(
  { weight: 6, arbitrary: fc.oneof(fc.nat(), fc.string(), fc.constant(null)) },
  {
    weight: 1,
    arbitrary: fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.maxSafeInteger()),
  },
);

/** Names of parameters that are executed, where most failures can occur. */
const RUN = new Set(['call', 'transaction']);

/** Requests to these methods, most of them valid. */
export function envelopes(methods: readonly DescribedMethod[], known: KnownThings): fc.Arbitrary<unknown> {
  const values = valuesByName(known);
  const call = fc.oneof(
    {
      weight: 20,
      arbitrary: fc.oneof(
        ...methods.map((method) => ({
          weight: method.params.some(({ name }) => RUN.has(name)) ? 6 : 1,
          arbitrary: fc.record({ method: fc.constant(method.name), params: paramsOf(method, values) }),
        })),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.record({ method: unknownMethod, params: fc.array(anything, { maxLength: 2 }) }),
    },
  );
  const wellFormed = fc
    .tuple(id, call)
    .map(([callId, fields]) => ({ jsonrpc: '2.0', id: callId, ...fields }));
  const spoiled = fc
    .tuple(
      wellFormed,
      fc.constantFrom('jsonrpc', 'id', 'method', 'params'),
      fc.option(anything, { nil: undefined }),
    )
    .map(([request, field, value]) => ({ ...request, [field]: value }));
  return fc.oneof(
    { weight: 16, arbitrary: wellFormed },
    { weight: 2, arbitrary: spoiled },
    { weight: 1, arbitrary: anything },
  );
}
