import type { ParamsDict } from '@ethereumjs/common';
import { createTx, getMinimumGasLimit, paramsTx } from '@ethereumjs/tx';
import { createAddressFromString } from '@ethereumjs/util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../src/primitives/hex.ts';
import { ruleSetNamed } from '../../src/protocol/hardforks/registry.ts';
import { intrinsicGas, type PricedFields } from '../../src/protocol/intrinsic-gas.ts';
import type { TransactionType } from '../../src/protocol/transaction.ts';
import { transactionRequest } from './arbitraries.ts';
import { ETHEREUM_RULE_SETS, referenceCommon } from './reference-common.ts';

/** Data with as many zeros as in typical calls, so that the floor price sometimes applies. */
const pricedData = fc.oneof(
  fc.array(fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(255)), { maxLength: 700 }),
  fc.array(fc.constantFrom(0, 1), { minLength: 1_000, maxLength: 2_000 }),
);

const SENDER = new Uint8Array(20).fill(0x5e);

function partsOf(type: TransactionType): fc.Arbitrary<PricedFields & { to: Uint8Array | null }> {
  return fc
    .tuple(transactionRequest(type), pricedData)
    .map(([request, data]) => ({ ...request, sender: SENDER, data: Uint8Array.from(data) }));
}

/** The library's parameters, overridden by the rule set. */
function libraryParameters(name: (typeof ETHEREUM_RULE_SETS)[number]): ParamsDict {
  const own = Object.entries(ruleSetNamed(name).reference.parameters);
  return {
    ...paramsTx,
    ...Object.fromEntries(own.map(([eip, parameters]) => [eip, { ...paramsTx[eip], ...parameters }])),
  };
}

function referenceGas(
  name: (typeof ETHEREUM_RULE_SETS)[number],
  type: TransactionType,
  parts: PricedFields,
): bigint {
  const common = referenceCommon(name);
  const authorizations = parts.authorizationList.map(() => ({
    chainId: '0x21' as const,
    address: `0x${'11'.repeat(20)}` as const,
    nonce: '0x1' as const,
    yParity: '0x1' as const,
    r: '0x1' as const,
    s: '0x1' as const,
  }));
  const transaction = createTx(
    {
      type,
      data: parts.data,
      value: parts.value,
      gasLimit: 16_777_216n,
      ...(parts.to === null ? {} : { to: createAddressFromString(toHex(parts.to)) }),
      ...(type === 0 ? {} : { chainId: 33n }),
      ...(type === 0
        ? {}
        : {
            accessList: parts.accessList.map(({ address, storageKeys }) => ({
              address: toHex(address),
              storageKeys: storageKeys.map(toHex),
            })),
          }),
      ...(type === 3 ? { blobVersionedHashes: [`0x01${'22'.repeat(31)}` as const] } : {}),
      ...(type === 4 ? { authorizationList: authorizations } : {}),
    },
    { common, params: libraryParameters(name) },
  );
  return getMinimumGasLimit(transaction);
}

describe('intrinsicGas', () => {
  const cases = ETHEREUM_RULE_SETS.flatMap((name) =>
    ruleSetNamed(name).transactionTypes.map((type) => [name, type] as const),
  );

  it.each(cases)('under %s for type %i equals the gas of @ethereumjs/tx', (name, type) => {
    const ruleSet = ruleSetNamed(name);
    const isSame = fc.property(partsOf(type), (parts) => {
      expect(intrinsicGas(ruleSet, parts)).toBe(referenceGas(name, type, parts));
    });
    fc.assert(isSame, { numRuns: 30 });
  });

  const plain: PricedFields = {
    sender: SENDER,
    value: 0n,
    to: new Uint8Array(20),
    data: new Uint8Array(0),
    accessList: [],
    authorizationList: [],
  };

  it.each([
    ['a plain transfer', plain, 21_000n],
    ['a creation', { ...plain, to: null }, 53_000n],
    ['a zero and two other bytes', { ...plain, data: Uint8Array.of(0, 1, 255) }, 21_036n],
    ['33 bytes of initcode, which are two words', { ...plain, to: null, data: new Uint8Array(33) }, 53_136n],
  ])('charges the Rootstock price for %s', (_, parts, gas) => {
    expect(intrinsicGas(ruleSetNamed('rootstock'), parts)).toBe(gas);
  });

  it('charges at least the floor price of the data under Prague (EIP-7623)', () => {
    const parts = { ...plain, data: new Uint8Array(100).fill(1) };
    expect(intrinsicGas(ruleSetNamed('prague'), parts)).toBe(21_000n + 100n * 4n * 10n);
    expect(intrinsicGas(ruleSetNamed('cancun'), parts)).toBe(21_000n + 100n * 16n);
  });
});
