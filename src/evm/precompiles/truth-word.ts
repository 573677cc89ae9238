/** 1 or 0 as a word of 32 bytes. */
export function truthWord(value: boolean): Uint8Array {
  const word = new Uint8Array(32);
  if (value) word[31] = 1;
  return word;
}
