import type { World } from '../../mcp/kernel/call.ts'
import type { Service } from '../../mcp/kernel/service.ts'

/** Source of an installation's addresses. */
export type Addresses = Pick<World, 'base' | 'site'>

/** Subject of documents: a whole installation, or one of its services. */
export type Place<world extends Addresses = World> = {
  world: world
  services: readonly Service[]
  service?: Service | undefined
}

/** The absolute address of a place, without a trailing slash. */
export const placeUrl = ({ world, service }: Place<Addresses>): string =>
  service ? world.base(service) : world.site.url

/** Name and purpose of a place, as people read them. */
export const titleOf = ({
  world,
  services,
  service,
}: Place<Addresses>): { name: string; description: string } =>
  service
    ? { name: service.name, description: service.description }
    : {
        name: world.site.organization,
        description: `${services.length} agent services over MCP, A2A and REST, paid by the call where they cost anything.`,
      }

/** The services that a place is about. */
export const servicesOf = ({ services, service }: Place<Addresses>): readonly Service[] =>
  service ? [service] : services

/** A document by which others find a place. */
export type DiscoveryDocument = {
  path: string
  title: string
  /** Its purpose, as a list of documents says it. */
  purpose: string
  /** Media type. */
  type: string
  /** Relation to the interfaces of the place (RFC 8631). */
  rel: 'service-desc' | 'service-doc' | 'service-meta'
  /** Its text; undefined for one that another adapter serves. */
  write?(place: Place): string | Promise<string>
  /** True when a place has anything to say in it: nothing leads to it otherwise. */
  isNeeded?(place: Place): boolean
  /** Seconds that it may be kept; a minute where it does not say. */
  maxAge?: number
  headers?(place: Place): Readonly<Record<string, string>>
}
