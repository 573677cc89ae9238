import { payments, script } from 'bitcoinjs-lib';
import { fromHex } from '../../../src/primitives/hex.ts';
import { p2shP2wshScript } from '../../../src/rootstock/bitcoin/script.ts';
import { type Federation, FORMAT_VERSIONS } from '../../../src/rootstock/bridge/federation.ts';
import type { SpendableUtxo } from '../../../src/rootstock/peg/release-transaction.ts';
import { flyoverRedeemScript } from '../../../src/rootstock/peg/spendable-utxos.ts';
import { publicKeyOfSeed } from '../bridge/bridge-scene.ts';

/** The federations of rskj's tests: plain multisig, with emergency keys, and with a witness script. */
export type FederationKind = 'multisig' | 'emergency' | 'witness';

/** The emergency keys of mainnet, with their delay of one year. */
const EMERGENCY_KEYS = [
  '0257c293086c4d4fe8943deda5f890a37d11bebd140e220faa76258a41d077b4d4',
  '03c2660a46aa73078ee6016dee953488566426cf55fc8011edd0085634d75395f9',
  '03cd3e383ec6e12719a6c69515e5559bcbe037d0aa24c187e1e26ce932e22ad7b3',
  '02370a9838e4d15708ad14a104ee5606b36caaaaf739d833e67770ce9fd9b3ec80',
];
const DELAY = '50cd00';

function majority(keys: readonly string[]): string {
  const sorted = [...keys].sort();
  return `OP_${Math.floor(keys.length / 2) + 1} ${sorted.join(' ')} OP_${keys.length} OP_CHECKMULTISIG`;
}

/** The opcodes of numbers above 16 are pushes of one byte. */
function compiled(assembly: string): Uint8Array {
  return script.fromASM(
    assembly.replaceAll(/OP_(1[7-9]|[2-9]\d)\b/g, (_, number) => Number(number).toString(16)),
  );
}

/** A federation of members with the seeds `member01` and later numbers. */
export function testFederation(kind: FederationKind, size = kind === 'witness' ? 20 : 9): Federation {
  const keys = Array.from({ length: size }, (_, index) =>
    publicKeyOfSeed(`member${String(index + 1).padStart(2, '0')}`).slice(2),
  );
  const redeemScript = compiled(
    kind === 'multisig'
      ? majority(keys)
      : `OP_NOTIF ${majority(keys)} OP_ELSE ${DELAY} OP_CHECKSEQUENCEVERIFY OP_DROP ${majority(EMERGENCY_KEYS)} OP_ENDIF`,
  );
  const outputScript = outputOf(kind, redeemScript);
  return {
    members: [...keys].sort().map((key) => ({ publicKey: fromHex(`0x${key}`), address: new Uint8Array(20) })),
    threshold: Math.floor(size / 2) + 1,
    redeemScript,
    outputScript,
    formatVersion: kind === 'witness' ? FORMAT_VERSIONS.p2wsh : FORMAT_VERSIONS.legacy,
    address: '',
    creationTime: 0,
    creationBlockNumber: 1,
  };
}

function outputOf(kind: FederationKind, redeemScript: Uint8Array): Uint8Array {
  if (kind === 'witness') return p2shP2wshScript(redeemScript);
  return payments.p2sh({ redeem: { output: redeemScript } }).output ?? new Uint8Array(0);
}

/** Rskj's test hash of a number: its bytes, lowest first. */
export function numberHash(number: number): Uint8Array {
  const hash = new Uint8Array(32);
  new DataView(hash.buffer).setUint32(0, number, true);
  return hash;
}

/** Outputs of a federation with one value (satoshi), of transactions `numberHash(1)` and later. */
export function utxosOf(federation: Federation, count: number, value: bigint): SpendableUtxo[] {
  const { outputScript, redeemScript } = federation;
  return Array.from({ length: count }, (_, index) => ({
    transactionId: numberHash(index + 1),
    index: 0,
    value,
    script: outputScript,
    isCoinbase: false,
    redeemScript,
  }));
}

/** The output of one coin to a Flyover address in rskj's tests. */
export function flyoverUtxo(kind: FederationKind, { redeemScript }: Federation): SpendableUtxo {
  const derivation = new Uint8Array(32);
  derivation[31] = 1;
  const flyover = flyoverRedeemScript(derivation, redeemScript);
  return {
    transactionId: numberHash(10_000),
    index: 0,
    value: 100_000_000n,
    script: outputOf(kind, flyover),
    isCoinbase: false,
    redeemScript: flyover,
  };
}
