/** The minimum number of plain words in a string that is prose. */
const MINIMUM_WORDS = 3;

const PLAIN_WORD = /^["'“(]?[\p{L}][\p{L}'’-]*["'”)]?[.,;:!?)]*$/u;

/** Signs of source code, signatures, patterns and markup. */
const CODE =
  /=>|[{}\\]|;\s*$|\(\)|::|&&|\|\||[=!]==?|\+=|<\/|\/>|^\s*(?:import|export|const|let|var|pragma|contract|struct|type)\s|^\s*(?:function|event|error|constructor|modifier)\s*\w*\s*\(/m;

/** Returns true if a string or comment is written for people: plain words, without code. */
export function readsAsProse(text: string): boolean {
  const plain = text.replaceAll(/`[^`]*`/g, 'N');
  if (CODE.test(plain)) return false;
  const tokens = plain.split(/\s+/).filter((token) => /[\p{L}\p{N}]/u.test(token));
  const words = tokens.filter((token) => PLAIN_WORD.test(token));
  return words.length >= MINIMUM_WORDS && words.length * 2 > tokens.length && words.some(isLowerCase);
}

function isLowerCase(word: string): boolean {
  return word.length > 1 && word === word.toLowerCase();
}
