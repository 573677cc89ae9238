// Writes one JSON line per test to the file of PROJECTS_RESULTS, and the outcome to stdout.
const { appendFileSync } = require('node:fs');
const { relative } = require('node:path');

const file = process.env.PROJECTS_RESULTS;

function message(error) {
  if (error === undefined || error === null) return '';
  return `${error.message ?? error}`.slice(0, 4_000);
}

module.exports = class JsonLines {
  constructor(runner) {
    const write = (runnable, state, error) => {
      const name = `${relative(process.cwd(), runnable.file ?? '')}: ${runnable.fullTitle()}`;
      appendFileSync(file, `${JSON.stringify({ name, state, message: error && message(error) })}\n`);
    };
    runner.on('pass', (test) => write(test, 'passed'));
    runner.on('pending', (test) => write(test, 'skipped'));
    // A failed hook is reported under its own title; the tests that depend on the hook do not run.
    runner.on('fail', (test, error) => write(test, 'failed', error));
  }
};
