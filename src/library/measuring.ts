/** Measures what the options of a node in process ask for. */

import { writeFile } from 'node:fs/promises';
import type { GasMeter } from '../inspect/gas/gas-meter.ts';
import type { LazyInspector } from '../inspect/lazy-inspector.ts';
import { Measurements } from '../inspect/measurements.ts';
import type { ProfileMeter } from '../inspect/profile/profile-meter.ts';

/** The measures of a node in process. */
export interface LocalMeasuring {
  readonly measurements: Measurements;
  /** Writes the reports to their files. Rejects with the error of the system when that fails. */
  finish(inspector: LazyInspector): Promise<void>;
}

/** The name that means no file: the report is then only asked for by `inspect_gasReport`. */
const NO_FILE = '-';

/** The files of the reports; `null` for what is not measured. */
interface ReportFiles {
  readonly gasReport: string | null;
  readonly profile: string | null;
}

/** The listeners to errors and warnings of the measures. */
interface MeasuringListeners {
  /** Called with a bug that ended work in the background. */
  readonly onError: (error: unknown) => void;
  readonly onWarning: (text: string) => void;
}

/** Returns the measures that the options ask for; nothing is loaded where they ask for none. */
export async function measuringOf(
  { gasReport: path, profile: profilePath }: ReportFiles,
  { onError, onWarning }: MeasuringListeners,
): Promise<LocalMeasuring> {
  const asked = { gas: path !== null, profile: profilePath !== null };
  const measurements = await Measurements.load(asked, onError);
  const { gas, profile } = measurements;
  return {
    measurements,
    async finish(inspector) {
      try {
        if (gas !== null && path !== null && path !== NO_FILE) await writeGasReport(gas, path, inspector);
      } finally {
        if (profile !== null && profilePath !== null) await writeProfile(profile, profilePath, onWarning);
      }
    },
  };
}

async function writeGasReport(meter: GasMeter, path: string, inspector: LazyInspector): Promise<void> {
  const { gasReport } = await import('../inspect/gas/gas-report.ts');
  const { gasReportContent } = await import('../inspect/gas/gas-table.ts');
  await writeFile(path, gasReportContent(path, await gasReport(meter, inspector), null));
}

async function writeProfile(
  meter: ProfileMeter,
  path: string,
  onWarning: (text: string) => void,
): Promise<void> {
  const { profileContent, profileNote } = await import('../inspect/profile/profile-forms.ts');
  const profiled = await meter.profiled();
  await writeFile(path, await profileContent(path, profiled));
  const note = profileNote(profiled);
  if (note !== null) onWarning(note);
}
