import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { services } from '../../app/services.ts'
import { lab } from '../mcp/fixture.ts'
import { emptyWorld, type Served, serveMcp } from '../mcp/serve.ts'
import { describeJudged, runJudge } from './judges.ts'

const script = '@modelcontextprotocol/inspector/clients/launcher/build/index.js'

const inspector = (url: string, ...args: string[]) =>
  runJudge(script, ['--cli', url, '--transport', 'http', ...args], 60_000)

describeJudged('tools', 'MCP Inspector', () => {
  let server: Served
  beforeAll(async () => {
    server = await serveMcp(emptyWorld(), [lab, ...services])
  })
  afterAll(() => server.stop())

  const slugs = ['lab', ...services.map(({ slug }) => slug)]
  const paths = [...slugs.map(slug => `/${slug}/mcp`), '/mcp', `/mcp?services=${slugs.join()}`]

  test.each(paths)('finds no fault in the schemas of %s', async path => {
    const { code, out, err } = await inspector(`${server.url}${path}`, '--method', 'tools/list', '--strict')
    // Two answers hold JSON of others: a list in it may hold anything.
    const issues = Array.from(err.matchAll(/^ *Issue: (.*)$/gm), ([, issue = '']) => issue)
    expect(issues.filter(issue => !issue.includes('accepts any value'))).toEqual([])
    expect({ code, err }).toEqual({ code: 0, err: expect.not.stringMatching(/Error/) })
    expect(JSON.parse(out)).toMatchObject({ tools: expect.any(Array) })
  })

  describe.each(['legacy', 'auto', 'modern'])('in the era "%s"', era => {
    const call = (name: string, input: object) =>
      inspector(
        `${server.url}/lab/mcp`,
        ...['--protocol-era', era, '--method', 'tools/call', '--format', 'json'],
        ...['--tool-name', name, '--tool-args-json', JSON.stringify(input)],
      )

    test('calls a tool', async () => {
      const { code, out, err } = await call('echo', { text: 'hi' })
      expect({ code, err }).toMatchObject({ code: 0 })
      expect(JSON.parse(out).result.structuredContent).toMatchObject({ said: 'hi' })
    })

    test('tells a failure from an answer by its exit code', async () => {
      expect((await call('refuses', {})).code).toBe(5)
    })
  })
})
