import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { services } from '../../app/services.ts'
import { listedIn } from '../../mcp/server/boot-check.ts'
import { compileService, inListOrder } from '../../mcp/server/compile.ts'
import { folder, serve } from './run.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const parts = (): string[] =>
  readdirSync(`${root}dist/program`).filter(name => name.endsWith('.js') && name !== 'main.js')

let server: Awaited<ReturnType<typeof serve>>
beforeAll(async () => {
  server = await serve({ OCTAGENT_DATA: folder() })
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
      await import('${root}dist/program/' + name).catch(error => failures.push(name + ': ' + error.message))
    for (const failure of failures) console.error('failed: ' + failure)
    process.exit()`
  const args = ['--input-type=module', '-e', load]
  const { stderr } = await promisify(execFile)(process.execPath, args, { cwd: root })
  expect(stderr.split('\n').filter(line => line.startsWith('failed: '))).toEqual([])
})

test('a part finds what lies beside its module: nothing of it is looked for in the folder of parts', () => {
  for (const name of parts()) {
    const text = readFileSync(`${root}dist/program/${name}`, 'utf8')
    const lookups = [...text.matchAll(/new URL\("([^"]+)", import\.meta\.url\)/g)].map(
      ([, path = '']) => path,
    )
    for (const path of lookups)
      expect(path, name).toMatch(
        /^\.\.\/(?:(?:app|mcp|a2a-adapter|rest-adapter|web|cli|main)\b|program\/lists\/|\.\.\/node_modules\/)/,
      )
  }
})

test('the lists of the program are what the declarations say', () => {
  for (const service of services) {
    const built = JSON.parse(readFileSync(`${root}dist/program/lists/${service.slug}.json`, 'utf8'))
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
  const others = parts().filter(name =>
    /[^\p{ASCII}]/u.test(readFileSync(`${root}dist/program/${name}`, 'utf8')),
  )
  expect(others).toEqual([])
})

test('a thread of the program runs the modules that the compiler wrote', async () => {
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
