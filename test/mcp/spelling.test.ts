import { expect, test } from 'vitest'
import { choose, compileSkills } from '../../a2a-adapter/skills/choose.ts'
import { services } from '../../app/services.ts'
import { getTool } from '../../cli/find.ts'
import { restRoutes } from '../../rest-adapter/index.ts'
import { opened } from '../opened.ts'
import { emptyWorld, serveMcp } from './serve.ts'
import { post, requestOf } from './wire.ts'

const server = opened(() => serveMcp(emptyWorld(), services))

const spellings: [service: string, name: string, said: string][] = [
  ['data', 'json-repair', 'json_repair'],
  ['data', 'json-repair', 'json.repair'],
  ['data', 'json-repair', 'json_repair..'],
  ['money', 'bridge_routes', 'bridge-routes'],
]

test.each(spellings)(
  '%s.%s is understood as %s over MCP, A2A, REST and on the command line',
  async (slug, name, said) => {
    const service = services.find(one => one.slug === slug)
    if (!service) throw new Error('there is no such service')
    const { body, headers } = requestOf('2026', 'tools/call', { name: said, arguments: {} })
    const { result } = await post(`${server.url}/${slug}/mcp`, body, headers)
    expect(result.content[0]?.text).toContain(`${name} needs`)
    const message = { messageId: 'm', role: 'user', parts: [{ data: { skill: said } }] } as const
    expect(choose(compileSkills(service), message, []).tool.name).toBe(name)
    for (const path of [`${slug}.${said}`, `${slug}_${said}`, `mcp__octagent__${slug}_${name}`, said])
      expect(getTool(path).tool.name).toBe(name)
    const paths = restRoutes(emptyWorld(), service).map(({ path }) => path)
    for (const path of [`/tools/${name}`, `/tools/${said.replace(/\.+$/, '').replace('.', '_')}`])
      expect(paths).toContain(path)
  },
)
