// Rolls the programs that tests start and kill into few files: a start from them takes a third of the time. What they use of the
// sources finds what lies beside it, and the modules of its threads, below dist/.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'rolldown'

const root = fileURLToPath(new URL('..', import.meta.url))
const [list, folder] = process.argv.slice(2)

const compiledPlace = {
  name: 'compiled-place',
  transform(code, id) {
    if (!code.includes('import.meta.url') || !id.startsWith(root) || id.includes('/node_modules/')) return
    const path = relative(root, id).replaceAll('\\', '/').replace(/\.ts$/, '.js')
    const place = JSON.stringify(pathToFileURL(`${root}dist/${path}`).href)
    return code.replaceAll('import.meta.url', place)
  },
}

const programs = JSON.parse(readFileSync(list, 'utf8'))
await build({
  cwd: root,
  input: Object.fromEntries(programs.map(path => [path.replace(/\.ts$/, ''), path])),
  platform: 'node',
  tsconfig: false,
  logLevel: 'silent',
  // Native modules and programs, and what is only there where somebody installed it.
  external: ['litesvm', 'playwright-core', 'pg-native', '@x402/express', /^@foundry-rs\//],
  plugins: [compiledPlace],
  output: { dir: folder, format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'parts/[name].js' },
})
