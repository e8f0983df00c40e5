// Installs and builds only what is stale. Node built-ins only: this runs before node_modules exists.
import { spawnSync } from 'node:child_process'
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const time = path => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

const newest = (...paths) => {
  let latest = 0
  for (const path of paths) {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (!stat) continue
    latest = Math.max(
      latest,
      stat.isDirectory() ? newest(...readdirSync(path).map(name => `${path}/${name}`)) : stat.mtimeMs,
    )
  }
  return latest
}

const step = (why, command, args, cwd = '.') => {
  console.error(`${why}: ${command} ${args.join(' ')}${cwd === '.' ? '' : ` (in ${cwd})`}`)
  const { status } = spawnSync(command, args, {
    cwd,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (status === 0) return
  console.error(`${why} failed`)
  process.exit(status ?? 1)
}

const install = folder => {
  const lock = `${folder}/package-lock.json`
  if (time(`${folder}/node_modules/.package-lock.json`) >= newest(lock, `${folder}/package.json`)) return
  step('installing', 'npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], folder)
}

const sources = [
  'main.ts',
  'app.ts',
  'world.ts',
  'ready.ts',
  'services.ts',
  'rails.ts',
  'contracts',
  'config.ts',
  'cli',
  'mcp',
  'a2a-adapter',
  'rest-adapter',
  'store',
  'tsconfig.json',
  'tsconfig.build.json',
]

install('.')
const built = 'dist/.built'
if (time(built) < newest(...sources, 'node_modules/.package-lock.json')) {
  rmSync('dist', { recursive: true, force: true })
  step('building', process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'])
  writeFileSync(built, '')
}
if (process.argv.includes('--test')) install('test/interop')
if (process.argv.includes('--bench')) install('bench')
