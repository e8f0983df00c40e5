// Installs and builds only what is stale. Node built-ins only: this runs before node_modules exists.
//   (nothing)  the packages and the build        --install  the packages alone
//   --build    as nothing                        --interop  the judges of test/interop as well
//   --bench    the peers of bench/ as well
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { filesIn, reach } from './imports.mjs'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const time = path => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

const newest = paths => {
  let latest = 0
  for (const path of paths) latest = Math.max(latest, time(path))
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
  if (time(`${folder}/node_modules/.package-lock.json`) >= newest([lock, `${folder}/package.json`])) return
  step('installing', 'npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], folder)
}

/** What the compiler reads: the files that `tsconfig.build.json` includes, all that those import, and the settings. */
const sources = () => {
  const { include, extends: base } = JSON.parse(readFileSync('tsconfig.build.json', 'utf8'))
  return [...reach(include.flatMap(filesIn)).keys(), 'tsconfig.build.json', base]
}

const built = 'dist/.built'

/** The stamp holds the list of sources, so that one that came, went or moved makes the build stale as well. */
const build = () => {
  const paths = sources()
  const list = paths.sort().join('\n')
  const before = statSync(built, { throwIfNoEntry: false }) && readFileSync(built, 'utf8')
  if (before === list && time(built) >= newest([...paths, 'node_modules/.package-lock.json'])) return
  rmSync('dist', { recursive: true, force: true })
  step('building', process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'])
  writeFileSync(built, list)
}

const asked = new Set(process.argv.slice(2))
install('.')
if (asked.has('--interop')) install('test/interop')
if (asked.has('--bench')) install('bench')
if (!asked.has('--install')) build()
