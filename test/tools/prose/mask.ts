import { breaksIn } from './passage.ts';

/** The word that replaces inline code, URLs and values that are filled in later. */
export const PLACEHOLDER = 'N';

/** Markup of Markdown and JSDoc with its replacement. The order matters: code hides all other markup. */
const MARKUP: readonly (readonly [RegExp, string])[] = [
  [/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, PLACEHOLDER],
  [/\{@(?:link|linkcode|linkplain|see|inheritDoc)\b[^}]*\}/g, PLACEHOLDER],
  [/<!--[\s\S]*?-->/g, ''],
  [/!?\[((?:[^[\]]|\[[^\]]*\])*)\]\([^()\s]*(?:\([^()]*\)[^()\s]*)?(?:\s+"[^"]*")?\)/g, '$1'],
  [/!?\[([^[\]]+)\]\[[^\]]*\]/g, '$1'],
  [/<?\b(?:https?|wss?|ftp|file):\/\/[^\s<>)]*[^\s<>).,;:!?'"]>?/g, PLACEHOLDER],
  [/<\/?(?:a|b|br|code|em|i|img|kbd|p|picture|source|strong|sub|sup|details|summary|div|span)\b[^>]*>/gi, ''],
  [/\*\*|__(?=\S)|(?<=\S)__/g, ''],
  [/(?<![\w*])[*_](?=[^\s*_])|(?<=[^\s*_])[*_](?![\w*])/g, ''],
];

/** Replaces markup and keeps the line breaks, so that a finding still has its line. */
export function withoutMarkup(text: string): string {
  return MARKUP.reduce(
    (masked, [markup, replacement]) =>
      masked.replace(markup, (match: string, inner: unknown) => {
        const kept = replacement === '$1' ? String(inner) : replacement;
        return kept + '\n'.repeat(breaksIn(match) - breaksIn(kept));
      }),
    text,
  );
}
