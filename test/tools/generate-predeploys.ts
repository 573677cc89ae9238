import { writeFileSync } from 'node:fs';
import { replayPredeploys } from '../support/predeploy-replay.ts';
import { predeployStateText } from './predeploy-state-text.ts';

// npm runs scripts in the project's own folder.
writeFileSync('src/chain/genesis/predeploy-state.ts', predeployStateText(await replayPredeploys()));
