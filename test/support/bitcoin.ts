/** Serialized Bitcoin transactions and blocks, as hexadecimal digits. */

/** `RSKBLOCK:` as digits. */
export const COMMITMENT_TAG = Buffer.from('RSKBLOCK:').toString('hex');

/** 80 bytes in the form of a block header. */
export const BITCOIN_HEADER = `00000020${'11'.repeat(32)}${'22'.repeat(32)}00f15365ffff7f2000000000`;

function compactSize(count: number): string {
  const digits = (bytes: number) => {
    const buffer = Buffer.alloc(bytes);
    buffer.writeUIntLE(count, 0, bytes);
    return buffer.toString('hex');
  };
  if (count < 0xfd) return digits(1);
  return count < 0x10000 ? `fd${digits(2)}` : `fe${digits(4)}`;
}

function withLength(digits: string): string {
  return compactSize(digits.length / 2) + digits;
}

/**
 * A transaction with one input and one output with the script `outputScript` (digits); optionally with a
 * witness.
 */
export function bitcoinTransaction(outputScript: string, hasWitness = false): string {
  const input = `${'00'.repeat(32)}ffffffff${withLength('00000000')}ffffffff`;
  const output = `${'00'.repeat(8)}${withLength(outputScript)}`;
  const witness = `${compactSize(2)}${withLength('aabb')}${withLength('')}`;
  return [
    '01000000',
    hasWitness ? '0001' : '',
    compactSize(1),
    input,
    compactSize(1),
    output,
    hasWitness ? witness : '',
    '00000000',
  ].join('');
}

/** A coinbase transaction that commits to a hash (64 digits). */
export function bitcoinCoinbase(hash: string, hasWitness = false): string {
  return bitcoinTransaction(`6a${COMMITMENT_TAG}${hash}`, hasWitness);
}

export function bitcoinBlock(transactions: readonly string[]): string {
  return `${BITCOIN_HEADER}${compactSize(transactions.length)}${transactions.join('')}`;
}
