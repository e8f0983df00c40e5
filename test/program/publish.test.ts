import { afterAll, beforeAll, expect, test } from 'vitest'
import { services } from '../../app/services.ts'
import { folder, octagent, serve } from './run.ts'

let server: Awaited<ReturnType<typeof serve>>
beforeAll(async () => {
  server = await serve({ OCTAGENT_DATA: folder() })
})
afterAll(async () => {
  server.child.kill('SIGKILL')
  await server.exit
})

type Finding = { name: string; ok: boolean; finding: string }
const check = async (environment: Record<string, string>, ...args: string[]) => {
  const { code, stdout } = await octagent(['publish', '--check', '--json', ...args], environment)
  return { code, findings: JSON.parse(stdout) as Finding[] }
}

test('prints the entry of a service as the server serves it', async () => {
  const { code, stdout } = await octagent(['publish', 'cat'], { PUBLIC_URL: server.url })
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toEqual(await (await fetch(`${server.url}/cat/server.json`)).json())
})

test('looks at every entry from outside, and says that an address without a domain is listed nowhere', async () => {
  const { code, findings } = await check({ PUBLIC_URL: server.url })
  expect([code, findings.length]).toEqual([1, services.length + 1])
  for (const { finding } of findings) expect(finding).toContain('without a domain')
})

test('finds an entry that is served otherwise than it is written, and a server that is not there', async () => {
  const other = await check({ PUBLIC_URL: server.url, HOSTS: `${new URL(server.url).host}=cat` }, 'cat')
  expect(other.findings[0]?.finding).toMatch(/another entry than this program writes/)
  const away = await check({ PUBLIC_URL: 'http://127.0.0.1:1' }, 'cat')
  expect([away.code, away.findings[0]?.finding]).toEqual([1, expect.stringContaining('cannot be reached')])
  const insecure = await check({ PUBLIC_URL: 'http://agents.example.org' }, 'cat')
  expect(insecure.findings[0]?.finding).toContain('https')
})

test('needs to know the public address', async () => {
  const { code, stderr } = await octagent(['publish'])
  expect([code, stderr]).toEqual([1, expect.stringContaining('PUBLIC_URL')])
})
