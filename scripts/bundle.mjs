// Rolls the program and the packages that it needs into dist/program, which dist/main.js then starts: of a start, half was Node
// looking for 2,500 files and compiling one by one. The rest of dist/ stays as the compiler wrote it, file by file: others
// import it, and threads run it.
import { copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { spellRawTemplates, toAscii } from './ascii.mjs'
import { writeLists } from './lists.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = `${root}dist/program`

/** A module finds what lies beside it where the compiler put it. */
const ownPlace = {
  name: 'own-place',
  transform(code, id) {
    if (!code.includes('import.meta.url') || id.startsWith('\0')) return
    const place = JSON.stringify(relative(folder, id).replaceAll('\\', '/'))
    return code.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`)
  },
}

/** The program has lists of its own; what runs file by file has none. */
const builtLists = {
  name: 'built-lists',
  transform(code, id) {
    if (!id.endsWith('/mcp/server/built-lists.js')) return
    const text = code.replace(
      'const folder = undefined',
      "const folder = new URL('../../program/lists/', import.meta.url)",
    )
    if (text === code) throw new Error(`${id} has no place for the lists`)
    return text
  },
}

/** A part is held in half the memory where it is all ASCII. */
const ascii = {
  name: 'ascii',
  transform: (code, id) => (id.startsWith('\0') ? undefined : spellRawTemplates(code, id)),
  generateBundle(_, parts) {
    for (const part of Object.values(parts)) if (part.type === 'chunk') part.code = toAscii(part.code)
  },
}

rmSync(folder, { recursive: true, force: true })
await build({
  cwd: root,
  input: { main: 'dist/main.js' },
  platform: 'node',
  tsconfig: false,
  logLevel: 'silent',
  // Programs, native modules, and what is only there where somebody installed it.
  external: ['litesvm', 'playwright-core', 'pg-native', /^@foundry-rs\//],
  plugins: [builtLists, ownPlace, ascii],
  output: {
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    // What the packages ask of those who copy them stays; what explains their code would be held for nothing.
    comments: { legal: true, annotation: false, jsdoc: false },
  },
})
// The compiler leaves behind what is no source.
const weights = 'mcp/services/proof/review/classify/weights.bin'
copyFileSync(`${root}${weights}`, `${root}dist/${weights}`)
await writeLists(`${root}dist`, `${folder}/lists`)
writeFileSync(`${root}dist/main.js`, "#!/usr/bin/env node\nimport './program/main.js'\n")
