import { afterAll, afterEach, beforeAll, beforeEach, describe, it } from 'vitest';
import { addTests } from './tokens.cjs';

addTests({ describe, it, before: beforeAll, after: afterAll, beforeEach, afterEach });
