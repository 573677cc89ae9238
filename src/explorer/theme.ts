/** The colour theme: the system's, or the user's choice. */

import { effect, signal } from '@preact/signals';
import { keepValue, keptValue } from './page-storage.ts';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'node-cli-theme';
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

function storedTheme(): Theme {
  const stored = keptValue('always', KEY);
  return THEMES.find((theme) => theme === stored) ?? 'system';
}

export const theme = signal<Theme>('system');

export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system';
  keepValue('always', KEY, theme.value);
}

/** Applies the theme to the document. */
export function followTheme(): void {
  theme.value = storedTheme();
  effect(() => {
    if (theme.value === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme.value;
  });
}
