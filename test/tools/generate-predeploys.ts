import { writeFileSync } from 'node:fs';
import { replayPredeploys } from '../support/predeploy-replay.ts';
import { predeployStateText } from './predeploy-state-text.ts';

// npm scripts run in the project folder.
writeFileSync('src/chain/genesis/predeploy-state.ts', predeployStateText(await replayPredeploys()));
