import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { services } from '../../app/services.ts'
import { startApp } from '../app.ts'
import { emptyWorld, type Served, serveMcp } from '../mcp/serve.ts'
import { describeJudged, runJudge } from './judges.ts'

const script = '@modelcontextprotocol/conformance/dist/index.js'
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'octagent-conformance-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const conformance = (url: string, ...args: string[]) =>
  runJudge(script, ['server', '--url', url, '-o', folder, ...args], 280_000)

describeJudged('tools', 'conformance of the program as shipped, with its diagnostic server', () => {
  let app: Awaited<ReturnType<typeof startApp>>
  beforeAll(async () => {
    app = await startApp({}, { conformance: true })
  })
  afterAll(() => app.stop())

  test.each(['2026-07-28', '2025-11-25'])('%s: every scenario passes', async version => {
    const url = `${app.url}/conformance/mcp`
    const { code, out, err } = await conformance(url, '--requirements', version)
    expect(code, `${out}${err}`.slice(-6000)).toBe(0)
  })
})

type Check = { id: string; status: string; errorMessage?: string }

const free = {
  '2025-11-25': [
    'server-initialize',
    'ping',
    'tools-list',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
  ],
  '2026-07-28': ['tools-list', 'dns-rebinding-protection', 'http-header-validation'],
}

describeJudged('tools', 'conformance of the real endpoints, as shipped, without any diagnostic tool', () => {
  let server: Served
  beforeAll(async () => {
    server = await serveMcp(emptyWorld(), services)
  })
  afterAll(() => server.stop())

  test('2026-07-28 server-stateless: whatever needs no diagnostic tool passes', {
    timeout: 120_000,
  }, async () => {
    const args = ['--scenario', 'server-stateless', '--spec-version', '2026-07-28', '--verbose']
    const { out } = await conformance(`${server.url}/cat/mcp`, ...args)
    const checks = JSON.parse(out.slice(out.indexOf('['), out.indexOf('\n]') + 2)) as Check[]
    const failures = checks.filter(({ status }) => status === 'FAILURE')
    console.log(`server-stateless: ${checks.filter(({ status }) => status === 'SUCCESS').length} passed`)
    expect(failures.filter(({ errorMessage }) => !errorMessage?.startsWith('Not testable'))).toEqual([])
    expect(failures.length).toBeLessThanOrEqual(4)
  })

  describe.each(Object.entries(free))('%s', (version, scenarios) => {
    test.each(scenarios)('%s', async scenario => {
      const url = `${server.url}/cat/mcp`
      const { code, out, err } = await conformance(url, '--scenario', scenario, '--spec-version', version)
      expect(code, `${out}${err}`.slice(-6000)).toBe(0)
    })
  })
})
