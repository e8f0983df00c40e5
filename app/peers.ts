import { z } from 'zod'
import type { OperatorDesk } from '../mcp/accounts/operator.ts'
import { provideAll } from '../mcp/kernel/pipeline/provide.ts'
import type { World } from '../mcp/kernel/pipeline/world.ts'
import type { Service } from '../mcp/kernel/service.ts'

const path = '/peer-network'

const network = z.object({
  count: z.number(),
  members: z.array(
    z.object({
      name: z.string(),
      url: z.string().nullable(),
      registered_at: z.string(),
      seen: z.object({ ok: z.boolean(), ms: z.number().nullable() }).nullable(),
    }),
  ),
})

/** The networks of peers that services keep, as their own documents say. */
export const loadPeers = (world: World, services: readonly Service[]): ReturnType<OperatorDesk['peers']> =>
  Promise.all(
    services.flatMap(service =>
      (service.documents ?? [])
        .filter(document => document.path === path)
        .map(async ({ needs = [], render }) => {
          const base = world.base(service)
          const { data } = await render({ ...provideAll(world, needs), base, params: {} })
          return { url: base + path, ...network.parse(data) }
        }),
    ),
  )
