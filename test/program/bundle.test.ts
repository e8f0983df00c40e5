import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { build, folder, serve } from './run.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const parts = (): string[] => readdirSync(`${root}dist/program`).filter(name => name !== 'main.js')

let server: Awaited<ReturnType<typeof serve>>
beforeAll(async () => {
  build()
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
      expect(path, name).toMatch(/^\.\.\/(?:(?:mcp|web|cli|main)\b|\.\.\/node_modules\/)/)
  }
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
