#!/usr/bin/env node
// Presents solc of npm (WebAssembly) as the native compiler that forge expects to start.
const { readFileSync } = require('node:fs')
const solc = require('solc')

if (process.argv.includes('--version')) {
  const version = solc.version().replace(/\.Emscripten\.clang$/, '.Linux.g++')
  console.log(`solc, the solidity compiler commandline interface\nVersion: ${version}`)
} else {
  process.stdout.write(solc.compile(readFileSync(0, 'utf8')))
}
