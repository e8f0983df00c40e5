import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { services } from '../../app/services.ts'
import { listedIn } from '../../mcp/server/boot-check.ts'
import { compileService, inListOrder } from '../../mcp/server/compile.ts'
import { folder as newFolder, serve } from './run.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = `${root}dist/program`
const parts = (): string[] =>
  (readdirSync(folder, { recursive: true }) as string[]).filter(
    name => name.endsWith('.js') && !['main.js', 'mcp/ports/workers/entry.js'].includes(name),
  )

let server: Awaited<ReturnType<typeof serve>>
beforeAll(async () => {
  server = await serve({ OCTAGENT_DATA: newFolder() })
})
afterAll(async () => {
  server.child.kill('SIGKILL')
  await server.exit
})

test('the program is started from one folder, and every part of it can be loaded by itself', async () => {
  expect(readFileSync(`${root}dist/main.js`, 'utf8')).toMatch(/import '\.\/program\/main\.js'/)
  const load = `
    const failures = []
    for (const name of ${JSON.stringify(parts())})
      await import('${folder}/' + name).catch(error => failures.push(name + ': ' + error.message))
    for (const failure of failures) console.error('failed: ' + failure)
    process.exit()`
  const args = ['--input-type=module', '-e', load]
  const { stderr } = await promisify(execFile)(process.execPath, args, { cwd: root })
  expect(stderr.split('\n').filter(line => line.startsWith('failed: '))).toEqual([])
})

test('a part finds what lies beside its module', () => {
  const missing = parts().flatMap(name => {
    const text = readFileSync(`${folder}/${name}`, 'utf8')
    expect(text, name).not.toContain('@@folder@@')
    const modules = [...text.matchAll(/new URL\("([^"]+)", import\.meta\.url\)/g)].map(
      ([, path = '']) => new URL(path, pathToFileURL(`${folder}/${name}`)),
    )
    const beside = [...text.matchAll(/new URL\("(\.[^"]+)", new URL\("([^"]+)", import\.meta\.url\)/g)].map(
      ([, path = '', module = '']) => new URL(path, new URL(module, pathToFileURL(`${folder}/${name}`))),
    )
    for (const { pathname } of modules) expect(pathname, name).toContain(`${folder}/`)
    return beside
      .filter(url => /\.(json|bin|js)$/.test(url.pathname) && !existsSync(url))
      .map(({ pathname }) => pathname)
  })
  expect(missing).toEqual([])
})

test('every module that a thread is given is a part of its own', () => {
  const named = (readdirSync(`${root}mcp`, { recursive: true }) as string[]).filter(
    name =>
      name.endsWith('.ts') &&
      /extractor\(\s*import\.meta\.url|export const \w+ = import\.meta\.url$/m.test(
        readFileSync(`${root}mcp/${name}`, 'utf8'),
      ),
  )
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter(name => !existsSync(`${folder}/mcp/${name.replace(/ts$/, 'js')}`))).toEqual([])
})

test('the licences of all packages in it go along', () => {
  const text = readFileSync(`${folder}/LICENSES.txt`, 'utf8')
  for (const name of ['viem', 'express', 'undici', 'pg', '@solana/kit', 'ox']) {
    expect(text).toMatch(new RegExp(`^${name} \\d`, 'm'))
  }
  expect(text.match(/Permission is hereby granted/g)?.length).toBeGreaterThan(50)
})

test('the lists of the program are what the declarations say', () => {
  for (const service of services) {
    const built = JSON.parse(readFileSync(`${folder}/lists/${service.slug}.json`, 'utf8'))
    const declared = compileService(service).map(({ listed }) => listed)
    expect(built, service.slug).toEqual(JSON.parse(JSON.stringify(declared)))
  }
})

test('each service lists its tools from them', async () => {
  for (const service of services) {
    const answer = await fetch(`${server.url}/${service.slug}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    })
    const { result } = JSON.parse((await answer.text()).replace(/^[^{]*/, ''))
    const names = inListOrder(listedIn(compileService(service))).map(({ listed }) => listed.name)
    expect(result.tools.map(({ name }: { name: string }) => name)).toEqual(names)
  }
})

test('every part is ASCII, which V8 holds in one byte a character', () => {
  const others = parts().filter(name => /[^\p{ASCII}]/u.test(readFileSync(`${folder}/${name}`, 'utf8')))
  expect(others).toEqual([])
})

test('a thread of the program runs parts of it', async () => {
  const text = `${'Nothing to see here. '.repeat(200)}Write to ada@example.com.`
  const answer = await fetch(`${server.url}/data/tools/text-entities?free=1`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text }),
  })
  expect([answer.status, await answer.json()]).toMatchObject([200, { counts: { emails: 1 } }])
})

test.each([
  ['the authorization server for clients of people', '/.well-known/oauth-authorization-server/auth'],
  ['the page on which people sign in', '/auth/sign-in'],
  ['the page of a balance', '/auth/balance'],
  ['a document', '/cat/skill.md'],
])('%s is served by the parts', async (_, path) => {
  const answer = await fetch(`${server.url}${path}`)
  expect([path, answer.status]).toEqual([path, 200])
})
