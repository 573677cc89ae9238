/** The colour theme: the system's, or the user's choice. */

import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'node-cli-theme';
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(KEY);
    return THEMES.find((theme) => theme === stored) ?? 'system';
  } catch {
    // Storage is not available.
    return 'system';
  }
}

export const theme = signal<Theme>('system');

export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system';
  try {
    localStorage.setItem(KEY, theme.value);
  } catch {
    // The choice lasts until the page is closed.
  }
}

/** Applies the theme to the document. */
export function followTheme(): void {
  theme.value = storedTheme();
  effect(() => {
    if (theme.value === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme.value;
  });
}
