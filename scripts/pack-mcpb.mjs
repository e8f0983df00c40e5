// Makes the bundle that Claude Desktop installs with one click: `octagent connect` as one file, and a manifest that the official tool
// has found right.
//   npm run pack:mcpb                  octagent.mcpb here
//   npm run pack:mcpb -- other.mcpb    there
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { icon } from './mcpb/icon.mjs'

const target = resolve(process.argv[2] ?? 'octagent.mcpb')
process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const tool = 'test/interop/node_modules/@anthropic-ai/mcpb/dist/cli/cli.js'
if (!existsSync(tool)) {
  console.error('The official tool is missing: npm ci --prefix test/interop')
  process.exit(1)
}

const mcpb = (...args) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [tool, ...args], { encoding: 'utf8' })
  if (status === 0) return
  console.error(stdout + stderr)
  process.exit(1)
}

const folder = mkdtempSync(join(tmpdir(), 'octagent-mcpb-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const manifest = JSON.parse(readFileSync('scripts/mcpb/manifest.json', 'utf8'))
mkdirSync(join(folder, 'server'))
await build({
  input: 'scripts/mcpb/entry.js',
  platform: 'node',
  logLevel: 'silent',
  output: {
    file: join(folder, 'server/connect.js'),
    format: 'esm',
    minify: true,
    comments: false,
    codeSplitting: false,
  },
})
// The file is a module; the one next to it says so, wherever the bundle is unpacked.
writeFileSync(join(folder, 'server/package.json'), '{"type":"module"}\n')
writeFileSync(join(folder, 'manifest.json'), `${JSON.stringify({ ...manifest, version }, null, 2)}\n`)
writeFileSync(join(folder, 'icon.png'), icon())
copyFileSync('LICENSE', join(folder, 'LICENSE'))
mcpb('validate', join(folder, 'manifest.json'))
mcpb('pack', folder, target)
console.log(target)
