// Makes the page that verifies proofs offline: one HTML file with the checks of the service in it. `--check` writes nothing and
// fails where the page is not as its sources make it.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const target = 'mcp/services/proof/proofs/data/verify-page.json'
const read = name => readFileSync(`scripts/verify-page/${name}`, 'utf8')
const hash = text => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

const { output } = await build({
  input: 'scripts/verify-page/entry.js',
  platform: 'browser',
  write: false,
  logLevel: 'silent',
  output: { format: 'esm', minify: true, comments: false },
})
const script = output[0].code.trim().replaceAll('</script', '<\\/script')
const sheet = await build({ input: 'web/style.ts', write: false, logLevel: 'silent' })
const { style } = await import(`data:text/javascript,${encodeURIComponent(sheet.output[0].code)}`)
const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'`
const [head, tail] = read('page.template')
  .replace('POLICY', () => policy)
  .replace('STYLE', () => style)
  .split('SCRIPT')

const source =
  'made by scripts/verify-page.mjs of the page and the checks below scripts/verify-page and mcp/lib'
const text = `${JSON.stringify({ source, policy, script, head, tail }, null, 2)}\n`

if (process.argv.includes('--check')) {
  if (readFileSync(target, 'utf8') === text) process.exit(0)
  console.error(`${target} is not as its sources make it: node scripts/verify-page.mjs`)
  process.exit(1)
}
writeFileSync(target, text)
console.log(`${target}: ${text.length} bytes`)
