import { Hardfork } from '@ethereumjs/common';
import { describe, expect, it } from 'vitest';
import { PrecompileError } from '../../../src/evm/precompiles/precompiled-contract.ts';
import { PrecompiledContracts } from '../../../src/evm/precompiles/precompiled-contracts.ts';
import { bigIntToFixedBytes, concatBytes, equalBytes } from '../../../src/primitives/bytes.ts';
import { fromHex, hexKey } from '../../../src/primitives/hex.ts';
import { precompilesOf } from '../../../src/protocol/hardforks/precompiles.ts';
import { RULE_SET_NAMES, ruleSetNamed } from '../../../src/protocol/hardforks/registry.ts';
import { precompileFunctions } from '../../../src/rootstock/precompile-functions.ts';
import { wordBytes } from '../../support/words.ts';
import { CONTEXT, contractNamed, contractsOf } from './contracts.ts';
import { referenceOf } from './reference.ts';

const address = (number: number) => bigIntToFixedBytes(BigInt(number), 20);

describe.each(RULE_SET_NAMES)('precompiles of %s', (name) => {
  it('all precompiles of the rule set are at their addresses, and no others', () => {
    const contracts = contractsOf(name);
    const listed = precompilesOf(ruleSetNamed(name));
    expect(contracts.all().map((each) => [each.name, each.address])).toEqual(
      listed.map((each) => [each.name, each.address]),
    );
    for (const each of listed) expect(contracts.at(each.address)?.name).toBe(each.name);
    expect(contracts.at(address(0))).toBeUndefined();
    expect(contracts.at(address(listed.length + 1))).toBeUndefined();
  });
});

describe('precompiles that use a library', () => {
  it.each(['BN254_ADD', 'BLS12_G1ADD', 'KZG_POINT_EVALUATION'])(
    '%s is ready after its library is loaded',
    async (name) => {
      const contract = contractNamed('prague', name);
      expect(contract.isReady).toBe(false);
      expect(() => contract.run(new Uint8Array(0), CONTEXT)).toThrow('before it is loaded');
      await Promise.all([contract.load(), contract.load()]);
      expect(contract.isReady).toBe(true);
    },
  );

  it('the load of one precompile makes all precompiles of its curve ready', async () => {
    const contracts = contractsOf('prague').all();
    const readyOnes = () => contracts.filter(({ isReady }) => isReady).map(({ name }) => name);
    const withoutLibrary = ['ECREC', 'SHA256', 'RIPEMD160', 'ID', 'MODEXP', 'BLAKE2F'];
    expect(readyOnes()).toEqual(withoutLibrary);
    await contracts.find(({ name }) => name === 'BN254_PAIRING')?.load();
    expect(readyOnes()).toEqual([
      ...withoutLibrary.slice(0, 5),
      'BN254_ADD',
      'BN254_MUL',
      'BN254_PAIRING',
      'BLAKE2F',
    ]);
    await contracts.find(({ name }) => name === 'KZG_POINT_EVALUATION')?.load();
    expect(readyOnes()).toEqual(contracts.map(({ name }) => name));
  });
});

describe('precompile prices', () => {
  const price = (ruleSet: Parameters<typeof contractNamed>[0], name: string, length: number) =>
    contractNamed(ruleSet, name).gas(new Uint8Array(length));

  it.each([
    ['constantinople', 500n, 40_000n, 180_000n],
    ['rootstock', 150n, 6_000n, 79_000n],
    ['istanbul', 150n, 6_000n, 79_000n],
    ['prague', 150n, 6_000n, 79_000n],
  ] as const)('alt_bn128 has the right prices under %s', (ruleSet, sum, product, onePair) => {
    expect(price(ruleSet, 'BN254_ADD', 128)).toBe(sum);
    expect(price(ruleSet, 'BN254_MUL', 96)).toBe(product);
    expect(price(ruleSet, 'BN254_PAIRING', 192)).toBe(onePair);
    expect(price(ruleSet, 'BN254_PAIRING', 383)).toBe(onePair);
  });

  it('SHA256, RIPEMD160 and ID charge for each started word', () => {
    expect([0, 1, 32, 33].map((length) => price('rootstock', 'SHA256', length))).toEqual([
      60n,
      72n,
      72n,
      84n,
    ]);
    expect([0, 1, 33].map((length) => price('rootstock', 'RIPEMD160', length))).toEqual([600n, 720n, 840n]);
    expect([0, 1, 33].map((length) => price('rootstock', 'ID', length))).toEqual([15n, 18n, 21n]);
    expect(price('rootstock', 'ECREC', 0)).toBe(3_000n);
  });

  it('sums of products on BLS12-381 have the prices of ethereumjs for 1 to 130 products', async () => {
    const reference = await referenceOf(Hardfork.Prague);
    for (const [name, at, size] of [
      ['BLS12_G1MSM', 0x0c, 160],
      ['BLS12_G2MSM', 0x0e, 288],
    ] as const) {
      expect(price('prague', name, 0)).toBe(0n);
      for (let count = 1; count <= 130; count++) {
        const outcome = await reference(address(at), new Uint8Array(size * count));
        expect(outcome, `${name} of ${count}`).toMatchObject({ gas: price('prague', name, size * count) });
      }
    }
  });
});

describe('ECRECOVER', () => {
  it('returns the signer that is set for a signature instead of the recovered signer', () => {
    const ruleSet = ruleSetNamed('rootstock');
    const impersonated = concatBytes(wordBytes(1), wordBytes(2), Uint8Array.of(27));
    const signer = address(77);
    const recovery = new PrecompiledContracts(ruleSet, 33, precompileFunctions, (signature) =>
      equalBytes(signature, impersonated) ? signer : undefined,
    ).at(address(1));
    const answerTo = (v: number) =>
      hexKey(
        recovery?.run(concatBytes(wordBytes(5), wordBytes(v), wordBytes(1), wordBytes(2)), CONTEXT) ??
          wordBytes(0),
      );
    expect(answerTo(27)).toBe(hexKey(wordBytes(77)));
    expect(answerTo(28)).not.toBe(hexKey(wordBytes(77)));
    expect(answerTo(29)).toBe('');
  });
});

describe('MODEXP', () => {
  const input = (base: string, exponent: string, modulus: string) => {
    const numbers = [base, exponent, modulus].map((digits) => fromHex(`0x${digits}`));
    return concatBytes(...numbers.map(({ length }) => wordBytes(length)), ...numbers);
  };
  const P = 'fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f';
  const P_MINUS_1 = 'fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2e';

  it('computes the examples of EIP-198 at its price under Rootstock', () => {
    const modularExponentiation = contractNamed('rootstock', 'MODEXP');
    const first = input('03', P_MINUS_1, P);
    expect(modularExponentiation.run(first, CONTEXT)).toEqual(wordBytes(1));
    expect(modularExponentiation.gas(first)).toBe(13_056n);
    const second = input('', P_MINUS_1, P);
    expect(modularExponentiation.run(second, CONTEXT)).toEqual(wordBytes(0));
    expect(modularExponentiation.gas(second)).toBe(13_056n);
    // The length of the exponent is 2^256 - 1.
    const third = concatBytes(wordBytes(0), wordBytes(2n ** 256n - 1n), wordBytes(2n ** 256n - 2n));
    expect(modularExponentiation.gas(third)).toBeGreaterThan(2n ** 500n);
    // The modulus ends after 3 of its 32 bytes. Zeros follow.
    const fourth = concatBytes(wordBytes(1), wordBytes(2), wordBytes(32), fromHex('0x03ffff80'));
    expect(hexKey(modularExponentiation.run(fourth, CONTEXT))).toBe(
      '3b01b01ac41f2d6e917c6d6a221ce793802469026d9ab7578fa2e79e4da6aaab',
    );
    expect(modularExponentiation.gas(fourth)).toBe(768n);
  });

  it('costs at least 200 gas since Berlin (EIP-2565)', () => {
    const modularExponentiation = contractNamed('berlin', 'MODEXP');
    expect(modularExponentiation.gas(new Uint8Array(0))).toBe(200n);
    expect(modularExponentiation.gas(input('03', P_MINUS_1, P))).toBe(1_360n);
  });

  it('returns empty output for an empty modulus and a huge exponent', () => {
    const endless = concatBytes(wordBytes(0), wordBytes(2n ** 255n), wordBytes(0));
    expect(contractNamed('istanbul', 'MODEXP').gas(endless)).toBe(0n);
    expect(contractNamed('istanbul', 'MODEXP').run(endless, CONTEXT)).toEqual(new Uint8Array(0));
  });
});

describe('BLAKE2F', () => {
  const STATE =
    '48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5d182e6ad7f520e511f6c3e2b8c68059b6bbd41fbabd9831f79217e1319cde05b';
  const REST = `${STATE}616263${'00'.repeat(125)}03000000000000000000000000000000`;
  const compression = contractNamed('istanbul', 'BLAKE2F');

  it.each([
    [
      '4',
      '00000000',
      '01',
      '08c9bcf367e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5d282e6ad7f520e511f6c3e2b8c68059b9442be0454267ce079217e1319cde05b',
    ],
    [
      '5',
      '0000000c',
      '01',
      'ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923',
    ],
    [
      '6',
      '0000000c',
      '00',
      '75ab69d3190a562c51aef8d88f1c2775876944407270c42c9844252c26d2875298743e7f6d5ea2f2d3e8d226039cd31b4e426ac4f2d3d666a610c2116fde4735',
    ],
    [
      '7',
      '00000001',
      '01',
      'b63a380cb2897d521994a85234ee2c181b5f844d2c624c002677e9703449d2fba551b3a8333bcdf5f2f7e08993d53923de3d64fcc68c034e717b9293fed7a421',
    ],
  ])('computes test vector %s of EIP-152', (_number, rounds, final, output) => {
    const input = fromHex(`0x${rounds}${REST}${final}`);
    expect(compression.gas(input)).toBe(BigInt(`0x${rounds}`));
    expect(hexKey(compression.run(input, CONTEXT))).toBe(output);
  });

  it('rejects inputs of another length and flags other than 0 and 1', () => {
    for (const input of ['', `00000c${REST}01`, `000000000c${REST}01`, `0000000c${REST}02`]) {
      expect(() => compression.run(fromHex(`0x${input}`), CONTEXT)).toThrow(PrecompileError);
    }
  });
});

describe('precompile results', () => {
  it('a result does not change if the input changes later', () => {
    const input = new Uint8Array(64).fill(7);
    const result = contractNamed('rootstock', 'ID').run(input, CONTEXT);
    input.fill(0);
    expect(result).toEqual(new Uint8Array(64).fill(7));
  });
});
