#!/usr/bin/env node
// Runs the native `becket` of this platform. `becket init` writes the path of the native program into the agents' settings,
// so that agents do not start Node for every event.
'use strict';

const { spawn } = require('node:child_process');
const path = require('node:path');
const { constants } = require('node:os');

const name = `becket-${process.platform}-${process.arch}`;

function find() {
  try {
    return path.join(path.dirname(require.resolve(`${name}/package.json`)), 'bin', 'becket');
  } catch {
    console.error(`becket: no programs for ${process.platform} on ${process.arch} (package ${name} is not installed)`);
    console.error('hint: install without --omit=optional, or build from source: cargo install --path crates/becket-cli');
    process.exit(1);
  }
}

const program = find();
const isCached = program.split(path.sep).includes('_npx');
if (isCached && ['init', 'up'].includes(process.argv[2])) {
  console.error("becket: cannot connect agents to a program in npx's cache, because npm may delete it");
  console.error('hint: run `npm install --global becket`, then `becket up`');
  process.exit(1);
}

const child = spawn(program, process.argv.slice(2), { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => child.kill(signal));
}
child.on('error', (error) => {
  console.error(`becket: ${error.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) => {
  process.exit(code ?? 128 + (constants.signals[signal] ?? 0));
});
