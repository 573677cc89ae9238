// The page with the reason for a rejected browser.

import { createHash } from 'node:crypto';

/** Inline, because a browser with a rejected host name cannot load other files. */
const STYLE = `
:root { color-scheme: light dark; }
body { margin: 0; background: #ffffff; color: #16202c; font: 16px/1.5 system-ui, "DejaVu Sans", sans-serif; }
main { max-width: 36rem; margin: 12vh auto 2rem; padding: 0 1.25rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; }
code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .9375em; background: #f6f7f9; padding: .1em .3em; border-radius: 4px; }
.faint { color: #566173; }
@media (prefers-color-scheme: dark) {
  body { background: #10151c; color: #e4e9ef; }
  code { background: #19212b; }
  .faint { color: #9aa7b6; }
}
`;

/** The content policy of the page: only its own style. */
export const REFUSAL_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The heading and the advice by status, in HTML. */
const WORDS: Readonly<Record<number, { readonly title: string; readonly advice: string }>> = {
  401: {
    title: 'API key required',
    advice:
      'Add the key to the URL of the node: <code>http://127.0.0.1:8545/&lt;API_KEY&gt;</code>. The option <code>--api-key</code> sets the key.',
  },
  403: {
    title: 'Access denied',
    advice:
      'Open the node by its IP address or as <code>localhost</code>, or start it with the option in the message above.',
  },
  503: {
    title: 'The node is shutting down',
    advice: 'Use another node, or start this node again.',
  },
};

const OTHERWISE = {
  title: 'Not found',
  advice: 'The explorer is at the URL of the node without a path.',
};

/** Returns the HTML page for a status; `reason` is plain text. */
export function rejectionPage(status: number, reason: string): string {
  const { title, advice } = WORDS[status] ?? OTHERWISE;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title} - node-cli</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${escaped(reason)}</p>
<p>${advice}</p>
<p class="faint">node-cli, status ${status}</p>
</main>
</body>
</html>
`;
}

/** Escapes plain text for HTML. */
function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
