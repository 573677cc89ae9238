// The thread of key recoveries, which is bundled by itself.

import { parentPort, workerData } from 'node:worker_threads';
import { curve } from './curve.ts';
import { RecoveryRing } from './recovery-ring.ts';

const memory: SharedArrayBuffer = workerData;
const tell = (): void => parentPort?.postMessage(null);

await curve.prepare();
// The first message says that the thread is ready.
tell();
new RecoveryRing(memory).serve(curve.recover, tell);
