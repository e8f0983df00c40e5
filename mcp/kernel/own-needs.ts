import { type Need, needName, type OwnNeed } from './need.ts'
import { missingNeeds, type Providing, provideAll } from './pipeline/provide.ts'
import type { Port, Provision } from './port.ts'
import type { Service } from './service.ts'

/** Fields of every context, which none of its needs may hide. */
const contextFields = [
  'asker',
  'base',
  'call',
  'caller',
  'channel',
  'client',
  'commit',
  'freeCallsLeft',
  'idempotencyKey',
  'progress',
  'quota',
  'receipt',
  'service',
  'signal',
]

type Asking = { who: string; needs: readonly Need[] }

/** Everybody in a service who asks for something, with what is asked for. */
const askersIn = ({
  tools,
  endpoints = [],
  jobs = [],
  documents = [],
  identify = {},
  ports = [],
}: Service): Asking[] => [
  ...[...tools, ...endpoints].map(({ name, needs, wants = [] }) => ({
    who: name,
    needs: [...needs, ...wants],
  })),
  ...jobs.map(({ name, needs }) => ({ who: name, needs })),
  ...documents.map(({ path, needs = [] }) => ({ who: path, needs })),
  ...Object.entries(identify).map(([scheme, { needs }]) => ({ who: scheme, needs })),
  ...ports.map(({ name, needs }) => ({ who: name, needs })),
]

const checkNames = (service: Service, portNames: readonly string[]): void => {
  const names = [...Object.values(service.settings ?? {}), ...(service.ports ?? [])].map(needName)
  const reservedNames = [...contextFields, ...portNames]
  for (const [index, name] of names.entries())
    if (reservedNames.includes(name) || names.indexOf(name) !== index)
      throw new Error(`${service.slug}: "${name}" is the name of something else in a context`)
}

/**
 * Refuses services whose handlers need a setting or a port that their service does not declare, and names that would hide something.
 * `portNames` are those of the program.
 */
export const checkOwnNeeds = (services: readonly Service[], portNames: readonly string[]): void => {
  for (const service of services) {
    checkNames(service, portNames)
    const ownNeeds: readonly Need[] = [...Object.values(service.settings ?? {}), ...(service.ports ?? [])]
    for (const { who, needs } of askersIn(service))
      for (const need of needs)
        if (typeof need === 'object' && !ownNeeds.includes(need))
          throw new Error(
            `${service.slug}.${who} needs the ${need.kind} "${need.name}", which the service does not declare`,
          )
  }
}

const isClosable = (value: unknown): value is { close(): unknown } =>
  typeof value === 'object' && value !== null && 'close' in value && typeof value.close === 'function'

/**
 * Opens the ports that services bring along, each after those that it needs; one that lacks something stays closed. Returns what
 * closes them. Throws what opening throws, with the ports that were open closed again.
 */
export const openOwnPorts = async (
  services: readonly Service[],
  world: Providing & { own: Map<OwnNeed, unknown> },
  replaced: readonly Provision[],
): Promise<() => Promise<void>> => {
  const closables: { close(): unknown }[] = []
  const close = async () => void (await Promise.all(closables.map(port => port.close())))
  const replacements = new Map<OwnNeed, unknown>(replaced)
  const visited = new Set<Port>()

  const open = async (port: Port): Promise<void> => {
    if (visited.has(port)) return
    visited.add(port)
    if (replacements.has(port)) {
      world.own.set(port, replacements.get(port))
      return
    }
    for (const need of port.needs) if (typeof need === 'object' && need.kind === 'port') await open(need)
    if (missingNeeds(world, port.needs).length > 0) return
    const value = await port.open(provideAll(world, port.needs))
    if (isClosable(value)) closables.push(value)
    world.own.set(port, value)
  }

  try {
    for (const { ports = [] } of services) for (const port of ports) await open(port)
  } catch (error) {
    await close()
    throw error
  }
  return close
}
