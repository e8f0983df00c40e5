// Rolls the program, the entries of the package, the modules of its threads and all packages that they need into dist/program: it is
// what is published, and a start from it takes half the time. The rest of dist/ stays as the compiler wrote it, file by file, for tests.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { spellRawTemplates, toAscii } from './ascii.mjs'
import { writeLists } from './lists.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = `${root}dist`
const folder = `${dist}/program`

const filesIn = where =>
  readdirSync(where, { recursive: true })
    .map(name => name.replaceAll('\\', '/'))
    .filter(name => !name.startsWith('program/'))

/** A module that names itself, or one beside it, names it to a thread, which loads it by its path. */
const namesAModule = text =>
  /(?:=|\() ?import\.meta\.url\b(?!\))/.test(text) && !text.includes('createRequire(import.meta.url)')

const compiled = filesIn(dist).filter(name => name.endsWith('.js'))
const doors = ['main.js', 'index.js', 'services.js', 'express.js', 'pay.js', 'testing.js']
const threads = [
  'mcp/ports/workers/entry.js',
  'mcp/lib/page/in-worker.js',
  'mcp/services/data/entities/answer.js',
  'mcp/services/proof/review/judge-text.js',
  ...compiled.filter(name => namesAModule(readFileSync(`${dist}/${name}`, 'utf8'))),
]

/** Stands for the way from a part to the folder of all, until it is known where the part lies. */
const upToFolder = '@@folder@@/'

/** A module finds what lies beside it, wherever it was rolled into. */
const ownPlace = {
  name: 'own-place',
  transform(code, id) {
    if (!code.includes('import.meta.url') || !id.startsWith(dist)) return
    const place = JSON.stringify(upToFolder + relative(dist, id).replaceAll('\\', '/'))
    return code.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`)
  },
  generateBundle(_, parts) {
    for (const part of Object.values(parts)) {
      if (part.type !== 'chunk') continue
      const up = relative(dirname(part.fileName), '.').replaceAll('\\', '/')
      part.code = part.code.replaceAll(upToFolder, up === '' ? './' : `${up}/`)
    }
  },
}

/** The program has lists of its own; what runs file by file has none. */
const builtLists = {
  name: 'built-lists',
  transform(code, id) {
    if (!id.endsWith('/mcp/server/built-lists.js')) return
    const text = code.replace(
      'const folder = undefined',
      "const folder = new URL('../../lists/', import.meta.url)",
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

/** Folders of the packages that were rolled in. */
const packages = new Set()
const notices = {
  name: 'notices',
  generateBundle(_, parts) {
    for (const part of Object.values(parts))
      for (const id of part.type === 'chunk' ? part.moduleIds : []) {
        const [found] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id.replace(/^\0/, '')) ?? []
        if (found) packages.add(found)
      }
  },
}

/** Licences ask that their text goes along with what is copied. */
const writeNotices = () => {
  const texts = [...packages].sort().map(path => {
    const { name, version, license = 'see below' } = JSON.parse(readFileSync(`${path}/package.json`, 'utf8'))
    const files = readdirSync(path).filter(file => /^(licen[cs]e|copying|notice)/i.test(file))
    return [
      `${name} ${version} (${license})`,
      ...files.map(file => readFileSync(join(path, file), 'utf8').trim()),
    ]
  })
  const pieces = [...new Map(texts.map(parts => [parts[0], parts.join('\n\n')])).values()]
  writeFileSync(`${folder}/LICENSES.txt`, `${pieces.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`)
}

rmSync(folder, { recursive: true, force: true })
await build({
  cwd: root,
  input: Object.fromEntries([...doors, ...threads].map(name => [name.replace(/\.js$/, ''), `dist/${name}`])),
  platform: 'node',
  tsconfig: false,
  logLevel: 'silent',
  // Programs, native modules, and what is only there where somebody installed it.
  external: ['litesvm', 'playwright-core', 'pg-native', '@x402/express', /^@foundry-rs\//],
  plugins: [builtLists, ownPlace, ascii, notices],
  output: {
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'parts/[name].js',
    // What the packages ask of those who copy them stays; what explains their code would be held for nothing.
    comments: { legal: true, annotation: false, jsdoc: false },
  },
})
writeNotices()
// The compiler leaves behind what is no source.
const weights = 'mcp/services/proof/review/classify/weights.bin'
copyFileSync(`${root}${weights}`, `${dist}/${weights}`)
for (const name of filesIn(dist).filter(name => /\/data\/[^/]+\.json$/.test(name) || name === weights)) {
  mkdirSync(dirname(`${folder}/${name}`), { recursive: true })
  copyFileSync(`${dist}/${name}`, `${folder}/${name}`)
}
await writeLists(dist, `${folder}/lists`)
writeFileSync(`${dist}/main.js`, "#!/usr/bin/env node\nimport './program/main.js'\n")
writeFileSync(
  `${dist}/create.js`,
  "#!/usr/bin/env node\nprocess.argv.splice(2, 0, 'create')\nawait import('./program/main.js')\n",
)
