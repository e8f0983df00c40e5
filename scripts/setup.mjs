// Installs and builds only what is stale. Node built-ins only: this runs before node_modules exists.
//   (nothing)    the packages, and dist/          --install   no dist/
//   --programs   and what tests start and kill   --interop   and the judges of test/interop
//   --bench      and the peers of bench/         --types     and the declarations of the package
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { filesIn, reach } from './imports.mjs'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const tsc = 'node_modules/typescript/bin/tsc'

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

/** What the compiler reads for a project: the files that it names, all that those import, and the settings. */
const sources = project => {
  const { include = [], extends: base } = JSON.parse(readFileSync(project, 'utf8'))
  const below = path => join(dirname(project), path)
  const roots = include.map(below).flatMap(filesIn)
  return [...reach(roots).keys(), project, below(base)]
}

/**
 * Fills a folder, from nothing, when a source is newer than the last good build. The stamp holds the list of sources, so that
 * one that came, went or moved makes the build stale as well.
 */
const fill = (folder, paths, steps) => {
  const list = [...new Set(paths)].sort().join('\n')
  const stamp = `${folder}/.built`
  const isCurrent = time(stamp) >= newest([...paths, 'node_modules/.package-lock.json'])
  if (isCurrent && readFileSync(stamp, 'utf8') === list) return
  rmSync(folder, { recursive: true, force: true })
  for (const [why, ...args] of steps) step(why, process.execPath, args)
  writeFileSync(stamp, list)
}

/** Writes the declarations of the package, when they are older than the code. */
const declare = () => {
  const stamp = 'dist/.declared'
  if (time(stamp) >= time('dist/.built')) return
  step('declaring', process.execPath, ['scripts/declarations.mjs'])
  writeFileSync(stamp, '')
}

const asked = new Set(process.argv.slice(2))
install('.')
if (asked.has('--interop')) install('test/interop')
if (asked.has('--bench')) install('bench')
// Types are stripped, not checked: `npm run check` does that, and it costs ten times the time and four times the memory.
const bundler = 'scripts/bundle.mjs'
if (!asked.has('--install'))
  fill(
    'dist',
    [...sources('app/tsconfig.json'), ...reach([bundler]).keys()],
    [
      ['building', tsc, '-p', 'app/tsconfig.json', '--noCheck', '--declaration', 'false'],
      ['bundling', bundler],
    ],
  )
if (asked.has('--types')) declare()
if (asked.has('--programs')) {
  const list = 'test/programs.json'
  const roller = 'scripts/bundle-programs.mjs'
  const folder = 'node_modules/.cache/octagent-programs'
  const programs = JSON.parse(readFileSync(list, 'utf8'))
  fill(folder, [list, ...reach([...programs, roller]).keys()], [['bundling', roller, list, folder]])
  writeFileSync(`${folder}/package.json`, '{ "type": "module" }')
}
