// Compiles the soak and runs it with the given arguments: `npm run soak -- --minutes 2`.
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const run = (args, stdout) => {
  const { status } = spawnSync(process.execPath, args, { stdio: ['inherit', stdout, 'inherit'] })
  if (status !== 0) process.exit(status ?? 1)
}

run(['scripts/setup.mjs', '--bench', '--interop'], 2)
rmSync('bench/dist', { recursive: true, force: true })
run(['node_modules/typescript/bin/tsc', '-p', 'bench'], 2)
run(['bench/dist/bench/soak/main.js', ...process.argv.slice(2)], 'inherit')
