// The long attacks: `npm run attack [-- fuzz kill …]`. Where the system allows it they run in a network of their own, with
// nothing but loopback, so that no attack can leave the machine. ATTACK_REQUESTS and ATTACK_SEED set the fuzzer.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const run = (command, args) => spawnSync(command, args, { stdio: 'inherit' }).status ?? 1

const setup = run(process.execPath, ['scripts/setup.mjs'])
if (setup !== 0) process.exit(setup)

// Root needs no user namespace, in which PostgreSQL could not have a user of its own.
const flags = process.getuid?.() === 0 ? '-nm' : '-rnm'
const enclosed = [flags, 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh']
const isEnclosable = spawnSync('unshare', [...enclosed, 'true'], { stdio: 'ignore' }).status === 0
if (!isEnclosable)
  console.error('No network of its own here: what would be asked outside is asked at closed ports.')

const attacks = [
  process.execPath,
  'node_modules/vitest/vitest.mjs',
  'run',
  '--config=test/attack/long/vitest.config.ts',
  '--root=.',
  ...process.argv.slice(2),
]
const [command = '', ...args] = isEnclosable ? ['unshare', ...enclosed, ...attacks] : attacks
process.exit(run(command, args))
