import { describe, expect, it } from 'vitest';
import { concatBytes } from '../../../src/primitives/bytes.ts';
import { redeemScriptOf } from '../../../src/rootstock/bitcoin/redeem-script.ts';
import {
  joinChunks,
  multisigScript,
  OP,
  opReturnScript,
  p2shP2wshScript,
  push,
  scriptChunks,
} from '../../../src/rootstock/bitcoin/script.ts';

const key = (byte: number) => new Uint8Array(33).fill(byte);
const members = multisigScript(2, [key(2), key(3), key(4)]);
const emergency = multisigScript(1, [key(5), key(6)]);
const withEmergencyKeys = concatBytes(
  Uint8Array.of(OP.NOTIF),
  members,
  Uint8Array.of(OP.ELSE),
  push(Uint8Array.of(0xf4, 0x01)),
  Uint8Array.of(OP.CHECKSEQUENCEVERIFY, OP.DROP),
  emergency,
  Uint8Array.of(OP.ENDIF),
);
const flyover = (script: Uint8Array) =>
  concatBytes(push(new Uint8Array(32).fill(9)), Uint8Array.of(OP.DROP), script);

describe('redeemScriptOf', () => {
  it.each([
    ['a multisig script', members, false],
    ['a script with emergency keys', withEmergencyKeys, true],
    ['a Flyover script', flyover(members), false],
    ['a Flyover script with emergency keys', flyover(withEmergencyKeys), true],
  ])('recognises %s', (_, script, hasEmergencyKeys) => {
    expect(redeemScriptOf(script)).toEqual({
      required: 2,
      keys: [key(2), key(3), key(4)],
      standard: members,
      hasEmergencyKeys,
    });
  });

  it.each([
    ['nothing', new Uint8Array()],
    ['a public key', push(key(2))],
    ['a truncated push', members.slice(0, 40)],
    ['a wrong number of keys', concatBytes(members.slice(0, -2), Uint8Array.of(OP.ONE, OP.CHECKMULTISIG))],
    ['a hash without a multisig script', flyover(Uint8Array.of(OP.ONE))],
    [
      'emergency keys without a delay',
      concatBytes(
        Uint8Array.of(OP.NOTIF),
        members,
        Uint8Array.of(OP.ELSE),
        emergency,
        Uint8Array.of(OP.ENDIF),
      ),
    ],
  ])('does not recognise %s', (_, script) => {
    expect(redeemScriptOf(script)).toBeNull();
  });

  it('recognises a script after ten thousand prefixes', () => {
    const prefix = flyover(new Uint8Array());
    const script = concatBytes(...Array.from({ length: 100 }, () => prefix));
    const long = concatBytes(...Array.from({ length: 100 }, () => script), members);
    expect(redeemScriptOf(long)?.standard).toEqual(members);
  });

  it('recognises numbers that are pushed as bytes', () => {
    const keys = Array.from({ length: 17 }, (_, index) => key(index + 2));
    const script = concatBytes(
      Uint8Array.of(1, 9),
      ...keys.map(push),
      Uint8Array.of(1, 17, OP.CHECKMULTISIG),
    );
    expect(redeemScriptOf(script)).toMatchObject({ required: 9, keys });
  });
});

describe('scripts', () => {
  it('keep the encoding of each push', () => {
    const script = concatBytes(
      Uint8Array.of(0, OP.PUSHDATA1, 1, 5, OP.PUSHDATA2, 2, 0, 6, 7, OP.PUSHDATA4, 1, 0, 0, 0, 8, 0x51),
      opReturnScript(new Uint8Array(80)),
    );
    expect(joinChunks(scriptChunks(script))).toEqual(script);
  });

  it('wrap a witness script in P2SH', () => {
    expect(p2shP2wshScript(members)).toHaveLength(23);
  });
});
