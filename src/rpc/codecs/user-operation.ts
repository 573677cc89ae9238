import { DELEGATION_MARKER, type UserOperation } from '../../bundler/user-operation.ts';
import { EMPTY_BYTES } from '../../primitives/bytes.ts';
import { authorization } from './call-object.ts';
import { type Codec, type Decoded, leaf, objectOf, type Reading, refined } from './codec.ts';
import { address, data, quantity } from './hex-values.ts';

const LARGEST = 2n ** 128n;

/** An EntryPoint packs gas and fees into half words. */
const halfWord = refined(
  quantity,
  (value): Reading<bigint> =>
    value < LARGEST ? { value } : { path: [], expected: 'a quantity below 2^128', isOutOfRange: true },
);

/** An address, or the marker of an account that delegates, with or without its zeros. */
const factory: Codec<Uint8Array> = leaf(
  'the address of a factory, or 0x7702',
  { type: 'string', pattern: '^0x(?:7702|[0-9a-fA-F]{40})$' },
  (value) => {
    if (value === '0x7702') return DELEGATION_MARKER;
    const reading = address.read(value);
    return 'value' in reading ? (reading.value as Uint8Array) : undefined;
  },
);

const fields = objectOf(
  {
    sender: address,
    nonce: quantity,
    factory,
    factoryData: data,
    callData: data,
    callGasLimit: halfWord,
    verificationGasLimit: halfWord,
    preVerificationGas: quantity,
    maxFeePerGas: halfWord,
    maxPriorityFeePerGas: halfWord,
    paymaster: address,
    paymasterVerificationGasLimit: halfWord,
    paymasterPostOpGasLimit: halfWord,
    paymasterData: data,
    paymasterSignature: data,
    signature: data,
    eip7702Auth: authorization,
  },
  'a user operation of ERC-4337 for EntryPoint 0.7 or later',
);

const NEEDED = ['sender', 'nonce', 'callData', 'signature'] as const;
const GAS = [
  'callGasLimit',
  'verificationGasLimit',
  'preVerificationGas',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
] as const;

type DecodedOperation = Decoded<typeof fields>;

/** Returns the operation, or a complaint if a required field is absent. */
function operationWith(
  needed: readonly (keyof DecodedOperation)[],
  given: DecodedOperation,
): Reading<UserOperation> {
  const missing = needed.find((name) => given[name] === null);
  if (missing !== undefined) {
    const hint = NEEDED.some((name) => name === missing)
      ? ''
      : ' (eth_estimateUserOperationGas returns gas limits)';
    return { path: [missing], expected: `the ${missing} of the user operation${hint}` };
  }
  if (given.factory === null && given.factoryData !== null && given.factoryData.length > 0)
    return { path: ['factory'], expected: 'a factory, because factoryData is set' };
  return {
    value: {
      sender: given.sender ?? EMPTY_BYTES,
      nonce: given.nonce ?? 0n,
      factory: given.factory,
      factoryData: given.factoryData ?? EMPTY_BYTES,
      callData: given.callData ?? EMPTY_BYTES,
      callGasLimit: given.callGasLimit ?? 0n,
      verificationGasLimit: given.verificationGasLimit ?? 0n,
      preVerificationGas: given.preVerificationGas ?? 0n,
      maxFeePerGas: given.maxFeePerGas ?? 0n,
      maxPriorityFeePerGas: given.maxPriorityFeePerGas ?? 0n,
      paymaster: given.paymaster,
      paymasterVerificationGasLimit: given.paymasterVerificationGasLimit ?? 0n,
      paymasterPostOpGasLimit: given.paymasterPostOpGasLimit ?? 0n,
      paymasterData: given.paymasterData ?? EMPTY_BYTES,
      paymasterSignature: given.paymasterSignature,
      signature: given.signature ?? EMPTY_BYTES,
      authorization: given.eip7702Auth,
    },
  };
}

/** The operation of an estimate; gas and fees are optional. */
export const estimatedOperation: Codec<UserOperation> = refined(fields, (given) =>
  operationWith(NEEDED, given),
);

/** The operation of a send; gas and fees are required. */
export const sentOperation: Codec<UserOperation> = refined(fields, (given) =>
  operationWith([...NEEDED, ...GAS], given),
);
