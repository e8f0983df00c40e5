// Writes dist/types: the declarations of the package's entries and of what these name, and of nothing else.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const all = 'node_modules/.cache/octagent-types'
const folder = 'dist/types'
const tsc = 'node_modules/typescript/bin/tsc'
const { exports, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))

rmSync(all, { recursive: true, force: true })
rmSync(folder, { recursive: true, force: true })
// `npm run check` checks types; here nothing but declarations is made, which takes half of the memory.
const options = ['--noCheck', '--emitDeclarationOnly', '--checkers', '1', '--outDir', all]
const { status } = spawnSync(process.execPath, [tsc, '-p', 'app', ...options], { stdio: ['ignore', 2, 2] })
if (status !== 0) process.exit(status ?? 1)

/** An import of a package that is only there where somebody uses what needs it: elsewhere its types are `any`. */
const withOptionalPeers = text =>
  text.replace(/^import .* from '([^'.]+)';$/gm, (line, name) =>
    name === 'viem' && name in peerDependencies ? `// @ts-ignore: an optional peer\n${line}` : line,
  )

const seen = new Set()
const copy = path => {
  if (seen.has(path)) return
  seen.add(path)
  const text = readFileSync(join(all, path), 'utf8')
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), withOptionalPeers(text))
  for (const [, name] of text.matchAll(/(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g)) {
    const next = relative('.', join(dirname(path), name.replace(/\.[jt]s$/, '.d.ts')))
    if (!existsSync(join(all, next))) throw new Error(`${path} names ${name}, which has no declaration`)
    copy(next)
  }
}
for (const { types } of Object.values(exports)) if (types) copy(relative(folder, types))
