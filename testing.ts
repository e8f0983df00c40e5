import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from './app/app.ts'
import { readConfig } from './app/config.ts'
import type { Provision } from './mcp/kernel/port.ts'
import type { Service } from './mcp/kernel/service.ts'
import type { Ports } from './mcp/ports/ports.ts'

export type TestApp = {
  /** URL it listens at on loopback, without a trailing slash. */
  url: string
  /** Calls a tool over REST; resolves to the status and the JSON of the body. */
  call(
    tool: string,
    input?: object,
    headers?: Record<string, string>,
  ): Promise<{ status: number; body: unknown }>
  close(): Promise<void>
}

type Options = {
  services: readonly Service[]
  /** Replaces ports, such as the fetch or the clock. */
  ports?: Partial<Ports>
  /** Replaces ports of the services' own: `[tides.as(fake)]`. */
  replaced?: readonly Provision[]
  /** Variables of the environment. */
  environment?: Record<string, string>
}

/** Serves services on a free port of loopback from a folder of its own, for tests. `call('cat.pet')` names service and tool. */
export const openTestApp = async ({
  services,
  ports,
  replaced,
  environment = {},
}: Options): Promise<TestApp> => {
  const folder = await mkdtemp(join(tmpdir(), 'octagent-test-'))
  const config = readConfig(
    { PORT: '0', OCTAGENT_DATA: folder, OCTAGENT_LOG: 'silent', ...environment },
    services,
  )
  const remove = () => rm(folder, { recursive: true, force: true })
  const app = await createApp({
    services,
    config,
    ...(ports && { ports }),
    ...(replaced && { replaced }),
  }).catch(async error => {
    await remove()
    throw error
  })
  const close = async () => {
    await app.close(true)
    await remove()
  }
  const url = await app.listen().catch(async error => {
    await close()
    throw error
  })
  return {
    url,
    async call(tool, input = {}, headers = {}) {
      if (!/^[^.]+\.[^.]+$/.test(tool))
        throw new TypeError(`call("${tool}"): write service.tool, as in "cat.pet"`)
      const response = await fetch(`${url}/${tool.replace('.', '/tools/')}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(input),
      })
      return { status: response.status, body: await response.json() }
    },
    close,
  }
}
