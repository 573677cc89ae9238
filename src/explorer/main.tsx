/** Starts the page. */

import { render } from 'preact';
import { App } from './app.tsx';
import { followChain } from './chain.ts';
import { followLinks } from './router.ts';
import { followTheme } from './theme.ts';

const root = document.getElementById('page');
if (root !== null) {
  followTheme();
  followLinks();
  followChain();
  render(<App />, root);
}
