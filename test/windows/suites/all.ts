// All tests of the package on Windows. `main.ts` bundles this file and runs it with Node.
import './start.ts';
import './persistence.ts';
import './artifacts.ts';
import './library.ts';
import './commands.ts';
import './pipe.ts';
