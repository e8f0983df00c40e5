import type { World } from '../mcp/kernel/call.ts'
import { ToolError } from '../mcp/kernel/error.ts'
import type { Evidence } from '../mcp/kernel/http.ts'
import { proveCaller } from '../mcp/kernel/pipeline/identify.ts'
import { type AnyIdentify, isForeignKey, readCredential, type Service } from '../mcp/kernel/service.ts'
import type { Auth, Caller } from '../mcp/kernel/tool.ts'

type Kind = Exclude<Auth, 'public'>

/** Who sends one request. Each credential is proven at most once, however often the caller is asked for. */
export type Identity = {
  /** The service whose `identify` remembers what it proved: a signature that may be used once is used once. */
  service: Service
  /** The caller that a credential of the request proves. Throws `unauthenticated` for one that proves nothing. */
  caller(): Promise<Caller | undefined>
}

const refuseCredential = (slug: string) =>
  new ToolError('unauthenticated', 'This credential is not known here.', {
    headers: { 'WWW-Authenticate': `Bearer realm="${slug}"` },
  })

/** Reads who sends a request; without a way to identify anybody, nobody. */
export const toIdentity = (world: World, service: Service, { credentials, request }: Evidence): Identity => {
  if (!service.identify) return { service, caller: async () => undefined }
  const identify: Partial<Record<Kind, AnyIdentify>> = {}
  for (const [kind, { needs, prefix, run }] of Object.entries(service.identify) as [Kind, AnyIdentify][]) {
    let proven: Promise<Caller | undefined> | undefined
    const once: AnyIdentify['run'] = (ports, credential) => {
      proven ??= run(ports, credential)
      return proven
    }
    identify[kind] = { needs, ...(prefix !== undefined && { prefix }), run: once }
  }
  return {
    service: { ...service, identify },
    async caller() {
      for (const [kind, prove] of Object.entries(identify) as [Kind, AnyIdentify][]) {
        const value = readCredential(identify, kind, credentials)
        if (value === undefined || isForeignKey(prove, value)) continue
        const caller = await proveCaller(world, prove, { value, request })
        if (!caller) throw refuseCredential(service.slug)
        return caller
      }
      return undefined
    },
  }
}
