/** Starts the explorer. */

import { render } from 'preact';
import { App } from './app.tsx';
import { followChain } from './chain.ts';
import { followNames } from './names.ts';
import { followLinks } from './router.ts';
import { followTheme } from './theme.ts';

// Browsers resolve the icon's URL again if the address changes within the page, so make it absolute.
for (const icon of document.querySelectorAll<HTMLLinkElement>('link[rel="icon"]'))
  icon.href = String(icon.href);

const root = document.getElementById('page');
if (root !== null) {
  followTheme();
  followLinks();
  followChain();
  followNames();
  render(<App />, root);
}
