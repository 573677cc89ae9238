import { relative } from 'node:path';
import { expect } from 'vitest';

// Vitest runs this before each test file, in the thread of the file.
const { reachFor } = globalThis as { reachFor?: (path: string) => void };
reachFor?.(relative(process.cwd(), expect.getState().testPath ?? ''));
