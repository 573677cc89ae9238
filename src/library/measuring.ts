/** Measures what the options of a node in process ask for. */

import { writeFile } from 'node:fs/promises';
import type { LazyInspector } from '../inspect/lazy-inspector.ts';
import { Measurements } from '../inspect/measurements.ts';

/** The measures of a node in process. */
export interface LocalMeasuring {
  readonly measurements: Measurements;
  /** Writes the reports to their files. Rejects with the error of the system when that fails. */
  finish(inspector: LazyInspector): Promise<void>;
}

/** What stands for no file: the report is only asked for by `inspect_gasReport`. */
const NO_FILE = '-';

/** Returns the measures; `path` is the file of the gas report, `null` where gas is not measured. */
export async function measuringOf(path: string | null): Promise<LocalMeasuring> {
  if (path === null) return { measurements: new Measurements(), finish: () => Promise.resolve() };
  const { GasMeter } = await import('../inspect/gas/gas-meter.ts');
  const gas = new GasMeter();
  return {
    measurements: new Measurements({ gas }),
    async finish(inspector) {
      if (path === NO_FILE) return;
      const { gasReport } = await import('../inspect/gas/gas-report.ts');
      const { gasReportContent } = await import('../inspect/gas/gas-report-file.ts');
      await writeFile(path, gasReportContent(path, await gasReport(gas, inspector), null));
    },
  };
}
