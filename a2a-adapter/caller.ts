import type { World } from '../mcp/kernel/call.ts'
import type { Evidence } from '../mcp/kernel/http.ts'
import { identifyCaller } from '../mcp/kernel/pipeline/identify.ts'
import type { AnyIdentify, AnyLink, Service } from '../mcp/kernel/service.ts'
import type { Auth, Caller } from '../mcp/kernel/tool.ts'

type Kind = Exclude<Auth, 'public'>

/** Sender of one request. Each credential is proven at most once, however often the caller is asked for. */
export type Identity = {
  /** The service whose `identify` remembers what it proved: a signature that may be used once is used once. */
  service: Service
  /** The caller that a credential of the request proves. Throws `unauthenticated` for one that proves nothing. */
  caller(): Promise<Caller | undefined>
}

const once = (run: AnyIdentify['run']): AnyIdentify['run'] => {
  let proven: Promise<Caller | undefined> | undefined
  return (ports, credential) => {
    proven ??= run(ports, credential)
    return proven
  }
}

const linkOnce = (link: AnyLink): AnyLink => {
  let linked: Promise<Caller | undefined> | undefined
  return {
    ...link,
    run: (ports, person) => {
      linked ??= link.run(ports, person)
      return linked
    },
  }
}

/** Reads who sends a request; without a credential, or a way to identify anybody, nobody. */
export const toIdentity = (world: World, facts: Service, { credentials, request }: Evidence): Identity => {
  const isAnonymous = Object.values(credentials).every(value => value === undefined)
  if (isAnonymous || (!facts.identify && !world.signIn))
    return { service: facts, caller: async () => undefined }
  const identify: Partial<Record<Kind, AnyIdentify>> = {}
  for (const [kind, prove] of Object.entries(facts.identify ?? {}) as [Kind, AnyIdentify][])
    identify[kind] = { ...prove, run: once(prove.run) }
  const service = {
    ...facts,
    ...(facts.identify && { identify }),
    ...(facts.link && { link: linkOnce(facts.link) }),
  }
  return {
    service,
    caller: () => identifyCaller(world, service, { credentials, request, channel: 'a2a' }),
  }
}
