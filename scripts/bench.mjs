// Sets up the peers, compiles the benchmark next to them, and runs it with the given arguments.
import { spawnSync } from 'node:child_process'
import { copyFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

// Standard output belongs to the report alone: `npm run --silent bench -- --json` is one JSON array.
const run = (args, stdout) => {
  const { status } = spawnSync(process.execPath, args, { stdio: ['inherit', stdout, 'inherit'] })
  if (status !== 0) process.exit(status ?? 1)
}

run(['scripts/setup.mjs', '--bench', '--interop'], 2)
rmSync('bench/dist', { recursive: true, force: true })
run(['node_modules/typescript/bin/tsc', '-p', 'bench'], 2)
// The compiler leaves behind what is no source.
const weights = 'mcp/services/proof/review/classify/weights.bin'
copyFileSync(weights, `bench/dist/${weights}`)
run(['bench/dist/bench/main.js', ...process.argv.slice(2)], 'inherit')
