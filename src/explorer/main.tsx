/** Starts the page. */

import { render } from 'preact';
import { App } from './app.tsx';
import { followChain } from './chain.ts';
import { followLinks } from './router.ts';
import { followTheme } from './theme.ts';

// Browsers look for the icon again, relative to the new address, when the address changes inside the page.
for (const icon of document.querySelectorAll<HTMLLinkElement>('link[rel="icon"]'))
  icon.href = String(icon.href);

const root = document.getElementById('page');
if (root !== null) {
  followTheme();
  followLinks();
  followChain();
  render(<App />, root);
}
